"""Points on an object's surface: by ray, nearest, extent."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector

__all__ = [
    "SurfacePoint",
    "box_corners",
    "box_size",
    "cast_ray",
    "default_poke_place",
    "line_of_sight",
    "lowest_point",
    "nearest_point",
]


@dataclass(frozen=True)
class SurfacePoint:
    """A place on the surface and the unit normal there, both in object space, and the number of the face."""

    location: Vector
    normal: Vector
    face: int


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
    to_object = obj.matrix_world.inverted_safe()
    start = to_object @ origin
    along = (to_object.to_3x3() @ direction).normalized()
    hit, location, normal, face = obj.ray_cast(start, along, depsgraph=context.evaluated_depsgraph_get())
    if not hit:
        return None
    return SurfacePoint(location, normal if normal.dot(along) < 0.0 else -normal, face)


def nearest_point(context: bpy.types.Context, obj: bpy.types.Object, place: Vector) -> SurfacePoint | None:
    """The place on the evaluated surface nearest to `place` (object space); None without faces."""
    depsgraph = context.evaluated_depsgraph_get()
    if not len(obj.evaluated_get(depsgraph).data.polygons):
        return None
    found, location, normal, face = obj.closest_point_on_mesh(place, depsgraph=depsgraph)
    return SurfacePoint(location, normal, face) if found else None


def default_poke_place(context: bpy.types.Context, obj: bpy.types.Object) -> SurfacePoint | None:
    """The place on the surface nearest to the middle of the front side, three quarters up; None without faces."""
    corners = box_corners(obj)
    low, high = corners.min(axis=0), corners.max(axis=0)
    aim = Vector(((low[0] + high[0]) / 2.0, low[1], low[2] + 0.75 * (high[2] - low[2])))
    return nearest_point(context, obj, aim)
