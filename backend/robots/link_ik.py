"""Inverse kinematics of one link of a jointed object; see `multi_target_ik` for the solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kinematics.base import Array
from ..kinematics.joint_tree import JointTree
from .multi_target_ik import Goal, MultiTargetSolver

__all__ = ["LinkSolution", "LinkSolver"]


@dataclass(frozen=True)
class LinkSolution:
    """The values of all coordinates Float[k], how far the link is from its target, and whether that is near enough."""

    q: Array
    position_error: float  # m
    angle_error: float  # rad
    reached: bool


class LinkSolver:
    """Inverse kinematics of one link of a tree, in the object's frame. The same targets give the same answers."""

    def __init__(self, tree: JointTree, link: int, tip: Array | None = None) -> None:
        """`tip` Float[4,4]: the frame that is brought to its targets, where the link is drawn; None: at its joint."""
        self._solver = MultiTargetSolver(tree, [Goal(link, tip)])
        self.lower, self.upper = self._solver.lower, self._solver.upper

    def pose(self, q: Array) -> Array:
        """Where the tip is, Float[...,4,4] for q Float[...,k]."""
        return self._solver.poses(q)[..., 0, :, :]

    def solve(
        self, target: Array, start: Array, position: float = 1e-5, angle: float = 1e-4, restarts: bool = True
    ) -> LinkSolution:
        """Values near `start` Float[k] that bring the tip to the pose `target` Float[4,4], to so many m and rad.

        Coordinates that do not move the link stay as they are; nothing leaves its limits. What cannot be reached ends
        as near as any start came. Without `restarts` a local minimum is the answer.
        """
        found = self._solver.solve(np.asarray(target, dtype=np.float64)[None], start, position, angle, restarts)
        return LinkSolution(found.q, float(found.position_errors[0]), float(found.angle_errors[0]), found.reached)
