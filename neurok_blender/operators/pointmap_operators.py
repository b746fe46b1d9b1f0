"""Write pointmaps: one operator runs the job, another asks for the file first."""

import bpy
from bpy.props import BoolProperty, IntProperty, StringProperty
from bpy.types import Operator
from bpy_extras.io_utils import ExportHelper

from .. import names
from ..session.pointmap_job import Pointmap, PointmapOptions
from ..session.simulation import Outcome
from .feedback import is_idle
from .modal_job import ModalJob, outcome_of

__all__ = ["CLASSES", "NEUROK_OT_pointmap", "NEUROK_OT_pointmap_export", "add_to_menu", "remove_from_menu"]


class PointmapChoices:
    """Settings of both operators."""

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


class NEUROK_OT_pointmap(PointmapChoices, ModalJob, Operator):
    """Write where each pixel of the selected objects lies as the scene's camera sees them, frame by frame"""

    bl_idname = names.Operator.POINTMAP
    bl_label = "Write Pointmap"
    bl_options = {"REGISTER"}
    tick_seconds = 0.01
    status = "NeuROK: Esc: Cancel Pointmap"

    filepath: StringProperty(
        name="File",
        description="Where the arrays are written (.npz); empty: pointmap.npz beside the .blend",
        subtype="FILE_PATH",
    )

    def _make(self, context) -> Pointmap:
        scene = context.scene
        options = PointmapOptions(
            file=self.filepath or "//pointmap.npz",
            frame_start=self.frame_start if self.properties.is_property_set("frame_start") else scene.frame_start,
            frame_count=self.frame_count,
            height=self.height,
            width=self.width,
            exr=self.exr,
        )
        return Pointmap(context, options)

    def invoke(self, context, event):
        begun = super().invoke(context, event)
        if begun == {"RUNNING_MODAL"}:
            context.window_manager.progress_begin(0, 1000)
        return begun

    def _tick(self):
        progress = super()._tick()
        if progress.outcome is Outcome.RUNNING and progress.total:
            bpy.context.window_manager.progress_update(1000 * progress.done // progress.total)
        return progress

    def _passed_on(self):
        # The frames that are read are those of the scene as it stands; once they are, the artist goes on working.
        return {"RUNNING_MODAL"} if self._job.is_reading else {"PASS_THROUGH"}

    def _leave(self, context) -> None:
        context.window_manager.progress_end()
        super()._leave(context)

    def _notes(self):
        return self._job.notes


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
        return outcome_of(bpy.ops.neurok.pointmap("INVOKE_DEFAULT", **given))


def _draw_menu(self, _context):
    self.layout.operator(names.Operator.POINTMAP_EXPORT, text="NeuROK Pointmap (.npz)")


def add_to_menu() -> None:
    bpy.types.TOPBAR_MT_file_export.append(_draw_menu)


def remove_from_menu() -> None:
    bpy.types.TOPBAR_MT_file_export.remove(_draw_menu)


CLASSES = (NEUROK_OT_pointmap, NEUROK_OT_pointmap_export)
