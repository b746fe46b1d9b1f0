"""Soft solids: boxes, balls, drums, capsules, rings and frames that bend, twist, squash and shear; jelly on a plate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...kinematics.base import Array
from ..composition import combined, object_of, still
from ..moving_object import MovingObject
from ..organic_shapes import block, resampled, spindle, sweep, sweep_triangles, vector
from ..random_motion import Motion, independent
from ..shapes import cylinder, joined, torus
from ..solids import Bend, Lattice, Shear, Squash, Step, Swell, Twist, posed

__all__ = ["jelly", "soft_solid", "solid_shape"]

_Shape = tuple[Array, NDArray[np.int64]]


def solid_shape(rng: np.random.Generator) -> _Shape:
    """A solid that stands on z = 0 about the vertical axis, its height 1 or so."""
    kind = rng.random()
    wide = rng.uniform(0.2, 0.9)
    if kind < 0.25:
        size = np.array([wide, wide * rng.uniform(0.3, 1.0), 1.0])
        cells = (int(rng.integers(3, 7)), int(rng.integers(2, 6)), int(rng.integers(6, 14)))
        points, faces = block(size, cells, rng.choice([0.0, rng.uniform(0.02, 0.3)]) * float(size.min()))
        return points + vector(0.0, 0.0, 0.5), faces
    if kind < 0.65:
        rings, sides = int(rng.integers(8, 16)), int(rng.choice([6, 8, 12, 16]))
        if kind < 0.4:
            body = spindle(rings, rng.uniform(0.35, 0.6))  # balls and eggs
        elif kind < 0.5:
            body = np.stack([np.linspace(0.0, 1.0, rings), np.linspace(1.0, rng.uniform(0.3, 1.2), rings)], axis=1)
        else:
            # A turned shape: vases, skittles, candles.
            knots = np.stack([np.linspace(0.0, 1.0, 5), rng.uniform(0.35, 1.0, 5), np.zeros(5)], axis=1)
            body = resampled(knots, rings)[:, :2]
        line = np.zeros((rings, 3))
        line[:, 2] = body[:, 0]
        radii = 0.5 * wide * body[:, 1:] * [1.0, rng.choice([1.0, rng.uniform(0.5, 1.0)])]
        return sweep(line, radii, sides, (1, 0, 0)), sweep_triangles(rings, sides)
    if kind < 0.8:
        ring, faces = torus(0.5 - 0.18 * wide, 0.18 * wide, int(rng.integers(14, 26)), int(rng.integers(6, 11)))
        if rng.random() < 0.6:
            ring = ring[:, [1, 2, 0]]  # standing
        ring[:, 2] -= ring[:, 2].min()
        return ring, faces
    return _frame(rng, wide)


def _frame(rng: np.random.Generator, wide: float) -> _Shape:
    """Bars along the edges of a stack of cells."""
    levels, thick = int(rng.integers(1, 4)), rng.uniform(0.02, 0.07)
    corners = 0.5 * wide * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]], dtype=float)
    bars = []
    for level in range(levels + 1):
        height = level / levels
        for corner in range(4):
            here, beside = corners[corner], corners[(corner + 1) % 4]
            bars.append([[*here, height], [*beside, height]])
            if level < levels:
                bars.append([[*here, height], [*here, height + 1.0 / levels]])
                if rng.random() < 0.3:
                    bars.append([[*here, height], [*beside, height + 1.0 / levels]])
    ends = np.array(bars)
    line = ends[:, :1] + np.linspace(0.0, 1.0, 5)[:, None] * (ends[:, 1:] - ends[:, :1])
    skins = sweep(line, np.full((len(line), 5, 2), thick), 4)
    return joined(*((skin, sweep_triangles(5, 4)) for skin in skins))


def _steps(rng: np.random.Generator, points: Array, base: float, held: bool) -> list[Step]:
    """One to six ways to deform what stands on `base`; with `held`, the foot stays still."""
    low, high = points.min(axis=0), points.max(axis=0)
    tall, across = high[2] - base, float((high - low)[:2].max())
    soft = 0.3 * tall if held else 0.0
    # Bending tighter than this turns the inside of the bend over.
    tightest = min(2.0 / tall, 0.9 / max(0.5 * across, 1e-6))
    heading = rng.uniform(0.0, 2.0 * np.pi)
    offers: list[Step] = [
        Squash(rng.uniform(0.15, 0.6), base, soft),
        Twist(rng.uniform(0.5, 2.5) / max(tall, across), base),
        Bend(rng.uniform(0.3, 1.0) * tightest, heading, base),
        Bend(rng.uniform(0.3, 1.0) * tightest, heading + 0.5 * np.pi, base),
        Shear(rng.uniform(0.2, 0.7) * tall ** (1 - 2.0), rng.uniform(0.0, 6.3), base, 2.0),
        Shear(rng.uniform(0.2, 0.6), rng.uniform(0.0, 6.3), base, 1.0 if not held else 1.5),
    ]
    moves = rng.normal(0.0, 0.15 * tall, (27, 3))
    if held:
        moves.reshape(3, 3, 3, 3)[:, :, 0] = 0.0
    offers.append(Lattice(np.array([low[0], low[1], base]), np.maximum(high - [low[0], low[1], base], 1e-3), moves))
    for _ in range(2):
        place = points[rng.integers(len(points))]
        way = place - 0.5 * (low + high)
        way = way / max(float(np.linalg.norm(way)), 1e-9)
        offers.append(Swell(place, way, rng.uniform(0.3, 0.7) * tall, rng.uniform(0.05, 0.2) * tall, base))
    odds = np.array([2.0, 2.0, 2.5, 2.0, 1.5, 1.0, 1.0, 0.7, 0.7])
    count = int(rng.integers(1, 6))
    chosen = np.sort(rng.choice(len(offers), count, replace=False, p=odds / odds.sum()))
    return [offers[number] for number in chosen]


def _moving(name: str, shape: _Shape, steps: list[Step], anchored: bool, slot: int = 0) -> MovingObject:
    vertices = shape[0]
    width = len(steps)
    motion = Motion(width, width, independent(width), lambda values: posed(vertices, steps, values))
    return object_of(name, "soft", vertices, shape[1], motion, anchored, slot)


def soft_solid(rng: np.random.Generator) -> MovingObject:
    """A solid that deforms as a whole: it stands fast on its foot, or is free and lies in any direction."""
    points, faces = solid_shape(rng)
    held = bool(rng.random() < 0.5)
    base = (
        float(points[:, 2].min())
        if held or rng.random() < 0.3
        else 0.5 * float(points[:, 2].min() + points[:, 2].max())
    )
    steps = _steps(rng, points, base, held)
    if not held:
        # Above and below the middle alike: the mirrored half bends the same way.
        steps = [step for step in steps if not isinstance(step, Lattice | Swell)] or steps
        base_steps, middle = steps, base

        def pose(values: Array) -> Array:
            lower = points[:, 2] < middle
            mirrored = points * [1.0, 1.0, -1.0] + [0.0, 0.0, 2.0 * middle]
            above = posed(np.where(lower[:, None], mirrored, points), base_steps, values)
            below = above * [1.0, 1.0, -1.0] + [0.0, 0.0, 2.0 * middle]
            return np.where(lower[:, None], below, above)

        turn = np.eye(3)[rng.permutation(3)]
        width = len(base_steps)
        motion = Motion(width, width, independent(width), lambda values: pose(values) @ turn)
        return object_of("soft_solid", "soft", points @ turn, _outward(faces, turn), motion, False)
    thing = _moving("soft_solid", (points, faces), steps, True)
    if rng.random() < 0.4:
        low, high = points.min(axis=0), points.max(axis=0)
        plate, plate_faces = block(np.array([*(1.3 * (high - low)[:2]), 0.06]))
        return combined("soft_solid", "soft", [thing, still((plate - [0.0, 0.0, 0.03], plate_faces), 1)])
    return thing


def _outward(faces: NDArray[np.int64], turn: Array) -> NDArray[np.int64]:
    """Faces of what was mirrored look outward again."""
    return faces[:, ::-1] if np.linalg.det(turn) < 0 else faces


def jelly(rng: np.random.Generator) -> MovingObject:
    """A pudding on a plate: its foot still, its top swaying and wobbling, with fruit or a candle on top."""
    rings, sides = int(rng.integers(7, 13)), int(rng.choice([6, 8, 12, 16]))
    tall, foot = rng.uniform(0.4, 1.0), rng.uniform(0.35, 0.7)
    t = np.linspace(0.0, 1.0, rings)
    profile = 1.0 - (1.0 - rng.uniform(0.4, 1.0)) * t ** rng.uniform(0.5, 3.0)
    if rng.random() < 0.5:
        profile = np.sqrt(np.maximum(1.0 - (0.97 * t) ** 2, 0.0)) * 0.9 + 0.1
    line = np.zeros((rings, 3))
    line[:, 2] = t * tall
    points = sweep(line, np.repeat((foot * profile)[:, None], 2, axis=1), sides, (1, 0, 0))
    flutes = rng.uniform(0.0, 0.12) * (rng.random() < 0.4)
    angle = np.arctan2(points[:, 1], points[:, 0])
    points[:, :2] *= 1.0 + flutes * np.cos(0.5 * sides * angle)[:, None]
    parts = [(points, sweep_triangles(rings, sides))]
    if rng.random() < 0.5:
        cherry = block(np.full(3, 0.25 * foot), (3, 3, 3), 0.1 * foot)
        parts.append((cherry[0] + [0.0, 0.0, tall + 0.1 * foot], cherry[1]))
    heading = rng.uniform(0.0, 6.3)
    steps: list[Step] = [
        Squash(rng.uniform(0.1, 0.35), 0.0, 0.4 * tall),
        Shear(rng.uniform(0.2, 0.7) / tall, heading, 0.0, 2.0),
        Shear(rng.uniform(0.2, 0.7) / tall, heading + 0.5 * np.pi, 0.0, 2.0),
        Twist(rng.uniform(0.2, 1.0) / tall, 0.0),
        Bend(rng.uniform(0.2, 0.8) * min(1.0 / tall, 0.9 / foot), rng.uniform(0.0, 6.3), 0.0),
    ]
    kept = np.sort(rng.choice(5, int(rng.integers(1, 6)), replace=False))
    chosen = [steps[number] for number in kept]
    vertices, triangles = joined(*parts)
    sizes = [len(part[0]) for part in parts]
    faces = [len(part[1]) for part in parts]
    body = _moving("jelly", (vertices, triangles), chosen, True)
    shell, slot = np.repeat(np.arange(len(parts)), sizes), np.repeat(np.arange(len(parts)), faces)
    body = MovingObject("jelly", "soft", vertices, triangles, shell, slot, body.states, True, body.freedom)
    plate = cylinder(foot * rng.uniform(1.1, 1.8), -rng.uniform(0.02, 0.2), 0.0, 16)
    return combined("jelly", "soft", [body, still(plate, 2)] if rng.random() < 0.8 else [body])
