"""The welded surface: components, orientation and closedness, with coincident vertices as one.

Nothing here changes the mesh the user sees. Seams, split normals and STL soups double vertices at one place;
matter does not care, so everything inside works on the welded copy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from .edges import edge_graph
from .mesh import Mesh, cross, triangle_areas
from .orientation import orient_alike

__all__ = ["Surface", "coincident", "component_areas", "component_boxes", "signed_volumes", "weld_surface"]

# Cells per side of the unit box in which positions count as the same: 2^-21 = 4.8e-7, three times 21 bits a
# key.
_WELD_CELLS = 1 << 21

# A closed component thinner on average than this part of its own length (2 volume / area) holds no material:
# a double-sided sheet, which is treated as a sheet.
_NEGLIGIBLE_THICKNESS = 1e-4


@dataclass(frozen=True)
class Surface:
    """The welded surface in the unit box (longest side 1, centred on the origin).

    points Float[P,3], triangles Int[T,3] (no repeated corner, no duplicate), component Int[P] of C
    components, vertex_point Int[V] (welded point of each mesh vertex, -1 where it belongs to no face). Per
    component: closed Bool[C], oriented Bool[C] (faces agree on what is outside), inside_out Bool[C] (they
    agree, but look inwards), area, volume and extent (longest side) Float[C].
    """

    points: NDArray[np.float64]
    triangles: NDArray[np.int64]
    component: NDArray[np.int64]
    vertex_point: NDArray[np.int64]
    closed: NDArray[np.bool_]
    inside_out: NDArray[np.bool_]
    area: NDArray[np.float64]
    volume: NDArray[np.float64]
    extent: NDArray[np.float64]
    centre: NDArray[np.float64]
    size: float

    @property
    def triangle_component(self) -> NDArray[np.int64]:
        return self.component[self.triangles[:, 0]]

    def boxes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest corner of the bounding box of each component, Float[C,3] each."""
        return component_boxes(self.points, self.component)


def weld_surface(mesh: Mesh) -> Surface:
    """Weld coincident vertices, drop collapsed and duplicate faces, and sort the rest into components."""
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    centre, size = 0.5 * (low + high), float((high - low).max())
    unit = (mesh.vertices - centre) / size

    first_of = coincident(unit)
    triangles = first_of[mesh.triangles]
    collapsed = (
        (triangles[:, 0] == triangles[:, 1])
        | (triangles[:, 1] == triangles[:, 2])
        | (triangles[:, 2] == triangles[:, 0])
    )
    triangles = triangles[~collapsed]
    triangles = triangles[_first_of_each(_rotated(triangles))]

    label = connected_components(edge_graph(triangles, len(unit)).matrix, directed=False)[1]
    # Components without any area are loose: they hold no matter.
    area = component_areas(unit, triangles, label)
    triangles = triangles[area[label[triangles[:, 0]]] > 1e-14]

    used = np.zeros(len(unit), dtype=bool)
    used[triangles.ravel()] = True
    new_index = np.where(used, np.cumsum(used) - 1, -1)
    points, triangles = unit[used], new_index[triangles]
    component = np.unique(label[used], return_inverse=True)[1].reshape(-1)

    low_corner, high_corner = component_boxes(points, component)
    extent = (high_corner - low_corner).max(axis=1)
    edges = edge_graph(triangles, len(points))
    turned = orient_alike(triangles, component, edges)
    if turned is not triangles:
        triangles, edges = turned, edge_graph(turned, len(points))
    volume = signed_volumes(points, triangles, component)
    area = component_areas(points, triangles, component)
    # At each edge of a surface without holes as many faces run one way as the other, also where several of them
    # share an edge.
    holes = np.bincount(edges.label_of_edges(component), edges.direction != 0, minlength=len(area))
    closed = (holes == 0) & (2.0 * np.abs(volume) > _NEGLIGIBLE_THICKNESS * extent * area)
    if not closed.all():
        triangles = _single_sided(triangles, closed[component[triangles[:, 0]]])
        area = component_areas(points, triangles, component)
    return Surface(
        points=points,
        triangles=triangles,
        component=component,
        vertex_point=new_index[first_of],
        closed=closed,
        inside_out=closed & (volume < 0),
        area=area,
        volume=np.where(closed, np.abs(volume), 0.0),
        extent=extent,
        centre=centre,
        size=size,
    )


def signed_volumes(
    points: NDArray[np.float64], triangles: NDArray[np.int64], component: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Enclosed volume of each component by the divergence theorem, sum of det(a, b, c) / 6.

    Measured from a point of the component itself, so that small ones far away lose no digits.
    """
    origin = points[np.unique(component, return_index=True)[1]][component[triangles[:, 0]]]
    a, b, c = (points[triangles[:, corner]] - origin for corner in range(3))
    return np.bincount(component[triangles[:, 0]], np.einsum("fi,fi->f", a, cross(b, c)) / 6.0)


def component_areas(
    points: NDArray[np.float64], triangles: NDArray[np.int64], component: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Area of each component, Float[C]."""
    count = int(component.max()) + 1
    return np.bincount(component[triangles[:, 0]], triangle_areas(points, triangles), minlength=count)


def coincident(unit: NDArray[np.float64]) -> NDArray[np.int64]:
    """For each position the index of the first vertex at the same place."""
    cell = np.rint((unit + 0.5) * (_WELD_CELLS - 1)).astype(np.int64)
    key = (cell[:, 0] << 42) | (cell[:, 1] << 21) | cell[:, 2]
    order = np.argsort(key, kind="stable")
    starts = np.ones(len(key), dtype=bool)
    starts[1:] = key[order[1:]] != key[order[:-1]]
    first = np.empty(len(key), dtype=np.int64)
    first[order] = order[starts][np.cumsum(starts) - 1]
    return first


def _rotated(triangles: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each triangle with its smallest corner first and the same orientation."""
    turn = triangles.argmin(axis=1)
    rows = np.arange(len(triangles))
    return np.stack([triangles[rows, (turn + step) % 3] for step in range(3)], axis=1)


def _first_of_each(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Indices, ascending, of the first occurrence of each distinct row of three."""
    factors = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)
    mixed = rows.astype(np.uint64) * factors
    key = mixed[:, 0] ^ (mixed[:, 1] >> np.uint64(7)) ^ (mixed[:, 2] << np.uint64(9))
    order = np.argsort(key, kind="stable")
    key = key[order]
    repeated = np.zeros(len(rows), dtype=bool)
    same_key = np.flatnonzero(key[1:] == key[:-1]) + 1
    if len(same_key):
        # Equal keys may still be different rows, so those few are compared exactly.
        suspects = np.unique(np.concatenate([order[same_key], order[same_key - 1]]))
        firsts = suspects[np.unique(rows[suspects], axis=0, return_index=True)[1]]
        repeated[suspects] = True
        repeated[firsts] = False
    return np.flatnonzero(~repeated)


def component_boxes(
    points: NDArray[np.float64], component: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest corner of the bounding box of each component, Float[C,3] each."""
    order = np.argsort(component, kind="stable")
    starts = np.searchsorted(component[order], np.arange(int(component.max()) + 1))
    ordered = points[order]
    return np.minimum.reduceat(ordered, starts), np.maximum.reduceat(ordered, starts)


def _single_sided(triangles: NDArray[np.int64], of_closed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Without the second side of double-sided sheets, so that their area counts once."""
    sheet = np.flatnonzero(~of_closed)
    keep = of_closed.copy()
    keep[sheet[_first_of_each(np.sort(triangles[sheet], axis=1))]] = True
    return triangles[keep]
