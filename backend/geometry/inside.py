"""Point-in-solid and segment-surface tests for closed parts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .broad_phase import close_pairs, near_places
from .mesh import cross
from .occupancy import column_covers, column_height
from .poisson_disk import separated
from .ragged_arrays import expand

__all__ = ["points_inside", "segments_cross"]


# Rays stand this far beside their point, so that they miss the vertices of regular meshes.
_SIDESTEP = np.array([1.2345678e-9, 2.7182818e-9, 0.0])


_MOST_CELLS = 4096


def points_inside(
    queries: NDArray[np.float64],
    query_part: NDArray[np.int64],
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    part: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Bool[Q]: whether each query Float[Q,3] lies inside its part, by the surface crossed straight above it.

    part Int[T]: the part of each triangle.
    """
    if len(queries) == 0:
        return np.zeros(0, dtype=bool)
    asked = np.zeros(max(int(part.max(initial=0)), int(query_part.max())) + 1, dtype=bool)
    asked[query_part] = True
    rows = np.flatnonzero(asked[part])
    # The rays run along the axis in which the queries differ least, so that few stand one behind the other;
    # a cyclic swap of the axes keeps the orientation.
    turn = int((queries.max(axis=0) - queries.min(axis=0)).argmin()) - 2
    queries, points = np.roll(queries, -turn, axis=1) + _SIDESTEP, np.roll(points, -turn, axis=1)
    query, row = _shadow_pairs(queries, points, triangles[rows])
    row = rows[row]
    own = part[row] == query_part[query]
    query, row = query[own], row[own]

    corners = triangles[row]
    place_x, place_y = queries[query, 0], queries[query, 1]
    hit, upward = column_covers(points[:, 0], points[:, 1], corners, place_x, place_y)
    query, corners, upward = query[hit], corners[hit], upward[hit]
    height = column_height(points[:, 2], points[:, 0], points[:, 1], corners, place_x[hit], place_y[hit])
    above = height > queries[query, 2]
    winding = np.bincount(query[above], np.where(upward[above], 1, -1), minlength=len(queries))
    return winding != 0


