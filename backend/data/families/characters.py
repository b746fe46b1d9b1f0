"""Game characters and robots of rigid pieces: blocks, balls and drums on a skeleton, each piece on one bone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...kinematics.base import Array
from ..figure import Figure
from ..moving_object import MovingObject
from ..organic_shapes import block, spindle, sweep, sweep_triangles, vector
from ..random_motion import Draw, any_of, independent, looping, woven

__all__ = ["blocky_character", "walking_machine"]

_X, _Y, _Z = np.eye(3)
_Shape = tuple[Array, NDArray[np.int64]]


class _Puppet:
    """Bones with rigid pieces, and the phase in a gait of each of their ways."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.figure = rng, Figure()
        self.style = rng.random()
        self.bevel = rng.uniform(0.0, 0.2) * (rng.random() < 0.6)
        self._phase: list[float] = []
        self._strength: list[float] = []

    def piece(self, low: Array, high: Array) -> _Shape:
        """A box, a drum or a ball between two corners, in the style of this puppet."""
        size, middle = high - low, 0.5 * (low + high)
        if self.style < 0.6 or self.rng.random() < 0.3:
            bevel = self.bevel * float(size.min())
            points, faces = block(size, (3, 3, 3) if bevel else (1, 1, 1), bevel)
            return points + middle, faces
        axis = int(size.argmax())
        body = spindle(6, 0.4) if self.style > 0.85 else np.array([[0.0, 0.85], [0.1, 1.0], [0.9, 1.0], [1.0, 0.85]])
        line = middle + (body[:, :1] - 0.5) * size[axis] * np.eye(3)[axis]
        first, second = (axis + 1) % 3, (axis + 2) % 3
        radii = 0.5 * body[:, 1:] * size[[first, second]]
        sides = 8
        return sweep(line, radii, sides, np.eye(3)[first]), sweep_triangles(len(body), sides)

    def put(self, bone: int, low: Array, high: Array, slot: int = 0) -> None:
        """A piece on a bone, sometimes with smaller ones stuck on its sides."""
        self.figure.add_rigid(*self.piece(low, high), bone, slot)
        size, middle = high - low, 0.5 * (low + high)
        for _ in range(int(self.rng.choice([0, 0, 1, 2]))):
            axis, sign = int(self.rng.integers(3)), self.rng.choice([-1.0, 1.0])
            small = size * self.rng.uniform(0.15, 0.6, 3)
            place = middle + (self.rng.uniform(-0.3, 0.3, 3) * size)
            place[axis] = middle[axis] + 0.5 * sign * size[axis]
            self.figure.add_rigid(*self.piece(place - 0.5 * small, place + 0.5 * small), bone, 1 + slot)

    def way(self, bones: object, axis: Array, low: float, high: float, phase: float, strength: float = 1.0) -> None:
        """A joint, with its place in the gait."""
        self.figure.way(bones, axis, low, high)
        self._phase.append(phase)
        self._strength.append(strength)

    def finish(self, name: str) -> MovingObject:
        """The object, with a gait, several clips, a few hidden numbers or every joint by itself."""
        rng, width = self.rng, self.figure.way_count
        phase, strength = np.array(self._phase), np.array(self._strength)
        gait = looping(phase, strength * rng.uniform(0.6, 1.0, width))
        kind, freedom = rng.random(), None
        draw: Draw
        if kind < 0.3:
            draw, freedom = gait, 2
        elif kind < 0.5:
            draw = any_of([gait, woven(rng, width, 2), woven(rng, width, 1)])
        elif kind < 0.75:
            freedom = int(rng.integers(1, 5))
            draw = woven(rng, width, freedom)
        else:
            draw, freedom = independent(width), width
        shells = None
        if rng.random() < 0.3:
            # Pieces of one bone joined to one shell.
            shells = self.figure.shell_bones()
        return self.figure.finish(name, "character", False, draw, freedom, shells=shells)


