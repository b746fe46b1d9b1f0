"""Points against a surface that changes its shape, in compiled code; what is found is as of `NearSurface`."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from ..geometry.box_tree import box_tree
from ..geometry.collision_surface import CollisionSurface
from ..geometry.near_surface import Features
from ..kinematics.base import Array
from .rigid.point_proximity import MOST_MINIMA, minima_near_point
from .rigid.surfaces import Surfaces, packed

__all__ = ["MovingSurface"]


class MovingSurface:
    """A collision surface with its points somewhere, Float[p,3] m."""

    def __init__(self, surface: CollisionSurface, positions: Array) -> None:
        self._surface = surface
        corners = positions[surface.triangles]
        self._tree = box_tree(corners.min(axis=1), corners.max(axis=1))
        self._packed: Surfaces = packed([(surface, np.ascontiguousarray(positions[: len(surface.vertices)]))])

    def move(self, positions: Array) -> None:
        """Its points are elsewhere now, Float[p,3]."""
        points = np.ascontiguousarray(positions[: len(self._surface.vertices)])
        a, b, c = points[self._surface.triangles].transpose(1, 0, 2)
        tree = self._tree.fitted(np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c))
        fill_normals(points, self._packed.triangles, self._packed.features, self._packed.normals)
        size = np.array([float(np.ptp(points, axis=0).max())])
        self._packed = self._packed._replace(points=points, triangle_boxes=np.concatenate(tree.levels), size=size)

    def features(self, points: Array, reach: Array) -> Features:
        """The local minima of the distance within reach Float[P] (m) of points Float[P,3], at most 16 of a point."""
        most = MOST_MINIMA * len(points)
        point, triangle, values = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64), np.empty((most, 7))
        count = minima_near_points(
            self._packed, np.ascontiguousarray(points), reach, self._work(), point, triangle, values
        )
        values = values[:count]
        return Features(point[:count], triangle[:count], values[:, :3], values[:, 3:6], values[:, 6])

    def _work(self) -> np.ndarray:
        return np.empty(len(self._packed.triangles), dtype=np.int64)


@njit(cache=True, nogil=True)
def minima_near_points(
    surfaces: Surfaces, points: Array, reach: Array, work: np.ndarray, point: np.ndarray, triangle: np.ndarray,
    values: Array,
) -> int:  # fmt: skip
    """How many minima of the distance to the first surface there are, which fill the last three arguments."""
    count = 0
    for number in range(len(points)):
        end = count + MOST_MINIMA
        found = minima_near_point(
            surfaces, 0, points[number], reach[number], work, triangle[count:end], values[count:end]
        )
        point[count : count + found] = number
        count += found
    return count


@njit(cache=True, nogil=True)
def fill_normals(points: Array, triangles: np.ndarray, features: np.ndarray, normals: Array) -> None:
    """Unit normals Float[G,3] of points, edges and faces, weighted by angle, as `FeatureIndex.pseudo_normals`."""
    normals[:] = 0.0
    normal, sides = np.empty(3), np.empty((3, 3))
    for t in range(len(triangles)):
        for corner in range(3):
            for axis in range(3):
                sides[corner, axis] = points[triangles[t, (corner + 1) % 3], axis] - points[triangles[t, corner], axis]
        for axis in range(3):
            y, z = (axis + 1) % 3, (axis + 2) % 3
            normal[axis] = sides[0, y] * -sides[2, z] + sides[0, z] * sides[2, y]
        length = math.sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2)
        if length == 0.0:
            continue
        for corner in range(3):
            behind = (corner + 2) % 3
            along = 0.0
            for axis in range(3):
                along -= sides[corner, axis] * sides[behind, axis]
            angle = math.atan2(length, along)
            # The features by the sum of 1, 2 and 4 for the corners: a point has one, an edge the two others' sum.
            for axis in range(3):
                normals[features[t, 1 << corner], axis] += angle * normal[axis] / length
                normals[features[t, 7 - (1 << corner)], axis] += math.pi * normal[axis] / length
        for axis in range(3):
            normals[features[t, 7], axis] = normal[axis] / length
    for row in range(len(normals)):
        length = math.sqrt(normals[row, 0] ** 2 + normals[row, 1] ** 2 + normals[row, 2] ** 2)
        if length > 0.0:
            for axis in range(3):
                normals[row, axis] /= length
