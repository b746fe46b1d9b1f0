"""Handles by compliance: the combinations of weights that the softest elastic motions need.

The softest elastic modes of the space of all candidate weights are the targets, each counted by 1 / omega (between its
compliance 1 / omega^2 and equally). Handles are combinations of the candidates, taken greedily: always the one that
explains most of what is still missing, until nearly all of the targets' energy is explained. A bar so gets weights
for its first bendings *and* those across its section that let it contract sideways, a lump of jelly a few global ones.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from .base import Array

__all__ = ["handle_combinations", "softest_modes", "whitening"]

TARGET_MODES = 12
ENERGY_KEPT = 0.96  # leaves the lowest frequencies 1 to 3 % too high
MOST_HANDLES = 20  # where the object decides
SWEEPS = 4  # of improving a combination; more change nothing that counts
MASSLESS = 1e-9  # of the largest: directions with less mass are geometric degeneracies
COSTLESS = 1e-9  # the same for energy


def whitening(moment: Array, columns: np.ndarray) -> Array:
    """R Float[4H,n] with R^T B R = I over the given columns; directions without mass are left out."""
    values, vectors = np.linalg.eigh(moment[np.ix_(columns, columns)])
    kept = values > MASSLESS * values[-1]
    reduction = np.zeros((len(moment), int(kept.sum())))
    reduction[columns] = (vectors[:, kept] / np.sqrt(values[kept]))[:, ::-1]
    # Once more, for the rounding of directions with little mass.
    root = np.linalg.cholesky(reduction.T @ moment @ reduction)
    return np.linalg.solve(root, reduction.T).T


def softest_modes(
    stiffness: Array, reduction: Array, rigid_motions: int, most: int | None = None
) -> tuple[Array, Array]:
    """omega^2 Float[m] and shapes Float[4H,3,m] of the elastic modes of a = R q, softest first, `most` of them."""
    half = np.tensordot(reduction.T, stiffness, axes=1)
    matrix = np.tensordot(half, reduction, axes=([2], [0])).transpose(0, 1, 3, 2)
    size = 3 * reduction.shape[1]
    last = size if most is None else min(rigid_motions + most, size)
    values, vectors = eigh(matrix.reshape(size, size), subset_by_index=(rigid_motions, last - 1))
    return values, np.tensordot(reduction, vectors.reshape(-1, 3, vectors.shape[1]), axes=1)


class _Missing:
    """The residual of the targets, in the energy norm, after the handles found so far."""

    def __init__(self, stiffness: Array, targets: Array) -> None:
        """stiffness Float[12M,12M], targets Float[12M,t]."""
        self.stiffness, self.count = stiffness, len(stiffness) // 12
        blocks = stiffness.reshape(self.count, 12, self.count, 12)
        self._blocks = np.ascontiguousarray(blocks.transpose(0, 2, 1, 3)).reshape(-1, 144)
        self.scale = np.einsum("mkdk->md", blocks)  # an average over what a handle can do
        self._smallest = COSTLESS * np.trace(self.scale) / self.count
        self._known = np.zeros((len(stiffness), 0))  # orthonormal in the energy
        self._known_force = np.zeros((len(stiffness), 0))
        self._targets = targets
        self.force = stiffness @ targets  # Float[12M,t]

    @property
    def energy(self) -> float:
        return float(np.vdot(self._targets, self.force))

    def _new_directions(self, combination: Array) -> tuple[Array, Array]:
        """What a handle of weights `combination` Float[M] adds, Float[12M,12], and its forces."""
        wide = np.kron(combination[:, None], np.eye(12))
        for _ in range(2):  # the second time for rounding
            wide = wide - self._known @ (self._known_force.T @ wide)
        return wide, self.stiffness @ wide

    def explain(self, combination: Array) -> None:
        wide, force = self._new_directions(combination)
        squares, turns = np.linalg.eigh(wide.T @ force)
        useful = squares > self._smallest * (combination @ combination)
        turns = turns[:, useful] / np.sqrt(squares[useful])
        fresh, fresh_force = wide @ turns, force @ turns
        share = fresh.T @ self.force
        self._targets = self._targets - fresh @ share
        self.force = self.force - fresh_force @ share
        self._known = np.column_stack([self._known, fresh])
        self._known_force = np.column_stack([self._known_force, fresh_force])

    def improved(self, combination: Array) -> Array:
        """One sweep: how the handle moves for each target, then the weights that suit these motions best."""
        wide, force = self._new_directions(combination)
        motion = np.linalg.pinv(wide.T @ force, rcond=COSTLESS, hermitian=True) @ (wide.T @ self.force)  # (12, t)
        matrix = (self._blocks @ (motion @ motion.T).ravel()).reshape(self.count, self.count)
        along = (self._known_force.reshape(self.count, 12, -1).transpose(0, 2, 1) @ motion).reshape(self.count, -1)
        matrix -= along @ along.T
        right = np.einsum("mkt,kt->m", self.force.reshape(self.count, 12, -1), motion)
        matrix[np.diag_indices_from(matrix)] += 1e-7 * np.trace(matrix) / self.count
        better = np.zeros(self.count)
        better[1:] = np.linalg.solve(matrix[1:, 1:], right[1:])
        return better / np.linalg.norm(better)


def handle_combinations(stiffness: Array, moment: Array, anchored: bool, wanted: int | None = None) -> Array:
    """Weights of the handles as combinations of M candidates, Float[M,H]; the first is the constant candidate 0 alone.

    stiffness d2V/da2 at rest Float[4M,3,4M,3] (J/m^2), moment B Float[4M,4M] (kg); `wanted`: how many handles, None
    where the object decides.
    """
    size, count = 3 * len(moment), len(moment) // 4
    reduction = whitening(moment, np.arange(4 if anchored else 0, len(moment)))
    values, shapes = softest_modes(stiffness, reduction, 0 if anchored else 6, max(TARGET_MODES, wanted or 0))
    stiff = values > COSTLESS * np.abs(stiffness).max() / np.abs(moment).max()
    if not stiff.any():  # what costs nothing needs no handles
        return np.eye(count)[:, :1]
    values, shapes = values[stiff], shapes[:, :, stiff]
    missing = _Missing(stiffness.reshape(size, size), (shapes / values**0.75).reshape(size, -1))
    goal = (1.0 - ENERGY_KEPT) * missing.energy if wanted is None else 0.0
    combinations = [np.eye(count)[0]]
    if not anchored:  # an anchored object's constant handle stays at rest and explains nothing
        missing.explain(combinations[0])
    scale = missing.scale[1:, 1:] + COSTLESS * np.trace(missing.scale) / count * np.eye(count - 1)
    while len(combinations) < min(count, wanted or MOST_HANDLES) and missing.energy > goal:
        slopes = missing.force.reshape(count, -1)[1:]
        steepest = eigh(slopes @ slopes.T, scale, subset_by_index=(count - 2, count - 2))[1][:, 0]
        combination = np.concatenate([[0.0], steepest / np.linalg.norm(steepest)])
        for _ in range(SWEEPS):
            combination = missing.improved(combination)
        missing.explain(combination)
        combinations.append(combination)
    return np.column_stack(combinations)
