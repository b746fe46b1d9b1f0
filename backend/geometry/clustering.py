"""A coarse stand-in for a dense surface, whose points are points of the surface itself.

Points fall into the cells of an octree, finer where the surface bends. One point stands for a cell, or one for each
side of a thin wall in it; triangles follow their corners. What was closed stays closed: its faces still cancel out
along every edge.

A cell is as good as the planes of its faces have a common point: with n, d and w the normal, offset and area of the
faces at its points, it costs min_x sum w (n . x + d)^2 / sum w (the quadric error of Garland and Heckbert 1997), which
is zero on flat ground, along a straight edge and at a corner.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .mesh import cross

__all__ = ["clustered"]

# The coarsest cells take this part of the points that may be kept, so that flat ground, which may bend later, has
# points too; the rest goes where the surface bends, down to cells 2^4 times finer.
_COARSEST_SHARE = 0.25
_FINER_LEVELS = 4
_DEEPEST = 16
# A cell whose face normals cancel out to less than this is a wall with two sides (a right-angled corner has 0.58).
_TWO_SIDED = 0.5
# How much being central counts beside being on the planes, both as squared lengths.
_CENTRAL = 1e-4
# Regularisation of the quadrics: directions in which all planes agree have no best place.
_SOFT = 1e-3


@dataclass(frozen=True)
class _Cells:
    """Clusters of one level. cell Int[P] of each point (C cells), cluster Int[P] (two numbers a cell: 2 * cell +
    side), cost Float[C] and size Int[C], how many clusters a cell really holds."""

    cell: NDArray[np.int64]
    cluster: NDArray[np.int64]
    cost: NDArray[np.float64]
    size: NDArray[np.int64]


def clustered(
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    closed: NDArray[np.bool_],
    component: NDArray[np.int64],
    most: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Kept points Int[p] with p <= most, triangles Int[f,3] into them and closed Bool[f].

    points Float[P,3] in the unit box. Components stay apart unless there are too many of them.
    """
    if int(component.max()) + 1 > _COARSEST_SHARE * most:
        component = np.zeros(len(points), dtype=np.int64)
    quadric = _point_quadrics(points, triangles)
    level = _coarsest_level(points, component, most)
    levels = [
        _cells(points, component, quadric, deeper) for deeper in range(level, min(level + _FINER_LEVELS, _DEEPEST) + 1)
    ]
    cluster = _cut(levels, most)
    kept, of_point = _representatives(points, quadric, cluster)
    triangles, closed = _merged(of_point[triangles], closed)
    return kept, triangles, closed


def _point_quadrics(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.float64]:
    """Float[14,P]: xx yy zz xy yz zx of n n^T, then n d, d^2, area and n, summed over the faces of each point."""
    corners = [points[triangles[:, corner]] for corner in range(3)]
    normal = cross(corners[1] - corners[0], corners[2] - corners[0])
    area = np.sqrt(np.einsum("fi,fi->f", normal, normal))
    unit = normal / np.where(area > 0.0, area, 1.0)[:, None]
    offset = -np.einsum("fi,fi->f", unit, corners[0])
    columns = [normal[:, axis] * unit[:, axis] for axis in range(3)]
    columns += [normal[:, axis] * unit[:, (axis + 1) % 3] for axis in range(3)]
    columns += [normal[:, axis] * offset for axis in range(3)] + [area * offset**2, area]
    columns += [normal[:, axis] for axis in range(3)]
    result = np.zeros((len(columns), len(points)))
    for row, column in zip(result, columns, strict=True):
        for corner in range(3):
            row += np.bincount(triangles[:, corner], column, len(points))
    return result


def _keys(points: NDArray[np.float64], component: NDArray[np.int64], level: int) -> NDArray[np.int64]:
    side = 1 << level
    cell = np.minimum(((points + 0.5) * side).astype(np.int64), side - 1)
    return ((component * side + cell[:, 0]) * side + cell[:, 1]) * side + cell[:, 2]


def _coarsest_level(points: NDArray[np.float64], component: NDArray[np.int64], most: int) -> int:
    level = 0
    while level < _DEEPEST and len(np.unique(_keys(points, component, level + 1))) <= _COARSEST_SHARE * most:
        level += 1
    return level


def _cells(
    points: NDArray[np.float64], component: NDArray[np.int64], quadric: NDArray[np.float64], level: int
) -> _Cells:
    keys, cell = np.unique(_keys(points, component, level), return_inverse=True)
    cell = cell.reshape(-1)
    count = len(keys)
    bent = np.stack([np.bincount(cell, quadric[row], count) for row in (0, 1, 2, 10, 11, 12, 13)])
    facing = np.sqrt((bent[4:] ** 2).sum(axis=0))
    wall = facing < _TWO_SIDED * bent[3]
    axis = bent[:3].argmax(axis=0)
    side = wall[cell] & (quadric[11 + axis[cell], np.arange(len(points))] > 0.0)
    cluster = 2 * cell + side
    total = np.stack([np.bincount(cluster, row, 2 * count) for row in quadric[:11]])
    cost = _least_cost(total).reshape(-1, 2).sum(axis=1) / np.maximum(bent[3], 1e-300)
    size = np.count_nonzero(np.bincount(cluster, minlength=2 * count).reshape(-1, 2), axis=1)
    return _Cells(cell, cluster, np.sqrt(np.maximum(cost, 0.0)), size)


