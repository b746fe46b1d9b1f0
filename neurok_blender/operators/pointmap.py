"""Writing pointmaps: for scripts and the worker's progress one operator, and one that asks for the file first."""

import bpy
from bpy.props import BoolProperty, IntProperty, StringProperty
from bpy.types import Operator
from bpy_extras.io_utils import ExportHelper

from .. import names
from ..errors import Refusal
from ..pointmap import Pointmap, PointmapOptions
from ..simulation import Outcome, Progress
from ..told import told_in_report
from .feedback import is_idle, redraw_sidebars, report_error, report_refusal, set_status_text

__all__ = ["CLASSES", "NEUROK_OT_pointmap", "NEUROK_OT_pointmap_export", "add_to_menu", "remove_from_menu"]

TICK_SECONDS = 0.01


class PointmapChoices:
    """What both operators ask."""

    frame_start: IntProperty(
        name="Start", description="First frame; left out, the first one of the scene", options={"SKIP_SAVE"}
    )
    frame_count: IntProperty(name="Frames", description="How many frames are drawn", default=49, min=1, soft_max=250)
    height: IntProperty(
        name="Height", description="Of the pictures", subtype="PIXEL", default=480, min=1, max=16384, soft_max=2160
    )
    width: IntProperty(
        name="Width", description="Of the pictures", subtype="PIXEL", default=720, min=1, max=16384, soft_max=3840
    )
    exr: BoolProperty(
        name="OpenEXR Pictures",
        description="Write a picture of several layers for each frame as well, into a folder beside the file",
        default=False,
    )


class NEUROK_OT_pointmap(PointmapChoices, Operator):
    """Write where each pixel of the selected objects lies as the scene's camera sees them, frame by frame"""

    bl_idname = names.Operator.POINTMAP
    bl_label = "Write Pointmap"
    bl_options = {"REGISTER"}

    filepath: StringProperty(
        name="File",
        description="Where the arrays are written (.npz); empty: pointmap.npz beside the .blend",
        subtype="FILE_PATH",
    )

    @classmethod
    def poll(cls, context):
        return is_idle(cls)

    def execute(self, context):
        """Goes to the end before it returns: for scripts, and for Blender without a window."""
        self._pointmap = self._begin(context)
        return {"CANCELLED"} if self._pointmap is None else self._result(self._pointmap.finish(context))

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)  # without a window no timer runs
        self._pointmap = self._begin(context)
        if self._pointmap is None:
            return {"CANCELLED"}
        self._timer = context.window_manager.event_timer_add(TICK_SECONDS, window=context.window)
        context.window_manager.modal_handler_add(self)
        context.window_manager.progress_begin(0, 1000)
        set_status_text("NeuROK: Esc stops the pointmap")
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        pointmap = self._pointmap
        escaped = event.type == "ESC" and event.value == "PRESS"
        if escaped:
            pointmap.cancel()
        elif event.type != "TIMER":
            # The frames that are read are those of the scene as it stands; once they are, the artist goes on working.
            return {"RUNNING_MODAL"} if pointmap.is_reading else {"PASS_THROUGH"}
        progress = pointmap.tick(context)
        if progress.outcome is Outcome.RUNNING:
            if progress.total:
                context.window_manager.progress_update(1000 * progress.done // progress.total)
            redraw_sidebars()
            return {"RUNNING_MODAL"} if escaped or pointmap.is_reading else {"PASS_THROUGH"}
        self._leave(context)
        return self._result(progress)

    def cancel(self, context):
        """Blender ends the operator itself, as it does when another file is opened."""
        self._pointmap.abort()
        self._leave(context)

    def _begin(self, context) -> Pointmap | None:
        scene = context.scene
        options = PointmapOptions(
            file=self.filepath or "//pointmap.npz",
            frame_start=self.frame_start if self.properties.is_property_set("frame_start") else scene.frame_start,
            frame_count=self.frame_count,
            height=self.height,
            width=self.width,
            exr=self.exr,
        )
        try:
            return Pointmap(context, options)
        except Refusal as refusal:
            report_refusal(self, refusal)
            return None

    def _leave(self, context) -> None:
        context.window_manager.progress_end()
        context.window_manager.event_timer_remove(self._timer)
        set_status_text(None)
        redraw_sidebars()

    def _result(self, progress: Progress) -> set[str]:
        if progress.outcome is Outcome.DONE:
            self.report({"INFO"}, progress.message)
            for note in self._pointmap.notes:
                self.report({"WARNING"}, told_in_report(note))
            return {"FINISHED"}
        if progress.outcome is Outcome.FAILED:
            report_error(self, progress.message, progress.remedy)
        return {"CANCELLED"}


class NEUROK_OT_pointmap_export(PointmapChoices, ExportHelper, Operator):
    """Write where each pixel of the selected objects lies as the scene's camera sees them: position, depth, mask"""

    bl_idname = names.Operator.POINTMAP_EXPORT
    bl_label = "Export Pointmap"
    bl_options = {"REGISTER"}

    filename_ext = ".npz"
    filter_glob: StringProperty(default="*.npz", options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        return is_idle(cls)

    def invoke(self, context, event):
        self.frame_start = context.scene.frame_start
        return super().invoke(context, event)

    def execute(self, context):
        """The file is chosen; what takes time is the other operator's."""
        given = {name: getattr(self, name) for name in ("filepath", "frame_count", "height", "width", "exr")}
        if self.properties.is_property_set("frame_start"):
            given["frame_start"] = self.frame_start
        begun = bpy.ops.neurok.pointmap("INVOKE_DEFAULT", **given)
        return {"CANCELLED"} if begun == {"CANCELLED"} else {"FINISHED"}


def _draw_menu(self, _context):
    self.layout.operator(names.Operator.POINTMAP_EXPORT, text="NeuROK Pointmap (.npz)")


def add_to_menu() -> None:
    bpy.types.TOPBAR_MT_file_export.append(_draw_menu)


def remove_from_menu() -> None:
    bpy.types.TOPBAR_MT_file_export.remove(_draw_menu)


CLASSES = (NEUROK_OT_pointmap, NEUROK_OT_pointmap_export)
