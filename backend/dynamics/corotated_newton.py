"""Corotated Newton matrix of a posed elastic object: stiffness and drags of an earlier shape, turned with it."""

from __future__ import annotations

import numpy as np
from scipy.linalg import block_diag

from ..kinematics.base import Array
from .stiffness import LaggedStiffness

__all__ = ["CorotatedNewton"]


class CorotatedNewton:
    """K + e I + R^T s R of an elastic object and its drags, kept from an earlier shape and turned with it.

    R = rows (x) I_3, rows in q, and the springs s of the drags are the same in all directions, so that all of it turns
    with the object. Where a drag has another second derivative D than s I, the change E = D - s I comes in by the
    identity of Woodbury: with A for the kept matrix,

        (A + R^T E R)^-1 = A^-1 - A^-1 R^T (I + E R A^-1 R^T)^-1 E R A^-1.
    """

    def __init__(self, stiffness: LaggedStiffness, reduction: Array, inertia: float) -> None:
        """`reduction` Float[4H,n]; `inertia` e in 1/s^2."""
        self._stiffness, self._reduction = stiffness, reduction
        self._factors = (inertia, 0.0)
        self._drags = np.zeros((reduction.shape[1], reduction.shape[1]))

    def set_drags(self, rows: Array, springs: Array) -> None:
        """The dragged points Float[p,4H] and their s Float[p] (N/m)."""
        self._rows, self._springs = rows @ self._reduction, springs
        before = self._drags
        self._drags = (self._rows.T * springs) @ self._rows
        self._stiffness.add_springs(self._drags - before)
        self._inverse = self._stiffness.inverse(self._factors)

    def refresh(self, q: Array, turn: Array) -> None:
        """Takes K at q, where the object is turned by `turn` Float[3,3]."""
        self._stiffness.refresh(q, turn, None, self._factors)
        self._inverse = self._stiffness.inverse(self._factors)

    def set_curvature(self, turn: Array, curvature: Array) -> None:
        """The drags D Float[p,3,3] (N/m) of now, the object being turned by `turn`."""
        self._relative = self._stiffness.relative(turn)
        change = curvature - self._springs[:, None, None] * np.eye(3)
        changed = np.flatnonzero(np.abs(change).max(axis=(1, 2)) > 0.0)
        self._correction = None
        if changed.size:
            rows, columns, count = self._rows[changed], self._rows.shape[1], 3 * len(changed)
            change = self._relative.T @ change[changed] @ self._relative
            answers = rows @ self._inverse.reshape(3 * columns, columns, 3)  # A^-1 R^T as (k, p, 3)
            compliance = (rows @ answers.reshape(columns, -1)).reshape(len(changed), 3, count)
            matrix = (change @ compliance).reshape(count, count)
            matrix[np.diag_indices(count)] += 1.0
            self._answers = answers.reshape(3 * columns, count)
            self._correction = self._answers @ np.linalg.solve(matrix, block_diag(*change))

    def solve(self, right: Array) -> Array:
        """The matrix's inverse times `right` Float[k]."""
        local = (right.reshape(-1, 3) @ self._relative).ravel()
        solution = self._inverse @ local
        if self._correction is not None:
            solution = solution - self._correction @ (self._answers.T @ local)
        return (solution.reshape(-1, 3) @ self._relative.T).ravel()
