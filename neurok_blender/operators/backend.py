"""Checking and setting up the Python that runs the backend."""

import sys
import time
from pathlib import Path

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.types import Operator

from .. import names, paths
from ..environment_job import EnvironmentJob
from ..session import Notice, session
from ..worker_python import PythonState
from .feedback import is_idle, redraw_sidebars, report_error

__all__ = ["CLASSES", "NEUROK_OT_backend_check", "NEUROK_OT_backend_setup", "stop_watching"]

WATCH_SECONDS = 0.2


def _watch() -> float | None:
    """Timer: follows the check and the installation, until both have ended."""
    setup = session.setup
    if setup is not None and setup.tick().finished:
        session.setup = None
        session.notice = Notice(setup.progress.message, setup.progress.remedy, bad=bool(setup.progress.message))
        session.check_python()
    checking = session.chooser.tick().state is PythonState.CHECKING
    redraw_sidebars()
    return WATCH_SECONDS if checking or session.setup is not None else None


def _start_watching() -> None:
    if not bpy.app.timers.is_registered(_watch):
        bpy.app.timers.register(_watch, first_interval=WATCH_SECONDS, persistent=True)


def stop_watching() -> None:
    if bpy.app.timers.is_registered(_watch):
        bpy.app.timers.unregister(_watch)


def _watch_to_the_end() -> None:
    """What the timer does, for scripts and for Blender without a window."""
    while _watch() is not None:
        time.sleep(WATCH_SECONDS / 4.0)


class NEUROK_OT_backend_check(Operator):
    """Look again which Python can run the simulation"""

    bl_idname = names.Operator.BACKEND_CHECK
    bl_label = "Check Backend"

    @classmethod
    def poll(cls, context):
        return is_idle(cls) and session.setup is None

    def execute(self, context):
        session.check_python()
        _watch_to_the_end()
        return self._answer()

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)  # without a window no timer runs
        session.check_python()
        _start_watching()
        return {"FINISHED"}

    def _answer(self) -> set[str]:
        status = session.chooser.status
        if status.state is PythonState.READY:
            text = rpt_("The Python {} runs the backend: {}.").format(rpt_(status.label), status.message)
            self.report({"INFO"}, text)
            return {"FINISHED"}
        report_error(self, status.told(rpt_), status.remedy)
        return {"CANCELLED"}


class NEUROK_OT_backend_setup(Operator):
    """Download NumPy and SciPy into an environment of the add-on's own (about 60 MB)"""

    bl_idname = names.Operator.BACKEND_SETUP
    bl_label = "Set Up Backend"

    @classmethod
    def poll(cls, context):
        return is_idle(cls) and session.setup is None

    def execute(self, context):
        if not self._begin():
            return {"CANCELLED"}
        _watch_to_the_end()
        if session.notice.bad:
            report_error(self, session.notice.message, session.notice.remedy)
            return {"CANCELLED"}
        return {"FINISHED"}

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)  # without a window no timer runs
        if not self._begin():
            return {"CANCELLED"}
        _start_watching()
        return {"FINISHED"}

    def _begin(self) -> bool:
        if not bpy.app.online_access:
            session.notice = Notice(
                "Online access is off in Blender, so nothing can be downloaded.",
                "Turn on Preferences > System > Network > Allow Online Access, or choose a Python with NumPy and "
                "SciPy in this add-on's preferences.",
                bad=True,
            )
            report_error(self, session.notice.message, session.notice.remedy)
            return False
        session.close_runner()
        session.notice = Notice()
        session.setup = EnvironmentJob(Path(sys.executable), paths.environment_directory(), paths.setup_log())
        return True


CLASSES = (NEUROK_OT_backend_check, NEUROK_OT_backend_setup)