def _shadow_pairs(
    queries: NDArray[np.float64], points: NDArray[np.float64], triangles: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs (query, triangle) whose cells meet on a horizontal grid; holds all pairs one above the other."""
    low, high = queries[:, :2].min(axis=0), queries[:, :2].max(axis=0)
    extent = np.maximum(high - low, 1e-6)
    # About one query a cell, in cells that are about square.
    cell = np.sqrt(extent[0] * extent[1] / len(queries))
    sides = np.clip(extent / cell, 1, _MOST_CELLS).astype(np.int64)

    def cell_of(values: NDArray[np.float64], axis: int) -> NDArray[np.int64]:
        scaled = (values - low[axis]) / extent[axis] * sides[axis]
        return np.clip(np.floor(scaled), -1, sides[axis]).astype(np.int64)

    query_x = np.minimum(cell_of(queries[:, 0], 0), sides[0] - 1)
    query_y = np.minimum(cell_of(queries[:, 1], 1), sides[1] - 1)
    query_cell = query_x * sides[1] + query_y
    order = np.argsort(query_cell, kind="stable")
    count = np.bincount(query_cell, minlength=int(sides[0] * sides[1]))
    start = np.cumsum(count) - count
    # Summed counts answer at once how many queries lie in a rectangle of cells; most triangles have none.
    summed = np.zeros((sides[0] + 1, sides[1] + 1), dtype=np.int64)
    summed[1:, 1:] = count.reshape(sides).cumsum(axis=0).cumsum(axis=1)

    cell_x, cell_y = cell_of(points[:, 0], 0)[triangles], cell_of(points[:, 1], 1)[triangles]
    low_x, high_x = np.maximum(cell_x.min(axis=1), 0), np.minimum(cell_x.max(axis=1) + 1, sides[0])
    low_y, high_y = np.maximum(cell_y.min(axis=1), 0), np.minimum(cell_y.max(axis=1) + 1, sides[1])
    # A query on the last line of cells sits in the cell before it.
    low_x, low_y = np.minimum(low_x, sides[0] - 1), np.minimum(low_y, sides[1] - 1)
    high_x, high_y = np.maximum(high_x, low_x), np.maximum(high_y, low_y)
    under = summed[high_x, high_y] - summed[low_x, high_y] - summed[high_x, low_y] + summed[low_x, low_y]
    kept = np.flatnonzero(under > 0)
    low_x, low_y = low_x[kept], low_y[kept]
    deep = high_y[kept] - low_y
    owner, number = expand((high_x[kept] - low_x) * deep)
    cell = (low_x[owner] + number // deep[owner]) * sides[1] + low_y[owner] + number % deep[owner]
    entry, number = expand(count[cell])
    return order[start[cell[entry]] + number], kept[owner[entry]]


def segments_cross(
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    segment_part: NDArray[np.int64],
    ends_at: NDArray[np.int64],
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    part: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Bool[S]: whether each segment (Float[S,3] each end) crosses the surface of its own part.

    ends_at Int[S,2]: the surface point at which an end sits (-1 for none); triangles that hold it do not
    count.
    """
    crossed = np.zeros(len(start), dtype=bool)
    if len(start) == 0:
        return crossed
    longest = float(np.sqrt(((end - start) ** 2).sum(axis=1).max()))
    low, high = np.minimum(start, end).min(axis=0), np.maximum(start, end).max(axis=0)
    corners = [points[triangles[:, corner]] for corner in range(3)]
    centroid = (corners[0] + corners[1] + corners[2]) / 3.0
    squared = [np.einsum("ti,ti->t", corner - centroid, corner - centroid) for corner in corners]
    reach = np.sqrt(np.maximum(np.maximum(squared[0], squared[1]), squared[2]))
    within = np.ones(len(triangles), dtype=bool)
    for axis in range(3):
        within &= centroid[:, axis] + reach >= low[axis]
        within &= centroid[:, axis] - reach <= high[axis]
    rows = np.flatnonzero(within)

    # Triangles of very different size are looked up apart, each with samples as dense as its size asks for.
    for largest, smallest in pairwise((np.inf, longest / 8.0, longest / 32.0, -1.0)):
        group = rows[(reach[rows] <= largest) & (reach[rows] > smallest)]
        if len(group) == 0:
            continue
        reach_here = float(reach[group].max())
        pieces = int(np.clip(np.ceil(longest / (2.0 * reach_here)), 1, 64))
        radius = (0.5 * longest / pieces + reach_here) * (1.0 + 1e-9)
        fraction = (np.arange(pieces) + 0.5) / pieces
        samples = (start[:, None] + fraction[None, :, None] * (end - start)[:, None]).reshape(-1, 3)
        group = group[near_places(centroid[group], samples, radius)]
        sample, row = close_pairs(
            separated(samples, np.repeat(segment_part, pieces)),
            separated(centroid[group], part[group]),
            radius,
        )
        pair = np.unique((sample // pieces) * len(group) + row)
        segment, row = pair // len(group), group[pair % len(group)]
        corners = triangles[row]
        apart = (corners[:, :, None] != ends_at[segment][:, None, :]).all(axis=(1, 2))
        segment, corners = segment[apart], corners[apart]
        hit = _segment_hits(start[segment], end[segment], *(points[corners[:, corner]] for corner in range(3)))
        crossed[segment[hit]] = True
    return crossed


def _segment_hits(
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    c: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Moeller-Trumbore, row by row; the rim of a triangle counts as hit, a parallel triangle does not."""
    along, edge_b, edge_c, offset = end - start, b - a, c - a, start - a
    across = cross(along, edge_c)
    determinant = np.einsum("si,si->s", edge_b, across)
    turned = cross(offset, edge_b)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.einsum("si,si->s", offset, across) / determinant
        v = np.einsum("si,si->s", along, turned) / determinant
        t = np.einsum("si,si->s", edge_c, turned) / determinant
        # Divided by a determinant of zero, none of the comparisons holds.
        rim = 1e-9
        return (u >= -rim) & (v >= -rim) & (u + v <= 1.0 + rim) & (t >= 0.0) & (t <= 1.0)
