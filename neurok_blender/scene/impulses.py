"""Pokes and initial velocities."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from mathutils import Matrix, Vector

from ..errors import Refusal

__all__ = ["poke_direction_to_world", "poke_of", "poke_vector_in_world", "velocity_of"]


def poke_direction_to_world(obj: bpy.types.Object) -> Matrix:
    """The rotation [3,3] from the axes of a poke's vector to the world's.

    Scale is left out: a vector's length is a speed in m/s, however large the object is drawn.
    """
    return obj.matrix_world.to_quaternion().to_matrix()


def poke_vector_in_world(obj: bpy.types.Object, poke) -> Vector:
    """Direction and strength of a poke in world axes, m/s."""
    return poke_direction_to_world(obj) @ Vector(poke.vector)


def poke_of(obj: bpy.types.Object, condition, frame_start: int) -> dict:
    if condition.frame < frame_start:
        raise Refusal(
            rpt_("{} pokes at frame {}, before the simulation starts.").format(condition.name, condition.frame),
            rpt_("Set its frame to {} or later.").format(frame_start),
        )
    return {
        "point": list(obj.matrix_world @ Vector(condition.location)),
        "speed": list(poke_vector_in_world(obj, condition)),
        "radius": condition.radius,
        "start": condition.frame - frame_start + 1,
        "duration": condition.duration,
    }


def velocity_of(condition) -> dict:
    return {"linear": list(condition.linear), "angular": list(condition.angular)}
