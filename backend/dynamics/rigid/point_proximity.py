"""A point against a rigid surface in compiled code: local minima of the distance, as `NearSurface` defines them."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from ...kinematics.base import Array
from .surfaces import MOST_LEVELS, Surfaces

__all__ = ["MOST_MINIMA", "closest_on_triangle", "found_in_tree", "minima_near_point"]

MOST_MINIMA = 16  # places of one surface that one point may meet: the nearest ones
NO_SHARE = 1e-7  # of a corner: less does not count for where on a triangle a point lies
TOUCHING = 1e-9  # of the size: nearer than this the direction is rounding
SAME_DIRECTION = math.cos(math.radians(15.0))
FLATTENED = 1e-12
STACK = 8 * MOST_LEVELS


@njit(cache=True, nogil=True)
def found_in_tree(
    boxes: Array, levels: np.ndarray, order: np.ndarray, low: Array, high: Array, found: np.ndarray
) -> int:
    """How many items of a tree may overlap a box (corners Float[3]); they stand in `found`, as many as it holds."""
    node_stack, depth_stack = np.empty(STACK, dtype=np.int64), np.empty(STACK, dtype=np.int64)
    node_stack[0] = depth_stack[0] = 0
    top, count = 1, 0
    while top > 0:
        top -= 1
        node, depth = node_stack[top], depth_stack[top]
        box = boxes[levels[depth] + node]
        last = levels[depth + 1] < 0
        for branch in range(8):
            if box[0, branch] > high[0] or box[1, branch] > high[1] or box[2, branch] > high[2]:
                continue
            if box[3, branch] > -low[0] or box[4, branch] > -low[1] or box[5, branch] > -low[2]:
                continue
            child = 8 * node + branch
            if last:
                item = order[levels[MOST_LEVELS + 1] + node, branch]
                if item >= 0:
                    if count < len(found):
                        found[count] = item
                    count += 1
            else:
                node_stack[top], depth_stack[top] = child, depth + 1
                top += 1
    return min(count, len(found))


@njit(cache=True, nogil=True)
def closest_on_triangle(a: Array, b: Array, c: Array, x: Array, share: Array, place: Array) -> float:
    """The squared distance of x Float[3] to a triangle; shares of its corners and the way there in `share`, `place`.

    The best of the three edges, or the foot of the perpendicular if the face holds it.
    """
    corners = np.empty((3, 3))
    for axis in range(3):
        corners[0, axis], corners[1, axis], corners[2, axis] = a[axis] - x[axis], b[axis] - x[axis], c[axis] - x[axis]
    best = np.inf
    for first in range(3):
        second = (first + 1) % 3
        length = along = 0.0
        for axis in range(3):
            side = corners[second, axis] - corners[first, axis]
            length += side * side
            along -= corners[first, axis] * side
        along = min(max(along / (length if length > 0.0 else 1.0), 0.0), 1.0)
        squared = 0.0
        for axis in range(3):
            here = corners[first, axis] + along * (corners[second, axis] - corners[first, axis])
            squared += here * here
        if squared < best:
            best = squared
            share[first], share[second], share[3 - first - second] = 1.0 - along, along, 0.0
            for axis in range(3):
                place[axis] = corners[first, axis] + along * (corners[second, axis] - corners[first, axis])
    normal = np.empty(3)
    first_side = third_side = 0.0
    for axis in range(3):
        y, z = (axis + 1) % 3, (axis + 2) % 3
        normal[axis] = (corners[1, y] - corners[0, y]) * (corners[2, z] - corners[0, z]) - (
            corners[1, z] - corners[0, z]
        ) * (corners[2, y] - corners[0, y])
        first_side += (corners[1, axis] - corners[0, axis]) ** 2
        third_side += (corners[2, axis] - corners[0, axis]) ** 2
    area = normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2
    if area <= (FLATTENED * max(first_side, third_side)) ** 2:
        return best
    areas = np.zeros(3)
    for corner in range(3):
        one, two = corners[(corner + 1) % 3], corners[(corner + 2) % 3]
        areas[corner] = (
            normal[0] * (one[1] * two[2] - one[2] * two[1])
            + normal[1] * (one[2] * two[0] - one[0] * two[2])
            + normal[2] * (one[0] * two[1] - one[1] * two[0])
        )
        if areas[corner] <= 0.0:
            return best
    height = (normal[0] * corners[0, 0] + normal[1] * corners[0, 1] + normal[2] * corners[0, 2]) / area
    squared = height * height * area
    if squared <= best:
        best = squared
        total = areas[0] + areas[1] + areas[2]
        for axis in range(3):
            place[axis], share[axis] = height * normal[axis], areas[axis] / total
    return best


@njit(cache=True, nogil=True)
def _local_minima(
    surfaces: Surfaces, x: Array, reach: float, found: np.ndarray, candidates: int, rows: np.ndarray, values: Array
) -> int:
    """Of the triangles `found` those that hold a local minimum, sorted by distance.

    rows Int[m,2]: triangle and feature; values Float[m,7]: squared distance, shares, way there. How many there are.
    """
    feature, squares = np.empty(candidates, dtype=np.int64), np.empty(candidates)
    details = np.empty((candidates, 6))
    share, place = np.empty(3), np.empty(3)
    count, nearest = 0, -1
    triangles = np.empty(candidates, dtype=np.int64)
    for candidate in range(candidates):
        triangle = found[candidate]
        a, b, c = surfaces.triangles[triangle, 0], surfaces.triangles[triangle, 1], surfaces.triangles[triangle, 2]
        square = closest_on_triangle(surfaces.points[a], surfaces.points[b], surfaces.points[c], x, share, place)
        if square > reach * reach:
            continue
        corner = 0
        for axis in range(3):
            details[count, axis], details[count, 3 + axis] = share[axis], place[axis]
            corner += (1 << axis) if share[axis] > NO_SHARE else 0
        triangles[count], feature[count], squares[count] = triangle, surfaces.features[triangle, corner], square
        if nearest < 0 or square < squares[nearest]:
            nearest = count
        count += 1
    kept = 0
    for row in range(count):
        agreeing, best = 0, True
        for other in range(count):
            if feature[other] == feature[row]:
                agreeing += 1
                best = best and (squares[other] > squares[row] or (squares[other] == squares[row] and other >= row))
        # All triangles that meet there agree; the nearest of all is a minimum, whatever rounding says.
        if not best or (agreeing != surfaces.meeting[feature[row]] and feature[row] != feature[nearest]):
            continue
        place_of = kept
        while place_of > 0 and values[place_of - 1, 0] > squares[row]:
            if place_of < MOST_MINIMA:
                rows[place_of, 0], rows[place_of, 1] = rows[place_of - 1, 0], rows[place_of - 1, 1]
                for column in range(7):
                    values[place_of, column] = values[place_of - 1, column]
            place_of -= 1
        if place_of < MOST_MINIMA:
            rows[place_of, 0], rows[place_of, 1], values[place_of, 0] = triangles[row], feature[row], squares[row]
            for column in range(6):
                values[place_of, 1 + column] = details[row, column]
            kept = min(kept + 1, MOST_MINIMA)
    return kept


@njit(cache=True, nogil=True)
def _distinct(
    rows: np.ndarray, minima: Array, normals: Array, front: np.ndarray, count: int, deepest: int, reach: float,
    triangles: np.ndarray, values: Array,
) -> int:  # fmt: skip
    """Takes what the point meets: of a point inside the deepest place alone, else those that no nearer one has the
    direction of. How many there are.
    """
    kept = 0
    for row in range(count):
        if (row != deepest) if deepest >= 0 else not front[row]:
            continue
        distinct = True
        for other in range(kept):
            alike = 0.0
            for axis in range(3):
                alike += values[other, 3 + axis] * normals[row, axis]
            distinct = distinct and alike < SAME_DIRECTION
        gap = math.sqrt(minima[row, 0])
        if not distinct or gap > reach:
            continue
        sign = -1.0 if row == deepest else 1.0
        triangles[kept] = rows[row, 0]
        for axis in range(3):
            values[kept, axis], values[kept, 3 + axis] = minima[row, 1 + axis], sign * normals[row, axis]
        values[kept, 6] = sign * gap
        kept += 1
    return kept


@njit(cache=True, nogil=True)
def minima_near_point(
    surfaces: Surfaces, surface: int, x: Array, reach: float, found: np.ndarray, triangles: np.ndarray, values: Array
) -> int:
    """Minima of the distance of a point x Float[3], in the frame of the surface, within `reach` (m): how many.

    triangles Int[m], values Float[m,7]: shares of the corners, unit normal towards the side that the point may be on,
    and the gap (m), negative inside.
    """
    slack = reach + TOUCHING * surfaces.size[surface]
    low, high = np.empty(3), np.empty(3)
    for axis in range(3):
        low[axis], high[axis] = x[axis] - slack, x[axis] + slack
    candidates = found_in_tree(
        surfaces.triangle_boxes, surfaces.triangle_levels[surface], surfaces.triangle_order, low, high, found
    )
    if candidates == 0:
        return 0
    rows, minima = np.empty((MOST_MINIMA, 2), dtype=np.int64), np.empty((MOST_MINIMA, 7))
    count = _local_minima(surfaces, x, slack, found, candidates, rows, minima)
    normals, front = np.empty((MOST_MINIMA, 3)), np.empty(MOST_MINIMA, dtype=np.bool_)
    deepest = -1
    for row in range(count):
        triangle, feature = rows[row, 0], rows[row, 1]
        part = surfaces.parts[triangle]
        outward = surfaces.normals[surfaces.features[triangle, 7] if part < 0 else feature]
        distance = math.sqrt(minima[row, 0])
        touching = distance <= TOUCHING * surfaces.size[surface]
        along = 0.0
        for axis in range(3):
            normals[row, axis] = outward[axis] if touching else -minima[row, 4 + axis] / distance
            along -= minima[row, 4 + axis] * outward[axis]
        if normals[row, 0] == 0.0 and normals[row, 1] == 0.0 and normals[row, 2] == 0.0:
            normals[row, 2] = 1.0
        front[row] = touching or part < 0 or along >= 0.0
        if front[row] or deepest >= 0 or surfaces.border[feature]:
            continue
        # The nearest minimum on a closed part tells on which side of it the point is.
        first = True
        for earlier in range(row):
            lost = not front[earlier] and surfaces.border[rows[earlier, 1]]
            first = first and (lost or surfaces.parts[rows[earlier, 0]] != part)
        if first:
            deepest = row
    return _distinct(rows, minima, normals, front, count, deepest, reach, triangles, values)
