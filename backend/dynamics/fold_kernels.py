"""Compiled search for folds: which groups of a surface may have met others, and which points come near them.

Everything is asked in a frame that turns and moves along with the object. `Groups` are in `fold_groups`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from ..kinematics.base import Array
from .rigid.point_proximity import NO_SHARE, closest_on_triangle

__all__ = [
    "IN_FRONT",
    "AtRest",
    "Groups",
    "SurfaceFeatures",
    "fill_apart",
    "fill_foldable",
    "look_at_pairs",
    "mark_folds",
    "most_beyond",
]

IN_FRONT = 0.3  # of the way to a face at rest: what rises less above its plane lies beside it on one surface


class AtRest(NamedTuple):
    """The shape that nothing touches in, as drawn. `starts` and `around` are those of `FeatureIndex`."""

    points: Array  # Float[S,3] m
    normals: Array  # Float[F,3], unit, zero where a triangle has none
    reach: Array  # Float[F] m, the longer side of each triangle at its first corner
    closed: np.ndarray  # Bool[F]
    same_place: np.ndarray  # Bool[S,p], near each other along the surface; empty where all is closed
    bends: np.ndarray  # Bool[S]: two points neither of which does belong to rigid parts, whose joints say how they move
    starts: np.ndarray
    around: np.ndarray
    touching: float  # m: what is nearer on a closed surface is the same place
    thickness: float  # m: what is nearer behind a face is the other side of its material


class Groups(NamedTuple):
    """What belongs to each of G groups, one after the other; `*_start` Int[G+1] is where each begins."""

    points: np.ndarray  # Int[s], every point once that is looked at
    point_start: np.ndarray
    triangles: np.ndarray  # Int[F], every triangle once
    triangle_start: np.ndarray
    covered: np.ndarray  # its points and the corners of its triangles
    covered_start: np.ndarray
    pairs: np.ndarray  # Int[n,2], of which something can fold onto the other; a group may meet itself
    apart: Array  # Float[n] m, how far what can is apart at rest, at least


class SurfaceFeatures(NamedTuple):
    """Of `Surfaces`, what stays the same however the surface moves."""

    triangles: np.ndarray  # Int[F,3]
    features: np.ndarray  # Int[F,8]
    meeting: np.ndarray  # Int[G]


@njit(cache=True, nogil=True)
def _apart_at_rest(rest: AtRest, point: int, corners: np.ndarray, triangle: int) -> float:
    """How far at least the places of a triangle are from a point at rest that are folds when they come near it, m.

    Infinite where none of them can be one.
    """
    a, b, c = corners[0], corners[1], corners[2]
    if point in (a, b, c):
        return np.inf
    if not (rest.bends[point] or rest.bends[a] or rest.bends[b] or rest.bends[c]):
        return np.inf
    first = second = third = height = 0.0
    for axis in range(3):
        offset = rest.points[point, axis] - rest.points[a, axis]
        first += offset * offset
        second += (rest.points[point, axis] - rest.points[b, axis]) ** 2
        third += (rest.points[point, axis] - rest.points[c, axis]) ** 2
        height += offset * rest.normals[triangle, axis]
    least, most = math.sqrt(first) - rest.reach[triangle], math.sqrt(max(first, second, third))
    behind = max(least, rest.thickness) if most >= rest.thickness else np.inf
    if rest.closed[triangle] and (height <= 0.0 or height <= IN_FRONT * least or most < rest.touching):
        return behind
    if least < rest.reach[triangle]:
        share, place = np.empty(3), np.empty(3)
        x = rest.points[point]
        least = math.sqrt(closest_on_triangle(rest.points[a], rest.points[b], rest.points[c], x, share, place))
    if rest.closed[triangle]:
        if least < rest.touching:  # what touches a triangle as drawn may slide along it
            return np.inf
        return least if height > IN_FRONT * least else behind
    same = rest.same_place[point]
    return np.inf if same[a] and same[b] and same[c] else least


@njit(cache=True, nogil=True)
def fill_foldable(
    rest: AtRest, triangles: np.ndarray, point: np.ndarray, triangle: np.ndarray, may: np.ndarray
) -> None:
    """Whether points Int[c] and triangles Int[c] that came near each other can be folds, Bool[c]."""
    for row in range(len(may)):
        may[row] = _apart_at_rest(rest, point[row], triangles[triangle[row]], triangle[row]) < np.inf


@njit(cache=True, nogil=True)
def _fill_boxes(groups: Groups, values: Array, boxes: Array) -> None:
    """Boxes Float[G,2,3] of values Float[S,3] at the points that each group covers."""
    for group in range(len(boxes)):
        boxes[group, 0], boxes[group, 1] = np.inf, -np.inf
        for place in range(groups.covered_start[group], groups.covered_start[group + 1]):
            for axis in range(3):
                value = values[groups.covered[place], axis]
                boxes[group, 0, axis] = min(boxes[group, 0, axis], value)
                boxes[group, 1, axis] = max(boxes[group, 1, axis], value)


@njit(cache=True, nogil=True)
def _between(boxes: Array, one: int, other: int) -> tuple[float, float]:
    """The least and the largest distance of a point of one box to a point of another."""
    least = most = 0.0
    for axis in range(3):
        above, below = boxes[one, 0, axis] - boxes[other, 1, axis], boxes[other, 0, axis] - boxes[one, 1, axis]
        least += max(0.0, above, below) ** 2
        most += max(-above, -below) ** 2
    return math.sqrt(least), math.sqrt(most)


@njit(cache=True, nogil=True)
def fill_apart(rest: AtRest, triangles: np.ndarray, groups: Groups, apart: Array) -> None:
    """Float[G,G] m: how far at least what can fold is apart at rest, points of the first group from triangles of the
    second; infinite where nothing can."""
    count = len(apart)
    boxes = np.empty((count, 2, 3))
    _fill_boxes(groups, rest.points, boxes)
    apart[:] = np.inf
    for one in range(count):
        for other in range(count):
            gap = _between(boxes, one, other)[0]
            if gap > rest.thickness:
                apart[one, other] = gap
                continue
            best = np.inf
            for entry in range(groups.triangle_start[other], groups.triangle_start[other + 1]):
                triangle = groups.triangles[entry]
                for number in range(groups.point_start[one], groups.point_start[one + 1]):
                    best = min(best, _apart_at_rest(rest, groups.points[number], triangles[triangle], triangle))
            apart[one, other] = best


@njit(cache=True, nogil=True)
def look_at_pairs(groups: Groups, rest: Array, strayed: Array, ahead: Array, lower: Array, closing: Array) -> None:
    """Fills for each pair how far, at least, is apart what can fold (Float[n] m), and how much nearer it may come.

    Points Float[S,3] m: at rest; by how much they have strayed from there; by how much they will.
    """
    count = len(groups.point_start) - 1
    strays, aheads, places = np.empty((count, 2, 3)), np.empty((count, 2, 3)), np.empty((count, 2, 3))
    _fill_boxes(groups, strayed, strays)
    _fill_boxes(groups, ahead, aheads)
    _fill_boxes(groups, rest + strayed, places)
    for pair in range(len(groups.pairs)):
        one, other = groups.pairs[pair, 0], groups.pairs[pair, 1]
        lower[pair] = max(_between(places, one, other)[0], groups.apart[pair] - _between(strays, one, other)[1])
        closing[pair] = _between(aheads, one, other)[1]


@njit(cache=True, nogil=True)
def most_beyond(groups: Groups, moved: Array, lower: Array, foreseen: Array, spare: float) -> float:
    """By how much the pair came nearer that came nearest unforeseen, m; zero where none did.

    `moved` Float[S,3] m; `lower` and `foreseen` Float[n] m of each pair, of one that is not looked at zero.
    """
    boxes = np.empty((len(groups.point_start) - 1, 2, 3))
    _fill_boxes(groups, moved, boxes)
    most = 0.0
    for pair in range(len(groups.pairs)):
        nearer = _between(boxes, groups.pairs[pair, 0], groups.pairs[pair, 1])[1]
        if nearer > (foreseen[pair] + spare if foreseen[pair] > 0.0 else lower[pair]):
            most = max(most, nearer)
    return most


@njit(cache=True, nogil=True)
def _feature(
    surface: SurfaceFeatures, points: Array, triangle: int, x: Array, share: Array, place: Array
) -> tuple[int, float]:
    """The feature of a triangle that is nearest to x, and its squared distance."""
    corners = surface.triangles[triangle]
    square = closest_on_triangle(points[corners[0]], points[corners[1]], points[corners[2]], x, share, place)
    held = 0
    for axis in range(3):
        held += (1 << axis) if share[axis] > NO_SHARE else 0
    return surface.features[triangle, held], square


@njit(cache=True, nogil=True)
def _is_sunk(points: Array, corners: np.ndarray, x: Array, sunk: float) -> bool:
    """Whether x is deeper than `sunk` (m) behind the plane of a triangle."""
    a, b, c = points[corners[0]], points[corners[1]], points[corners[2]]
    height = square = 0.0
    for axis in range(3):
        y, z = (axis + 1) % 3, (axis + 2) % 3
        normal = (b[y] - a[y]) * (c[z] - a[z]) - (b[z] - a[z]) * (c[y] - a[y])
        height += (x[axis] - a[axis]) * normal
        square += normal * normal
    return height < -sunk * math.sqrt(square)


@njit(cache=True, nogil=True)
def mark_folds(
    surface: SurfaceFeatures, rest: AtRest, groups: Groups, points: Array, near: np.ndarray, reach: Array, sunk: float,
    reached: Array,
) -> None:  # fmt: skip
    """Raises `reached` Float[S] (m) of the points Float[S,3] that have a fold in one of the pairs `near` Int[m] to its
    reach Float[m] (m); they are at most `sunk` (m) behind it."""
    low, high, share, place, other = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for number in range(len(near)):
        pair = groups.pairs[near[number]]
        for turn in range(1 if pair[0] == pair[1] else 2):
            of_points, of_triangles = pair[turn], pair[1 - turn]
            for entry in range(groups.triangle_start[of_triangles], groups.triangle_start[of_triangles + 1]):
                triangle = groups.triangles[entry]
                corners = surface.triangles[triangle]
                for axis in range(3):
                    a, b, c = points[corners[0], axis], points[corners[1], axis], points[corners[2], axis]
                    low[axis], high[axis] = min(a, b, c) - reach[number], max(a, b, c) + reach[number]
                for index in range(groups.point_start[of_points], groups.point_start[of_points + 1]):
                    point = groups.points[index]
                    x = points[point]
                    outside = x[0] < low[0] or x[0] > high[0] or x[1] < low[1] or x[1] > high[1]
                    if outside or x[2] < low[2] or x[2] > high[2] or reached[point] >= reach[number]:
                        continue
                    if _apart_at_rest(rest, point, corners, triangle) == np.inf:
                        continue
                    if rest.closed[triangle] and _is_sunk(points, corners, x, sunk):
                        continue
                    feature, square = _feature(surface, points, triangle, x, share, place)
                    if square > reach[number] ** 2:
                        continue
                    # A minimum of the distance is where all triangles agree that meet there.
                    agreed = True
                    if feature < len(rest.starts):
                        first = rest.starts[feature]
                        for around in rest.around[first : first + surface.meeting[feature]]:
                            agreed = agreed and _feature(surface, points, around // 3, x, other, place)[0] == feature
                    if agreed:
                        reached[point] = reach[number]
