"""Inverse kinematics with link targets: poses of parts in the world, one row of targets after the other."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import UserError
from ..kinematics.base import Array
from ..kinematics.joint_tree import JointTree
from ..robots.multi_target_ik import Goal, MultiTargetSolution, MultiTargetSolver

__all__ = ["LinkTargets", "ReachedShapes"]

NEARER = 0.8  # of what is missing: an unreachable target is worth another pose


@dataclass(frozen=True)
class ReachedShapes:
    """Shapes for one row of targets after the other: slider values Float[n,k], handles Float[n,H,3,4], and by how much
    each link misses its target, Float[n,goals] in m and in rad."""

    values: Array
    handles: Array
    ways: Array
    turns: Array


class LinkTargets:
    """The solver of the latest goals is kept."""

    def __init__(self, tree: JointTree) -> None:
        self._tree = tree
        self._known: tuple[Hashable, ...] = ()
        self._solver: MultiTargetSolver | None = None

    def solve(self, goals: Sequence[Goal], targets: Array, start: Array, search: bool) -> list[MultiTargetSolution]:
        """See `Posing.reach`. Raises UserError."""
        tree = self._tree
        if start.shape != (len(tree.coordinates),) or not np.isfinite(start).all():
            raise UserError("bad_values.joint_count", given=start.size, count=len(tree.coordinates))
        if any(not 0 <= goal.link < len(tree.parts) for goal in goals):
            raise UserError("bad_pose.unknown_part")
        known = tuple((goal.link, np.asarray(goal.tip).tobytes(), goal.turns, goal.weight) for goal in goals)
        if self._solver is None or self._known != known:
            self._known, self._solver = known, MultiTargetSolver(tree, goals)
        q, seeks, found = start.astype(np.float64), search, []
        for row in targets:
            found.append(_sought(self._solver, row, q, seeks, anywhere=not found))
            q, seeks = found[-1].q, search and found[-1].reached
        return found


def _sought(
    solver: MultiTargetSolver, targets: Array, start: Array, search: bool, anywhere: bool
) -> MultiTargetSolution:
    """From near by; with `search` from elsewhere too, where that gets there, or is nearer and may be `anywhere`."""
    near = solver.solve(targets, start, restarts=False)
    if near.reached or not search:
        return near
    far = solver.solve(targets, start, restarts=True)
    return far if far.reached or (anywhere and far.cost < NEARER * near.cost) else near
