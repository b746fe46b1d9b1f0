"""The list of conditions of an object: new entries, pokes, copies."""

from __future__ import annotations

import bpy

from ..properties.condition_properties import CONDITION_KINDS
from .impulses import poke_direction_to_world
from .surface import SurfacePoint, box_corners, box_size

__all__ = ["add_condition", "add_poke", "copy_condition"]

# A push that shows without being violent: speed for each metre of the object's size, so 3 m/s for Blender's own
# primitives; and how much of the object feels it.
POKE_SPEED_PER_SIZE = 1.5
POKE_RADIUS_PART = 0.15

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


def add_poke(obj: bpy.types.Object, place: SurfacePoint, frame: int):
    """A poke at a place on the surface, pushing straight in, from `frame` of the timeline on."""
    condition = add_condition(obj, "POKE")
    condition.location = place.location
    # A normal goes to the world by the inverse transpose, so that it stays upright under unequal scale.
    outward = (obj.matrix_world.to_3x3().inverted_safe().transposed() @ place.normal).normalized()
    size = box_size(obj, box_corners(obj))
    condition.vector = poke_direction_to_world(obj).inverted() @ (outward * -POKE_SPEED_PER_SIZE * size)
    condition.radius = POKE_RADIUS_PART * size
    condition.frame = frame
    return condition
