"""The body of an elastic solid: skinning eigenmodes that are exactly zero where it is held."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ..errors import UserError
from ..geometry.material import MaterialCloud
from ..geometry.mesh import Mesh
from ..kinematics.base import ReferenceFrame
from ..kinematics.elastic import build_elastic
from ..kinematics.interpolation import interpolate
from ..kinematics.node_material import MadeOf, node_material
from .body import Body

__all__ = ["build_elastic_body"]


def _nodes_on_held_faces(mesh: Mesh, cloud: MaterialCloud, vertices: np.ndarray) -> np.ndarray:
    """Surface nodes Int[n] on faces with all corners held: a large face has nodes that own no vertex."""
    chosen = np.zeros(len(mesh.vertices), dtype=bool)
    chosen[vertices] = True
    corners = mesh.vertices[mesh.triangles[chosen[mesh.triangles].all(axis=1)]]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    corners = corners[longest > cloud.spacing]
    if not len(corners):
        return np.zeros(0, dtype=np.int64)
    # Barycentric grid points closer than the nodes are.
    steps = int(np.clip(np.ceil(longest.max() / (0.4 * cloud.spacing)), 2, 100))
    first, second = np.divmod(np.arange((steps + 1) ** 2), steps + 1)
    inside = first + second <= steps
    share = np.stack([first, second, steps - first - second], axis=1)[inside] / steps
    points = (share @ corners).reshape(-1, 3)
    nodes = np.flatnonzero(cloud.surface)
    away = cKDTree(points).query(cloud.position[nodes], distance_upper_bound=0.3 * cloud.spacing)[0]
    return nodes[np.isfinite(away)]


def _anchored_nodes(mesh: Mesh, cloud: MaterialCloud, vertices: np.ndarray | None) -> np.ndarray:
    held = np.zeros(len(cloud.position), dtype=bool)
    if vertices is not None:
        held[cloud.vertex_node[vertices]] = True
        held[_nodes_on_held_faces(mesh, cloud, vertices)] = True
        if held[cloud.vertex_node].all():
            raise UserError("nothing_free.held")
    return held


def _fade_to_anchor(
    body_weights: np.ndarray, mesh: Mesh, cloud: MaterialCloud, held: np.ndarray, vertices: np.ndarray
) -> None:
    """Takes the modes smoothly to exactly zero at held vertices, over one node spacing (in place)."""
    near = held.copy()
    first, second = cloud.edges.T
    np.logical_or.at(near, first, held[second])
    np.logical_or.at(near, second, held[first])
    affected = np.flatnonzero(near[cloud.vertex_node])
    distance, _ = cKDTree(mesh.vertices[vertices]).query(mesh.vertices[affected])
    share = np.clip(distance / cloud.spacing, 0.0, 1.0)
    body_weights[affected, 1:] *= (share * share * (3.0 - 2.0 * share))[:, None].astype(np.float32)


def build_elastic_body(
    mesh: Mesh,
    cloud: MaterialCloud,
    made_of: MadeOf,
    held_vertices: np.ndarray | None,
    handles: int | None = None,
) -> Body:
    """`held_vertices` Int[n] do not move (None: a free root).

    `handles`: how many, 2 to 64 with the constant one (None: as the object needs).
    """
    nodes = node_material(mesh, cloud, made_of)
    size = float(np.ptp(mesh.vertices, axis=0).max())
    held = _anchored_nodes(mesh, cloud, held_vertices)
    centre = np.average(cloud.position, axis=0, weights=cloud.volume)
    frame = ReferenceFrame(centre, size)
    kinematics, material, nodal, gradients = build_elastic(cloud, frame, nodes, held, handles)
    weights = interpolate(cloud, mesh.vertices, cloud.vertex_node, nodal, gradients)
    weights[:, 0] = 1.0
    if held_vertices is not None:
        _fade_to_anchor(weights, mesh, cloud, held, held_vertices)
    anchored = held_vertices is not None
    return Body(
        mesh, cloud, frame, kinematics, material, weights, nodal, gradients, anchored, size, folds=True, carriers=(0,)
    )
