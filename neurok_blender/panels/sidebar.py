"""Base of the panels of the sidebar."""

import bpy

from ..names import CATEGORY
from ..session.backend_text import backend_text

__all__ = ["ObjectPanel", "SidebarPanel", "active_mesh_object", "stage_text"]


class SidebarPanel:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = CATEGORY


class ObjectPanel(SidebarPanel):
    """A panel about the active mesh object."""

    @classmethod
    def poll(cls, context):
        return active_mesh_object(context) is not None


def active_mesh_object(context: bpy.types.Context) -> bpy.types.Object | None:
    obj = context.active_object
    return obj if obj is not None and obj.type == "MESH" else None


def stage_text(stage: str) -> str:
    """The worker's stage in the artist's language, with a capital letter."""
    text = backend_text(stage)
    return text[:1].upper() + text[1:]
