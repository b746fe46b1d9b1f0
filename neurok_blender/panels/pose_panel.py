"""The Pose panel, while an object is posed: sliders, keys, random poses."""

from bpy.types import Panel, UILayout

from .. import names
from ..backend.texts import Text
from ..operators.feedback import is_moved
from ..operators.wrapped_text import draw_text
from ..session.backend_text import backend_text
from ..session.state import session
from ..session.thumbnails import thumbnails
from .sidebar import ObjectPanel, active_mesh_object, stage_text

__all__ = ["CLASSES", "NEUROK_PT_pose"]

PICTURE_SCALE = 3.5  # of an icon
COLUMNS = 3
UNITS = {"TURN": "angle", "SLIDE": "distance"}


class NEUROK_PT_pose(ObjectPanel, Panel):
    bl_idname = names.Panel.POSE
    bl_label = "Pose"

    @classmethod
    def poll(cls, context):
        return super().poll(context) and session.pose is not None and is_moved(active_mesh_object(context))

    def draw(self, context):
        layout = self.layout
        obj = active_mesh_object(context)
        if not session.pose.is_ready:
            draw_text(layout, context, stage_text(session.pose.interactive.stage), "TIME")
            return
        if session.pose.is_filming:
            draw_text(layout, context, "Making a take of the keyed poses.", "TIME")
            return
        column = layout.column(align=True)
        for number, slider in enumerate(obj.neurok.coordinates, 1):
            row = column.row(align=True)
            if slider.kind in UNITS:
                _draw_joint(row, slider)
            else:
                row.prop(
                    slider,
                    "value",
                    text=backend_text(Text(f"slider.{slider.kind.lower()}", number=number)),
                    slider=True,
                    translate=False,
                )
            row.prop(slider, "locked", text="", icon="LOCKED" if slider.locked else "UNLOCKED")
        if not len(obj.neurok.coordinates):
            draw_text(layout, context, "A rigid object has no pose but its place: move it as any object.", "INFO")
        row = layout.row(align=True)
        row.operator(names.Operator.POSE_RESET, icon="LOOP_BACK")
        row.operator(names.Operator.POSE_RANDOM, icon="SHADERFX")
        layout.operator(names.Operator.POSE_EXPLORE, icon="VIEWZOOM")
        if len(thumbnails.icons) > 1:
            grid = layout.grid_flow(row_major=True, columns=COLUMNS, even_columns=True, align=True)
            for number, icon in enumerate(thumbnails.icons):
                cell = grid.column(align=True)
                cell.template_icon(icon_value=icon, scale=PICTURE_SCALE)
                cell.operator(names.Operator.POSE_CHOOSE, text="Apply").number = number
        row = layout.row(align=True)
        row.operator(names.Operator.POSE_KEY, icon="KEY_HLT")
        row.operator(names.Operator.POSE_FILM, icon="RENDER_ANIMATION", text="Take from Keys")
        layout.operator(names.Operator.POSE_END, icon="X")


def _draw_joint(row: UILayout, slider) -> None:
    """The bar shows how far it is of the way to its ends; beside it stands where it is in its unit."""
    split = row.split(factor=0.62, align=True)
    split.prop(slider, "value", text=slider.name, slider=True, translate=False)
    split.prop(slider, UNITS[slider.kind], text="")


CLASSES = (NEUROK_PT_pose,)
