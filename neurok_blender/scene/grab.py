"""Taking hold of a place on the surface as it is shown, and following the mouse with it."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector
from mathutils.interpolate import poly_3d_calc
from numpy.typing import NDArray

from .surface import cast_ray, line_of_sight

__all__ = ["Hold", "hold_under", "in_view_plane", "nearest_vertex"]


@dataclass(frozen=True)
class Hold:
    """A place on the surface: vertices of its face with their shares, and where it is shown in the world (m)."""

    vertices: tuple[int, ...]
    shares: tuple[float, ...]
    place: Vector

    def on(self, positions: NDArray[np.float32]) -> Vector:
        """The same place where the mesh has its vertices at positions Float[V,3]."""
        return Vector(np.asarray(self.shares) @ positions[list(self.vertices)].astype(np.float64))


def hold_under(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    region: bpy.types.Region,
    view: bpy.types.RegionView3D,
    mouse: Vector,
) -> Hold | None:
    """What of the object is seen under the mouse (pixels of the region); None beside it."""
    seen = cast_ray(context, obj, *line_of_sight(region, view, mouse))
    if seen is None:
        return None
    mesh = obj.evaluated_get(context.evaluated_depsgraph_get()).data
    vertices = tuple(mesh.polygons[seen.face].vertices)
    shares = poly_3d_calc([mesh.vertices[vertex].co for vertex in vertices], seen.location)
    return Hold(vertices, tuple(shares), obj.matrix_world @ seen.location)


def nearest_vertex(hold: Hold) -> int:
    """The vertex that has most of the place."""
    return hold.vertices[int(np.argmax(hold.shares))]


def in_view_plane(region: bpy.types.Region, view: bpy.types.RegionView3D, mouse: Vector, through: Vector) -> Vector:
    """Where the mouse (pixels of the region) is in the plane through a place of the world that faces the view."""
    return view3d_utils.region_2d_to_location_3d(region, view, mouse, through)
