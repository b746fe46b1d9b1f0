"""Vertices, edges and faces of a surface under one numbering, the triangles at each, and their pseudo-normals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from .cavities import merge_cavities
from .edges import edge_keys
from .mesh import cross
from .ragged_arrays import expand
from .topology import Surface, component_areas, component_boxes, signed_volumes

__all__ = ["FeatureIndex", "index_features"]


@dataclass(frozen=True)
class FeatureIndex:
    """Features are numbered: first the P points, then the E edges, then the F triangles.

    of_triangle Int[F,8]: by the sum of 1, 2 and 4 for the corners that have a share in a point of the triangle, the
    feature on which that point lies. meeting Int[P+E+F]: how many triangles meet there. starts Int[P+E] and around
    Int[6F]: the triangles at each point and edge, one list after the other, as 3 * triangle + corner. border
    Bool[P+E+F]: on the rim of an open surface. body Int[F]: the one-sided part that a triangle bounds, with the walls
    of its cavities; -1 for a triangle with two sides.
    """

    triangles: NDArray[np.int64]
    point_count: int
    of_triangle: NDArray[np.int64]
    meeting: NDArray[np.int64]
    starts: NDArray[np.int64]
    around: NDArray[np.int64]
    border: NDArray[np.bool_]
    body: NDArray[np.int64]

    @property
    def count(self) -> int:
        return len(self.meeting)

    def pseudo_normals(self, corners: NDArray[np.float64], features: NDArray[np.int64]) -> NDArray[np.float64]:
        """Unit Float[n,3]: the normals of the faces that meet at each feature, weighted by their angles there.

        corners Float[F,3,3]: the corners of the triangles. The sign of the distance to a closed surface by this normal
        is right wherever the nearest point lies (Baerentzen and Aanaes 2005). Zero where all faces are degenerate.
        """
        first_face = len(self.starts)
        flat = features < first_face
        counts = np.where(flat, self.meeting[features], 1)
        owner, number = expand(counts)
        feature = features[owner]
        on_face = feature >= first_face
        place = np.where(on_face, 0, self.starts[np.where(on_face, 0, feature)] + number)
        entry = np.where(on_face, 3 * (feature - first_face), self.around[place])
        triangle, corner = entry // 3, entry % 3
        at = corners[triangle, corner]
        ahead = corners[triangle, (corner + 1) % 3] - at
        behind = corners[triangle, (corner + 2) % 3] - at
        normal = cross(ahead, behind)
        length = np.sqrt(np.einsum("ni,ni->n", normal, normal))
        angle = np.where(feature < self.point_count, np.arctan2(length, np.einsum("ni,ni->n", ahead, behind)), np.pi)
        weighted = normal * (angle / np.where(length > 0.0, length, np.inf))[:, None]
        total = np.stack([np.bincount(owner, weighted[:, axis], len(features)) for axis in range(3)], axis=1)
        length = np.sqrt(np.einsum("ni,ni->n", total, total))
        return total / np.where(length > 0.0, length, np.inf)[:, None]


def index_features(
    triangles: NDArray[np.int64], closed: NDArray[np.bool_], positions: NDArray[np.float64]
) -> FeatureIndex:
    """The index of triangles Int[F,3] without repeated corners, closed Bool[F] where they have one side only."""
    point_count, face_count = len(positions), len(triangles)
    start, end = triangles.ravel(), triangles[:, [1, 2, 0]].ravel()
    key = edge_keys(triangles, point_count)
    order = np.argsort(key, kind="stable")
    first = np.ones(len(key), dtype=bool)
    first[1:] = key[order[1:]] != key[order[:-1]]
    edge = np.empty(len(key), dtype=np.int64)
    edge[order] = np.cumsum(first) - 1
    edge_count = int(first.sum())

    at_edge = np.bincount(edge, minlength=edge_count)
    at_point = np.bincount(start, minlength=point_count)
    counts = np.concatenate([at_point, at_edge])
    rim = np.zeros(point_count, dtype=bool)
    rim_edge = at_edge == 1
    rim[start[rim_edge[edge]]] = rim[end[rim_edge[edge]]] = True

    points = triangles
    edges = point_count + edge.reshape(-1, 3)
    faces = point_count + edge_count + np.arange(face_count)
    of_triangle = np.column_stack(
        [faces, points[:, 0], points[:, 1], edges[:, 0], points[:, 2], edges[:, 2], edges[:, 1], faces]
    )
    return FeatureIndex(
        triangles=triangles,
        point_count=point_count,
        of_triangle=of_triangle,
        meeting=np.concatenate([counts, np.ones(face_count, dtype=np.int64)]),
        starts=np.cumsum(counts) - counts,
        around=np.concatenate([np.argsort(start, kind="stable"), order]),
        border=np.concatenate([rim, rim_edge, np.zeros(face_count, dtype=bool)]),
        body=_bodies(triangles, closed, positions, edge, np.where(start < end, 1, -1)),
    )


def _bodies(
    triangles: NDArray[np.int64],
    closed: NDArray[np.bool_],
    positions: NDArray[np.float64],
    edge: NDArray[np.int64],
    direction: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Int[F]: one number for each closed part, the same for the walls of its cavities; -1 where not closed."""
    if not closed.any():
        return np.full(len(triangles), -1, dtype=np.int64)
    count = len(positions)
    start, end = triangles[:, [0, 1]].ravel(), triangles[:, [1, 2]].ravel()
    links = coo_matrix((np.ones(len(start), dtype=np.int8), (start, end)), shape=(count, count))
    component = connected_components(links, directed=False)[1].astype(np.int64)
    of_triangle = component[triangles[:, 0]]
    components = int(component.max()) + 1
    volume = signed_volumes(positions, triangles, component)
    volume = np.pad(volume, (0, components - len(volume)))
    if (volume < 0.0).any():
        balance = np.bincount(edge, direction)
        holes = np.bincount(of_triangle, (balance[edge] != 0).reshape(-1, 3).any(axis=1), components) > 0
        watertight = ~holes & (np.bincount(of_triangle, ~closed, components) == 0) & (volume != 0.0)
        low, high = component_boxes(positions, component)
        lowest, size = positions.min(axis=0), float((positions.max(axis=0) - positions.min(axis=0)).max())
        surface = Surface(
            points=(positions - lowest) / size - 0.5,
            triangles=triangles,
            component=component,
            vertex_point=np.arange(count),
            closed=watertight,
            inside_out=watertight & (volume < 0.0),
            area=component_areas(positions, triangles, component) / size**2,
            volume=np.abs(volume) / size**3,
            extent=(high - low).max(axis=1) / size,
            centre=lowest,
            size=size,
        )
        of_triangle = merge_cavities(surface).triangle_component
    return np.where(closed, of_triangle, -1)
