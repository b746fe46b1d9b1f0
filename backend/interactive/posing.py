"""Inverse kinematics of vertices: an object follows dragged vertices and stays plausible, as often as they move.

Where the shape leaves open how a joint moves, what the artist drags decides: if the points cannot be reached in the
likeliest way, the joint alternatives are tried, one with each solve, and the one that is likelier now is taken. How
likely the choices C are is told, but for a constant, by

    -log p(C) = sum_p |x_p - x*_p|^2 / (2 s^2) + |q - mean|^2 / 2 - log p0(C)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..bodies.body import Body
from ..dynamics.conditions import Conditions
from ..dynamics.inverse_kinematics import Pose
from ..errors import UserError
from ..kinematics.base import Array
from ..robots.multi_target_ik import Goal
from ..understanding.analysis import Analysis
from ..understanding.providers.slider_map import Coordinates
from .link_targets import LinkTargets, ReachedShapes
from .pose_solver import Grip, PoseSolver

__all__ = ["PosedShape", "Posing"]

REACHED = 0.5  # nats: points that are missed by no more leave no doubt about the joints
BETTER = 1.0  # nats, by which other choices must be likelier: no flicker between two that are about alike


@dataclass(frozen=True)
class PosedShape:
    """The shape for one set of targets: handles Float[H,3,4] on world rest positions, q Float[k], where the dragged
    vertices are (Float[p,3] m), which hard ones could not be brought to their targets (Int), and whether solving for
    the same targets again would not change it. `choices` are those by which the joints move, see
    `understanding.joint_choices`, and `values` Float[s] the nearest ones of the sliders, see `interactive.sliders`.
    """

    handles: Array
    q: Array
    positions: Array
    unmet: np.ndarray
    converged: bool
    choices: tuple[int, ...]
    values: Array


class Posing:
    """One object that is posed. Each solve starts from the last one, and so costs little while targets move little."""

    def __init__(self, analysis: Analysis, conditions: Conditions) -> None:
        """Of the conditions count what holds the object still, what it is made of and the choices to begin with.

        Raises UserError.
        """
        self._analysis, self._conditions = analysis, conditions
        self._solvers: dict[tuple[int, ...], PoseSolver] = {}  # by the choices of joint alternatives
        self._solver = self._solver_of(tuple(sorted(conditions.choices)))
        self._drag: tuple[Grip, Array] | None = None
        self._slid: Array | None = None  # where the sliders were put since the last solve
        self._tried: set[tuple[int, ...]] = set()  # for these targets
        self._turn = 0
        self._links: LinkTargets | None = None

    @property
    def body(self) -> Body:
        return self._solver.body

    @property
    def summary(self) -> dict[str, Any]:
        return self._solver.summary

    @property
    def weights(self) -> np.ndarray:
        """float32 (V,H); others once a solve has taken other choices."""
        return self._solver.body.weights

    @property
    def coordinates(self) -> Coordinates:
        """What can be slid; other coordinates once a solve has taken other choices."""
        return self._solver.sliders.coordinates

    def shapes(self, values: np.ndarray) -> Array:
        """Handles Float[n,H,3,4] of slider values (n,k), for an object that lies as it was posed last.

        Raises UserError.
        """
        shapes = self._solver.sliders.shapes(values, self._solver.q)
        if len(values) == 1:
            self._slid = values[0].astype(np.float64)
        return shapes

    def poses(self, count: int, seed: int) -> tuple[np.ndarray, Array]:
        """Random plausible poses: slider values float32 (count,k) and handles Float[count,H,3,4]. Raises UserError."""
        values = self._solver.sliders.random(count, seed)
        return values, self.shapes(values)

    def reach(self, goals: Sequence[Goal], targets: Array, start: Array, search: bool) -> ReachedShapes:
        """Brings links of an object with joints to poses in the world, Float[n,goals,4,4].

        The first row starts from slider values `start` Float[k], each other from the one before. With `search` other
        starts are tried where that ends in a local minimum, and where no start gets there no further ones in the rows
        that follow. The base stays where it is drawn. Raises UserError.
        """
        jointed = self._analysis.model.jointed
        if jointed is None:
            raise UserError("bad_pose.no_joints")
        if self._links is None:
            self._links = LinkTargets(jointed.tree)
        found = self._links.solve(goals, targets, start, search)
        values = np.array([each.q for each in found])
        ways, turns = (
            np.array([getattr(each, name) for each in found]) for name in ("position_errors", "angle_errors")
        )
        return ReachedShapes(values, self.shapes(values), ways, turns)

    def solve(self, vertices: np.ndarray, targets: Array, hard: np.ndarray) -> PosedShape:
        """Vertices Int[p] of the mesh, where each is wanted (Float[p,3] m), and which must get there (Bool[p])."""
        count = len(self.body.mesh.vertices)
        if not len(vertices) or vertices.min() < 0 or vertices.max() >= count:
            if not len(vertices):
                raise UserError("bad_pose.no_vertex")
            raise UserError("bad_pose.unknown_vertex", count=count)
        if not np.isfinite(targets).all() or np.abs(targets).max() > 1e6:
            raise UserError("bad_pose.out_of_world")
        if self._slid is not None:
            self._solver.begin_at(self._slid)
            self._slid = None
        grip, targets = Grip(vertices.astype(np.int64), hard.astype(bool)), np.array(targets, dtype=np.float64)
        if self._drag is None or not grip.same(self._drag[0]) or not np.array_equal(targets, self._drag[1]):
            self._drag = grip, targets
            self._tried.clear()
        pose = self._solver.solve(grip, targets)
        decided = True
        if self._solver.missed(pose) > REACHED and (others := self._others(grip)):
            pose = self._compared(pose, others, grip, targets)
            decided = self._solver.missed(pose) <= REACHED or not self._others(grip)
        handles = self.body.frame.world_handles(self.body.kinematics.handles(pose.q))
        unmet = np.array([int(name) for name in pose.unmet], dtype=np.int64)
        settled, values = pose.converged and decided, self._solver.sliders.values(pose.q)
        return PosedShape(handles, pose.q, pose.positions, unmet, settled, self._solver.choices, values)

    def _solver_of(self, choices: tuple[int, ...]) -> PoseSolver:
        if choices not in self._solvers:
            self._solvers[choices] = PoseSolver(self._analysis, self._conditions, choices)
        return self._solvers[choices]

    def _others(self, grip: Grip) -> list[tuple[int, ...]]:
        """Choices that differ from the present ones in one joint that moves a dragged vertex, and are not tried yet."""
        alternatives = self._analysis.model.choices
        if alternatives is None:
            return []
        found = alternatives.neighbours(self._solver.choices, grip.vertices)
        return [choices for choices in found if choices != self._solver.choices and choices not in self._tried]

    def _compared(self, pose: Pose, others: list[tuple[int, ...]], grip: Grip, targets: Array) -> Pose:
        """The likelier one of the present pose and of that by the next choices in turn, which are taken then."""
        self._turn += 1
        choices = others[self._turn % len(others)]
        self._tried.add(choices)
        other = self._solver_of(choices)
        tried = other.solve(grip, targets)
        if other.nats(tried) + BETTER > self._solver.nats(pose):
            return pose
        self._tried.add(self._solver.choices)
        self._solver = other
        return tried
