"""Lagged Newton matrix of elastic coordinates: the rest stiffness first, refreshed where convergence is slow.

S(tau) = (1/tau^2 + alpha/tau) I + K + beta/tau N + springs.
K is the stiffness and N the viscosity at some reference shape, turned with the object: for an isotropic energy
K(R q) = R K(q) R^T exactly, so a tumbling body needs no new matrix. Both are assembled as one, for the step size in
use; away from it they count as if N were K, which it is at rest.
"""

from __future__ import annotations

import copy

import numpy as np
from scipy.linalg import lapack

from ..kinematics.base import Array
from ..kinematics.elastic import ElasticKinematics
from ..kinematics.neo_hookean import StableNeoHookean, assembled, convex_blocks

__all__ = ["Factors", "LaggedStiffness"]

Factors = tuple[float, float]  # (1/tau^2 + alpha/tau, beta/tau)


class LaggedStiffness:
    """Holds K + beta/tau N, its reference rotation, and S and its inverse for the step sizes in use.

    Step sizes are told by `factors` = (1/tau^2 + alpha/tau, beta/tau). Matrices are in the frame of the reference
    shape: a vector Float[k] of now, as (n, 3), is taken there by multiplying from the right with `relative(turn)`.
    """

    def __init__(self, kinematics: ElasticKinematics, energy: StableNeoHookean) -> None:
        self._kinematics, self._energy = kinematics, energy
        self._gradients = energy.gradients @ kinematics.reduction  # by coordinates, Float[C,3,n]
        rest = self._reduced(energy.tangent(kinematics.handles(kinematics.rest())))
        values, vectors = np.linalg.eigh(rest)
        self.squared_frequencies = np.maximum(values, 0.0)  # rad^2/s^2, ascending
        self.modes = vectors  # Float[k,k], of these frequencies at rest; orthonormal in the metric of the mass
        self._rest = (vectors * self.squared_frequencies) @ vectors.T
        self._springs = np.zeros((kinematics.reduction.shape[1],) * 2)
        self.cautious = False  # the last matrix is not the exact one, which is indefinite: its steps are short
        self.back_to_rest()

    def copy(self) -> LaggedStiffness:
        """As it is now; the matrices themselves are shared, they are never changed in place."""
        other = copy.copy(self)
        other._matrices, other._factors, other._inverses = (
            dict(self._matrices),
            dict(self._factors),
            dict(self._inverses),
        )
        return other

    def _reduced(self, blocks: Array) -> Array:
        """Blocks per point, Float[54,C], to the matrix in coordinates, Float[k,k]."""
        return assembled(self._gradients, blocks).reshape(self._kinematics.dof, -1)

    def _keep(self, tangent: Array, viscosity: float, blocks: Array | None, turn: Array) -> None:
        self._tangent, self._viscosity, self._blocks = tangent, viscosity, blocks
        self._reference_turn = turn
        self._matrices: dict[Factors, Array] = {}
        self._factors: dict[Factors, Array] = {}
        self._inverses: dict[Factors, Array] = {}

    def back_to_rest(self) -> None:
        """K and N of the rest shape again: the best guess for a motion that has calmed down."""
        self._keep(self._rest, 0.0, None, np.eye(3))

    def add_springs(self, reduced: Array) -> None:
        """A constant part of S that is the same in all directions: reduced Float[n,n], in S as reduced (x) I3."""
        self._springs = self._springs + reduced
        self._keep(self._tangent, self._viscosity, self._blocks, self._reference_turn)

    def refresh(self, q: Array, turn: Array, before: Array | None, factors: Factors) -> None:
        """Takes K at q, where the object is turned by `turn` Float[3,3], for a step size.

        `before` is the step's first metric, None where nothing is damped.
        """
        viscosity = 0.0 if before is None else factors[1]
        blocks = self._energy.tangent(self._kinematics.handles(q), before, viscosity)
        tangent = self._reduced(blocks)
        if not np.isfinite(tangent.sum()):
            raise np.linalg.LinAlgError("the shape is out of bounds")
        self._keep(tangent, viscosity, blocks, turn)

    def relative(self, turn: Array) -> Array:
        """Rotation Float[3,3] from the frame of the reference shape to now, where the object is turned by `turn`."""
        return turn @ self._reference_turn.T

    def _with_inertia(self, tangent: Array, factors: Factors) -> Array:
        matrix = ((1.0 + factors[1]) / (1.0 + self._viscosity)) * tangent
        grid = matrix.reshape(self._springs.shape[0], 3, -1, 3)
        if self._springs.any():
            for axis in range(3):
                grid[:, axis, :, axis] += self._springs
        # Stiff directions of a thin sheet are many powers of ten above the soft ones: keep rounding positive.
        matrix[np.diag_indices_from(matrix)] += factors[0] + 1e-14 * matrix.trace()
        return matrix

    def matrix(self, factors: Factors) -> Array:
        """S Float[k,k] in the frame of the reference shape, positive definite."""
        if factors not in self._matrices:
            matrix = self._with_inertia(self._tangent, factors)
            root, failed = lapack.dpotrf(matrix, lower=1)
            self.cautious = failed != 0
            if failed and self._blocks is not None:
                # Compressed, the energy can curve down along soft modes: points that do count as flat there.
                matrix = self._with_inertia(self._reduced(convex_blocks(self._blocks)), factors)
                root, failed = lapack.dpotrf(matrix, lower=1)
            if failed:
                raise np.linalg.LinAlgError("no definite matrix")
            self._matrices[factors], self._factors[factors] = matrix, root
        return self._matrices[factors]

    def inverse(self, factors: Factors) -> Array:
        """S^-1 Float[k,k] in the frame of the reference shape."""
        if factors not in self._inverses:
            self.matrix(factors)
            lower = np.tril(lapack.dpotri(self._factors[factors], lower=1)[0])
            self._inverses[factors] = lower + np.tril(lower, -1).T
        return self._inverses[factors]
