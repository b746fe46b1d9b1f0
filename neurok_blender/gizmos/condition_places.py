"""World positions of the handles of a condition, and the properties that they set."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ..scene.coordinates import placed
from ..scene.impulses import poke_direction_to_world
from ..scene.surface import box_corners, box_size
from ..session.state import session
from .view import View

__all__ = [
    "ARROW_FIELDS",
    "ARROW_KINDS",
    "FRONT",
    "SIDE",
    "arrow_axes",
    "arrow_base",
    "arrow_seconds",
    "arrow_tip",
    "dial_axis",
    "dial_frame",
    "dial_radius",
    "ground_place",
    "middle",
    "read_speed",
    "rest_size",
    "rest_top",
]

# An arrow reaches as far as its speed carries in this time: winds are fast, and pokes are strong.
ARROW_SECONDS = {"POKE": 0.25, "VELOCITY": 0.5, "WIND": 0.25}
ARROW_KINDS = tuple(ARROW_SECONDS)
ARROW_FIELDS = {"POKE": "vector", "VELOCITY": "linear", "WIND": "velocity"}
"""The property that an arrow shows and sets."""
# How far upwind of the object's top the wind's arrow begins, and how far above it, in the object's size.
UPWIND, ABOVE = 0.6, 0.1

# The dial's radius in the object's size; the least in pixels, and the largest in the view's shorter side.
DIAL_PART, DIAL_LEAST_PIXELS, DIAL_LARGEST_PART = 0.62, 45.0, 0.33

UP, FRONT, SIDE = Vector((0.0, 0.0, 1.0)), Vector((0.0, -1.0, 0.0)), Vector((1.0, 0.0, 0.0))


def _corners(obj: bpy.types.Object) -> np.ndarray:
    """Bounding box corners [8,3], world, of the shape at rest: handles keep still while a take plays."""
    take = session.take_of(obj)
    corners = box_corners(obj) if take is None else take.snapshot.corners
    return placed(corners, np.array(obj.matrix_world))


def rest_size(obj: bpy.types.Object) -> float:
    """Longest side of the object in the world, metres."""
    take = session.take_of(obj)
    return box_size(obj, box_corners(obj) if take is None else take.snapshot.corners)


def middle(obj: bpy.types.Object) -> Vector:
    return Vector(_corners(obj).mean(axis=0))


def rest_top(obj: bpy.types.Object) -> Vector:
    """The middle of the upper side of the box around the object."""
    corners = _corners(obj)
    x, y, _z = corners.mean(axis=0)
    return Vector((x, y, corners[:, 2].max()))


# --- arrows ---


def arrow_seconds(condition) -> float:
    return ARROW_SECONDS[condition.kind]


def arrow_base(obj: bpy.types.Object, condition) -> Vector:
    """World position at which the arrow begins: the poked place, the object's middle, upwind of its top."""
    if condition.kind == "POKE":
        return obj.matrix_world @ Vector(condition.location)
    if condition.kind == "VELOCITY":
        return middle(obj)
    size = rest_size(obj)
    return rest_top(obj) + size * (ABOVE * UP - UPWIND * Vector(condition.velocity).normalized())


def arrow_tip(obj: bpy.types.Object, condition) -> Vector:
    """World position of the tip, which is what one drags."""
    return arrow_base(obj, condition) + read_speed(obj, condition) * arrow_seconds(condition)


def arrow_axes(obj: bpy.types.Object, condition) -> Matrix:
    """The rotation [3,3] from the axes of the arrow's property to the world's: a poke turns with the object."""
    return poke_direction_to_world(obj) if condition.kind == "POKE" else Matrix.Identity(3)


def read_speed(obj: bpy.types.Object, condition) -> Vector:
    """Direction and strength in world axes, m/s."""
    return arrow_axes(obj, condition) @ Vector(getattr(condition, ARROW_FIELDS[condition.kind]))


# --- spin ---


def dial_axis(condition) -> Vector:
    """The unit axis about which a velocity turns; upright where it does not turn."""
    angular = Vector(condition.angular)
    return angular.normalized() if angular.length > 0.0 else UP.copy()


def dial_frame(obj: bpy.types.Object, axis: Vector, radius: float) -> Matrix:
    """Puts a circle of radius 1 about z around the object; its x, where a spin of nothing ends, is at the front."""
    across = min(FRONT, SIDE, key=lambda direction: abs(direction.dot(axis)) - (0.5 if direction is FRONT else 0.0))
    x = (across - axis * across.dot(axis)).normalized()
    turn = Matrix((x, axis.cross(x), axis)).transposed().to_4x4()
    return Matrix.Translation(middle(obj)) @ turn @ Matrix.Scale(radius, 4)


def dial_radius(view: View, obj: bpy.types.Object) -> float:
    """Radius of the dial around the object: just outside it, but never too small to grab nor larger than the view."""
    pixel = view.pixel(middle(obj))
    largest = DIAL_LARGEST_PART * min(view.region.width, view.region.height) / view.interface_scale
    return min(max(DIAL_PART * rest_size(obj), DIAL_LEAST_PIXELS * pixel), max(largest, DIAL_LEAST_PIXELS) * pixel)


# --- ground ---


def ground_place(obj: bpy.types.Object, condition) -> Vector:
    """The middle of the square that stands for the floor: below the object."""
    place = middle(obj)
    return Vector((place.x, place.y, condition.height))
