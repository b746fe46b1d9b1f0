"""Occupancy of closed parts: intervals of vertical columns inside the surface, by winding number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .ragged_arrays import expand

__all__ = ["Intervals", "column_covers", "column_height", "inside_intervals"]

# Columns stand this part of a step beside their nominal place, so that they miss the vertices of regular
# meshes.
_SIDESTEP = (1.2345678e-5, 2.7182818e-5)


@dataclass(frozen=True)
class Intervals:
    """Stretches of columns inside a part: part, column_x, column_y Int[K] (at index * step), low, high Float[K].

    Sorted by part, column and height.
    """

    step: float
    part: NDArray[np.int64]
    column_x: NDArray[np.int64]
    column_y: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def inside_intervals(
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    part: NDArray[np.int64],
    step: float,
) -> Intervals:
    """The inside of closed parts on a square grid of columns `step` apart.

    part Int[T]: the part of each triangle. Inside is where the winding number is not zero. Parts do not see
    each other: where two overlap, both have an inside there, and the overlap weighs double.
    """
    x, y = points[:, 0] / step - _SIDESTEP[0], points[:, 1] / step - _SIDESTEP[1]
    corner_x, corner_y = x[triangles], y[triangles]
    low_x, low_y = np.ceil(corner_x.min(axis=1)), np.ceil(corner_y.min(axis=1))
    wide = np.maximum(np.floor(corner_x.max(axis=1)) - low_x + 1, 0).astype(np.int64)
    deep = np.maximum(np.floor(corner_y.max(axis=1)) - low_y + 1, 0).astype(np.int64)
    owner, number = expand(wide * deep)
    column_x = low_x[owner].astype(np.int64) + number % np.maximum(wide[owner], 1)
    column_y = low_y[owner].astype(np.int64) + number // np.maximum(wide[owner], 1)

    corners = triangles[owner]
    hit, upward = column_covers(x, y, corners, column_x.astype(float), column_y.astype(float))
    owner, corners, upward = owner[hit], corners[hit], upward[hit]
    column_x, column_y = column_x[hit], column_y[hit]
    height = column_height(points[:, 2], x, y, corners, column_x, column_y)
    return _runs(step, part[owner], column_x, column_y, height, upward)


def column_covers(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    corners: NDArray[np.int64],
    place_x: NDArray[np.float64],
    place_y: NDArray[np.float64],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether each place lies in the shadow of its triangle, and whether that triangle looks up.

    The side of an edge is always computed from its lower to its higher point, hence with the very same
    rounding for both of its triangles: no column slips through between two neighbours or hits both.
    """
    left = []
    for corner in range(3):
        start, end = corners[:, corner], corners[:, (corner + 1) % 3]
        low, high = np.minimum(start, end), np.maximum(start, end)
        side = (x[high] - x[low]) * (place_y - y[low]) - (y[high] - y[low]) * (place_x - x[low]) >= 0.0
        left.append(side == (start < end))
    all_left = left[0] & left[1] & left[2]
    none_left = ~(left[0] | left[1] | left[2])
    return all_left | none_left, all_left


def column_height(
    z: NDArray[np.float64],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    corners: NDArray[np.int64],
    place_x: NDArray[np.float64],
    place_y: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Height of the plane of each triangle over its place, kept within the triangle if that is upright."""
    a, b, c = corners.T
    x1, y1, z1 = x[b] - x[a], y[b] - y[a], z[b] - z[a]
    x2, y2, z2 = x[c] - x[a], y[c] - y[a], z[c] - z[a]
    twice_area = x1 * y2 - x2 * y1
    dx, dy = place_x - x[a], place_y - y[a]
    with np.errstate(divide="ignore", invalid="ignore"):
        rise = ((z1 * y2 - z2 * y1) * dx + (x1 * z2 - x2 * z1) * dy) / twice_area
    rise = np.nan_to_num(rise)
    return np.clip(z[a] + rise, z[corners].min(axis=1, initial=np.inf), z[corners].max(axis=1, initial=-np.inf))


def _runs(
    step: float,
    part: NDArray[np.int64],
    column_x: NDArray[np.int64],
    column_y: NDArray[np.int64],
    height: NDArray[np.float64],
    upward: NDArray[np.bool_],
) -> Intervals:
    """Crossings sorted up each column and joined to inside stretches."""
    order = np.lexsort((height, column_y, column_x, part))
    part, column_x, column_y = part[order], column_x[order], column_y[order]
    height, upward = height[order], upward[order]
    fresh = np.ones(len(part), dtype=bool)
    fresh[1:] = (part[1:] != part[:-1]) | (column_x[1:] != column_x[:-1]) | (column_y[1:] != column_y[:-1])
    starts = np.flatnonzero(fresh)
    column = np.cumsum(fresh) - 1

    # Going up, a face that looks down is an entry and one that looks up is an exit.
    turn = np.where(upward, -1, 1)
    total = np.cumsum(turn)
    winding = total - (total - turn)[starts][column] if len(part) else total
    inside_above = winding != 0
    last = np.append(fresh[1:], True)[: len(part)]
    # A column that does not end outside has grazed something within rounding; its neighbours speak for it.
    sound = ~inside_above[last]
    inside_above &= sound[column]
    inside_below = np.zeros(len(part), dtype=bool)
    inside_below[1:] = inside_above[:-1] & ~fresh[1:]
    begins, ends = inside_above & ~inside_below, inside_below & ~inside_above
    return Intervals(step, part[begins], column_x[begins], column_y[begins], height[begins], height[ends])
