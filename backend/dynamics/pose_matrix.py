"""Newton matrices of a posed object: dense for any provider, or an elastic stiffness that is kept and turned."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import block_diag, cho_factor, cho_solve

from ..kinematics.base import Array, Kinematics
from .coordinate_energies import CoordinateEnergy
from .energies import Energy
from .stiffness import LaggedStiffness

__all__ = ["DenseMatrix", "TurnedMatrix"]


class DenseMatrix:
    """J^T (d2V/da2) J + d2U/dq2 + P + sum_p J_p^T D_p J_p, taken anew at every shape; J_p = rows_p J."""

    def __init__(
        self,
        kinematics: Kinematics,
        energies: Sequence[Energy],
        coordinate_energies: Sequence[CoordinateEnergy],
        prior: Array,
        metric: Array,
    ) -> None:
        """prior P and metric G, Float[k,k]."""
        self._kinematics, self._energies, self._coordinate_energies = kinematics, energies, coordinate_energies
        self._prior, self._metric = prior, metric
        self.damping = 0.0  # 1/s^2, of G: shortens the steps
        self._factor: tuple[Array, bool] | None = None

    def grab(self, rows: Array, springs: Array) -> None:
        """The dragged points Float[p,4H]; their springs are told with each matrix."""
        self._rows = rows

    def take(self, q: Array, curvature: Array) -> None:
        """At q, under the drags D Float[p,3,3] (N/m) of now."""
        jacobian = self._kinematics.jacobian(q)
        matrix = self._prior + self.damping * self._metric
        if self._energies:
            a = self._kinematics.handles(q)
            full = sum(energy.hessian(a).reshape(a.size, a.size) for energy in self._energies)
            matrix = matrix + jacobian.T @ full @ jacobian
        for energy in self._coordinate_energies:
            matrix = matrix + energy.hessian(q)
        spread = np.tensordot(self._rows, jacobian.reshape(self._rows.shape[1], 3, -1), axes=1)  # (p, 3, k)
        flat = spread.reshape(-1, spread.shape[2])
        matrix = matrix + flat.T @ (curvature @ spread).reshape(flat.shape)
        self._factor = _definite(0.5 * (matrix + matrix.T), self._metric)

    def solve(self, right: Array) -> Array:
        """The matrix's inverse times `right` Float[k]."""
        return cho_solve(self._factor, right, check_finite=False)


def _definite(matrix: Array, metric: Array) -> tuple[Array, bool]:
    """Cholesky factor of the matrix, with as much of the metric added as makes it positive definite."""
    share = 1e-12 * matrix.trace() / metric.trace()
    while True:
        try:
            return cho_factor(matrix, lower=True)
        except np.linalg.LinAlgError:
            matrix = matrix + share * metric
            share *= 8.0


class TurnedMatrix:
    """K + e I + R^T s R of an elastic object and its drags, kept from an earlier shape and turned with it.

    R = rows (x) I_3, rows in q, and the springs s of the drags are the same in all directions, so that all of it turns
    with the object. Where a drag has another second derivative D than s I, the change E = D - s I comes in by Woodbury's
    identity: with A for the kept matrix,

        (A + R^T E R)^-1 = A^-1 - A^-1 R^T (I + E R A^-1 R^T)^-1 E R A^-1.
    """

    def __init__(self, stiffness: LaggedStiffness, reduction: Array, inertia: float) -> None:
        """`reduction` Float[4H,n]; `inertia` e in 1/s^2."""
        self._stiffness, self._reduction = stiffness, reduction
        self._factors = (inertia, 0.0)
        self._drags = np.zeros((reduction.shape[1], reduction.shape[1]))

    def grab(self, rows: Array, springs: Array) -> None:
        """The dragged points Float[p,4H] and their s Float[p] (N/m)."""
        self._rows, self._springs = rows @ self._reduction, springs
        before = self._drags
        self._drags = (self._rows.T * springs) @ self._rows
        self._stiffness.add_springs(self._drags - before)
        self._inverse = self._stiffness.inverse(self._factors)

    def renew(self, q: Array, turn: Array) -> None:
        """Takes K at q, where the object is turned by `turn` Float[3,3]."""
        self._stiffness.refresh(q, turn, None, self._factors)
        self._inverse = self._stiffness.inverse(self._factors)

    def take(self, turn: Array, curvature: Array) -> None:
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