def blocky_character(rng: np.random.Generator) -> MovingObject:
    """A low-poly person or robot that looks along +X: big head, short limbs, things in its hands and on its back."""
    puppet = _Puppet(rng)
    figure = puppet.figure
    legs, trunk, head = rng.uniform(0.15, 0.7), rng.uniform(0.3, 0.7), rng.uniform(0.2, 0.8)
    wide, deep = rng.uniform(0.15, 0.4), rng.uniform(0.1, 0.3)
    chest = figure.bone(-1, vector(0.0, 0.0, legs))
    split = rng.random() < 0.4
    upper = figure.bone(chest, vector(0.0, 0.0, legs + 0.35 * trunk)) if split else chest
    top = legs + trunk
    if split:
        puppet.put(
            chest, vector(-0.8 * deep, -0.8 * wide, legs), vector(0.8 * deep, 0.8 * wide, legs + 0.33 * trunk), 1
        )
        puppet.way(upper, _Z, -0.6, 0.6, 0.5 * np.pi, 0.6)
        puppet.way(upper, _Y, -0.2, 0.5, rng.uniform(0.0, 6.3), 0.5)
    puppet.put(upper, vector(-deep, -wide, legs + (0.36 * trunk if split else 0.0)), vector(deep, wide, top))
    skull = figure.bone(upper, vector(0.0, 0.0, top))
    face = head * rng.uniform(0.35, 0.6)
    puppet.put(skull, vector(-0.9 * face, -face, top + 0.02), vector(0.9 * face, face, top + 0.02 + head), 1)
    if rng.random() < 0.5:
        for sign in (1.0, -1.0):
            eye = vector(0.9 * face, 0.4 * sign * face, top + 0.55 * head)
            puppet.put(skull, eye - 0.13 * face, eye + 0.13 * face, 2)
    if rng.random() < 0.4:
        puppet.put(
            skull, vector(-face, -1.1 * face, top + 0.8 * head), vector(1.2 * face, 1.1 * face, top + 1.1 * head), 2
        )
    puppet.way(skull, _Z, -0.8, 0.8, rng.uniform(0.0, 6.3), 0.3)
    puppet.way(skull, _Y, -0.4, 0.4, rng.uniform(0.0, 6.3), 0.4)
    _blocky_legs(rng, puppet, chest, legs, wide, deep)
    _blocky_arms(rng, puppet, upper, top, wide, trunk)
    if rng.random() < 0.3:
        puppet.put(upper, vector(-1.8 * deep, -0.7 * wide, legs + 0.4 * trunk), vector(-deep, 0.7 * wide, top), 3)
    return puppet.finish("blocky_character")


def _blocky_legs(rng: np.random.Generator, puppet: _Puppet, body: int, legs: float, wide: float, deep: float) -> None:
    figure, half = puppet.figure, wide * rng.uniform(0.2, 0.45)
    knees, feet = rng.random() < 0.5, rng.random() < 0.5
    swing, knee = rng.uniform(0.4, 1.2), rng.uniform(0.5, 1.6)
    for sign in (1.0, -1.0):
        middle = vector(0.0, 0.5 * sign * wide, 0.0)
        size = vector(min(half, deep), half, 0.0)
        hip = figure.bone(body, middle + legs * _Z)
        phase = 0.0 if sign > 0 else np.pi
        low = 0.5 * legs if knees else 0.0
        puppet.put(hip, middle - size + low * _Z, middle + size + 1.02 * legs * _Z, 2)
        puppet.way(hip, -_Y, -swing, swing, phase)
        shin = hip
        if knees:
            shin = figure.bone(hip, middle + low * _Z)
            puppet.put(shin, middle - 0.95 * size, middle + 0.95 * size + 1.02 * low * _Z, 2)
            puppet.way(shin, _Y, 0.0, knee, phase + 1.2, 0.8)
        if feet:
            ankle = figure.bone(shin, middle + 0.08 * legs * _Z)
            size = 1.1 * size
            puppet.put(ankle, middle - size, middle + size + vector(half, 0.0, 0.12 * legs), 3)
            puppet.way(ankle, -_Y, -0.5, 0.4, phase + 0.8, 0.5)


def _blocky_arms(rng: np.random.Generator, puppet: _Puppet, body: int, top: float, wide: float, trunk: float) -> None:
    """Arms that hang or stand out, in one or two pieces, with or without a hand and what it holds."""
    figure, half = puppet.figure, wide * rng.uniform(0.15, 0.4)
    length, out = trunk * rng.uniform(0.7, 1.2), rng.random() < 0.35
    elbows, hands, tool = rng.random() < 0.5, rng.random() < 0.4, rng.random() < 0.4
    swing, lift, bend = rng.uniform(0.4, 1.5), rng.uniform(0.2, 1.5), rng.uniform(0.4, 1.8)
    for sign in (1.0, -1.0):
        root = vector(0.0, sign * (wide + half), top - half)
        way = sign * _Y if out else -_Z
        thick = half * (np.ones(3) - np.abs(way))

        def between(start: float, end: float, root=root, way=way, thick=thick) -> tuple[Array, Array]:
            ends = np.stack([root + start * way, root + end * way])
            return ends.min(axis=0) - thick, ends.max(axis=0) + thick

        phase = np.pi if sign > 0 else 0.0
        shoulder = figure.bone(body, root)
        middle = 0.5 * length if elbows else length
        puppet.put(shoulder, *between(-half * (not out), middle), 0)
        axis = _Z * sign if out else -_Y
        puppet.way(shoulder, axis, -0.8 * swing, swing, phase)
        puppet.way(
            shoulder, sign * _X, -0.8 * lift if out else -0.1, 0.5 * lift if out else lift, rng.uniform(0, 6), 0.4
        )
        hand = shoulder
        if elbows:
            hand = figure.bone(shoulder, root + middle * way)
            puppet.put(hand, *between(middle, length), 0)
            puppet.way(hand, np.cross(way, _X), 0.0, bend, phase + 0.4, 0.6)
        if hands:
            puppet.put(hand, *between(length, length + 1.8 * half), 1)
        if tool and sign < 0:
            grip = root + length * way
            long = rng.uniform(0.3, 1.2)
            puppet.put(hand, grip - vector(0.05, 0.02, 0.02), grip + vector(long, 0.02, 0.02), 4)
            if rng.random() < 0.5:
                puppet.put(hand, grip + vector(0.7 * long, -0.1, -0.1), grip + vector(long, 0.1, 0.1), 4)


