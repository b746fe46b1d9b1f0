"""The Newton matrix of elastic coordinates, kept for many iterations: rest stiffness first, refreshed when it is stale.

S(tau) = (1/tau^2 + alpha/tau) I + K + beta/tau N.
K is the stiffness and N the viscosity at some reference shape, turned with the object: for an
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
        rest = energy.hessian(kinematics.handles(kinematics.rest()))
        values, vectors = np.linalg.eigh(self._reduced(rest))
        self.squared_frequencies = np.maximum(values, 0.0)  # rad^2/s^2, ascending
        self._rest = (vectors * self.squared_frequencies) @ vectors.T
        self.cautious = False  # the last matrix needed more inertia to be definite: its steps are short
        self.back_to_rest()

    def _reduced(self, full: Array) -> Array:
        """A Hessian in handle space, Float[4H,3,4H,3], to coordinates: Float[k,k]."""
        reduction = self._kinematics.reduction
        half = np.tensordot(reduction.T, full, axes=1)  # (n, 3, 4H, 3)
        matrix = np.tensordot(half, reduction, axes=([2], [0])).transpose(0, 1, 3, 2)
        matrix = matrix.reshape(self._kinematics.dof, -1)
        return 0.5 * (matrix + matrix.T)

    def back_to_rest(self) -> None:
        """K and N of the rest shape again: the best guess for a motion that has calmed down."""
        self._stiffness = self._viscosity = self._rest
        self._reference_turn = np.eye(3)
        self._matrices: dict[tuple[float, float], Array] = {}
        self._inverses: dict[tuple[float, float], Array] = {}

    def refresh(self, q: Array, turn: Array, before: Array | None) -> None:
        """Takes K at q, where the object is turned by `turn` Float[3,3].

        N too when the step's first metric is given.
        """
        a = self._kinematics.handles(q)
        stiffness = self._reduced(self._energy.hessian(a))
        viscosity = self._viscosity if before is None else self._reduced(self._energy.viscous_hessian(a, before))
        if not np.isfinite(stiffness.sum() + viscosity.sum()):
            raise np.linalg.LinAlgError("the shape is out of bounds")
        self._stiffness, self._viscosity = stiffness, viscosity
        self._reference_turn = turn
        self._matrices.clear()
        self._inverses.clear()

    def _matrix(self, factors: tuple[float, float]) -> Array:
        """S for (1/tau^2 + alpha/tau, beta/tau); positive definite."""
        if factors not in self._matrices:
            matrix = self._stiffness + factors[1] * self._viscosity
            # Stiff directions of a thin sheet are many powers of ten above the soft ones: keep rounding positive.
            diagonal = np.diag_indices_from(matrix)
            matrix[diagonal] += factors[0] + 1e-14 * matrix.trace()
            # Compressed, the energy can curve down along soft modes; more inertia shortens the step along those.
            share = 1.0
            self.cautious = False
            while lapack.dpotrf(matrix, lower=1)[1] != 0:
                matrix[diagonal] += share * factors[0]
                self.cautious = True
                share *= 3.0
            self._matrices[factors] = matrix
        return self._matrices[factors]

    def solve(
        self,
        right: Array,
        turn: Array,
        factors: tuple[float, float],
        rows: Array | None,
        blocks: Array | None,
        braked: Array | None = None,
    ) -> Array:
        """(S + sum_c J_c^T H_c J_c + D D^T)^-1 right, Float[k].

        `factors` are (1/tau^2 + alpha/tau, beta/tau); rows Float[c,n] with J_c = rows_c (x) I_3, blocks H Float[c,3,3];
        braked D Float[k,d].
        """
        matrix = self._matrix(factors)
        relative = turn @ self._reference_turn.T
        local = (right.reshape(-1, 3) @ relative).ravel()
        if rows is None and braked is None:
            if factors not in self._inverses:
                self._inverses[factors] = np.linalg.inv(matrix)
            solution = self._inverses[factors] @ local
        else:
            total = matrix.copy()
            if rows is not None and blocks is not None:
                turned = np.einsum("ia,cij,jb->cab", relative, blocks, relative)
                grid = total.reshape(rows.shape[1], 3, rows.shape[1], 3)
                for a, b in np.argwhere(np.abs(turned).max(axis=0) > 0.0):
                    grid[:, a, :, b] += (rows.T * turned[:, a, b]) @ rows
            if braked is not None:
                back = np.einsum("nid,ij->njd", braked.reshape(-1, 3, braked.shape[1]), relative).reshape(braked.shape)
                total += back @ back.T
            factor = cho_factor(total, lower=True, overwrite_a=True, check_finite=False)
            solution = cho_solve(factor, local, check_finite=False)
        return (solution.reshape(-1, 3) @ relative.T).ravel()
