"""Pose mode: drag, sliders, random poses, keys, and takes from keys."""

import random

import bpy
from bpy.app.translations import pgettext_data as data_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import IntProperty
from bpy.types import Operator
from mathutils import Vector

from .. import names
from ..errors import Refusal
from ..scene.joint_alternatives import keep_alternatives
from ..scene.pose_keys import keyed_values
from ..scene.surface import line_of_sight
from ..scene.surface_picking import nearest_vertex
from ..session.interactive_session import SessionPhase
from ..session.pose_session import EXPLORED, Drag, Pose
from ..session.screen import redraw_sidebars, set_status_text
from ..session.state import session
from ..session.thumbnails import thumbnails
from .drag_tool import DragTool
from .feedback import report_refusal
from .view_regions import NAVIGATION, mouse_in, region_under

__all__ = ["CLASSES", "NEUROK_OT_pose"]

TICK_SECONDS = 1.0 / 60.0
ANSWER_SECONDS = 0.008
HINT = (
    "NeuROK Pose: LMB Drag: Pose, Shift LMB: Pin or Unpin, Enter: Keep Pose, Esc: Cancel "
    "(sliders, keys and random poses are in the sidebar)"
)
UNDO_KEYS = {"Z", "Y"}


class NEUROK_OT_pose(DragTool, Operator):
    """Drag the object into a plausible pose"""

    bl_idname = names.Operator.POSE
    bl_label = "Pose"

    def invoke(self, context, event):
        try:
            self._pose = Pose(context, context.active_object)
        except Refusal as refusal:
            return report_refusal(self, refusal)
        self._enter(context, TICK_SECONDS)
        set_status_text(HINT)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        pose = self._pose
        if session.pose is not pose or pose.interactive.phase is SessionPhase.ENDED:
            return self._ended(context)
        over_view = self._is_over_view(event)
        if event.type == "ESC" and event.value == "PRESS":
            return self._escape(context)
        if event.type in {"RET", "NUMPAD_ENTER"} and event.value == "PRESS" and over_view:
            return self._finish(context)
        passes = event.type in NAVIGATION or event.type in UNDO_KEYS or not over_view
        if event.type == "LEFTMOUSE" and (over_view or self._hold is not None):
            self._click(context, event)
            passes = False
        elif event.type == "MOUSEMOVE":
            self._drag(event)
        explored = pose.explored
        news = pose.tick(ANSWER_SECONDS if self._hold is not None and event.type == "MOUSEMOVE" else 0.002)
        if pose.explored is not explored:
            thumbnails.begin(pose)
        if news or thumbnails.draw_next():
            self._area.tag_redraw()
            redraw_sidebars()
        if pose.film_is_complete:
            return self._finish(context)
        return {"PASS_THROUGH"} if passes or event.type in {"MOUSEMOVE", "TIMER"} else {"RUNNING_MODAL"}

    def cancel(self, context):
        """Blender ends the operator itself, as it does when another file is opened."""
        self._leave(context)

    def _is_over_view(self, event) -> bool:
        region = region_under(self._area, event)
        return region is not None and region.type == "WINDOW"

    def _click(self, context, event) -> None:
        pose = self._pose
        if event.value == "RELEASE":
            if self._hold is not None:
                self._hold = None
                pose.released()
                self._line.hide()
                bpy.ops.ed.undo_push(message="NeuROK Pose")
            return
        obj, region = pose.interactive.object, region_under(self._area, event)
        if event.value != "PRESS" or obj is None or not pose.is_ready or region is None:
            return
        view = self._area.spaces.active.region_3d
        hold = pose.interactive.hold_under(*line_of_sight(region, view, mouse_in(region, event)))
        if hold is None:
            return
        vertex = nearest_vertex(hold)
        if event.shift:
            if pose.drag.held.pop(vertex, None) is None:
                pose.drag.held[vertex] = hold.place.copy()
            self.report({"INFO"}, rpt_("{} places are held.").format(len(pose.drag.held)))
            return
        self._hold, self._region, self._offset = hold, region, Vector()
        place = pose.interactive.vertex_place(vertex)
        # The vertex keeps its distance from the mouse: nothing jumps when the drag begins.
        self._offset = place - hold.place
        pose.drag.pulled, pose.drag.target = vertex, place

    def _drag(self, event) -> None:
        if self._hold is None:
            return
        target = self._target(event)
        self._pose.drag.target = target + self._offset
        self._pose.dragged()
        self._line.show(self._hold, self._pose.interactive, target)

    def _escape(self, context):
        """In the middle of a drag Esc lets go; else it leaves the mode."""
        if self._hold is not None:
            self._hold = None
            self._pose.drag = Drag()
            self._line.hide()
            return {"RUNNING_MODAL"}
        return self._ended(context)

    def _finish(self, context):
        take = self._pose.take()
        if take is None:
            return self._ended(context)
        obj = self._pose.interactive.object
        if self._pose.choices is not None:  # what was dragged has decided
            keep_alternatives(obj, self._pose.interactive.snapshot.form, self._pose.choices)
        count = take.frame_count
        if count == 1:
            name, message = data_("Pose"), rpt_("Pose kept as a take. Bake it, or delete it under Bake.")
        else:
            name = data_("Keyed Poses")
            message = rpt_("{} frames from the keyed poses, ready to bake.").format(count)
        return self._keep(context, self._pose.interactive, take, name, message)

    def _ended(self, context):
        self._leave(context)
        self._tell_why(self._pose.interactive)
        return {"CANCELLED"}

    def _leave(self, context) -> None:
        self._pose.end()
        thumbnails.clear()
        super()._leave(context)


