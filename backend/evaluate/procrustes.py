"""Orthogonal Procrustes: the rigid motion between point sets by least squares."""

from __future__ import annotations

from dataclasses import dataclass

from ..dynamics.rigid_placement import nearest_rotation
from ..kinematics.base import Array

__all__ = ["RigidMotion", "best_placement"]


@dataclass(frozen=True)
class RigidMotion:
    """x -> R x + t, Float[3,3] and Float[3]."""

    turn: Array
    shift: Array

    def applied(self, points: Array) -> Array:
        return points @ self.turn.T + self.shift


def best_placement(points: Array, targets: Array) -> RigidMotion:
    """Of points Float[n,3] to targets Float[n,3]."""
    start, goal = points.mean(axis=0), targets.mean(axis=0)
    turn = nearest_rotation((targets - goal).T @ (points - start))
    return RigidMotion(turn, goal - turn @ start)
