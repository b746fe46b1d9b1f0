"""Cubature of the elastic energy: sparse, non-negative volumes that keep the rest stiffness of the soft modes.

The energy is summed over points in every Newton iteration, so their number is the price of a step. Following the idea
of optimised cubature, volumes v >= 0 are chosen such that  sum_c v_c e_c(u_i, u_j) = sum over all points  for the
elastic energy densities e_c of the softest modes u; non-negative least squares finds a solution with few points by
itself.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import nnls

from .base import Array
from .neo_hookean import lame_parameters

__all__ = ["sparse_cubature"]

PAIRED_MODES = (18, 24, 30, 36)  # every pair of these is matched; more where fewer leave the stiffness wrong
FEW = 3  # where there are few modes, a third of them to begin with
CHECKED_MODES = 8
STIFFNESS_ERROR = 0.04  # of these modes, twice the error of their frequencies
CANDIDATES = 1200  # points tried, evenly chosen: bounds the time of the fit


def sparse_cubature(
    gradients: Array, volume: Array, squares: Array, modes: Array, young: Array, poisson: Array
) -> tuple[np.ndarray, Array]:
    """Chosen points Int[c] and their volumes Float[c].

    gradients Float[C,3,4H] (1/m), volume Float[C] (m^3); all elastic modes Float[4H,3,m] with their omega^2 Float[m],
    softest first, mass-orthonormal; Young's modulus (any unit) and Poisson's ratio of the points Float[C].
    """
    candidates = np.unique(np.linspace(0, len(volume) - 1, CANDIDATES).astype(np.int64))
    slope = np.einsum("cjb,bim->cmij", gradients[candidates], modes, optimize=True)
    strain = 0.5 * (slope + slope.transpose(0, 1, 3, 2))
    mu, lame = lame_parameters(young[candidates], poisson[candidates])
    # e(u_i, u_j) = 2 mu strain_i : strain_j + lambda tr_i tr_j as a product of vectors, in modes of unit energy.
    parts = np.empty((*strain.shape[:2], 10))
    parts[:, :, :9] = np.sqrt(2.0 * mu)[:, None, None] * strain.reshape(*strain.shape[:2], 9)
    parts[:, :, 9] = np.sqrt(lame)[:, None] * np.einsum("cmii->cm", strain)
    parts /= np.sqrt(squares)[:, None]
    count, scale = len(squares), volume.sum() / len(candidates)
    few = max(count // FEW, CHECKED_MODES)
    for paired in np.minimum(PAIRED_MODES if few >= PAIRED_MODES[0] else (few, *PAIRED_MODES), count):
        i, j = np.triu_indices(paired)
        i, j = np.concatenate([i, np.arange(paired, count)]), np.concatenate([j, np.arange(paired, count)])
        density = np.einsum("cpk,cpk->pc", parts[:, i], parts[:, j])
        # Over all points the modes' energies are one and their products zero.
        found, _ = nnls(density * scale, (i == j).astype(float), maxiter=30 * len(candidates))
        chosen = np.flatnonzero(found)
        volumes = found[chosen] * scale
        if paired == count:
            break
        # Modes that were matched one by one only can conspire: what is the stiffness of the softest now?
        flat = (np.sqrt(volumes)[:, None, None] * parts[chosen]).transpose(0, 2, 1).reshape(-1, count)
        root = np.sqrt(squares)
        kept = eigh(root[:, None] * (flat.T @ flat) * root, eigvals_only=True, subset_by_index=(0, CHECKED_MODES - 1))
        if (kept > (1.0 - STIFFNESS_ERROR) * squares[:CHECKED_MODES]).all():
            break
    return candidates[chosen], volumes
