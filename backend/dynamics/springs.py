"""Springs between points of an object and targets: soft pins and drags.

V(a) = 1/2 sum_p k_p |phi_p a - x_p|^2. There may be many more points than handle rows, so sqrt(k) phi = Q R is
factored once:  V = 1/2 |R a - Q^T sqrt(k) x|^2 + what no `a` changes, without the cancellation that multiplying the
square out would bring, and at a cost that does not grow with the points.
"""

from __future__ import annotations

import copy

import numpy as np

from ..kinematics.base import Array

__all__ = ["PointSprings"]


class PointSprings:
    """The energy of the springs (joules) and its derivatives in handle space."""

    def __init__(self, rows: Array, stiffness: Array, targets: Array) -> None:
        """rows phi Float[p,4H], stiffness k Float[p] N/m, targets x Float[p,3] m."""
        self._root = np.sqrt(stiffness)[:, None]
        self._orthonormal, self._factor = np.linalg.qr(self._root * rows)
        # sum_p k phi phi^T, Float[4H,4H]; the Hessian is this (x) I_3.
        self.matrix: Array = self._factor.T @ self._factor
        self._aim(targets)

    def _aim(self, targets: Array) -> None:
        wanted = self._root * targets
        self._wanted = self._orthonormal.T @ wanted
        self._left = 0.5 * float(((wanted - self._orthonormal @ self._wanted) ** 2).sum())

    def at(self, targets: Array) -> PointSprings:
        """The same springs with their ends at targets Float[p,3]."""
        moved = copy.copy(self)
        moved._aim(targets)
        return moved

    def value(self, a: Array) -> float:
        return 0.5 * float(((self._factor @ a - self._wanted) ** 2).sum()) + self._left

    def gradient(self, a: Array) -> Array:
        return self._factor.T @ (self._factor @ a - self._wanted)

    def hessian(self, a: Array) -> Array:
        return np.einsum("bd,ij->bidj", self.matrix, np.eye(3))
