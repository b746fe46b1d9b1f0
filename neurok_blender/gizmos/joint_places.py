"""World positions of the handles of a joint, and the properties that they set."""

from __future__ import annotations

import bpy
from mathutils import Matrix, Vector

from ..scene.joint_frames import Frame
from .condition_places import FRONT, SIDE, dial_radius
from .view import View

__all__ = [
    "joint_axis",
    "joint_frame",
    "joint_limits",
    "joint_place",
    "joint_reach",
    "set_joint_axis",
    "set_joint_place",
]

REACH_PART = 0.55  # of the dial around the whole object


def joint_axis(obj: bpy.types.Object, joint) -> Vector:
    """The unit axis in the world."""
    return Frame(obj.matrix_world).axis(joint.axis, turns=joint.kind != "SLIDE")[0]


def set_joint_axis(obj: bpy.types.Object, joint, axis: Vector) -> None:
    """The inverse of `joint_axis`; of a slide the ends stay where they are in the world."""
    frame, turns = Frame(obj.matrix_world), joint.kind != "SLIDE"
    before = frame.axis(joint.axis, turns)[1]
    joint.axis, after = frame.axis_back(axis, turns)
    if not turns and after > 0.0:
        joint.lower_distance *= before / after
        joint.upper_distance *= before / after


def joint_place(obj: bpy.types.Object, joint) -> Vector:
    """The pivot in the world."""
    return Frame(obj.matrix_world).place(joint.origin)


def set_joint_place(obj: bpy.types.Object, joint, place: Vector) -> None:
    joint.origin = Frame(obj.matrix_world).place_back(place)


def joint_limits(obj: bpy.types.Object, joint) -> tuple[float, float]:
    """Radians, or metres of the world; without an end infinite."""
    if joint.kind == "HINGE":
        return joint.lower_angle, joint.upper_angle
    if joint.kind == "SLIDE":
        length = Frame(obj.matrix_world).axis(joint.axis, turns=False)[1]
        return joint.lower_distance * length, joint.upper_distance * length
    return -float("inf"), float("inf")


def joint_reach(view: View, obj: bpy.types.Object) -> float:
    """How far the handles reach from the pivot, in the world."""
    return REACH_PART * dial_radius(view, obj)


def joint_frame(place: Vector, axis: Vector, radius: float) -> Matrix:
    """Puts a circle of radius 1 about z around a place on an axis; its x, as drawn, is at the front."""
    across = min(FRONT, SIDE, key=lambda direction: abs(direction.dot(axis)) - (0.5 if direction is FRONT else 0.0))
    x = (across - axis * across.dot(axis)).normalized()
    turn = Matrix((x, axis.cross(x), axis)).transposed().to_4x4()
    return Matrix.Translation(place) @ turn @ Matrix.Scale(radius, 4)
