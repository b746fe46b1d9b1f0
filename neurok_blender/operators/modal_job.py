"""What the operators share that take a while: to the end for scripts, modal in a window; Esc ends them."""

from __future__ import annotations

from typing import Any, ClassVar

import bpy

from ..errors import Refusal
from ..session.screen import redraw_sidebars, set_status_text
from ..session.simulation import Outcome, Progress
from .feedback import is_idle, report_error, report_refusal

__all__ = ["Runs"]


class Runs:
    """`_make` gives what runs: with `tick`, `finish`, `cancel`, `abort` and its `progress`."""

    tick_seconds: ClassVar[float] = 0.02
    status: ClassVar[str] = "NeuROK: Esc stops it"

    @classmethod
    def poll(cls, context):
        return is_idle(cls)

    def _make(self, context: bpy.types.Context) -> Any:
        """Raises Refusal."""
        raise NotImplementedError

    def execute(self, context):
        """Goes to the end before it returns: for scripts, and for Blender without a window."""
        return self._result(self._running.finish()) if self._begin(context) else {"CANCELLED"}

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)  # without a window no timer runs
        if not self._begin(context):
            return {"CANCELLED"}
        self._timer = context.window_manager.event_timer_add(self.tick_seconds, window=context.window)
        context.window_manager.modal_handler_add(self)
        set_status_text(self.status)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        escaped = event.type == "ESC" and event.value == "PRESS"
        if escaped:
            self._running.cancel()
        elif event.type != "TIMER":
            return self._passed_on()
        progress = self._tick()
        if progress.outcome is Outcome.RUNNING:
            return {"RUNNING_MODAL"} if escaped else self._passed_on()
        self._leave(context)
        return self._result(progress)

    def cancel(self, context):
        """Blender ends the operator itself, as it does when another file is opened."""
        self._running.abort()
        self._leave(context)

    def _begin(self, context) -> bool:
        try:
            self._running = self._make(context)
        except Refusal as refusal:
            report_refusal(self, refusal)
            return False
        return True

    def _tick(self) -> Progress:
        before = self._running.progress
        progress = self._running.tick()
        if progress != before:
            redraw_sidebars()
        return progress

    def _passed_on(self) -> set[str]:
        """What becomes of events that are not for this."""
        return {"PASS_THROUGH"}

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
