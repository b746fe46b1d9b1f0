"""Bake to shape keys, and discarding a take."""

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.types import Operator

from .. import names
from ..errors import Refusal
from ..scene.bake import ShapeKeyBake, bake_shape_keys
from ..session import Notice, session
from .feedback import is_idle, redraw_sidebars, report_refusal, set_status_text

__all__ = ["CLASSES", "NEUROK_OT_bake_shape_keys", "NEUROK_OT_discard_take"]

TICK_SECONDS, BUDGET_SECONDS = 0.01, 0.02


class NEUROK_OT_bake_shape_keys(Operator):
    """Keep the simulated motion as shape keys on the timeline, one for each frame"""

    bl_idname = names.Operator.BAKE_SHAPE_KEYS
    bl_label = "Bake to Shape Keys"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return is_idle(cls)

    def execute(self, context):
        """Bakes to the end before it returns: for scripts, and for Blender without a window."""
        try:
            obj = context.active_object
            count = bake_shape_keys(context, obj, session.take_of(obj))
        except Refusal as refusal:
            return self._refused(context, refusal)
        return self._tell(count)

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)  # without a window no timer runs
        obj = context.active_object
        try:
            session.bake = self._bake = ShapeKeyBake(context, obj, session.take_of(obj))
        except Refusal as refusal:
            return self._refused(context, refusal)
        self._timer = context.window_manager.event_timer_add(TICK_SECONDS, window=context.window)
        context.window_manager.modal_handler_add(self)
        set_status_text("NeuROK: Esc stops the bake")
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if session.bake is not self._bake:  # ended from elsewhere
            self._leave(context)
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            self.cancel(context)
            session.show_takes(context.scene.frame_current)
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}  # nothing else may happen to the mesh meanwhile
        try:
            complete = self._bake.advance(BUDGET_SECONDS)
        except Refusal as refusal:
            self.cancel(context)
            return self._refused(context, refusal)
        redraw_sidebars()
        if not complete:
            return {"RUNNING_MODAL"}
        session.bake = None
        self._leave(context)
        return self._tell(self._bake.total)

    def cancel(self, context):
        """By Esc, or because Blender ends the operator, as it does when another file is opened."""
        self._bake.cancel()
        session.bake = None
        self._leave(context)

    def _leave(self, context) -> None:
        context.window_manager.event_timer_remove(self._timer)
        set_status_text(None)
        redraw_sidebars()

    def _tell(self, count: int) -> set[str]:
        session.notice = Notice(rpt_("{} shape keys are on the timeline.").format(count))
        self.report({"INFO"}, session.notice.message)
        return {"FINISHED"}

    def _refused(self, context, refusal: Refusal) -> set[str]:
        report_refusal(self, refusal)
        session.show_takes(context.scene.frame_current)
        return {"CANCELLED"}


class NEUROK_OT_discard_take(Operator):
    """Forget the simulated motion and give the object its own shape back"""

    bl_idname = names.Operator.DISCARD_TAKE
    bl_label = "Discard"

    @classmethod
    def poll(cls, context):
        return is_idle(cls) and session.take_of(context.active_object) is not None

    def execute(self, context):
        session.forget_take(context.active_object.data)
        session.notice = Notice()
        return {"FINISHED"}


CLASSES = (NEUROK_OT_bake_shape_keys, NEUROK_OT_discard_take)
