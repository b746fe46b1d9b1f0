"""Operators that run a job: to its end for scripts, modal in a window, where Esc ends it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, ClassVar

import bpy

from ..errors import Refusal
from ..session.backend_text import backend_report
from ..session.screen import redraw_sidebars, set_status_text
from ..session.simulation import SCRIPT_BUDGET_SECONDS, SCRIPT_PAUSE_SECONDS, Outcome, Progress
from .feedback import is_idle, report_error, report_refusal

__all__ = ["ModalJob", "outcome_of"]


class ModalJob:
    """Mix-in. `_make` gives the job, which has `tick`, `cancel`, `abort` and its `progress`."""

    tick_seconds: ClassVar[float] = 0.02
    status: ClassVar[str] = "NeuROK: Esc: Cancel"

    @classmethod
    def poll(cls, context):
        return is_idle(cls)

    def _make(self, context: bpy.types.Context) -> Any:
        """Raises Refusal."""
        raise NotImplementedError

    def execute(self, context):
        """Goes to the end before it returns: for scripts, and for Blender without a window."""
        try:
            self._job = self._make(context)
        except Refusal as refusal:
            return report_refusal(self, refusal)
        progress = self._job.progress
        try:
            while progress.outcome is Outcome.RUNNING:
                before, progress = progress, self._job.tick(SCRIPT_BUDGET_SECONDS)
                if progress == before:  # the worker is not that far yet
                    time.sleep(SCRIPT_PAUSE_SECONDS)
        finally:
            self._job.abort()
        return self._result(progress)

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)  # without a window no timer runs
        try:
            self._job = self._make(context)
        except Refusal as refusal:
            return report_refusal(self, refusal)
        self._timer = context.window_manager.event_timer_add(self.tick_seconds, window=context.window)
        context.window_manager.modal_handler_add(self)
        set_status_text(self.status)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        escaped = event.type == "ESC" and event.value == "PRESS"
        if escaped:
            self._job.cancel()
        elif event.type != "TIMER":
            return self._passed_on()
        progress = self._tick()
        if progress.outcome is Outcome.RUNNING:
            return {"RUNNING_MODAL"} if escaped else self._passed_on()
        self._leave(context)
        return self._result(progress)

    def cancel(self, context):
        """Blender ends the operator itself, as it does when another file is opened."""
        self._job.abort()
        self._leave(context)

    def _tick(self) -> Progress:
        before = self._job.progress
        progress = self._job.tick()
        if progress != before:
            redraw_sidebars()
        return progress

    def _passed_on(self) -> set[str]:
        """The result of `modal` for events that the job does not use."""
        return {"PASS_THROUGH"}

    def _leave(self, context) -> None:
        context.window_manager.event_timer_remove(self._timer)
        set_status_text(None)
        redraw_sidebars()

    def _result(self, progress: Progress) -> set[str]:
        if progress.outcome is Outcome.DONE:
            self.report({"INFO"}, progress.message)
            for note in self._notes():
                self.report({"WARNING"}, backend_report(note))
            return {"FINISHED"}
        if progress.outcome is Outcome.FAILED:
            report_error(self, progress.message, progress.remedy)
        if progress.kept:
            self.report({"INFO"}, progress.kept)
            return {"FINISHED"}
        return {"CANCELLED"}

    def _notes(self) -> Iterable[str]:
        """Warnings of the backend, once the job is done."""
        return ()


def outcome_of(begun: set[str]) -> set[str]:
    """The result of an operator that only chooses a file; `begun` is that of the one that does the work."""
    return {"CANCELLED"} if begun == {"CANCELLED"} else {"FINISHED"}
