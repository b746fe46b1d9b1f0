"""Fewer points for the elastic energy: sparse, non-negative volumes that keep the rest stiffness of the soft modes.

The energy is summed over points in every Newton iteration, so their number is the price of a step. Following the idea
of optimised cubature, volumes v >= 0 are chosen such that  sum_c v_c e_c(u_i, u_j) = sum over all points  for the
elastic energy densities e_c of the softest modes u; non-negative least squares finds a solution with few points by
itself.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from ..dynamics.neo_hookean import lame_parameters
from .base import Array

__all__ = ["sparse_cubature"]

PAIRED_MODES = 18  # every pair of these is matched
CANDIDATES = 1200  # points tried, evenly chosen: bounds the time of the fit


def sparse_cubature(
    gradients: Array, volume: Array, modes: Array, young: Array, poisson: Array
) -> tuple[np.ndarray, Array]:
    """Chosen points Int[c] and their volumes Float[c].

    gradients Float[C,3,4H] (1/m), volume Float[C] (m^3), modes Float[4H,3,m] softest first; Young's modulus (any unit)
    and Poisson's ratio of the points Float[C].
    """
    slope = np.einsum("cjb,bim->cmij", gradients, modes, optimize=True)
    strain = 0.5 * (slope + slope.transpose(0, 1, 3, 2))
    trace = np.einsum("cmii->cm", strain)
    flat = strain.reshape(len(strain), -1, 9)
    mu, lame = lame_parameters(young, poisson)
    count = modes.shape[2]
    paired = min(PAIRED_MODES, count)
    i, j = np.triu_indices(paired)
    i, j = np.concatenate([i, np.arange(paired, count)]), np.concatenate([j, np.arange(paired, count)])
    density = 2.0 * mu[:, None] * (flat[:, i] * flat[:, j]).sum(axis=2) + lame[:, None] * trace[:, i] * trace[:, j]
    own = 2.0 * mu[:, None] * (flat**2).sum(axis=2) + lame[:, None] * trace**2
    energy = np.maximum(volume @ own, 1e-300)
    density /= np.sqrt(energy[i] * energy[j])
    candidates = np.unique(np.linspace(0, len(volume) - 1, CANDIDATES).astype(np.int64))
    scale = volume.sum() / len(candidates)
    found, _ = nnls(density[candidates].T * scale, volume @ density, maxiter=30 * len(candidates))
    chosen = np.flatnonzero(found)
    return candidates[chosen], found[chosen] * scale
