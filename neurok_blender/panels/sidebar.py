"""Base of the panels of the sidebar."""

import bpy
from bpy.app.translations import pgettext_iface as iface_

from ..names import CATEGORY
from ..operators.wrapped_text import LINE_SCALE
from ..session.backend_text import backend_text
from ..session.simulation import Progress

__all__ = ["ObjectPanel", "SidebarPanel", "active_mesh_object", "draw_progress", "draw_vector", "stage_text"]


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


def draw_progress(layout: bpy.types.UILayout, progress: Progress) -> None:
    """How far a request to the backend is that is no simulation."""
    text = stage_text(progress.stage)
    if progress.total > 0:
        text = iface_("{} {} of {}").format(text, progress.done, progress.total)
    layout.progress(factor=progress.done / max(progress.total, 1), text=text)


def draw_vector(layout: bpy.types.UILayout, data: bpy.types.bpy_struct, name: str) -> None:
    """Three numbers in one row below their name: one below the other they would fill the window."""
    column = layout.column(align=True)
    column.use_property_split = False
    title = column.row()
    title.scale_y = LINE_SCALE
    title.label(text=data.bl_rna.properties[name].name)
    column.row(align=True).prop(data, name, text="")
