"""The list of conditions of an object: new entries, pokes, copies."""

from __future__ import annotations

import math

import bpy
from mathutils import Vector

from ..properties.condition_properties import CONDITION_KINDS
from .impulses import poke_direction_to_world
from .surface import SurfacePoint, box_corners, box_size, outward_normal

__all__ = ["add_condition", "add_poke", "copy_condition"]

# A push that shows without being violent. What swings goes by its speed over its frequency, so the speed goes with the
# size, 3 m/s for Blender's own primitives; what slides goes by v^2 / 2 mu g, so it is at least half of sqrt(g size).
POKE_SPEED_PER_SIZE = 1.5
GRAVITY = 9.81  # m/s^2
POKE_RADIUS_PART = 0.15  # how much of the object feels it

_NAMES = {identifier: name for identifier, name, _text, _icon, _number in CONDITION_KINDS}


def _free_name(wanted: str, taken: set[str]) -> str:
    """`wanted`, or the first of `wanted.001` and so on that is free."""
    if wanted not in taken:
        return wanted
    number = 1
    while f"{wanted}.{number:03d}" in taken:
        number += 1
    return f"{wanted}.{number:03d}"


def add_condition(obj: bpy.types.Object, kind: str):
    """A new active condition at the end of the object's list."""
    conditions = obj.neurok.conditions
    name = _free_name(_NAMES[kind], {condition.name for condition in conditions})
    condition = conditions.add()
    condition.kind = kind
    condition.name = name
    obj.neurok.active_condition = len(conditions) - 1
    return condition


def copy_condition(obj: bpy.types.Object, index: int):
    """A copy of the condition at `index`, active, right behind it."""
    conditions = obj.neurok.conditions
    copied = add_condition(obj, conditions[index].kind)
    original = conditions[index]
    for item in original.bl_rna.properties:
        if not item.is_readonly and item.identifier != "name":
            setattr(copied, item.identifier, getattr(original, item.identifier))
    copied.name = _free_name(original.name, {condition.name for condition in conditions if condition != copied})
    conditions.move(len(conditions) - 1, index + 1)
    obj.neurok.active_condition = index + 1
    return conditions[index + 1]


def poke_speed(size: float) -> float:
    """m/s of a poke for an object of that size, m."""
    return max(POKE_SPEED_PER_SIZE * size, 0.5 * math.sqrt(GRAVITY * size))


def add_poke(obj: bpy.types.Object, place: SurfacePoint, frame: int, direction: Vector | None = None):
    """A poke at a place on the surface, from `frame` of the timeline on; `direction` (world) None: straight in."""
    condition = add_condition(obj, "POKE")
    condition.location = place.location
    inward = -outward_normal(obj, place) if direction is None else direction
    size = box_size(obj, box_corners(obj))
    condition.vector = poke_direction_to_world(obj).inverted() @ (inward * poke_speed(size))
    condition.radius = POKE_RADIUS_PART * size
    condition.frame = frame
    return condition
