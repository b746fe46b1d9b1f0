"""How a condition is drawn as an arrow: where it begins, where it ends, what it sets."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Vector

from ..scene.conditions import poke_direction_to_world, poke_vector_in_world
from ..scene.surface import box_corners
from ..session import session

__all__ = ["ARROW_KINDS", "ARROW_SECONDS", "arrow_base", "arrow_tip", "read_speed", "write_speed"]

ARROW_KINDS = ("POKE", "VELOCITY")

# An arrow reaches as far as its speed carries in this time.
ARROW_SECONDS = 0.5


def _resting_corners(obj: bpy.types.Object) -> np.ndarray:
    """Bounding box corners [8,3], object space, of the shape at rest: arrows keep still while a take plays."""
    take = session.take_of(obj)
    return box_corners(obj) if take is None else take.snapshot.corners


def arrow_base(obj: bpy.types.Object, condition) -> Vector:
    """World position at which the arrow begins: the poked place, or the object's middle."""
    place = condition.location if condition.kind == "POKE" else _resting_corners(obj).mean(axis=0)
    return obj.matrix_world @ Vector(place)


def arrow_tip(obj: bpy.types.Object, condition) -> Vector:
    """World position of the tip, which is what one drags."""
    return arrow_base(obj, condition) + read_speed(obj, condition) * ARROW_SECONDS


def read_speed(obj: bpy.types.Object, condition) -> Vector:
    """Direction and strength in world axes, m/s."""
    return poke_vector_in_world(obj, condition) if condition.kind == "POKE" else Vector(condition.linear)


def write_speed(obj: bpy.types.Object, condition, speed: Vector) -> None:
    """The inverse of `read_speed`."""
    if condition.kind == "POKE":
        condition.vector = poke_direction_to_world(obj).inverted() @ speed
    else:
        condition.linear = speed
