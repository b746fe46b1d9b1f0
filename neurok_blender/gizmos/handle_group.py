"""Base of the gizmo groups: region, options, and new handles."""

from __future__ import annotations

import bpy

__all__ = ["HandleGroup"]


class HandleGroup:
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}

    __slots__ = ()

    def new_handle(self, kind: str) -> bpy.types.Gizmo:
        """A hidden handle that is white under the mouse, and drawn while it is dragged."""
        handle = self.gizmos.new(kind)
        handle.hide = True
        handle.use_draw_modal = True
        handle.use_draw_value = True
        handle.color_highlight = (1.0, 1.0, 1.0)
        handle.alpha_highlight = 1.0
        return handle
