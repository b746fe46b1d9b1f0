"""Long thin things and what hangs loose: ropes, cables, hoses, tentacles, chains of rings, keys on a ring."""

from __future__ import annotations

import numpy as np

from ...kinematics.base import Array
from ..figure import Figure
from ..moving_object import MovingObject
from ..organic_shapes import block, frames_along, resampled, spindle, sweep, sweep_place, sweep_triangles
from ..random_motion import independent, woven
from ..shapes import torus

__all__ = ["key_ring", "ring_chain", "rope", "tentacles"]


def _rest_curve(rng: np.random.Generator, points: int) -> Array:
    """A curve of length about 2 through the origin: straight, hanging, coiled, wavy or wandering, Float[points,3]."""
    kind = rng.random()
    t = np.linspace(0.0, 1.0, points)[:, None]
    if kind < 0.25:
        return 2.0 * t * np.array([0.0, 0.0, -1.0])
    if kind < 0.4:
        return 2.0 * t * np.array([1.0, 0.0, 0.0])
    if kind < 0.55:
        turns, radius = rng.uniform(0.5, 3.0) * 2.0 * np.pi, rng.uniform(0.2, 0.4)
        climb = rng.uniform(0.1, 1.5)
        return np.concatenate([radius * (np.cos(turns * t) - 1.0), radius * np.sin(turns * t), -climb * t], axis=1)
    if kind < 0.75:
        swing = rng.uniform(0.05, 0.25) * np.sin(rng.uniform(2.0, 10.0) * t)
        return np.concatenate([1.6 * t, swing, -rng.uniform(0.0, 0.8) * 4.0 * t * (1.0 - t)], axis=1)
    steps = rng.normal(0.0, 0.5, (5, 3)) + rng.normal(0.0, 0.6, 3)
    return resampled(np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)]), points)


def bending_ways(
    rng: np.random.Generator,
    figure: Figure,
    first: int,
    points: Array,
    angle: float,
    modes: int,
    planes: int,
    twist: float,
) -> None:
    """Curvature of low frequency along a chain whose points are Float[b+1,3]: `modes` cosines in each of one or two
    planes, the n-th of at most angle / n radians, and a twist of at most `twist` radians over the whole length."""
    bones = len(points) - 1
    tangent, normal, binormal = frames_along(points, rng.normal(size=3))
    where = (np.arange(bones) + 0.5) / bones
    chain = first + np.arange(bones)
    for axis in (normal, binormal)[:planes]:
        for mode in range(modes):
            share = np.cos(np.pi * mode * where) / bones
            figure.way(chain, share[:, None] * axis[:-1] * angle / (1.0 + 0.5 * mode), -1.0, 1.0)
    if twist:
        figure.way(chain, tangent[:-1] / bones, -twist, twist)


def rope(rng: np.random.Generator) -> MovingObject:
    """A rope, cable, hose or belt held at one end or lying free, perhaps with a plug, weight or tassel at its end."""
    figure = Figure()
    figure.bone(-1, np.zeros(3))
    bones = int(rng.integers(10, 20))
    curve = _rest_curve(rng, bones + 1)
    first = figure.chain(0, curve)
    rings, sides = 2 * bones + 1, int(rng.choice([4, 6, 8, 12]))
    thick = rng.uniform(0.015, 0.12)
    radii = np.full((rings, 2), thick)
    look = rng.random()
    if look < 0.2:
        radii[:, 1] *= rng.uniform(2.0, 5.0)  # a belt
    elif look < 0.35:
        radii *= 1.0 + 0.15 * (np.arange(rings) % 2)[:, None]  # a ribbed hose
    elif look < 0.5:
        radii *= np.linspace(1.0, rng.uniform(0.1, 0.6), rings)[:, None]
    line = resampled(curve, rings)
    place = 0.5 * sweep_place(rings, sides)
    strands = 1
    if look > 0.9:
        strands = int(rng.integers(2, 4))
    _, normal, binormal = frames_along(line)
    for strand in range(strands):
        angle = 2.0 * np.pi * strand / strands + np.linspace(0.0, rng.uniform(10.0, 30.0), rings)
        aside = thick * (strands > 1) * (np.cos(angle)[:, None] * normal + np.sin(angle)[:, None] * binormal)
        vertices = sweep(line + aside, radii, sides, rng.normal(size=3))
        figure.add_along(vertices, sweep_triangles(rings, sides), first, bones, place)
    _end_piece(rng, figure, first + bones - 1, line, thick)
    anchored = rng.random() < 0.65
    if anchored and rng.random() < 0.5:
        plate, faces = block(rng.uniform(2.0, 6.0, 3) * thick, (1, 1, 1))
        figure.add_rigid(plate + curve[0], faces, 0, 1)
    modes, planes = int(rng.integers(1, 5)), int(rng.choice([1, 2, 2]))
    twist = rng.uniform(0.0, 1.5) if rng.random() < 0.3 else 0.0
    bending_ways(rng, figure, first, curve, rng.uniform(0.5, 2.8), modes, planes, twist)
    return figure.finish("rope", "rope", anchored)


