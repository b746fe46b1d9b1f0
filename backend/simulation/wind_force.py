"""Wind force of an object: its surface elements in handle space."""

from __future__ import annotations

import numpy as np

from ..bodies.body import Body
from ..dynamics.conditions import Conditions
from ..dynamics.wind import WindForce

__all__ = ["wind_of"]


def wind_of(body: Body, conditions: Conditions) -> WindForce | None:
    if conditions.wind is None:
        return None
    mesh, cloud = body.mesh, body.cloud
    corners = mesh.vertices[mesh.triangles]
    vectors = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    count, node = len(cloud.position), cloud.vertex_node[mesh.triangles].ravel()
    third = np.repeat(vectors / 3.0, 3, axis=0)
    area = np.stack([np.bincount(node, weights=third[:, axis], minlength=count) for axis in range(3)], axis=1)
    # A sheet's faces can be wound either way: its node normal says the direction, the faces only how much there is.
    sheet = ~cloud.solid
    amount = np.bincount(node, weights=np.linalg.norm(third, axis=1), minlength=count)
    area[sheet] = cloud.normal[sheet] * amount[sheet, None]
    nodes = np.flatnonzero(np.linalg.norm(area, axis=1) > 0.0)
    basis, gradients = body.node_basis(nodes)
    return WindForce(
        conditions.wind,
        basis,
        gradients,
        area[nodes],
        cloud.solid[nodes],
        # Each point answers for its share of the surface: a coarse mesh has few, and each then moves much material.
        body.total_mass * amount[nodes] / amount.sum(),
        body.size,
        conditions.seed,
        conditions.fps,
        body.moment,
    )
