"""What the operators share that ask the worker one question and wait for its answer."""

from __future__ import annotations

import bpy

from ..errand import Errand
from ..errors import Refusal
from ..scene import preview
from ..scene.bakes.ledger import switch_off, switch_on
from ..scene.mesh_io import MeshShape, look_at
from ..session import session
from ..simulation import Outcome, Progress
from .feedback import is_idle, redraw_sidebars, report_error, report_refusal, set_status_text

__all__ = ["RunsErrand", "drawn_shape"]

TICK_SECONDS = 0.02


def drawn_shape(context: bpy.types.Context, obj: bpy.types.Object) -> MeshShape:
    """The object as it is drawn, whatever take is shown of it. Raises Refusal."""
    played = switch_off(obj)
    preview.restore(obj.data)
    context.view_layer.update()
    try:
        return look_at(context, obj, with_joints=False)
    finally:
        switch_on(obj, played)
        session.show_takes(context.scene.frame_current)


class RunsErrand:
    """To its end for scripts, modal in a window; Esc ends it."""

    @classmethod
    def poll(cls, context):
        return is_idle(cls)

    def _errand(self, context: bpy.types.Context) -> Errand:
        """Raises Refusal."""
        raise NotImplementedError

    def execute(self, context):
        """Goes to the end before it returns: for scripts, and for Blender without a window."""
        errand = self._begin(context)
        return {"CANCELLED"} if errand is None else self._result(errand.finish())

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)  # without a window no timer runs
        self._running = self._begin(context)
        if self._running is None:
            return {"CANCELLED"}
        self._timer = context.window_manager.event_timer_add(TICK_SECONDS, window=context.window)
        context.window_manager.modal_handler_add(self)
        set_status_text("NeuROK: Esc stops it")
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        escaped = event.type == "ESC" and event.value == "PRESS"
        if escaped:
            self._running.cancel()
        elif event.type != "TIMER":
            return {"PASS_THROUGH"}
        before = self._running.progress
        progress = self._running.tick()
        if progress.outcome is Outcome.RUNNING:
            if progress != before:
                redraw_sidebars()
            return {"RUNNING_MODAL"} if escaped else {"PASS_THROUGH"}
        self._leave(context)
        return self._result(progress)

    def cancel(self, context):
        """Blender ends the operator itself, as it does when another file is opened."""
        self._running.abort()
        self._leave(context)

    def _begin(self, context) -> Errand | None:
        try:
            return self._errand(context)
        except Refusal as refusal:
            report_refusal(self, refusal)
            return None

    def _leave(self, context) -> None:
        context.window_manager.event_timer_remove(self._timer)
        set_status_text(None)
        redraw_sidebars()

    def _result(self, progress: Progress) -> set[str]:
        if progress.outcome is Outcome.DONE:
            self.report({"INFO"}, progress.message)
            return {"FINISHED"}
        if progress.outcome is Outcome.FAILED:
            report_error(self, progress.message, progress.remedy)
        return {"CANCELLED"}
