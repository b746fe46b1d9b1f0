"""Points on an object's surface: by ray, nearest, extent."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector
from numpy.typing import NDArray

from .coordinates import read_coordinates, read_triangles
from .surface_picking import hold_under

__all__ = [
    "SurfacePoint",
    "box_corners",
    "box_size",
    "cast_ray",
    "default_poke",
    "line_of_sight",
    "lowest_point",
    "nearest_point",
    "outward_normal",
]

# Where a push is tried, as parts of the box's height and width, the best first; the least cosine of the surface's
# normal to the push; and which part of its depth the width of what is thin from the front is at most.
HEIGHTS, SIDES = (0.75, 0.85, 0.65, 0.95, 0.5, 0.35), (0.6, 0.4, 0.8, 0.2, 0.95, 0.05)
SQUARE, THIN = 0.5, 0.3


@dataclass(frozen=True)
class SurfacePoint:
    """A place on the surface and the unit normal there, both in object space."""

    location: Vector
    normal: Vector


def box_corners(obj: bpy.types.Object) -> np.ndarray:
    """Corners of the object's bounding box as it is shown, Float64[8,3], object space."""
    return np.array(obj.bound_box, dtype=np.float64)


def box_size(obj: bpy.types.Object, corners: np.ndarray) -> float:
    """Longest side in the world of a box given in object space, metres; 1 for a point."""
    return float(np.ptp(corners @ np.array(obj.matrix_world.to_3x3()).T, axis=0).max()) or 1.0


def lowest_point(obj: bpy.types.Object) -> float:
    """Height in the world of the bottom of the object's bounding box, metres."""
    return min((obj.matrix_world @ Vector(corner)).z for corner in obj.bound_box)


def line_of_sight(region: bpy.types.Region, view: bpy.types.RegionView3D, mouse: Vector) -> tuple[Vector, Vector]:
    """Where the line of sight through a pixel of the region begins, and its unit direction away from the viewer."""
    origin = view3d_utils.region_2d_to_origin_3d(region, view, mouse)
    return origin, view3d_utils.region_2d_to_vector_3d(region, view, mouse)


def cast_ray(
    context: bpy.types.Context, obj: bpy.types.Object, origin: Vector, direction: Vector
) -> SurfacePoint | None:
    """Where a ray (world space) first meets the evaluated object; the normal faces the ray's origin."""
    return _first_met(obj, *_shown_faces(context, obj), origin, direction)


def _shown_faces(context: bpy.types.Context, obj: bpy.types.Object) -> tuple[NDArray, NDArray]:
    """Vertices [V,3], object space, and triangles [F,3] of the evaluated object."""
    mesh = obj.evaluated_get(context.evaluated_depsgraph_get()).data
    return read_coordinates(mesh), read_triangles(mesh)


def _first_met(
    obj: bpy.types.Object, positions: NDArray, triangles: NDArray, origin: Vector, direction: Vector
) -> SurfacePoint | None:
    to_object = obj.matrix_world.inverted_safe()
    along = (to_object.to_3x3() @ direction).normalized()
    hold = hold_under(positions, triangles, to_object @ origin, along)
    if hold is None:
        return None
    first, second, third = (Vector(positions[vertex].tolist()) for vertex in hold.vertices)
    normal = (second - first).cross(third - first).normalized()
    return SurfacePoint(hold.place, normal if normal.dot(along) < 0.0 else -normal)


def nearest_point(context: bpy.types.Context, obj: bpy.types.Object, place: Vector) -> SurfacePoint | None:
    """The place on the evaluated surface nearest to `place` (object space); None without faces."""
    depsgraph = context.evaluated_depsgraph_get()
    if not len(obj.evaluated_get(depsgraph).data.polygons):
        return None
    found, location, normal, _face = obj.closest_point_on_mesh(place, depsgraph=depsgraph)
    return SurfacePoint(location, normal) if found else None


def default_poke(context: bpy.types.Context, obj: bpy.types.Object) -> tuple[SurfacePoint, Vector] | None:
    """Where a level push does most, and its unit direction in the world; None without faces.

    It comes from the front (-Y of the world), of what is thin from there from its side. Of rays at several heights and
    sides the first counts that meets the surface nearly square; else the place nearest to three quarters up is taken.
    """
    corners = np.array([obj.matrix_world @ Vector(corner) for corner in obj.bound_box])
    low, size = corners.min(axis=0), np.ptp(corners, axis=0)
    across = size[0] < THIN * size[1]
    direction = Vector((1.0, 0.0, 0.0) if across else (0.0, 1.0, 0.0))
    faces = _shown_faces(context, obj)
    for up, aside in product(HEIGHTS, SIDES):
        origin = low + size * ((-0.1, aside, up) if across else (aside, -0.1, up))
        found = _first_met(obj, *faces, Vector(origin), direction)
        if found is not None and outward_normal(obj, found).dot(direction) < -SQUARE:
            return found, direction
    aim = low + size * ((0.0, 0.5, 0.75) if across else (0.5, 0.0, 0.75))
    nearest = nearest_point(context, obj, obj.matrix_world.inverted_safe() @ Vector(aim))
    return None if nearest is None else (nearest, direction)


def outward_normal(obj: bpy.types.Object, place: SurfacePoint) -> Vector:
    """The unit normal in the world: by the inverse transpose, so that it stays upright under unequal scale."""
    return (obj.matrix_world.to_3x3().inverted_safe().transposed() @ place.normal).normalized()
