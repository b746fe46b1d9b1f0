"""The Bake box."""

from bpy.app.translations import pgettext_iface as iface_
from bpy.types import Panel

from .. import names
from ..session import session
from .base import SidebarPanel, active_mesh_object, draw_text

__all__ = ["CLASSES", "NEUROK_PT_bake"]


class NEUROK_PT_bake(SidebarPanel, Panel):
    bl_idname = names.Panel.BAKE
    bl_label = "Bake"

    @classmethod
    def poll(cls, context):
        return active_mesh_object(context) is not None

    def draw(self, context):
        layout = self.layout
        if session.bake is not None:
            done, total = session.bake.done, session.bake.total
            layout.progress(factor=done / total, text=iface_("Baking frame {} of {}").format(done, total))
            return
        take = session.take_of(active_mesh_object(context))
        if take is None:
            draw_text(layout, context, "Simulate first; then the motion can be kept here.", "INFO")
        else:
            text = iface_("Frames {} to {}").format(take.frame_start, take.frame_end)
            layout.label(text=text, icon="TIME", translate=False)
        column = layout.column(align=True)
        column.enabled = take is not None
        column.operator(names.Operator.BAKE_SHAPE_KEYS, icon="SHAPEKEY_DATA")
        column.operator(names.Operator.DISCARD_TAKE, icon="TRASH")


CLASSES = (NEUROK_PT_bake,)
