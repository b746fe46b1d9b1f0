"""Bags, sacks, cushions and balloons: a body that swings, bulges and dents, and handles that flop."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...kinematics.base import Array
from ..composition import combined, object_of
from ..figure import Figure
from ..moving_object import MovingObject
from ..organic_shapes import block, resampled, sweep, sweep_place, sweep_triangles, vector
from ..random_motion import Motion, independent
from ..solids import Bend, Shear, Squash, Step, Swell, Twist, deformed, posed
from .ropes import bending_ways

__all__ = ["bag", "balloon", "cushion"]


def _body(name: str, points: Array, faces: np.ndarray, steps: list[Step], anchored: bool) -> MovingObject:
    width = len(steps)
    motion = Motion(width, width, independent(width), lambda values: posed(points, steps, values))
    return object_of(name, "bag", points, faces, motion, anchored)


def bag(rng: np.random.Generator) -> MovingObject:
    """A tote bag, sack or handbag that stands on its foot or hangs by its handles."""
    wide, deep, tall = rng.uniform(0.5, 1.0), rng.uniform(0.15, 0.6), rng.uniform(0.4, 1.0)
    rings, sides = int(rng.integers(7, 12)), int(rng.choice([8, 12, 16]))
    t = np.linspace(0.0, 1.0, rings)
    belly = rng.uniform(0.0, 0.5)
    closed = rng.random() < 0.4
    neck = rng.uniform(0.2, 0.7) if closed else rng.uniform(0.8, 1.1)
    profile = (1.0 + belly * np.sin(np.pi * t)) * (1.0 - (1.0 - neck) * t**3)
    profile[0] *= rng.uniform(0.7, 1.0)
    line = np.zeros((rings, 3))
    line[:, 2] = tall * t
    radii = 0.5 * profile[:, None] * [wide, deep]
    points = sweep(line, radii, sides, (1, 0, 0), roll=np.pi / sides)
    # Squarer sections than ellipses, as sewn bags have.
    square = rng.uniform(0.0, 0.4)
    reach = np.abs(points[:, :2] / np.maximum(np.hypot(points[:, 0], points[:, 1]), 1e-9)[:, None]).max(axis=1)
    points[:, :2] *= (1.0 + square * (1.0 / np.maximum(reach, 0.5) - 1.0))[:, None]
    faces = sweep_triangles(rings, sides)
    if not closed:
        faces = faces[(faces != rings * sides + 1).all(axis=1)]  # open at the top
        points = points[:-1]
    hangs = rng.random() < 0.4
    heading = rng.uniform(0.0, 6.3)
    offers: list[Step] = [
        Shear(rng.uniform(0.15, 0.5) / tall, heading, 0.0, 2.0),
        Shear(rng.uniform(0.15, 0.5) / tall, heading + 0.5 * np.pi, 0.0, 2.0),
        Squash(rng.uniform(0.1, 0.4), 0.0, 0.4 * tall),
        Twist(rng.uniform(0.2, 0.9) / tall, 0.0),
        Bend(rng.uniform(0.2, 0.7) * min(1.2 / tall, 1.6 / wide), 0.5 * np.pi, 0.0),
    ]
    for sign in (1.0, -1.0):
        side = vector(0.0, sign * 0.5 * deep, rng.uniform(0.3, 0.6) * tall)
        offers.append(Swell(side, vector(0.0, sign, 0.0), 0.4 * tall, rng.uniform(0.1, 0.4) * deep, 0.0))
    chosen = np.sort(rng.choice(len(offers), int(rng.integers(1, 6)), replace=False))
    steps = [offers[number] for number in chosen]
    if hangs:
        body = _hanging(points, faces, steps, tall)
        # What hangs from its handles leaves them still; they are drawn upright and stay so.
        return combined("bag", "bag", [body, *_handles(rng, wide, deep, tall, neck, 0.0)])
    if rng.random() < 0.25:
        return _body("bag", points, faces, steps, True)
    handles = combined("handles", "bag", _handles(rng, wide, deep, tall, neck, rng.uniform(0.4, 1.6)))
    return _ridden(_body("bag", points, faces, steps, True), steps, handles)


def _ridden(body: MovingObject, steps: list[Step], riders: MovingObject) -> MovingObject:
    """Riders that are sewn to the body: they move by themselves and then with the space around it."""
    both = combined("bag", "bag", [body, riders])
    draw = independent(len(steps))

    def states(rng: np.random.Generator, count: int) -> Array:
        places = np.concatenate([np.repeat(body.vertices[None], count, axis=0), riders.states(rng, count)], axis=1)
        return deformed(places, steps, draw(rng, count))

    return replace(both, states=states)


def _hanging(points: Array, faces: np.ndarray, steps: list[Step], tall: float) -> MovingObject:
    """The same body upside down: its top is still, its belly swings."""
    flipped = vector(0.0, 0.0, tall) + points * [1.0, 1.0, -1.0]
    width = len(steps)

    def pose(values: Array) -> Array:
        return vector(0.0, 0.0, tall) + posed(flipped, steps, values) * [1.0, 1.0, -1.0]

    return object_of("bag", "bag", points, faces, Motion(width, width, independent(width), pose), True)


def _arch(wide: float, high: float, rings: int) -> Array:
    angle = np.linspace(0.0, np.pi, rings)
    return np.stack([0.5 * wide * np.cos(angle), np.zeros(rings), high * np.sin(angle)], axis=1)


def _handles(
    rng: np.random.Generator, wide: float, deep: float, tall: float, neck: float, flop: float
) -> list[MovingObject]:
    """Two arched handles along X on the front and back rim; they turn about their feet by `flop` radians."""
    result = []
    across, high, thick = wide * neck * rng.uniform(0.3, 0.7), rng.uniform(0.2, 0.6), rng.uniform(0.01, 0.03)
    for sign in (1.0, -1.0):
        figure = Figure()
        figure.bone(-1, np.zeros(3))
        foot = vector(0.0, sign * 0.45 * deep * neck, tall)
        line = _arch(across, high, 13)
        skin = sweep(line + foot, np.full((13, 2), thick), 6, (0, 1, 0))
        lower = figure.bone(0, foot)
        upper = figure.bone(lower, foot + vector(0.0, 0.0, 0.45 * high))
        height = np.clip((skin[:, 2] - foot[2]) / high, 0.0, 1.0)
        share = np.clip((height - 0.25) / 0.4, 0.0, 1.0)
        figure.add(
            skin,
            sweep_triangles(13, 6),
            np.tile([lower, upper], (len(skin), 1)),
            np.stack([1.0 - share, share], axis=1),
            1,
        )
        if flop:
            figure.way(lower, vector(-sign, 0.0, 0.0), -0.3 * flop, flop)
            figure.way(upper, vector(-sign, 0.0, 0.0), -0.6 * flop, 0.6 * flop)
        result.append(figure.finish("handle", "bag", True))
    return result


def cushion(rng: np.random.Generator) -> MovingObject:
    """A pillow, beanbag or mattress, free: it bends, is dented and puffs up."""
    cells = (int(rng.integers(7, 12)), int(rng.integers(7, 12)), 2)
    size = np.array([1.0, rng.uniform(0.5, 1.0), rng.uniform(0.15, 0.5)])
    points, faces = block(size, cells)
    u, v = 2.0 * points[:, 0] / size[0], 2.0 * points[:, 1] / size[1]
    puff = rng.uniform(0.05, 0.4) + (1.0 - u**2) * (1.0 - v**2)
    points = points * np.stack([1.0 - 0.08 * v**2, 1.0 - 0.08 * u**2, puff], axis=1)
    long = rng.random() < 0.5
    turn = np.eye(3)[[2, 1, 0]] if long else np.eye(3)[[0, 2, 1]]
    upright = points @ turn
    low = float(upright[:, 2].min())
    flat = size[2] / 2
    offers: list[Step] = [
        Bend(rng.uniform(0.3, 1.0) * min(1.8, 0.8 / flat), 0.0 if long else 0.5 * np.pi, low),
        Twist(rng.uniform(0.3, 1.2), low),
        Squash(rng.uniform(0.05, 0.25), low, 0.0),
        Shear(rng.uniform(0.1, 0.4), rng.uniform(0.0, 6.3), low, 1.0),
    ]
    axis = 0 if long else 1
    for _ in range(3):
        place = upright[rng.integers(len(upright))] * 0.6
        place[axis] = flat * 0.8 * rng.choice([-1.0, 1.0])
        way = -np.eye(3)[axis] * np.sign(place[axis])
        offers.append(Swell(place, way, rng.uniform(0.2, 0.5), rng.uniform(0.2, 0.6) * flat, -9.0))
    chosen = np.sort(rng.choice(len(offers), int(rng.integers(1, 6)), replace=False))
    steps = [offers[number] for number in chosen]
    width = len(steps)
    back = turn.T if rng.random() < 0.7 else np.eye(3)

    def pose(values: Array) -> Array:
        return posed(upright, steps, values) @ back

    mirrored = np.linalg.det(turn) * np.linalg.det(back) < 0
    motion = Motion(width, width, independent(width), pose)
    return object_of("cushion", "bag", upright @ back, faces[:, ::-1] if mirrored else faces, motion, False)


def balloon(rng: np.random.Generator) -> MovingObject:
    """One to four balloons on strings from one knot or weight; or a lamp, a ball, a bell that hangs on its cord."""
    figure = Figure()
    figure.bone(-1, np.zeros(3))
    up = 1.0 if rng.random() < 0.7 else -1.0
    if rng.random() < 0.7:
        figure.add_rigid(*block(rng.uniform(0.08, 0.25, 3), (3, 3, 3), 0.02), 0, 1)
    count, bones = int(rng.choice([1, 1, 2, 3, 4])), 8
    size = rng.uniform(0.12, 0.35)
    for number in range(count):
        angle = 2.0 * np.pi * number / count
        out = vector(np.cos(angle), np.sin(angle), 0.0) * (0.35 if count > 1 else 0.05)
        length = rng.uniform(0.6, 1.5)
        t = np.linspace(0.0, 1.0, bones + 1)[:, None]
        curve = length * (out * t**0.8 + vector(0.0, 0.0, up) * t) + 0.05 * np.sin(6.0 * t) * vector(1.0, 0.0, 0.0)
        first = figure.chain(0, curve)
        rings = 2 * bones + 1
        cord = sweep(resampled(curve, rings), np.full((rings, 2), 0.01), 4)
        figure.add_along(cord, sweep_triangles(rings, 4), first, bones, 0.5 * sweep_place(rings, 4), 2)
        way = curve[-1] - curve[-2]
        way = way / np.linalg.norm(way)
        t = np.linspace(0.0, 1.0, 9)
        profile = np.sqrt(np.maximum(t * (1.0 - t), 0.0)) * 2.0 * (1.0 - rng.uniform(0.0, 0.35) * (1.0 - t)) + 0.02
        line = curve[-1] + (t * size * rng.uniform(2.0, 2.8))[:, None] * way
        skin = sweep(line, np.repeat((size * profile)[:, None], 2, axis=1), 10, (1, 0, 0))
        figure.add_rigid(skin, sweep_triangles(9, 10), first + bones - 1, 3)
        bending_ways(rng, figure, first, curve, rng.uniform(0.2, 0.8), int(rng.integers(1, 3)), 2, 0.0)
    return figure.finish("balloon", "bag", True)
