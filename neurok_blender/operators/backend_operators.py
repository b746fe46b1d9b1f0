"""Check Backend, and the timer that follows the check and the set-up."""

import time

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.types import Operator

from .. import names
from ..session.backend_text import backend_report
from ..session.screen import redraw_sidebars
from ..session.state import Notice, session
from ..setup.worker_python import PythonState
from .feedback import is_idle, report_error

__all__ = ["CLASSES", "NEUROK_OT_backend_check", "start_watching", "stop_watching", "watch_to_the_end"]

WATCH_SECONDS = 0.2


def _watch() -> float | None:
    """Timer: follows the check and the set-up, until both have ended."""
    if session.setup is not None:
        _follow_setup()
    checking = session.chooser.tick().state is PythonState.CHECKING
    redraw_sidebars()
    return WATCH_SECONDS if checking or session.setup is not None else None


def _follow_setup() -> None:
    """A running simulation keeps the old environment until its end."""
    progress = session.setup.tick()
    if progress.changed and not session.setup.released and not session.is_busy:
        session.close_runner()
        session.setup.release()
        session.check_python()
    if progress.finished:
        session.setup = None
        session.notice = session.setup_notice = Notice(progress.message, progress.remedy, bad=progress.failed)


def start_watching() -> None:
    if not bpy.app.timers.is_registered(_watch):
        bpy.app.timers.register(_watch, first_interval=WATCH_SECONDS, persistent=True)


def stop_watching() -> None:
    if bpy.app.timers.is_registered(_watch):
        bpy.app.timers.unregister(_watch)


def watch_to_the_end() -> None:
    """Runs the timer's work to its end, for scripts and for Blender without a window."""
    while _watch() is not None:
        time.sleep(WATCH_SECONDS / 4.0)


class NEUROK_OT_backend_check(Operator):
    """Check again which Python can run the simulation"""

    bl_idname = names.Operator.BACKEND_CHECK
    bl_label = "Check Backend"

    @classmethod
    def poll(cls, context):
        return is_idle(cls) and session.setup is None

    def execute(self, context):
        session.check_python()
        watch_to_the_end()
        return self._answer()

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)  # without a window no timer runs
        session.check_python()
        start_watching()
        return {"FINISHED"}

    def _answer(self) -> set[str]:
        status = session.chooser.status
        if status.state is PythonState.READY:
            text = rpt_("The backend runs in {}: {}.").format(rpt_(status.label), status.translated(backend_report))
            self.report({"INFO"}, text)
            return {"FINISHED"}
        report_error(self, status.translated(backend_report), status.remedy)
        return {"CANCELLED"}


CLASSES = (NEUROK_OT_backend_check,)
