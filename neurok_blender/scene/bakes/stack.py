"""The place of a baked take's modifier in the stack."""

from __future__ import annotations

import bpy

from ..base_mesh import below_count

__all__ = ["add_modifier"]


def add_modifier(obj: bpy.types.Object, entry, kind: str) -> bpy.types.Modifier:
    """A modifier that shows the simulated shape: behind what is on of the base mesh, before what builds on it."""
    ours = {each.modifier for each in obj.neurok.bakes}
    below = enumerate(obj.modifiers[: below_count(obj)])
    before = [place for place, each in below if each.show_viewport or each.name in ours]
    active = obj.modifiers.active
    modifier = obj.modifiers.new(entry.name, kind)
    entry.modifier = modifier.name
    obj.modifiers.move(len(obj.modifiers) - 1, before[-1] + 1 if before else 0)
    if active is not None:
        obj.modifiers.active = active
    return obj.modifiers[entry.modifier]
