"""The Simulate panel: frames, the button, progress; beside it live mode and pose mode."""

from bpy.app.translations import pgettext_iface as iface_
from bpy.types import Panel

from .. import names
from ..operators.wrapped_text import draw_lines
from ..scene.participants import candidates, participants
from ..session.simulation import Progress
from ..session.state import session
from .sidebar import SidebarPanel, active_mesh_object, stage_text

__all__ = ["CLASSES", "NEUROK_PT_participants", "NEUROK_PT_simulate", "progress_text"]

BUTTON_SCALE = 1.4
NOTICE_LINES = 2  # of room for what the last press has led to; a refusal, which has to be read, may take more


def _time_text(seconds: float) -> str:
    """Rounded as a waiting person wants it."""
    if seconds < 90.0:
        return iface_("{:.0f} s left").format(max(seconds, 1.0))
    return iface_("{:.0f} min left").format(seconds / 60.0)


def progress_text(progress: Progress) -> str:
    stage = stage_text(progress.stage)
    if progress.total <= 0:
        return stage
    text = f"{stage} {progress.done}/{progress.total}"
    return text if progress.seconds_left is None else f"{text}, {_time_text(progress.seconds_left)}"


class NEUROK_PT_simulate(SidebarPanel, Panel):
    bl_idname = names.Panel.SIMULATE
    bl_label = "Simulate"

    @classmethod
    def poll(cls, context):
        return active_mesh_object(context) is not None or session.simulation is not None

    def draw_header_preset(self, context):
        quality = self.layout.row()
        quality.enabled = session.simulation is None
        quality.prop(context.scene.neurok, "quality", text="")

    def draw(self, context):
        layout = self.layout
        frames = context.scene.neurok
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.enabled = session.simulation is None
        row = column.row(align=True)
        row.use_property_split = False
        row.prop(frames, "frame_start")
        row.prop(frames, "frame_count")
        obj = active_mesh_object(context)
        if obj is not None and len(obj.neurok.coordinates):
            column.prop(obj.neurok, "starts_posed")
        row = layout.row(align=True)
        row.scale_y = BUTTON_SCALE
        if session.simulation is None:
            count = len(participants(context))
            text = iface_("Simulate") if count < 2 else iface_("Simulate {} Objects").format(count)
            row.operator(names.Operator.SIMULATE, text=text, icon="PLAY", translate=False)
            row.popover(names.Panel.PARTICIPANTS, text="", icon="HIDE_OFF")
        else:
            progress = session.simulation.progress
            factor = progress.done / progress.total if progress.total > 0 else 0.0
            row.progress(factor=factor, text=progress_text(progress))
            row.operator(names.Operator.CANCEL, text="", icon="X")
        row = layout.row(align=True)
        row.operator(names.Operator.LIVE, icon="VIEW_PAN")
        row.operator(names.Operator.POSE, icon="ARMATURE_DATA")
        notice = session.notice
        said = [
            (notice.message, "ERROR" if notice.bad else "INFO"),
            (notice.remedy, "BLANK1"),
            (notice.kept, "INFO"),
        ]
        draw_lines(layout, context, [each for each in said if each[0]], NOTICE_LINES, whole=notice.bad)


class NEUROK_PT_participants(Panel):
    bl_idname = names.Panel.PARTICIPANTS
    bl_label = "Simulated Together"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"  # where Blender keeps what only opens by a button

    def draw(self, context):
        """An eye for each of the selected objects; what has Blender's Collision stops the others."""
        moving = participants(context)
        self.layout.row().prop(context.scene.neurok, "scope", expand=True)
        column = self.layout.column(align=True)
        for obj in candidates(context):
            row = column.row()
            obstacle = obj.neurok.takes_part and obj not in moving
            row.label(text=obj.name, icon="MOD_PHYSICS" if obstacle else "OBJECT_DATA", translate=False)
            eye = "HIDE_OFF" if obj.neurok.takes_part else "HIDE_ON"
            row.prop(obj.neurok, "takes_part", text="", icon=eye, emboss=False)


CLASSES = (NEUROK_PT_participants, NEUROK_PT_simulate)
