"""Long bodies that bend in waves: fish, whales, rays, snakes and worms."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...kinematics.base import Array
from ..creature import Creature
from ..moving_object import MovingObject
from ..organic_shapes import grid_triangles, resampled, spindle, sweep, sweep_triangles, vector

__all__ = ["fish", "ray", "snake", "wave_ways"]

_X, _Y, _Z = np.eye(3)


def wave_ways(
    rng: np.random.Generator, creature: Creature, bones: ArrayLike, axis: Array, angle: float, cycles: float
) -> None:
    """A wave that travels along the bones: two numbers, a quarter of a cycle apart, of `angle` radians in all."""
    bones = np.asarray(bones)
    where = np.linspace(0.0, 2.0 * np.pi * cycles, len(bones))
    size = np.linspace(0.5, 1.5, len(bones))[::-1] * angle / len(bones)
    phase = rng.uniform(0.0, 6.3)
    for shift in (0.0, 0.5 * np.pi):
        creature.way(bones, (size * np.cos(where - shift))[:, None] * axis, -1.0, 1.0, phase - shift)


def _fin(base: ArrayLike, tip: ArrayLike, back: ArrayLike, notch: float) -> tuple[Array, NDArray[np.int64]]:
    """A sheet with its front edge from `base` to `tip` and its rear edge `back` behind, notched in the middle."""
    t = np.linspace(0.0, 1.0, 5)[:, None]
    front = np.asarray(base) + t * (np.asarray(tip, dtype=float) - base)
    rear = front + np.asarray(back) * (1.0 - 0.6 * t - notch * np.sin(np.pi * t))
    grid = np.stack([front, 0.5 * (front + rear), rear], axis=1).reshape(-1, 3)
    return grid, grid_triangles(5, 3)


def _eyes(rng: np.random.Generator, creature: Creature, place: Array, aside: float, size: float) -> None:
    body = spindle(5)
    for sign in (1.0, -1.0):
        line = place + vector(0.0, sign * aside, 0.0) + (body[:, :1] - 0.5) * 2.0 * size * _Z
        creature.stick(
            (sweep(line, size * body[:, [1, 1]], 6, _X), sweep_triangles(5, 6)), int(creature.segment_bone[-1])
        )


def fish(rng: np.random.Generator) -> MovingObject:
    """A fish, or a whale whose tail goes up and down: the body waves, fins flap."""
    segments = int(rng.integers(4, 8))
    whale = rng.random() < 0.3
    high, wide = rng.uniform(0.12, 0.5), rng.uniform(0.06, 0.3)
    profile = spindle(segments + 1, rng.uniform(0.35, 0.6))[:, 1]
    profile = profile * np.linspace(rng.uniform(0.1, 0.6), 1.0, segments + 1)
    profile[0] = rng.uniform(0.06, 0.2)
    x = np.linspace(-0.5, 0.5, segments + 1)
    spine = np.stack([x, 0.0 * x, rng.normal(0.0, 0.03) * np.sin(3.0 * x)], axis=1)
    creature = Creature(rng, spine, profile[:, None] * [high, wide], segments - 2, rng.random() < 0.6)
    bone, tail = creature.segment_bone, spine[0]
    bend = _Y if whale else _Z
    wave_ways(rng, creature, bone[: segments - 1][::-1], bend, rng.uniform(0.3, 1.4), rng.uniform(0.0, 0.7))
    if rng.random() < 0.3:
        creature.way(bone[: segments - 1], (_Z if whale else _Y) / segments, -0.4, 0.4, 0.0, 0.2)
    creature.way(bone[-1], bend, -0.3, 0.3, rng.uniform(0.0, 6.3), 0.3)

    # The tail fin turns with a lag of its own.
    root = creature.figure.bone(int(bone[0]), tail)
    spread, sweep_back = rng.uniform(0.12, 0.4), rng.uniform(0.1, 0.3)
    for sign in (1.0, -1.0):
        tip = tail + (spread * sign) * (_Y if whale else _Z) - sweep_back * _X
        creature.stick(_fin(tail, tip, -rng.uniform(0.1, 0.25) * _X, rng.uniform(0.0, 0.4)), root)
    creature.way(root, bend, -rng.uniform(0.2, 0.8), rng.uniform(0.2, 0.8), rng.uniform(0.0, 6.3))
    if rng.random() < 0.8:
        middle = segments // 2
        top = spine[middle] + 0.8 * high * profile[middle] * _Z
        tip = top + vector(-rng.uniform(0.0, 0.2), 0.0, rng.uniform(0.1, 0.3))
        creature.stick(_fin(top, tip, -rng.uniform(0.1, 0.3) * _X, 0.1), int(bone[middle - 1]))
    _flippers(rng, creature, spine[segments - 1], 0.8 * wide * profile[segments - 1], int(bone[segments - 2]))
    if rng.random() < 0.5:
        place = spine[-2] + vector(0.06, 0.0, 0.25 * high)
        _eyes(rng, creature, place, 0.8 * wide * profile[-2], rng.uniform(0.02, 0.06))
    return creature.finish("fish", "animal")


def _flippers(rng: np.random.Generator, creature: Creature, place: Array, aside: float, bone: int) -> None:
    length, down, back = rng.uniform(0.08, 0.35), rng.uniform(-0.2, 1.3), rng.uniform(0.0, 0.8)
    flap, row = rng.uniform(0.2, 1.0), rng.random() < 0.4
    roots = []
    for sign in (1.0, -1.0):
        base = place + vector(0.0, sign * aside, -0.05)
        way = np.array([-np.sin(back), sign * np.cos(back) * np.cos(down), -np.cos(back) * np.sin(down)])
        roots.append(creature.figure.bone(bone, base))
        creature.stick(_fin(base, base + length * way, -0.45 * length * _X, 0.1), roots[-1])
    creature.way(roots, np.array([_X, -_X]), -flap, flap, rng.uniform(0.0, 6.3))
    if row:
        creature.way(roots, np.array([_Z, -_Z]), -flap, flap, rng.uniform(0.0, 6.3))


def ray(rng: np.random.Generator) -> MovingObject:
    """A flat body whose broad wings wave: one sheet with two sides, and a tail."""
    rows, columns = 9, 13
    span, length = rng.uniform(0.5, 1.0), rng.uniform(0.3, 0.7)
    along, across = np.linspace(-1.0, 1.0, rows)[:, None], np.linspace(-1.0, 1.0, columns)
    swept = rng.uniform(-0.2, 0.6)
    outline = np.sqrt(np.maximum(1.0 - np.abs(across) ** rng.uniform(1.0, 2.5), 0.02))
    x = length * (along * outline - swept * across**2)
    thick = rng.uniform(0.05, 0.15) * (1.0 - 0.97 * along**2) * (1.0 - across**2) + 0.004
    y = np.broadcast_to(span * across, x.shape)
    top, bottom = np.stack([x, y, thick], axis=-1), np.stack([x, y, -0.6 * thick], axis=-1)
    grid = np.concatenate([top.reshape(-1, 3), bottom.reshape(-1, 3)])
    faces = grid_triangles(rows, columns)
    faces = np.concatenate([faces[:, ::-1], faces + rows * columns])

    spine = np.stack([-length - np.linspace(0.9, 0.0, 5), np.zeros(5), np.zeros(5)], axis=1)
    spine = np.concatenate([spine, [[0.0, 0.0, 0.0]]])
    thin = 0.03 * np.linspace(0.3, 1.0, 6)
    creature = Creature(rng, spine, np.stack([thin, thin], axis=1), 4, False)
    body, figure = int(creature.segment_bone[4]), creature.figure
    wings = [figure.chain(body, vector(0.0, sign * span, 0.0) * np.linspace(0.1, 1.0, 5)[:, None]) for sign in (-1, 1)]
    place = np.clip((np.abs(grid[:, 1]) / span - 0.1) / 0.9, 0.0, 1.0) * 4.0
    # Two bones a vertex: the body gives way to the first bone of its wing, that one to the next.
    own = np.clip(place - 0.5, 0.0, 3.0)
    lower = np.minimum(np.floor(own), 2.0)
    first = np.where(grid[:, 1] > 0, wings[1], wings[0])
    bones = np.stack([first + lower, first + lower + 1], axis=1).astype(np.int64)
    shares = np.stack([1.0 - (own - lower), own - lower], axis=1)
    near = place < 0.5
    bones[near] = np.stack([np.full(near.sum(), body), first[near]], axis=1)
    shares[near] = np.stack([1.0 - place[near] * 2.0, place[near] * 2.0], axis=1)
    figure.add(grid, faces, bones, shares)
    lift = rng.uniform(0.5, 1.5)
    phase = rng.uniform(0.0, 6.3)
    both, turns = np.concatenate([wings[0] + np.arange(4), wings[1] + np.arange(4)]), np.repeat([-_X, _X], 4, axis=0)
    creature.way(both, turns / 4.0, -lift, lift, phase)
    if rng.random() < 0.8:
        wave = np.tile(np.cos(np.linspace(0.0, np.pi, 4)), 2)[:, None] * turns * 0.25 * lift
        creature.way(both, wave, -1.0, 1.0, phase - 1.2)
    if rng.random() < 0.4:
        creature.way(wings[0] + np.arange(4), -_X / 4.0, -lift, lift, phase, 0.0)
    wave_ways(rng, creature, creature.segment_bone[:4][::-1], _Z, rng.uniform(0.2, 1.0), 0.3)
    return creature.finish("ray", "animal")


def snake(rng: np.random.Generator) -> MovingObject:
    """A snake, worm or eel: lies straight or winding, or rears up; waves run along it, its head strikes."""
    segments = int(rng.integers(8, 15))
    t = np.linspace(0.0, 1.0, segments + 1)
    turns, swing = rng.uniform(0.3, 2.5), rng.uniform(0.0, 1.3)
    rear = rng.uniform(0.0, 0.9) * (rng.random() < 0.5)
    heading = swing * np.cos(2.0 * np.pi * turns * t + rng.uniform(0.0, 6.3))
    climb = rear * 1.6 * np.clip((t - 0.55) / 0.2, 0.0, 1.0) * np.where(t > 0.88, -0.1, 1.0)
    steps = np.stack([np.cos(heading) * np.cos(climb), np.sin(heading) * np.cos(climb), np.sin(climb)], axis=1)
    spine = 2.0 / segments * np.concatenate([np.zeros((1, 3)), np.cumsum(steps[:-1], axis=0)])
    thick = rng.uniform(0.03, 0.14)
    radius = thick * np.minimum(1.0, 0.15 + 3.0 * t) * rng.uniform(0.85, 1.0)
    radius[-2:] = thick * np.array([rng.uniform(0.9, 1.5), 0.4])
    radii = np.stack([radius * rng.uniform(0.7, 1.0), radius], axis=1)
    root = int(rng.choice([0, segments // 2]))
    creature = Creature(rng, spine, radii, root, True)
    bones = creature.segment_bone[1:]
    wave_ways(rng, creature, bones, _Z, rng.uniform(1.0, 4.0), rng.uniform(0.2, 1.5))
    lift = rng.uniform(0.2, 1.0)
    side = np.cross(_Z, resampled(steps[1:], len(bones)))
    if rng.random() < 0.7:
        front = bones[segments // 2 :]
        creature.way(front, -side[segments // 2 :] / len(front), -lift, lift, rng.uniform(0.0, 6.3), 0.4)
    creature.way(bones[-1], side[-1], -0.6, 0.6, rng.uniform(0.0, 6.3), 0.4)
    creature.way(bones[-1], _Z, -0.6, 0.6, rng.uniform(0.0, 6.3), 0.4)
    if rng.random() < 0.4:
        creature.way(bones, np.broadcast_to(_Z / len(bones), (len(bones), 3)), -1.5, 1.5, rng.uniform(0.0, 6.3), 0.5)
    if rng.random() < 0.5:
        _eyes(rng, creature, spine[-2] + 0.6 * radius[-2] * _Z, 0.6 * radius[-2], 0.35 * radius[-2])
    return creature.finish("snake", "animal")