class _InPoseMode:
    """Mix-in of operators of pose mode."""

    @classmethod
    def poll(cls, context):
        if session.pose is None or not session.pose.is_ready:
            cls.poll_message_set("Press Pose first")
            return False
        return True


class NEUROK_OT_pose_end(_InPoseMode, Operator):
    """Exit pose mode and restore the drawn shape"""

    bl_idname = names.Operator.POSE_END
    bl_label = "Exit"

    def execute(self, context):
        session.pose.end()
        return {"FINISHED"}


class NEUROK_OT_pose_reset(_InPoseMode, Operator):
    """Set all sliders to zero: the drawn shape"""

    bl_idname = names.Operator.POSE_RESET
    bl_label = "Rest Pose"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        for slider in session.pose.interactive.object.neurok.coordinates:
            if not slider.locked:
                slider.value = 0.0
        return {"FINISHED"}


class NEUROK_OT_pose_random(_InPoseMode, Operator):
    """Apply a random plausible pose; locked sliders keep their value"""

    bl_idname = names.Operator.POSE_RANDOM
    bl_label = "Random Pose"

    def execute(self, context):
        session.pose.explore(random.randrange(1 << 30), count=1)
        return {"FINISHED"}


class NEUROK_OT_pose_explore(_InPoseMode, Operator):
    """Show six random poses to choose from"""

    bl_idname = names.Operator.POSE_EXPLORE
    bl_label = "Explore"

    def execute(self, context):
        session.pose.explore(random.randrange(1 << 30), count=EXPLORED)
        return {"FINISHED"}


class NEUROK_OT_pose_choose(_InPoseMode, Operator):
    """Apply this pose"""

    bl_idname = names.Operator.POSE_CHOOSE
    bl_label = "Apply Pose"
    bl_options = {"REGISTER", "UNDO"}

    number: IntProperty(name="Number", description="Which of the poses that are shown", default=0, min=0)

    def execute(self, context):
        session.pose.choose(self.number)
        return {"FINISHED"}


class NEUROK_OT_pose_key(Operator):
    """Key the pose at this frame of the timeline"""

    bl_idname = names.Operator.POSE_KEY
    bl_label = "Key Pose"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        obj = context.active_object
        if obj is None or obj.type != "MESH" or not len(obj.neurok.coordinates):
            cls.poll_message_set("Pose the object first")
            return False
        return True

    def execute(self, context):
        obj, frame = context.active_object, context.scene.frame_current
        for slider in obj.neurok.coordinates:
            obj.keyframe_insert(slider.path_from_id("value"), frame=frame, group="NeuROK Pose")
        self.report({"INFO"}, rpt_("The pose is keyed at frame {}.").format(frame))
        return {"FINISHED"}


class NEUROK_OT_pose_film(_InPoseMode, Operator):
    """Make a take of the keyed poses, frame by frame, that plays and can be baked"""

    bl_idname = names.Operator.POSE_FILM
    bl_label = "Take from Keyed Poses"

    def execute(self, context):
        try:
            session.pose.film(keyed_values(context.scene, session.pose.interactive.object))
        except Refusal as refusal:
            return report_refusal(self, refusal)
        return {"FINISHED"}


CLASSES = (
    NEUROK_OT_pose,
    NEUROK_OT_pose_end,
    NEUROK_OT_pose_reset,
    NEUROK_OT_pose_random,
    NEUROK_OT_pose_explore,
    NEUROK_OT_pose_choose,
    NEUROK_OT_pose_key,
    NEUROK_OT_pose_film,
)