def _least_cost(total: NDArray[np.float64]) -> NDArray[np.float64]:
    """min_x of x^T A x + 2 b . x + c for each column of quadrics Float[11,n], around the centre of the unit box."""
    xx, yy, zz, xy, yz, zx = total[:6]
    A = np.stack([xx, xy, zx, xy, yy, yz, zx, yz, zz], axis=1).reshape(-1, 3, 3)
    area = np.maximum(total[10], 1e-300)
    A = A + (_SOFT * area)[:, None, None] * np.eye(3)
    b = total[6:9].T
    return np.maximum(total[9] - np.einsum("ni,ni->n", b, np.linalg.solve(A, b[:, :, None])[:, :, 0]), 0.0)


def _cut(levels: list[_Cells], most: int) -> NDArray[np.int64]:
    """Int[P]: the cluster of each point where no cell costs more than a limit, as low as `most` clusters allow."""
    above = []  # of each level, the cell of the level before
    for coarse, fine in pairwise(levels):
        parent = np.empty(len(fine.cost), dtype=np.int64)
        parent[fine.cell] = coarse.cell
        above.append(parent)
    # A cell costs at least what the cells in it cost; the finest ones are taken as they are.
    cost = [level.cost.copy() for level in levels]
    cost[-1][:] = -1.0
    for number in range(len(levels) - 2, -1, -1):
        np.maximum.at(cost[number], above[number], cost[number + 1])
    whole = [np.full(len(cost[0]), np.inf)]
    whole += [cost[number][parent] for number, parent in enumerate(above)]

    own = np.concatenate(cost)
    enclosing = np.concatenate(whole)
    size = np.concatenate([level.size for level in levels])
    limits = np.unique(np.maximum(own, 0.0))
    low, high = 0, len(limits) - 1
    while low < high:
        middle = (low + high) // 2
        count = size[(own <= limits[middle]) & (enclosing > limits[middle])].sum()
        low, high = (low, middle) if count <= most else (middle + 1, high)
    limit = limits[low]

    cluster = np.full(len(levels[0].cell), -1, dtype=np.int64)
    start = 0
    for level, inner, outer in zip(levels, cost, whole, strict=True):
        taken = ((inner <= limit) & (outer > limit))[level.cell]
        cluster[taken] = start + level.cluster[taken]
        start += 2 * len(inner)
    return np.unique(cluster, return_inverse=True)[1].reshape(-1)


def _representatives(
    points: NDArray[np.float64], quadric: NDArray[np.float64], cluster: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The point that stands for each cluster, Int[C], and the cluster of each point, Int[P].

    It is the one nearest to the planes of all faces of the cluster, so corners and edges stay where they are; among
    equals the most central one. The extreme points of the whole in 26 directions are kept.
    """
    count = int(cluster.max()) + 1
    held = np.bincount(cluster, minlength=count)
    area = np.maximum(np.bincount(cluster, quadric[10], count), 1e-300)
    off = points - np.stack([np.bincount(cluster, axis, count) / held for axis in points.T], axis=1)[cluster]
    score = _CENTRAL * np.einsum("pi,pi->p", off, off) * area[cluster]
    x, y, z = points.T
    monomials = (x * x, y * y, z * z, 2 * x * y, 2 * y * z, 2 * z * x, 2 * x, 2 * y, 2 * z, np.ones_like(x))
    for row, monomial in zip(quadric, monomials, strict=False):
        score += np.bincount(cluster, row, count)[cluster] * monomial
    signs = np.array([(a, b, c) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1) if (a, b, c) > (0, 0, 0)])
    for direction in signs:
        height = points @ direction
        score[[height.argmin(), height.argmax()]] = -np.inf

    order = np.argsort(cluster, kind="stable")
    starts = np.cumsum(held) - held
    ordered = score[order]
    best = np.flatnonzero(ordered == np.minimum.reduceat(ordered, starts)[cluster[order]])
    best = best[np.unique(cluster[order[best]], return_index=True)[1]]
    return order[best], cluster


def _merged(triangles: NDArray[np.int64], closed: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The triangles without collapsed ones, each once; those of closed parts that look both ways cancel out."""
    a, b, c = triangles.T
    kept = (a != b) & (b != c) & (c != a)
    triangles, closed = triangles[kept], closed[kept]
    ordered = np.sort(triangles, axis=1)
    # Even permutations of the sorted corners look the same way.
    same = (triangles == ordered).all(axis=1)
    same |= (triangles[:, [1, 2, 0]] == ordered).all(axis=1) | (triangles[:, [2, 0, 1]] == ordered).all(axis=1)
    distinct, first, index = np.unique(ordered, axis=0, return_index=True, return_inverse=True)
    index = index.reshape(-1)
    sides = np.bincount(index, np.where(same, 1, -1), len(distinct))
    closed = np.bincount(index, closed, len(distinct)) == np.bincount(index, minlength=len(distinct))
    result = np.where((sides < 0)[:, None], distinct[:, [0, 2, 1]], distinct)
    result[~closed] = triangles[first[~closed]]
    kept = (sides != 0) | ~closed
    return result[kept], closed[kept]