def walking_machine(rng: np.random.Generator) -> MovingObject:
    """A mech, drone or toy robot: a body with two to six legs or arms of several rigid pieces, antennas, guns."""
    puppet = _Puppet(rng)
    figure = puppet.figure
    half = rng.uniform(0.15, 0.4, 3)
    body = figure.bone(-1, np.zeros(3))
    puppet.put(body, -half, half)
    if rng.random() < 0.5:
        skull = figure.bone(body, vector(0.0, 0.0, half[2]))
        small = half * rng.uniform(0.3, 0.8, 3)
        middle = vector(0.2 * half[0], 0.0, half[2] + small[2])
        puppet.put(skull, middle - small, middle + small, 1)
        puppet.way(skull, _Z, -0.9, 0.9, rng.uniform(0.0, 6.3), 0.4)
        if rng.random() < 0.6:
            barrel = middle + small * [1.0, 0.0, 0.0]
            puppet.put(skull, barrel - 0.04, barrel + vector(rng.uniform(0.2, 0.6), 0.04, 0.04), 2)
    pairs = int(rng.choice([1, 1, 2, 2, 3]))
    pieces = int(rng.choice([1, 2, 2, 3]))
    reach, thick = rng.uniform(0.4, 1.0), rng.uniform(0.03, 0.1)
    swing, bend, mirrored = rng.uniform(0.3, 1.0), rng.uniform(0.3, 1.3), rng.random() < 0.4
    knee = rng.uniform(-0.8, 0.8)
    for pair in range(pairs):
        ahead = (0.5 - (pair + 0.5) / pairs) * 1.6 * half[0]
        for sign in (1.0, -1.0):
            place = vector(ahead, sign * (half[1] + thick), -0.4 * half[2])
            phase = 0.0 if mirrored else np.pi * ((pair + (sign > 0)) % 2)
            bone = body
            for piece in range(pieces):
                bone = figure.bone(bone, place)
                step = vector(knee * (-1.0) ** piece, 0.3 * sign * (piece == 0), -1.0)
                end = place + reach / pieces * step / np.linalg.norm(step)
                radius = thick * (1.0 - 0.2 * piece)
                line = place + np.array([-0.05, 0.1, 0.9, 1.05])[:, None] * (end - place)
                radii = radius * np.repeat([[0.6], [1.0], [0.9], [0.5]], 2, axis=1)
                figure.add_rigid(sweep(line, radii, 6), sweep_triangles(4, 6), bone, piece % 2)
                if rng.random() < 0.5:
                    puppet.put(bone, place - 1.2 * radius, place + 1.2 * radius, 3)
                fold = 1.0 if piece % 2 == 0 else -1.0
                puppet.way(
                    bone, fold * _Y, -swing, bend if piece else swing, phase + 1.2 * piece, 1.0 - 0.2 * (piece > 0)
                )
                if piece == 0 and rng.random() < 0.5:
                    puppet.way(bone, sign * _X, -0.2, 0.6, rng.uniform(0.0, 6.3), 0.4)
                place = end
            if rng.random() < 0.7:
                bone = figure.bone(bone, place)
                foot = thick * rng.uniform(1.0, 2.5, 3)
                puppet.put(bone, place - foot, place + foot * [1.5, 1.0, 0.2], 2)
                puppet.way(bone, _Y, -0.5, 0.5, phase + 0.6, 0.5)
    for _ in range(int(rng.integers(0, 3))):
        base = half * rng.uniform(-0.8, 0.8, 3)
        base[2] = half[2]
        puppet.put(body, base - 0.01, base + vector(0.01, 0.01, rng.uniform(0.1, 0.4)), 2)
    return puppet.finish("walking_machine")