def _end_piece(rng: np.random.Generator, figure: Figure, bone: int, line: Array, thick: float) -> None:
    """Sometimes a plug, ball or tassel at the end of a line, on its last bone."""
    kind = rng.random()
    if kind < 0.5:
        return
    along = line[-1] - line[-2]
    along = along / np.linalg.norm(along)
    length = thick * rng.uniform(2.0, 8.0)
    body = spindle(6, 0.5) if kind < 0.75 else np.array([[0.0, 1.0], [0.8, 1.0], [1.0, 0.6]])
    centres = line[-1] + body[:, :1] * length * along
    radii = np.repeat(body[:, 1:] * thick * rng.uniform(1.5, 3.5), 2, axis=1)
    sides = int(rng.choice([4, 8]))
    figure.add_rigid(sweep(centres, radii, sides), sweep_triangles(len(body), sides), bone, 2)


def ring_chain(rng: np.random.Generator) -> MovingObject:
    """Rings, each through the one before it, or beads and plates on a line: rigid links that turn on one another."""
    figure = Figure()
    figure.bone(-1, np.zeros(3))
    links = int(rng.integers(4, 15))
    across = rng.uniform(0.08, 0.2)
    thin = across * rng.uniform(0.12, 0.25)
    pitch = 2.0 * (across - thin)
    hangs = rng.random() < 0.6
    down = np.array([0.0, 0.0, -1.0]) if hangs else np.array([1.0, 0.0, 0.0])
    points = np.arange(links + 1)[:, None] * pitch * down
    first = figure.chain(0, points)
    look = rng.random()
    for link in range(links):
        if look < 0.6:
            ring, faces = torus(across, thin, 12, 5)
            ring = ring * [rng.uniform(0.55, 0.9) if look < 0.3 else 1.0, 1.0, 1.0]
            # The long side of a ring lies along the chain, its plane turned by a right angle from link to link.
            ring = ring[:, [2, 0, 1]] if link % 2 else ring[:, [0, 2, 1]] * [1.0, -1.0, 1.0]
        elif look < 0.8:
            body = spindle(6)
            centres = np.zeros((6, 3))
            centres[:, 2] = (body[:, 0] - 0.5) * 2.0 * across
            ring, faces = sweep(centres, np.repeat(body[:, 1:] * across, 2, axis=1), 8), sweep_triangles(6, 8)
        else:
            ring, faces = block(np.array([0.8, 0.3, 1.9]) * across, (1, 1, 1))
        ring = ring if hangs else ring[:, [2, 0, 1]]
        figure.add_rigid(ring + points[link] + 0.5 * pitch * down, faces, first + link, link % 2 if look < 0.2 else 0)
    figure.add_rigid(*block((0.4, 0.4, 0.06) if hangs else (0.06, 0.4, 0.4), (1, 1, 1)), 0, 1)
    if rng.random() < 0.4:
        weight, faces = block(rng.uniform(0.1, 0.4, 3), (3, 3, 3), 0.03)
        figure.add_rigid(weight + points[-1], faces, first + links - 1, 2)
    sides = np.eye(3)[[0, 1]] if hangs else np.eye(3)[[1, 2]]
    limit = rng.uniform(0.15, 0.7)
    for axis in sides[: int(rng.choice([1, 2, 2]))]:
        for link in range(links):
            figure.way(first + link, axis, -limit, limit)
    threads = int(rng.integers(2, 7))
    free = rng.random() < 0.4
    draw = independent(figure.way_count) if free else woven(rng, figure.way_count, threads)
    return figure.finish("ring_chain", "rope", True, draw, figure.way_count if free else threads)


