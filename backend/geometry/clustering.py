"""Vertex clustering: the points of a grid cell, or of each side of a wall in it, become one of them.

Triangles follow their corners. What was closed stays closed: its faces still cancel out along every edge.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .mesh import triangle_areas, triangle_normals
from .quadrics import quadric_error

__all__ = ["clusters", "followed", "representatives"]

# A cell whose face normals cancel out to less than this is a wall with two sides (a right-angled corner has 0.58).
_TWO_SIDED = 0.5
# How much being central counts beside being on the planes of the faces, both as squared lengths.
_CENTRAL = 1e-4
# Cells of side s that a surface of area A passes through: about 1.7 A / s^2.
_CELLS_PER_AREA = 1.7
_MOST_CELLS_PER_SIDE = 1 << 14


def clusters(
    points: NDArray[np.float64], triangles: NDArray[np.int64], component: NDArray[np.int64], about: int
) -> NDArray[np.int64]:
    """Int[P]: the cluster of each point, of about `about`. points Float[P,3] in the unit box, component Int[P]."""
    side = np.sqrt(_CELLS_PER_AREA * triangle_areas(points, triangles).sum() / about)
    sides = int(np.clip(1.0 / side, 1, _MOST_CELLS_PER_SIDE))
    place = np.clip(((points + 0.5) * sides).astype(np.int64), 0, sides - 1)
    key = ((component * sides + place[:, 0]) * sides + place[:, 1]) * sides + place[:, 2]
    cell = np.unique(key, return_inverse=True)[1].reshape(-1)
    return np.unique(2 * cell + _far_side(points, triangles, cell), return_inverse=True)[1].reshape(-1)


def representatives(
    points: NDArray[np.float64],
    cluster: NDArray[np.int64],
    quadric: NDArray[np.float64],
    fixed: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Int[C]: the point that stands for each cluster, given the quadrics Float[14,C] of its faces.

    It is the one nearest to their planes, so that corners and edges stay where they are; among equals the most
    central one. Where there is one of the fixed, Bool[P], it is that.
    """
    count = quadric.shape[1]
    held = np.bincount(cluster, minlength=count)
    middle = np.stack([np.bincount(cluster, axis, count) / held for axis in points.T], axis=1)
    off = points - middle[cluster]
    score = quadric_error(quadric[:, cluster], points)
    score += _CENTRAL * np.einsum("pi,pi->p", off, off) * quadric[10, cluster]
    score[fixed] = -np.inf

    order = np.argsort(cluster, kind="stable")
    ordered, group = score[order], cluster[order]
    best = np.flatnonzero(ordered == np.minimum.reduceat(ordered, np.cumsum(held) - held)[group])
    return order[best[np.unique(group[best], return_index=True)[1]]]


def _far_side(points: NDArray[np.float64], triangles: NDArray[np.int64], cell: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Bool[P]: the points on the one side of each wall, by their normals along the axis that the wall faces most."""
    normal = triangle_normals(points, triangles)
    of_point = np.zeros_like(points)
    for axis in range(3):
        for corner in range(3):
            of_point[:, axis] += np.bincount(triangles[:, corner], normal[:, axis], len(points))
    count = int(cell.max()) + 1
    total = np.stack([np.bincount(cell, axis, count) for axis in of_point.T])
    spread = np.stack([np.bincount(cell, np.abs(axis), count) for axis in of_point.T])
    whole = np.bincount(cell, np.sqrt(np.einsum("pi,pi->p", of_point, of_point)), count)
    wall = np.sqrt((total**2).sum(axis=0)) < _TWO_SIDED * whole
    along = np.take_along_axis(of_point, spread.argmax(axis=0)[cell][:, None], axis=1)[:, 0]
    return wall[cell] & (along > 0.0)


def followed(
    triangles: NDArray[np.int64], closed: NDArray[np.bool_], stands_for: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Triangles and closed flags after the corners moved to the points that stand for them, without collapsed ones.

    Of closed parts, those that look both ways cancel out; of sheets, each is there once.
    """
    triangles = stands_for[triangles]
    a, b, c = triangles.T
    kept = (a != b) & (b != c) & (c != a)
    triangles, closed = triangles[kept], closed[kept]
    a, b, c = triangles.T
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    middle = a + b + c - low - high
    # Looking the same way as its sorted corners: the middle one follows the lowest.
    after_low = np.where(a == low, b, np.where(b == low, c, a))
    way = np.where(after_low == middle, 1, -1)

    order = np.lexsort((high, middle, low))
    low, middle, high = low[order], middle[order], high[order]
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (low[1:] != low[:-1]) | (middle[1:] != middle[:-1]) | (high[1:] != high[:-1])
    group, first = np.cumsum(fresh) - 1, np.flatnonzero(fresh)
    total = np.bincount(group, way[order], len(first)).astype(np.int64)
    whole = np.bincount(group, ~closed[order], len(first)) == 0
    result = triangles[order[first]]
    turned = whole & (total * way[order[first]] < 0)
    result[turned] = result[turned][:, ::-1]
    times = np.where(whole, np.abs(total), 1)
    return np.repeat(result, times, axis=0), np.repeat(whole, times)
