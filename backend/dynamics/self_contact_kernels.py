"""Compiled search for folds: which points come near a part of their own surface that they were not beside at rest."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from ..kinematics.base import Array
from .rigid.point_proximity import NO_SHARE, closest_on_triangle, found_in_tree
from .rigid.surfaces import Surfaces

__all__ = ["AtRest", "mark_folds"]


class AtRest(NamedTuple):
    """The shape that nothing touches in, as drawn. `starts` and `around` are those of `FeatureIndex`."""

    points: Array  # Float[S,3] m
    normals: Array  # Float[F,3]
    reach: Array  # Float[F] m, the longer side of each triangle at its first corner
    closed: np.ndarray  # Bool[F]
    same_place: np.ndarray  # Bool[S,p], near each other along the surface
    starts: np.ndarray
    around: np.ndarray
    touching: float  # m: what is nearer on a closed surface is the same place
    thickness: float  # m: what is nearer behind a face is the other side of its material


@njit(cache=True, nogil=True)
def _may_fold(rest: AtRest, point: int, corners: np.ndarray, triangle: int) -> bool:
    """Whether the place of a triangle that comes near a point can be a fold, wherever on it that is."""
    a, b, c = corners[0], corners[1], corners[2]
    if point in (a, b, c):
        return False
    if not rest.closed[triangle]:
        same = rest.same_place[point]
        return not (same[a] and same[b] and same[c])
    away = ahead = 0.0
    for axis in range(3):
        offset = rest.points[point, axis] - rest.points[a, axis]
        away += offset * offset
        ahead += offset * rest.normals[triangle, axis]
    farthest = math.sqrt(away) + rest.reach[triangle]
    return farthest >= (rest.touching if ahead > 0.0 else rest.thickness)


@njit(cache=True, nogil=True)
def _feature(surfaces: Surfaces, triangle: int, x: Array, share: Array, place: Array) -> tuple[int, float]:
    """The feature of a triangle that is nearest to x, and its squared distance."""
    corners = surfaces.triangles[triangle]
    square = closest_on_triangle(
        surfaces.points[corners[0]], surfaces.points[corners[1]], surfaces.points[corners[2]], x, share, place
    )
    held = 0
    for axis in range(3):
        held += (1 << axis) if share[axis] > NO_SHARE else 0
    return surfaces.features[triangle, held], square


@njit(cache=True, nogil=True)
def mark_folds(
    surfaces: Surfaces, rest: AtRest, points: Array, reach: float, sunk: float, work: np.ndarray, marked: np.ndarray
) -> None:
    """Marks Bool[S] the points Float[S,3] that have a fold within `reach` (m), or are at most `sunk` (m) behind one."""
    low, high, share, place, other = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for point in range(len(points)):
        x = points[point]
        for axis in range(3):
            low[axis], high[axis] = x[axis] - reach, x[axis] + reach
        candidates = found_in_tree(
            surfaces.triangle_boxes, surfaces.triangle_levels[0], surfaces.triangle_order, low, high, work
        )
        for candidate in range(candidates):
            triangle = work[candidate]
            corners = surfaces.triangles[triangle]
            if not _may_fold(rest, point, corners, triangle):
                continue
            if rest.closed[triangle]:
                normal, height = surfaces.normals[surfaces.features[triangle, 7]], 0.0
                for axis in range(3):
                    height += (x[axis] - surfaces.points[corners[0], axis]) * normal[axis]
                if height < -sunk:
                    continue
            feature, square = _feature(surfaces, triangle, x, share, place)
            if square > reach * reach:
                continue
            # A minimum of the distance is where all triangles agree that meet there.
            agreed = True
            if feature < len(rest.starts):
                first = rest.starts[feature]
                for entry in rest.around[first : first + surfaces.meeting[feature]]:
                    agreed = agreed and _feature(surfaces, entry // 3, x, other, place)[0] == feature
            if agreed:
                marked[point] = True
                break