def tentacles(rng: np.random.Generator) -> MovingObject:
    """One to eight arms that taper, on a head or a foot that stands still: octopus, anemone, tail, whip, elephant's
    trunk."""
    figure = Figure()
    figure.bone(-1, np.zeros(3))
    arms = int(rng.choice([1, 2, 3, 4, 5, 6, 8]))
    bones = 8 if arms > 3 else 12
    size = rng.uniform(0.15, 0.4)
    body = spindle(9, rng.uniform(0.3, 0.6))
    height = size * rng.uniform(0.6, 2.5)
    up = 1.0 if rng.random() < 0.5 else -1.0
    centres = np.zeros((9, 3))
    centres[:, 2] = (body[:, 0] - 0.8) * height * -up
    if arms > 1 or rng.random() < 0.5:
        radii = np.repeat(body[:, 1:] * size, 2, axis=1)
        figure.add_rigid(sweep(centres, radii, 10), sweep_triangles(9, 10), 0, 0)
    rings, sides = 2 * bones + 1, int(rng.choice([4, 6, 8]))
    length, thick = rng.uniform(0.8, 1.6), size * (rng.uniform(0.2, 0.5) if arms > 1 else rng.uniform(0.3, 0.9))
    profile = np.linspace(1.0, rng.uniform(0.05, 0.4), rings) ** rng.uniform(0.7, 1.5)
    share, planes, modes = rng.random() < 0.5, int(rng.choice([1, 2, 2])), int(rng.integers(1, 3))
    angle = rng.uniform(0.5, 2.2)
    curl = rng.normal(0.0, 0.4)
    for arm in range(arms):
        around = 2.0 * np.pi * (arm + 0.15 * rng.normal()) / arms
        out = np.array([np.cos(around), np.sin(around), 0.0])
        t = np.linspace(0.0, 1.0, bones + 1)[:, None]
        spread = rng.uniform(0.2, 1.2) if arms > 1 else 0.1
        curve = 0.5 * size * (arms > 1) * out + length * (
            t * (spread * out + [0.0, 0.0, up]) / np.hypot(spread, 1.0) + curl * t**2 * out
        )
        first = figure.chain(0, curve)
        vertices = sweep(resampled(curve, rings), np.repeat(profile[:, None] * thick, 2, axis=1), sides)
        figure.add_along(vertices, sweep_triangles(rings, sides), first, bones, 0.5 * sweep_place(rings, sides), 1)
        axes = (np.cross([0.0, 0.0, 1.0], out), out)[:planes]
        where = (np.arange(bones) + 0.5) / bones
        for number, (axis, mode) in enumerate([(axis, mode) for axis in axes for mode in range(modes)]):
            turns = (np.cos(np.pi * mode * where) / bones)[:, None] * axis * angle
            if share and arm:
                figure.also(number, first + np.arange(bones), turns)
            else:
                figure.way(first + np.arange(bones), turns, -1.0, 1.0)
    draw, freedom = None, None
    if not share and rng.random() < 0.4 and figure.way_count > 4:
        freedom = int(rng.integers(2, 5))
        draw = woven(rng, figure.way_count, freedom)
    return figure.finish("tentacles", "rope", True, draw, freedom)


def key_ring(rng: np.random.Generator) -> MovingObject:
    """Keys or tags that hang loose on a ring; the ring swings on a hook or stands."""
    figure = Figure()
    figure.bone(-1, np.zeros(3))
    radius = rng.uniform(0.15, 0.35)
    thin = radius * rng.uniform(0.04, 0.1)
    centre = np.array([0.0, 0.0, -radius])
    ring, faces = torus(radius, thin, 18, 5)
    hooked = rng.random() < 0.6
    holder = figure.bone(0, np.zeros(3)) if hooked else 0
    figure.add_rigid(ring[:, [0, 2, 1]] * [1.0, -1.0, 1.0] + centre, faces, holder)
    if hooked:
        hook, faces = torus(3.0 * thin, thin, 10, 5)
        figure.add_rigid(hook[:, [1, 2, 0]] + [0.0, 0.0, 2.0 * thin], faces, 0, 1)
        plate, faces = block(rng.uniform(1.0, 4.0, 3) * thin, (1, 1, 1))
        figure.add_rigid(plate + np.array([0.0, 0.0, 6.0 * thin]), faces, 0, 1)
        for axis in np.eye(3)[:2]:
            figure.way(holder, axis, -0.5, 0.5)
    count, limit = int(rng.integers(1, 7)), rng.uniform(0.3, 1.2)
    for number, angle in enumerate(np.linspace(-0.7, 0.7, count) * (count > 1) - 0.5 * np.pi):
        place = centre + radius * np.array([np.cos(angle), 0.0, np.sin(angle)])
        long, wide = rng.uniform(0.15, 0.5), rng.uniform(0.04, 0.12)
        key = figure.bone(holder, place)
        blade, faces = block((1.2 * thin, wide * rng.uniform(0.3, 1.0), long), (1, 1, 1))
        figure.add_rigid(blade + place - [0.0, 0.0, 0.5 * long + 0.5 * wide], faces, key, 2)
        if rng.random() < 0.7:
            bow, faces = torus(0.5 * wide, 0.6 * thin, 12, 4)
            figure.add_rigid(bow[:, [1, 2, 0]] + place - [0.0, 0.0, 0.4 * wide], faces, key, 2 + number % 2)
        figure.way(key, (-np.sin(angle), 0.0, np.cos(angle)), -limit, limit)
        figure.way(key, (0.0, 1.0, 0.0), -0.2, 0.2)
    return figure.finish("key_ring", "rope", True)
