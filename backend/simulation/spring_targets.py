"""Soft pins, moving pins and drags as springs and dampers to targets that depend on time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..bodies.body import Body
from ..dynamics.conditions import Conditions, checked_vertices
from ..dynamics.damping import DECAY_LEFT
from ..dynamics.springs import PointSprings
from ..dynamics.targets import Path, RigidMotion, key_seconds
from ..kinematics.base import Array
from .anchors import is_still
from .soft_discs import SoftDiscs

__all__ = ["SpringPart", "Springs", "following", "hold_of", "springs_of"]

Target = Callable[[float], Array]  # seconds -> Float[p,3] m, or Float[3] m of a cursor

RIGID_HZ = 60.0  # what moves with its target "rigidly" lags by a / (2 pi f)^2: 0.07 mm at one g
RIGID_OVER_STIFFNESS = 12.0  # at least so many times the object's own frequency
MOST_KEPT = 8  # sets of acting springs and spans whose factorisations are kept
MOST_LEVER = 16.0  # times the foot of what is led
MOST_POINTS = 400  # of one pin; more hold no better


@dataclass(frozen=True, eq=False)
class SpringPart:
    """Springs Float[p] N/m with dampers Float[p] N s/m between rows Float[p,4H] and a target, in [begin, end] s."""

    begin: float
    end: float
    rows: Array
    stiffness: Array
    damping: Array
    target: Target


class Springs:
    """All springs of an object, as `LatentForces.springs` asks for them; some may come and go while it moves."""

    def __init__(self) -> None:
        self._parts: list[SpringPart] = []
        self._made: dict[tuple[tuple[bool, ...], float], PointSprings] = {}
        self.end = 0.0  # s, when the last target stops moving

    def add(self, part: SpringPart, moves_until: float) -> None:
        """One pin or drag; `moves_until` (s): when its target comes to rest."""
        self._parts.append(part)
        self._made.clear()
        self.end = max(self.end, moves_until)

    def remove(self, part: SpringPart) -> None:
        """One that was added."""
        self._parts.remove(part)
        self._made.clear()

    def at(self, handles: Array, begin: float, span: float) -> PointSprings | None:
        """Springs and dampers of a step as one potential of where points are `span` seconds after `begin`.

        handles Float[4H,3] at `begin`. The damper's  c / (2 span) |(x - x0) - (x* - x0*)|^2  joins the spring's
        k / 2 |x - x*|^2  in one spring of k + c / span to the mean of both targets. None where nothing acts.
        """
        end = begin + span
        acting = tuple(part.begin <= end <= part.end for part in self._parts)
        if not any(acting):
            return None
        chosen = [part for part, acts in zip(self._parts, acting, strict=True) if acts]
        rows = np.vstack([part.rows for part in chosen])
        dragging = np.concatenate([part.damping for part in chosen]) / span
        stiffness = np.concatenate([part.stiffness for part in chosen]) + dragging
        aims = np.vstack([part.target(end) for part in chosen])
        led = rows @ handles + aims - np.vstack([part.target(begin) for part in chosen])
        targets = aims + (dragging / stiffness)[:, None] * (led - aims)
        key = (acting, float(np.float32(span)))
        if key not in self._made:
            if len(self._made) >= MOST_KEPT:
                self._made.clear()
            self._made[key] = PointSprings(rows, stiffness, targets)
            return self._made[key]
        return self._made[key].at(targets)


def springs_of(body: Body, conditions: Conditions, live: bool = False) -> Springs | None:
    """None where nothing needs any. `live`: some will be added, and drags hold on after the last key of their path."""
    springs, fps, used, mass = Springs(), conditions.fps, live, body.total_mass
    rigid = _rigid_hold(conditions)
    if body.sprung is not None:
        used = True
        rows, stiffness, rest = _hold(body, body.sprung, conditions)
        # Critical, but undamped a hold takes no energy.
        damping = np.zeros_like(stiffness) if conditions.undamped else 2.0 * stiffness / rigid
        springs.add(SpringPart(-np.inf, np.inf, rows, stiffness, damping, _still(rest)), 0.0)
    for number, pin in enumerate(conditions.pins):
        if is_still(pin):
            continue
        used = True
        checked_vertices(pin.vertices, len(body.mesh.vertices), f"pins[{number}].vertices")
        vertices, share = _some(pin.vertices, mass)
        rest = body.mesh.vertices[vertices]
        if pin.stiffness_hz is None:
            omega = decay = rigid * _lever(body, pin.vertices, conditions)  # critical: it is a hold, not a swing
        else:
            omega = 2.0 * np.pi * pin.stiffness_hz
            decay = 0.0 if conditions.undamped else min(omega, DECAY_LEFT / conditions.settle_seconds)
        until, target = 0.0, _still(rest)
        if pin.motion:
            motion = RigidMotion(pin.motion, body.mesh.vertices[pin.vertices].mean(axis=0), fps)
            until, target = motion.end, _moving(motion, rest)
        rows = body.vertex_basis(vertices)
        end = np.inf if pin.until is None else float(key_seconds([pin.until], fps)[0])
        part = SpringPart(-np.inf, end, rows, share * omega**2, 2.0 * decay * share, target)
        springs.add(part, until if pin.until is None else max(until, end))
    discs = SoftDiscs(body) if conditions.drags else None
    for drag in conditions.drags:
        used = True
        path = Path(drag.path, fps)
        row, end = discs.row(drag.point, drag.radius)[0], np.inf if live else path.end
        springs.add(following(row, mass, drag.stiffness_hz, path.position, path.begin, end), path.end)
    return springs if used else None


def following(
    row: Array, mass: float, stiffness_hz: float, cursor: Target, begin: float = -np.inf, end: float = np.inf
) -> SpringPart:
    """What pulls a soft disc, row Float[4H], of an object of that mass (kg) to a cursor between two times (s).

    `cursor` takes seconds to Float[3] m. The spring is critical, so that nothing swings about the cursor.
    """
    omega = 2.0 * np.pi * stiffness_hz
    stiffness, damping = np.array([mass * omega**2]), np.array([2.0 * omega * mass])
    return SpringPart(begin, end, row[None], stiffness, damping, lambda seconds: cursor(seconds)[None])


def hold_of(body: Body, conditions: Conditions) -> PointSprings | None:
    """What holds those vertices that are held and that the coordinates would move."""
    return None if body.sprung is None else PointSprings(*_hold(body, body.sprung, conditions))


def _rigid_hold(conditions: Conditions) -> float:
    """The angular frequency (rad/s) of a hold that passes for rigid."""
    return 2.0 * np.pi * max(RIGID_HZ, RIGID_OVER_STIFFNESS * conditions.stiffness_hz)


def _lever(body: Body, vertices: np.ndarray, conditions: Conditions) -> float:
    """How much stiffer a small foot is held that carries all: against tilting springs count by their distance."""
    if conditions.led is None:
        return 1.0
    foot = float(np.ptp(body.mesh.vertices[vertices], axis=0).max())
    return min(body.size / max(foot, body.size / MOST_LEVER), MOST_LEVER)


def _hold(body: Body, held: np.ndarray, conditions: Conditions) -> tuple[Array, Array, Array]:
    """Rows Float[p,4H], stiffness Float[p] N/m and places Float[p,3] m of vertices held where they are drawn."""
    vertices, share = _some(held, body.total_mass)
    return body.vertex_basis(vertices), share * _rigid_hold(conditions) ** 2, body.mesh.vertices[vertices]


def _some(vertices: np.ndarray, mass: float) -> tuple[np.ndarray, Array]:
    """At most MOST_POINTS of the vertices, and what each bears of the mass (kg)."""
    if len(vertices) > MOST_POINTS:
        vertices = vertices[np.linspace(0, len(vertices) - 1, MOST_POINTS).astype(np.int64)]
    return vertices, np.full(len(vertices), mass / len(vertices))


def _still(rest: Array) -> Target:
    return lambda seconds: rest


def _moving(motion: RigidMotion, rest: Array) -> Target:
    return lambda seconds: motion.positions(rest, seconds)
