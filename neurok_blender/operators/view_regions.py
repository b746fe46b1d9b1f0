"""Region and position of the mouse, and the events of navigation, for modal tools of the 3D view."""

from __future__ import annotations

import bpy
from mathutils import Vector

__all__ = ["NAVIGATION", "mouse_in", "region_under"]

# Events that navigate the view while a tool waits.
NAVIGATION = {"MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "TRACKPADPAN", "TRACKPADZOOM", "NDOF_MOTION"}


def region_under(area: bpy.types.Area, event: bpy.types.Event) -> bpy.types.Region | None:
    """The region of a 3D view below the mouse: of those that overlap, the one on top."""
    inside = [
        region
        for region in area.regions
        if region.x <= event.mouse_x < region.x + region.width and region.y <= event.mouse_y < region.y + region.height
    ]
    inside.sort(key=lambda region: region.type == "WINDOW")
    return inside[0] if inside else None


def mouse_in(region: bpy.types.Region, event: bpy.types.Event) -> Vector:
    """Where the mouse is, in pixels of the region."""
    return Vector((event.mouse_x - region.x, event.mouse_y - region.y))
