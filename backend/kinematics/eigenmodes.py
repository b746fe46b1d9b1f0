"""Skinning eigenmodes: the softest modes of a scalar field on the material cloud, as weights.

For an isotropic material the elastic Hessian, traced over the three axes, is a Laplacian. Its lowest eigenvectors,
used as skinning weights, span the shapes that cost the least energy (skinning eigenmodes).
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

from ..geometry.material import MaterialCloud
from .base import Array

__all__ = ["nodal_gradients", "skinning_eigenmodes"]

RESOLVED_MODES = 36  # modes computed; how many become handles is decided by `compliance`
SPECK = 1e-3  # of the volume: a part with less is one
SPARE_MODES = 16  # more modes than handles that were asked for, to choose from


def _harmonic_mean(values: Array, first: np.ndarray, second: np.ndarray) -> Array:
    """Over the two ends of each edge: what two halves in series add up to."""
    return 2.0 * values[first] * values[second] / (values[first] + values[second])


def _laplacian(cloud: MaterialCloud, rigidity: Array) -> sparse.csc_matrix:
    """sum over edges c_ij (w_i - w_j)^2, joints between parts included; rigidity Float[N].

    c_ij = volume rigidity / distance^2, harmonic means: a mode is nearly constant in what is much stiffer than the
    rest, which so moves as one.
    """
    pairs = np.vstack([cloud.edges, cloud.bridges])
    first, second = pairs.T
    length = np.linalg.norm(cloud.position[first] - cloud.position[second], axis=1)
    # Two touching parts can have nodes at one place: their joint counts as one node spacing long.
    length = np.maximum(length, 0.25 * cloud.spacing)
    volume = _harmonic_mean(cloud.volume, first, second)
    # A speck is held as firmly as what holds it is: it has no modes of its own, however little of it there is.
    of_part = np.bincount(cloud.part, cloud.volume)
    speck = of_part[cloud.part] < SPECK * cloud.volume.sum()
    held = np.arange(len(pairs)) >= len(cloud.edges)
    held &= speck[first] | speck[second]
    volume[held] = np.maximum(cloud.volume[first], cloud.volume[second])[held]
    coefficient = volume * _harmonic_mean(rigidity, first, second) / length**2
    count = len(cloud.position)
    adjacency = sparse.coo_matrix((coefficient, (first, second)), shape=(count, count))
    adjacency = (adjacency + adjacency.T).tocsc()
    return (sparse.diags(np.asarray(adjacency.sum(axis=0)).ravel()) - adjacency).tocsc()


def skinning_eigenmodes(
    cloud: MaterialCloud, anchored: np.ndarray, rigidity: Array, handles: int | None = None
) -> Array:
    """Modes Float[N,m], softest first, each scaled to a largest entry of one.

    `rigidity` Float[N]: relative stiffness of the nodes; `handles`: how many are wanted, None where that is open.

    `anchored` Bool[N]: nodes that are held; every mode is zero there, so that they cannot move at all.
    """
    free = np.flatnonzero(~anchored)
    skip = 0 if anchored.any() else 1  # without an anchor the first mode is the constant, which every object has anyway
    wanted = min(max(RESOLVED_MODES, (handles or 0) + SPARE_MODES) + skip, len(free) - 1)
    if wanted <= skip:
        return np.zeros((len(anchored), 0))
    stiffness = _laplacian(cloud, rigidity)[free][:, free]
    volume = sparse.diags(cloud.volume[free]).tocsc()
    scale = stiffness.diagonal().sum() / volume.diagonal().sum()
    start = np.cos(np.arange(len(free)) * 1.7) + 1.1  # a fixed start vector: the same mesh gives the same modes
    if wanted >= len(free) - 1 or len(free) < 64:
        values, vectors = eigh(stiffness.toarray(), volume.toarray())
        values, vectors = values[:wanted], vectors[:, :wanted]
    else:
        values, vectors = eigsh(stiffness, k=wanted, M=volume, sigma=-1e-6 * scale, which="LM", v0=start, tol=1e-9)
    chosen = np.argsort(values)[skip:]
    modes = np.zeros((len(anchored), len(chosen)))
    modes[free] = vectors[:, chosen]
    peak = np.abs(modes).argmax(axis=0)
    return modes / modes[peak, np.arange(len(chosen))]  # also fixes the sign


def nodal_gradients(cloud: MaterialCloud, values: Array, rigidity: Array) -> Array:
    """Least-squares gradients of nodal values over each node's own part: values Float[N,m] -> Float[N,3,m] (1/m).

    On a sheet the derivative across the thickness is zero by construction: values are constant through it. Towards
    softer nodes (rigidity Float[N]) neighbours count less: fields bend sharply where the material changes, and what
    goes on in rubber is not a strain of the steel beside it.
    """
    count = len(cloud.position)
    first = np.concatenate([cloud.edges[:, 0], cloud.edges[:, 1]])
    second = np.concatenate([cloud.edges[:, 1], cloud.edges[:, 0]])
    offset = (cloud.position[second] - cloud.position[first]) / cloud.spacing
    nearness = 1.0 / np.maximum((offset**2).sum(axis=1), 1e-4) ** 2
    nearness *= np.minimum(1.0, 2.0 * rigidity[second] / (rigidity[first] + rigidity[second]))
    moment = np.zeros((count, 3, 3))
    np.add.at(moment, first, nearness[:, None, None] * offset[:, :, None] * offset[:, None, :])
    trace = np.trace(moment, axis1=1, axis2=2)
    moment += (trace[:, None] * cloud.normal)[:, :, None] * cloud.normal[:, None, :]
    # Nodes with too few neighbours to fix all three derivatives get the smallest gradient that fits.
    inverse = np.linalg.pinv(moment, rcond=1e-3, hermitian=True)
    rows = np.einsum("eij,ej->ei", inverse[first], offset) * nearness[:, None] / cloud.spacing
    gradients = np.empty((count, 3, values.shape[1]))
    for axis in range(3):
        operator = sparse.coo_matrix((rows[:, axis], (first, second)), shape=(count, count)).tocsr()
        operator = operator - sparse.diags(np.asarray(operator.sum(axis=1)).ravel())
        gradients[:, axis] = operator @ values
    return gradients
