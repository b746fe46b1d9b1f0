"""Interpolation from the material cloud to mesh vertices: a smooth blend of the nodes' local linear models.

w(x) = sum_i theta_i(x) (w_i + g_i . (x - x_i)), theta_i a normalised compact bump. Only nodes that the vertex reaches
along its own part are blended, so that values never jump across a gap.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..geometry.material import MaterialCloud
from .base import Array

__all__ = ["interpolate", "interpolate_with_slope"]

BLEND_RADIUS = 1.6  # node spacings
FARTHEST = 3.0  # node spacings from its node: a loose vertex beyond takes the values from there
CHUNK = 50_000  # vertices at a time: bounds memory at a few hundred megabytes


def _neighbourhoods(cloud: MaterialCloud) -> sparse.csr_matrix:
    """Nodes within two steps of each node through the material, itself included."""
    count = len(cloud.position)
    ones = np.ones(len(cloud.edges))
    near = sparse.coo_matrix((ones, (cloud.edges[:, 0], cloud.edges[:, 1])), shape=(count, count))
    near = (near + near.T + sparse.identity(count)).tocsr()
    reach = (near @ near).tocsr()
    reach.sort_indices()
    return reach


def interpolate(cloud: MaterialCloud, points: Array, owners: np.ndarray, values: Array, gradients: Array) -> Array:
    """Nodal values Float[N,m] and gradients Float[N,3,m] -> values at points Float[P,3], float32 (P,m).

    `owners` Int[P]: the node that each point belongs to, for mesh vertices `cloud.vertex_node`.
    """
    reach = _neighbourhoods(cloud)
    result = np.empty((len(points), values.shape[1]), dtype=np.float32)
    constant = values - np.einsum("nam,na->nm", gradients, cloud.position)
    table = np.concatenate([constant[:, None], gradients], axis=1).reshape(len(values), -1)  # (N, 4m)
    for begin in range(0, len(points), CHUNK):
        owner = owners[begin : begin + CHUNK]
        home = cloud.position[owner]
        offset = points[begin : begin + CHUNK] - home
        own_distance = np.linalg.norm(offset, axis=1)
        # Linear models grow without bound: far from all material they are followed no farther than this.
        batch = home + offset * np.minimum(1.0, FARTHEST * cloud.spacing / np.maximum(own_distance, 1e-300))[:, None]
        own_distance = np.minimum(own_distance, FARTHEST * cloud.spacing)
        sizes = np.diff(reach.indptr)[owner]
        row = np.repeat(np.arange(len(batch)), sizes)
        starts = np.cumsum(sizes) - sizes
        node = reach.indices[np.arange(len(row)) - starts[row] + reach.indptr[owner][row]]
        distance = np.linalg.norm(batch[row] - cloud.position[node], axis=1)
        radius = np.maximum(BLEND_RADIUS * cloud.spacing, 1.5 * own_distance)
        bump = np.maximum(0.0, 1.0 - (distance / radius[row]) ** 2) ** 3
        inside = np.flatnonzero(bump)
        blend = sparse.csr_matrix((bump[inside], (row[inside], node[inside])), shape=(len(batch), len(values)))
        blend = sparse.diags(1.0 / np.asarray(blend.sum(axis=1)).ravel()) @ blend
        local = (blend @ table).reshape(len(batch), 4, -1)
        result[begin : begin + CHUNK] = local[:, 0] + np.einsum("va,vam->vm", batch, local[:, 1:])
    return result


def interpolate_with_slope(
    cloud: MaterialCloud, points: Array, owners: np.ndarray, values: Array, gradients: Array
) -> tuple[Array, Array]:
    """The same blend near the material, with its exact derivatives: values Float[P,m] and slopes Float[P,3,m] (1/m)."""
    reach = _neighbourhoods(cloud)
    count, columns = len(points), values.shape[1]
    constant = values - np.einsum("nam,na->nm", gradients, cloud.position)
    table = np.concatenate([constant[:, None], gradients], axis=1).reshape(len(values), -1)  # (N, 4m)
    own_distance = np.linalg.norm(points - cloud.position[owners], axis=1)
    radius = np.maximum(BLEND_RADIUS * cloud.spacing, 1.5 * own_distance)
    sizes = np.diff(reach.indptr)[owners]
    row = np.repeat(np.arange(count), sizes)
    starts = np.cumsum(sizes) - sizes
    node = reach.indices[np.arange(len(row)) - starts[row] + reach.indptr[owners][row]]
    offset = (points[row] - cloud.position[node]) / radius[row, None]
    inside = np.maximum(0.0, 1.0 - (offset**2).sum(axis=1))
    used = np.flatnonzero(inside)
    row, node, offset, inside = row[used], node[used], offset[used], inside[used]

    def blended(bump: Array) -> tuple[Array, Array]:
        blend = sparse.csr_matrix((bump, (row, node)), shape=(count, len(values)))
        return np.asarray(blend.sum(axis=1)), (blend @ table).reshape(count, 4, columns)

    total, sums = blended(inside**3)
    total = total[:, :, None]
    linear = sums / total  # constant and gradient of the blended linear model
    result = linear[:, 0] + np.einsum("pa,pam->pm", points, linear[:, 1:])
    slope = linear[:, 1:].copy()
    for axis in range(3):
        change, sums = blended((-6.0 / radius[row]) * inside**2 * offset[:, axis])
        along = sums[:, 0] + np.einsum("pa,pam->pm", points, sums[:, 1:])
        slope[:, axis] += (along - change * result) / total[:, 0]
    return result, slope
