"""Small bodies with many legs, and everything that flaps: spiders, beetles, crabs, wasps, butterflies, birds, bats."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...kinematics.base import Array
from ..creature import Creature
from ..moving_object import MovingObject
from ..organic_shapes import grid_triangles, ribbon, spindle, sweep, sweep_triangles, vector
from .quadrupeds import cone

__all__ = ["bird", "insect"]

_X, _Y, _Z = np.eye(3)


def _wing(
    creature: Creature,
    bone: int,
    base: Array,
    reach: Array,
    chord: float,
    bones: int,
    shape: ArrayLike,
    inside: float = 0.0,
) -> int:
    """A flat wing of `bones` bones from `base` by `reach`, `chord` deep along X; returns its first bone.

    inside: part of its length by which it reaches into the body.
    """
    line = base + np.linspace(0.0, 1.0, bones + 1)[:, None] * reach
    first = creature.figure.chain(bone, line)
    rows = 2 * bones + 3
    t = np.linspace(-inside, 1.0, rows)
    width = np.interp(t, np.linspace(0.0, 1.0, len(np.atleast_1d(shape))), np.atleast_1d(shape)) * 0.5 * chord
    centres = base + t[:, None] * reach - (0.5 * chord * t**2)[:, None] * _X
    grid = ribbon(centres, width[:, None] * _X, 3, 0.1)
    place = np.repeat(np.clip(t, 0.0, 1.0) * bones, 3)
    creature.figure.add_along(grid, grid_triangles(rows, 3), first, bones, place, 1, 0.7)
    return first


def _flap(rng: np.random.Generator, creature: Creature, pair: list[int], bones: int, high: float, phase: float) -> None:
    """Both wings beat together, their outer parts later; sometimes each for itself, sometimes they fold back."""
    up = np.array([_X, -_X])
    creature.way(pair, up, -high, high, phase)
    if bones > 1:
        outer = np.array([[first + 1, first + bones - 1] for first in pair]).ravel()
        creature.way(outer, np.repeat(up, 2, axis=0) * 0.5, -0.8 * high, 0.5 * high, phase - 1.0)
    if rng.random() < 0.3:
        creature.way(pair[0], _X, -0.5 * high, 0.5 * high, phase, 0.0)
    if rng.random() < 0.5:
        fold = rng.uniform(0.3, 1.2)
        creature.way(pair, np.array([_Z, -_Z]), -0.2, fold, rng.uniform(0.0, 6.3), 0.5)
    if rng.random() < 0.5:
        creature.way(pair, np.array([_Y, _Y]), -0.4, 0.4, phase + 1.5, 0.6)


def bird(rng: np.random.Generator) -> MovingObject:
    """A bird, bat or dragon with spread wings; legs or none."""
    plump = rng.uniform(0.08, 0.2)
    tail, neck = rng.uniform(0.1, 0.5), rng.uniform(0.05, 0.35)
    spine = np.array([[-0.3 - tail, 0, 0.05], [-0.3, 0, 0], [0.0, 0, -0.02], [0.25, 0, 0.02]])
    throat = spine[-1] + neck * vector(0.8, 0.0, rng.uniform(0.0, 0.9))
    spine = np.concatenate([spine, [throat, throat + vector(0.12, 0.0, 0.01), throat + vector(0.22, 0.0, -0.02)]])
    radii = plump * np.array([[0.1, 0.5], [0.4, 0.6], [1.0, 1.0], [0.75, 0.75], [0.5, 0.5], [0.5, 0.5], [0.1, 0.1]])
    radii[0] *= [1.0, rng.uniform(0.4, 2.5)]
    creature = Creature(rng, spine, radii, 2, rng.random() < 0.7)
    bone, span = creature.segment_bone, rng.uniform(0.5, 1.2)
    chord, lift, back = rng.uniform(0.2, 0.5), rng.normal(0.0, 0.2), rng.uniform(-0.1, 0.4)
    bones = int(rng.choice([1, 2, 3]))
    if creature.welded and rng.random() < 0.7:
        pair = []
        bones = 3
        for sign in (1.0, -1.0):
            base = 0.5 * (spine[2] + spine[3]) + vector(0.0, 0.5 * sign * plump, 0.3 * plump)
            reach = span * vector(-back, sign, lift)
            joints = base + np.linspace(0.0, 1.0, 4)[:, None] * reach
            angle = (1.6 if sign > 0 else 0.4) * np.pi
            flat = 0.35 * chord / (0.12 * plump)
            radius = 0.12 * plump * np.array([1.0, 1.0, 0.9, 0.3])
            pair.append(creature.limb(2.6, angle, joints, radius, 1, flat)[0])
    else:
        shape = rng.uniform(0.4, 1.0, 5) * [1.0, 1.0, 1.0, 0.9, 0.4]
        pair = [
            _wing(
                creature,
                int(bone[2]),
                spine[3] * 0.7 + vector(0.0, 0.6 * sign * plump, 0.4 * plump),
                span * vector(-back, sign, lift),
                chord,
                bones,
                shape,
                0.1,
            )
            for sign in (1.0, -1.0)
        ]
    _flap(rng, creature, pair, bones, rng.uniform(0.4, 1.2), rng.uniform(0.0, 6.3))
    creature.way(bone[:2], 0.5 * _Y, -0.5, 0.5, rng.uniform(0.0, 6.3), 0.5)
    creature.way(bone[:2], 0.5 * _Z, -0.4, 0.4, rng.uniform(0.0, 6.3), 0.2)
    creature.way(bone[3:5], 0.5 * _Y, -0.8, 0.8, rng.uniform(0.0, 6.3), 0.3)
    creature.way(bone[4], _Z, -0.9, 0.9, rng.uniform(0.0, 6.3), 0.2)
    if rng.random() < 0.6:
        _bird_legs(rng, creature, spine[2], plump)
    if rng.random() < 0.6:
        creature.stick(cone(spine[-1], spine[-1] + vector(0.1, 0.0, -0.02), 0.35 * plump), int(bone[-1]), 2)
    return creature.finish("bird", "animal")


def _bird_legs(rng: np.random.Generator, creature: Creature, root: Array, plump: float) -> None:
    length, swing = rng.uniform(0.1, 0.35), rng.uniform(0.3, 0.9)
    for number, sign in enumerate((1.0, -1.0)):
        base = root + vector(0.0, 0.5 * sign * plump, -0.6 * plump)
        joints = base + length * np.array([[0, 0, 0], [-0.2, 0, -0.5], [0.0, 0, -1.0], [0.25, 0, -1.0]])
        first, _ = creature.limb(2.0, (1.2 if sign > 0 else 0.8) * np.pi, joints, 0.15 * plump * np.ones(4), 1)
        creature.way(first, _Y, -swing, swing, np.pi * number)
        creature.way(first + 1, -_Y, -0.3, 1.0, np.pi * number + 1.3, 0.7)


def insect(rng: np.random.Generator) -> MovingObject:
    """Six to ten legs of two or three segments about a body of two or three balls; wings, feelers, claws, a sting."""
    pairs = int(rng.choice([3, 3, 4, 4, 5]))
    front, middle, rear = rng.uniform(0.08, 0.2), rng.uniform(0.1, 0.25), rng.uniform(0.1, 0.4)
    waist = rng.uniform(0.2, 0.7) * min(middle, rear)
    x = np.cumsum([0.0, 0.6 * rear, 0.9 * rear, 0.6 * rear, middle, middle, 0.8 * front, front])
    x -= x[4]
    level = 0.0 * x
    level[:3] += rng.uniform(-0.3, 0.6) * np.array([1.0, 0.7, 0.3])
    spine = np.stack([x, 0.0 * x, level], axis=1)
    size = np.array([0.15 * rear, 0.8 * rear, rear, waist, middle, 0.6 * middle, front, 0.4 * front])
    flat = rng.uniform(0.5, 1.0)
    creature = Creature(rng, spine, np.stack([size * flat, size], axis=1), 4, rng.random() < 0.15)
    bone, body = creature.segment_bone, int(creature.segment_bone[4])
    reach, knee = rng.uniform(0.35, 1.0), rng.uniform(0.1, 0.6)
    thick, fan = rng.uniform(0.015, 0.05), rng.uniform(0.3, 1.0)
    swing, lift = rng.uniform(0.2, 0.7), rng.uniform(0.2, 0.8)
    ground = -(0.6 * middle + rng.uniform(0.0, 0.3))
    for pair in range(pairs):
        lean = fan * (1.0 - 2.0 * pair / (pairs - 1))
        for sign in (1.0, -1.0):
            base = spine[4] + vector(0.35 * middle * lean, 0.5 * sign * middle, -0.2 * middle)
            out = vector(np.sin(lean), sign * np.cos(lean), 0.0)
            joints = base + reach * np.array([0.0, 0.4, 0.8, 1.0])[:, None] * out
            joints[:, 2] += np.array([0.0, knee * reach, 0.3 * knee * reach, 0.0])
            joints[2:, 2] += np.array([0.6, 1.0]) * ground
            angle = (1.45 if sign > 0 else 0.55) * np.pi
            first, _ = creature.limb(4.0 + 0.2 * (lean > 0), angle, joints, thick * np.array([1.4, 1.1, 0.8, 0.4]), 1)
            # Legs next to each other, and opposite ones, step in turn.
            phase = np.pi * ((pair + (sign > 0)) % 2) + rng.normal(0.0, 0.2)
            creature.way(first, sign * _Z, -swing, swing, phase)
            axis = np.cross(out, _Z)
            creature.way(first, -axis, -0.3 * lift, lift, phase + 0.5 * np.pi)
            if rng.random() < 0.7:
                creature.way(first + 1, axis, -0.4, 0.6, phase + 0.5 * np.pi, 0.7)
    _insect_extras(rng, creature, spine, (front, middle, rear), body)
    creature.way(bone[2], _Y, -0.3, 0.4, rng.uniform(0.0, 6.3), 0.4)
    if rng.random() < 0.5:
        creature.way(bone[2], _Z, -0.3, 0.3, rng.uniform(0.0, 6.3), 0.4)
    creature.way(bone[5], _Y, -0.3, 0.3, rng.uniform(0.0, 6.3), 0.3)
    return creature.finish("insect", "animal")


def _insect_extras(
    rng: np.random.Generator, creature: Creature, spine: Array, sizes: tuple[float, float, float], body: int
) -> None:
    front, middle, _rear = sizes
    skull = int(creature.segment_bone[-1])
    wings = int(rng.choice([0, 0, 1, 2]))
    for number in range(wings):
        shape = spindle(5, 0.4)[:, 1] + 0.15
        reach, lift, back = rng.uniform(0.5, 1.2), rng.uniform(0.0, 0.8), rng.uniform(0.0, 1.2)
        pair = []
        for sign in (1.0, -1.0):
            base = spine[4] + vector(-0.3 * middle * number, 0.3 * sign * middle, 0.6 * middle)
            way = vector(-np.sin(back), sign * np.cos(back), lift)
            pair.append(_wing(creature, body, base, reach * way, rng.uniform(0.15, 0.5) * reach, 1, shape))
        _flap(rng, creature, pair, 1, rng.uniform(0.4, 1.3), rng.uniform(0.0, 6.3))
    if rng.random() < 0.6:
        long, thin = rng.uniform(0.1, 0.5), 0.1 * front
        for sign in (1.0, -1.0):
            base = spine[-1] + vector(-0.2 * front, 0.3 * sign * front, 0.2 * front)
            joints = base + long * np.array([[0, 0, 0], [0.4, 0.2 * sign, 0.4], [1.0, 0.3 * sign, 0.3]])
            first = creature.figure.chain(skull, joints)
            skin = sweep(
                np.repeat(joints, [1, 2, 1], axis=0) + 0.01 * np.arange(4)[:, None] * _X, np.full((4, 2), thin), 5
            )
            place = np.append(np.repeat([0.0, 0.9, 1.1, 2.0], 5), [0.0, 2.0])
            creature.figure.add_along(skin, sweep_triangles(4, 5), first, 2, place, 2)
            creature.way([first, first + 1], 0.5 * _Y, -0.5, 0.5, rng.uniform(0.0, 6.3), 0.5)
    if rng.random() < 0.5:
        body_shape = spindle(5)
        for sign in (1.0, -1.0):
            eye = 0.4 * front
            line = spine[-2] + vector(0.4 * front, 0.6 * sign * front, 0.3 * front)
            line = line + (body_shape[:, :1] - 0.5) * 1.6 * eye * _Z
            creature.stick((sweep(line, eye * body_shape[:, [1, 1]], 6, _X), sweep_triangles(5, 6)), skull, 3)
    if rng.random() < 0.3:
        creature.stick(cone(spine[0], spine[0] - vector(0.15, 0.0, 0.05), 0.03), int(creature.segment_bone[0]), 2)
