"""Which objects one press of Simulate moves."""

from __future__ import annotations

import bpy

from .colliders import has_collision

__all__ = ["candidates", "participants"]


def candidates(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The active mesh object, and by name the other selected ones if it is selected too; or those of its collection."""
    active = context.active_object
    if context.scene.neurok.scope == "COLLECTION":
        found = [obj for obj in context.collection.all_objects if obj.type == "MESH" and obj.visible_get()]
        return sorted(found, key=lambda obj: (obj != active, obj.name))
    chosen = [obj for obj in context.selected_objects if obj.type == "MESH"]
    if active is None or active.type != "MESH":
        return sorted(chosen, key=lambda obj: obj.name)
    if active not in chosen:
        return [active]
    return sorted(chosen, key=lambda obj: (obj != active, obj.name))


def participants(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Those of the candidates that move: their eye is open, and of several they are no obstacles.

    An obstacle has a Collision modifier and no conditions of its own, beside others that have none.
    """
    found = candidates(context)
    if len(found) < 2:
        return found
    found = [obj for obj in found if obj.neurok.takes_part and obj.library is None]
    moving = [obj for obj in found if len(obj.neurok.conditions) or not has_collision(obj)]
    return moving or found
