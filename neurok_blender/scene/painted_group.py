"""The vertex group that belongs to a painted pin: it comes and goes with it."""

from __future__ import annotations

from collections.abc import Generator

import bpy
import numpy as np
from numpy.typing import NDArray

from .pinned_vertices import finished, group_vertices

__all__ = ["copy_painted", "forget_painted", "painted_vertices", "write_painted"]


def painted_vertices(obj: bpy.types.Object, condition) -> Generator[None, None, NDArray[np.bool_]]:
    """Which vertices are painted, Bool[V], read a little at a time."""
    painted = np.zeros(len(obj.data.vertices), dtype=bool)
    if condition.painted_group in obj.vertex_groups:
        painted[(yield from group_vertices(obj, condition.painted_group))] = True
    return painted


def write_painted(obj: bpy.types.Object, condition, painted: NDArray[np.bool_]) -> None:
    """Makes the painted vertices Bool[V] those of the condition, in a group of its own, which is made if need be."""
    group = obj.vertex_groups.get(condition.painted_group) if condition.painted_group else None
    if group is None:
        active = obj.vertex_groups.active_index
        group = obj.vertex_groups.new(name=condition.name)
        if len(obj.vertex_groups) > 1:
            obj.vertex_groups.active_index = active  # Blender makes a new one active; the artist's choice stays
        condition.painted_group = group.name
    group.remove(np.flatnonzero(~painted).tolist())
    group.add(np.flatnonzero(painted).tolist(), 1.0, "REPLACE")
    condition.pin_source = "PAINTED"


def copy_painted(obj: bpy.types.Object, copied) -> None:
    """Gives a copied condition a group of its own with the same vertices."""
    if copied.painted_group not in obj.vertex_groups:
        copied.painted_group = ""
        return
    source, painted = copied.pin_source, finished(painted_vertices(obj, copied))
    copied.painted_group = ""
    write_painted(obj, copied, painted)
    copied.pin_source = source


def forget_painted(obj: bpy.types.Object, condition) -> None:
    """Before the condition is removed: its group goes with it, unless something else uses it by now."""
    group = obj.vertex_groups.get(condition.painted_group) if condition.painted_group else None
    if group is None:
        return
    settings = obj.neurok
    named = [settings.anchor_group] + [
        name
        for other in settings.conditions
        if other != condition
        for name in (other.vertex_group, other.painted_group)
    ]
    named += [getattr(modifier, "vertex_group", "") for modifier in obj.modifiers]
    if group.name not in named:
        obj.vertex_groups.remove(group)
