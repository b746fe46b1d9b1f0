"""Pins that give way or move, and drags, as springs between the object and targets that follow the time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..body import Body
from ..dynamics.conditions import Conditions
from ..dynamics.springs import PointSprings
from ..dynamics.targets import Path, RigidMotion
from ..kinematics.base import Array
from .held import checked_vertices, is_still
from .pokes import soft_row

__all__ = ["Springs", "springs_of"]

Target = Callable[[float], Array]  # seconds -> Float[p,3] m

RIGID_HZ = 60.0  # what moves with its target "rigidly" lags by a / (2 pi f)^2: 0.07 mm at one g
RIGID_OVER_STIFFNESS = 12.0  # at least so many times the object's own frequency
MOST_POINTS = 400  # of one pin; more hold no better


class Springs:
    """All springs of an object; call it with a time (s)."""

    def __init__(self) -> None:
        self._parts: list[tuple[float, float, Array, Array, Target]] = []
        self._made: dict[tuple[bool, ...], PointSprings] = {}
        self.end = 0.0  # s, when the last target stops moving

    def add(self, begin: float, end: float, rows: Array, stiffness: Array, target: Target, moves_until: float) -> None:
        """Springs Float[p,4H] of Float[p] N/m that act in [begin, end]; target(seconds) gives Float[p,3]."""
        self._parts.append((begin, end, rows, stiffness, target))
        self.end = max(self.end, moves_until)

    def __call__(self, seconds: float) -> PointSprings | None:
        acting = tuple(begin <= seconds <= end for begin, end, *_ in self._parts)
        if not any(acting):
            return None
        chosen = [part for part, acts in zip(self._parts, acting, strict=True) if acts]
        targets = np.vstack([target(seconds) for *_, target in chosen])
        if acting not in self._made:
            rows = np.vstack([rows for _, _, rows, _, _ in chosen])
            stiffness = np.concatenate([stiffness for _, _, _, stiffness, _ in chosen])
            self._made[acting] = PointSprings(rows, stiffness, targets)
            return self._made[acting]
        return self._made[acting].at(targets)


def springs_of(body: Body, conditions: Conditions) -> Springs | None:
    """None where nothing needs any."""
    springs, fps, used = Springs(), conditions.fps, False
    for number, pin in enumerate(conditions.pins):
        if is_still(pin):
            continue
        used = True
        vertices = checked_vertices(pin.vertices, len(body.mesh.vertices), f"pins[{number}].vertices")
        if len(vertices) > MOST_POINTS:
            vertices = vertices[np.linspace(0, len(vertices) - 1, MOST_POINTS).astype(np.int64)]
        rest = body.mesh.vertices[vertices]
        frequency = pin.stiffness_hz or max(RIGID_HZ, RIGID_OVER_STIFFNESS * conditions.stiffness_hz)
        stiffness = body.total_mass * (2.0 * np.pi * frequency) ** 2 / len(vertices)
        until, target = 0.0, _still(rest)
        if pin.motion:
            motion = RigidMotion(pin.motion, body.mesh.vertices[pin.vertices].mean(axis=0), fps)
            until, target = motion.end, _moving(motion, rest)
        springs.add(-np.inf, np.inf, body.vertex_basis(vertices), np.full(len(vertices), stiffness), target, until)
    for drag in conditions.drags:
        used = True
        path = Path(drag.path, fps)
        row = soft_row(body, drag.point, drag.radius)[0]
        stiffness = np.array([body.total_mass * (2.0 * np.pi * drag.stiffness_hz) ** 2])
        # The spring pulls what was at the point to where the cursor is.
        springs.add(path.begin, path.end, row[None], stiffness, _followed(path), path.end)
    return springs if used else None


def _still(rest: Array) -> Target:
    return lambda seconds: rest


def _moving(motion: RigidMotion, rest: Array) -> Target:
    return lambda seconds: motion.positions(rest, seconds)


def _followed(path: Path) -> Target:
    return lambda seconds: path.position(seconds)[None]
