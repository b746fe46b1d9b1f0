"""The mesh of a sheet as it is simulated: welded nodes, edges and what they carry."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..geometry.mesh import cross
from ..kinematics.base import Array

__all__ = ["SheetMesh", "sheet_mesh"]

WELD = 1e-5  # of the size: vertices that are closer are one
SLIVER = 1e-6  # of the squared size over the number of faces: triangles of less area do not count


@dataclass(frozen=True, eq=False)
class SheetMesh:
    """Nodes at rest Float[N,3] m, triangles Int[F,3], edges Int[E,2] with their `share` Float[E] in carrying tension.

    `node` Int[V] says which node each vertex of the drawn mesh is, `area` Float[N] m^2 how much surface a node stands
    for.
    """

    rest: Array
    triangles: np.ndarray
    edges: np.ndarray
    length: Array
    share: Array
    area: Array
    node: np.ndarray

    def edge_before(self, paths: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """The edge between each place of paths (start, node) and the one before, Int[n]; 0 where a path starts."""
        start, node = paths
        count = len(self.rest)
        keys = self.edges @ [count, 1]
        before = np.r_[node[:1], node[:-1]]
        wanted = np.minimum(before, node) * count + np.maximum(before, node)
        found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        found[start[:-1]] = 0
        return found


def _welded(vertices: Array, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, Array]:
    """Node of each vertex Int[V], triangles of nodes, nodes Float[N,3] (also of unused vertices)."""
    size = float(np.ptp(vertices, axis=0).max())
    grid = np.round((vertices - vertices.min(axis=0)) / (WELD * size)).astype(np.int64)
    _, first, node = np.unique(grid, axis=0, return_index=True, return_inverse=True)
    node = node.reshape(-1)
    order = np.argsort(np.argsort(first))  # nodes in the order of the vertices: neighbours lie close in memory
    node, nodes = order[node], vertices[np.sort(first)]
    faces = node[triangles]
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 0] != faces[:, 2])]
    corners = nodes[faces]
    twice = np.linalg.norm(cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    faces = faces[twice > SLIVER * size**2 / max(len(faces), 1)]
    # A face that is drawn twice, once for each side, is one.
    _, unique = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
    return node, faces[np.sort(unique)], nodes


def _cotangents(nodes: Array, faces: np.ndarray) -> Array:
    """Of the angle at each corner, Float[F,3]."""
    found = np.empty(faces.shape)
    for corner in range(3):
        here, one, other = (nodes[faces[:, (corner + turn) % 3]] for turn in range(3))
        first, second = one - here, other - here
        found[:, corner] = np.einsum("fi,fi->f", first, second) / np.linalg.norm(cross(first, second), axis=1)
    return found


def sheet_mesh(vertices: Array, triangles: np.ndarray) -> SheetMesh:
    """The welded mesh of vertices Float[V,3] m and triangles Int[F,3]."""
    node, faces, nodes = _welded(vertices, triangles)
    count = len(nodes)
    cotangent = _cotangents(nodes, faces)
    ends = np.sort(np.concatenate([faces[:, [1, 2]], faces[:, [2, 0]], faces[:, [0, 1]]]), axis=1)
    edges, place = np.unique(ends, axis=0, return_inverse=True)
    weight = 0.5 * np.bincount(place.reshape(-1), weights=cotangent.T.reshape(-1), minlength=len(edges))
    corners = nodes[faces]
    areas = 0.5 * np.linalg.norm(cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    area = np.bincount(faces.reshape(-1), weights=np.repeat(areas / 3.0, 3), minlength=count)
    length = np.linalg.norm(nodes[edges[:, 1]] - nodes[edges[:, 0]], axis=1)
    return SheetMesh(nodes, faces, edges, length, weight, area, node)
