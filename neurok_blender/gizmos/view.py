"""One 3D view: mouse positions as points of the world, and drawings brought before the surface."""

from __future__ import annotations

import math
from dataclasses import dataclass

import bpy
from bpy_extras import view3d_utils
from mathutils import Matrix, Vector
from mathutils.geometry import intersect_line_plane

from ..scene.surface import line_of_sight

__all__ = ["View", "nearer"]

NEARER = 0.005  # part of the distance to the eye
# Seen from so near its edge (cosine to the view), a plane's places run away from the mouse; and from so near its end
# (cosine), a line's do.
EDGE_ON, END_ON = 0.25, 0.97


def nearer(view: bpy.types.RegionView3D) -> Matrix:
    """Brings drawings a little towards the eye [4,4], where they look the same but the surface does not cover them."""
    eye = view.view_matrix.inverted()
    if view.is_perspective:
        place = eye.translation
        return Matrix.Translation(place) @ Matrix.Scale(1.0 - NEARER, 4) @ Matrix.Translation(-place)
    return Matrix.Translation(eye.col[2].xyz * NEARER * view.view_distance)


@dataclass(frozen=True)
class View:
    """A region of a 3D view. Mouse positions are pixels from the region's lower left corner."""

    region: bpy.types.Region
    region_3d: bpy.types.RegionView3D
    interface_scale: float

    @classmethod
    def of(cls, context: bpy.types.Context) -> View:
        return cls(context.region, context.region_data, context.preferences.system.ui_scale)

    def pixel(self, place: Vector) -> float:
        """How long a pixel of a screen of usual density is at `place`, in units of the scene."""
        depth = abs((self.region_3d.perspective_matrix @ place.to_4d()).w)
        return 2.0 * depth / (self.region.width * self.region_3d.window_matrix[0][0]) * self.interface_scale

    def project(self, place: Vector) -> Vector | None:
        """The pixel at which `place` is seen; None where it is behind the view."""
        return view3d_utils.location_3d_to_region_2d(self.region, self.region_3d, place)

    def ray(self, mouse: Vector) -> tuple[Vector, Vector]:
        """Where the line of sight through a pixel begins, and its unit direction away from the viewer."""
        return line_of_sight(self.region, self.region_3d, mouse)

    def towards_viewer(self, place: Vector) -> Vector:
        """Unit direction from `place` to the viewer."""
        turn = self.region_3d.view_matrix.inverted()
        if self.region_3d.is_perspective:
            return (turn.translation - place).normalized()
        return turn.col[2].to_3d().normalized()

    def across(self, mouse: Vector, place: Vector) -> Vector:
        """The place at a pixel in the plane through `place` that faces the viewer."""
        return view3d_utils.region_2d_to_location_3d(self.region, self.region_3d, mouse, place)

    def is_edge_on(self, place: Vector, normal: Vector) -> bool:
        """Whether a plane is seen so flat that places in it can hardly be pointed at."""
        return abs(self.towards_viewer(place).dot(normal)) < EDGE_ON

    def on_plane(self, mouse: Vector, place: Vector, normal: Vector) -> Vector | None:
        """The place at a pixel in a plane; None beyond its horizon."""
        origin, direction = self.ray(mouse)
        found = intersect_line_plane(origin, origin + direction, place, normal)
        return found if found is not None and (found - origin).dot(direction) > 0.0 else None

    def along(self, mouse: Vector, place: Vector, axis: Vector) -> float:
        """How far along the unit `axis` from `place` the mouse is.

        Where one looks along the axis, up the screen stands for along it.
        """
        if abs(self.towards_viewer(place).dot(axis)) > END_ON:
            up = self.region_3d.view_matrix.inverted().col[1].to_3d().normalized()
            return (self.across(mouse, place) - place).dot(up)
        origin, direction = self.ray(mouse)
        # Where the axis comes nearest to the line of sight.
        start, slant = origin - place, direction.dot(axis)
        return (start.dot(axis) - slant * start.dot(direction)) / max(1.0 - slant * slant, 1e-6)

    def on_ball(self, mouse: Vector, middle: Vector, radius: float, far_side: bool) -> Vector:
        """Unit direction from `middle` to the place at a pixel on a ball; beside the ball, to its nearest rim."""
        origin, direction = self.ray(mouse)
        nearest = (middle - origin).dot(direction)
        beside = origin + nearest * direction - middle
        depth = math.sqrt(max(radius * radius - beside.length_squared, 0.0))
        return (beside + direction * (depth if far_side else -depth)).normalized()
