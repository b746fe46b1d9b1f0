"""The Newton matrix of elastic coordinates, kept for many iterations: rest stiffness first, refreshed when it is stale.

S(tau) = (1/tau^2 + alpha/tau) I + (1 + beta/tau) K. K is the stiffness at some reference shape, turned with the object: for an
isotropic energy K(R q) = R K(q) R^T exactly, so a tumbling body needs no new matrix.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lapack

from ..kinematics.base import Array
from ..kinematics.elastic import ElasticKinematics
from .energies import StableNeoHookean

__all__ = ["LaggedStiffness"]


class LaggedStiffness:
    """Holds K, its reference rotation, and the inverses of S for the step sizes in use."""

    def __init__(self, kinematics: ElasticKinematics, energy: StableNeoHookean) -> None:
        self._kinematics, self._energy = kinematics, energy
        self.rest = self._assemble(kinematics.rest(), convex=False)
        values, vectors = np.linalg.eigh(self.rest)
        self.squared_frequencies = np.maximum(values, 0.0)  # rad^2/s^2, ascending
        self._current = (vectors * self.squared_frequencies) @ vectors.T
        self._reference_turn = np.eye(3)
        self._shifted: dict[tuple[float, float], tuple[Array, Array]] = {}
        self._reference = kinematics.rest()

    def _assemble(self, q: Array, convex: bool) -> Array:
        reduction = self._kinematics.reduction
        full = self._energy.hessian(self._kinematics.handles(q), convex)
        half = np.tensordot(reduction.T, full, axes=1)  # (n, 3, 4H, 3)
        matrix = np.tensordot(half, reduction, axes=([2], [0])).transpose(0, 1, 3, 2)
        return matrix.reshape(self._kinematics.dof, -1)

    def refresh(self, q: Array, turn: Array, mass_factor: float, stiffness_factor: float) -> None:
        """Takes K at q. If S would not be positive definite, the convex part of the energy's Hessian is taken instead."""
        matrix = self._assemble(q, convex=False)
        trial = stiffness_factor * matrix
        trial[np.diag_indices_from(trial)] += mass_factor
        if lapack.dpotrf(trial, lower=1)[1] != 0:
            matrix = self._assemble(q, convex=True)
        self._current, self._reference_turn, self._reference = 0.5 * (matrix + matrix.T), turn, q
        self._shifted.clear()

    def _matrices(self, mass_factor: float, stiffness_factor: float) -> tuple[Array, Array]:
        key = (mass_factor, stiffness_factor)
        if key not in self._shifted:
            matrix = stiffness_factor * self._current
            # Stiff directions of a thin sheet are many powers of ten above the soft ones: keep rounding positive.
            matrix[np.diag_indices_from(matrix)] += mass_factor + 1e-14 * matrix.trace()
            if lapack.dpotrf(matrix, lower=1)[1] != 0:
                # Definite for the step it was taken at, but not for this longer one.
                self._current = self._assemble(self._reference, convex=True)
                return self._matrices(mass_factor, stiffness_factor)
            self._shifted[key] = (matrix, np.linalg.inv(matrix))
        return self._shifted[key]

    def solve(
        self,
        right: Array,
        turn: Array,
        mass_factor: float,
        stiffness_factor: float,
        rows: Array | None,
        blocks: Array | None,
    ) -> Array:
        """(S + sum_c J_c^T H_c J_c)^-1 right, Float[k]; rows Float[c,n] with J_c = rows_c (x) I_3, blocks H Float[c,3,3]."""
        matrix, inverse = self._matrices(mass_factor, stiffness_factor)
        relative = turn @ self._reference_turn.T
        local = (right.reshape(-1, 3) @ relative).ravel()
        if rows is None or blocks is None:
            solution = inverse @ local
        else:
            turned = np.einsum("ia,cij,jb->cab", relative, blocks, relative)
            total = matrix.copy()
            grid = total.reshape(rows.shape[1], 3, rows.shape[1], 3)
            for a, b in np.argwhere(np.abs(turned).max(axis=0) > 0.0):
                grid[:, a, :, b] += (rows.T * turned[:, a, b]) @ rows
            factor = cho_factor(total, lower=True, overwrite_a=True, check_finite=False)
            solution = cho_solve(factor, local, check_finite=False)
        return (solution.reshape(-1, 3) @ relative.T).ravel()
