"""Which skinning modes become handles: those that the object's softest elastic motions need.

The softest elastic modes of the space of all resolved weights are the targets, each counted by its compliance
1 / omega^2 (its mean square response to a random push). Modes are taken greedily, always the one that explains most of
what is still missing, until nearly all of the targets' energy is explained. A bar so gets its bending weights *and* the
cross-section ones that let it contract sideways (without them bending is too stiff by (1 - nu) / ((1 + nu)(1 - 2 nu))),
a lump of jelly its few global ones.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from .base import Array

__all__ = ["needed_handles", "softest_modes", "whitening"]

TARGET_MODES = 12
ENERGY_KEPT = 0.9  # more handles than this asks for change the lowest frequencies by 1 to 3 %
MASSLESS = 1e-10  # of the largest: directions with less mass are geometric degeneracies


def whitening(moment: Array, columns: np.ndarray) -> Array:
    """R Float[4H,n] with R^T B R = I over the given columns; directions without mass are left out."""
    values, vectors = np.linalg.eigh(moment[np.ix_(columns, columns)])
    kept = values > MASSLESS * values[-1]
    reduction = np.zeros((len(moment), int(kept.sum())))
    reduction[columns] = (vectors[:, kept] / np.sqrt(values[kept]))[:, ::-1]
    return reduction


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


def _orthonormal(columns: Array, smallest: float) -> Array:
    """Orthonormal bases of the column spaces, Float[...,N,12]; directions shorter than `smallest` become zero."""
    squares, turns = np.linalg.eigh(np.swapaxes(columns, -1, -2) @ columns)
    useful = squares > smallest**2
    return (columns @ turns) * np.where(useful, 1.0 / np.sqrt(np.where(useful, squares, 1.0)), 0.0)[..., None, :]


def needed_handles(stiffness: Array, moment: Array, anchored: bool, wanted: int | None = None) -> np.ndarray:
    """Indices of the handles to keep, Int[h], ascending, handle 0 among them.

    stiffness d2V/da2 at rest Float[4H,3,4H,3] (J/m^2), moment B Float[4H,4H] (kg); `wanted`: how many, None where the
    object decides.
    """
    size, count = 3 * len(moment), len(moment) // 4
    reduction = whitening(moment, np.arange(4 if anchored else 0, len(moment)))
    values, shapes = softest_modes(stiffness, reduction, 0 if anchored else 6, TARGET_MODES)
    targets = (shapes / values).reshape(size, -1)
    # In the coordinates root @ a the elastic energy of a small displacement is half the squared length.
    values, vectors = np.linalg.eigh(stiffness.reshape(size, size))
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    smallest = 1e-5 * np.sqrt(values[-1])
    missing = root @ targets
    groups = root.reshape(size, count, 12).transpose(1, 0, 2).copy()
    goal = (1.0 - ENERGY_KEPT) * float((missing**2).sum())
    kept = [0]
    left = np.arange(1, count)
    if not anchored:  # an anchored object's constant handle stays at rest and explains nothing
        basis = _orthonormal(groups[0], smallest)
        missing -= basis @ (basis.T @ missing)
        groups -= basis @ (basis.T @ groups)
    while left.size and (float((missing**2).sum()) > goal if wanted is None else len(kept) < wanted):
        bases = _orthonormal(groups[left], smallest)
        gains = ((np.swapaxes(bases, -1, -2) @ missing) ** 2).sum(axis=(1, 2))
        best = int(gains.argmax())
        basis = bases[best]
        missing -= basis @ (basis.T @ missing)
        groups -= basis @ (basis.T @ groups)
        kept.append(int(left[best]))
        left = np.delete(left, best)
    return np.sort(np.array(kept))
