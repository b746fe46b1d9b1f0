"""Release Memory, Open Log, and Copy Diagnostics."""

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.types import Operator

from .. import names
from ..session import memory
from ..session.diagnostics import diagnostics_text, log_tail, present_log
from .feedback import is_idle

__all__ = [
    "CLASSES",
    "NEUROK_OT_diagnostics_copy",
    "NEUROK_OT_log_open",
    "NEUROK_OT_log_reveal",
    "NEUROK_OT_release_memory",
]

LOG_TEXT = "NeuROK Log"
LOG_MARK = "neurok_log"
"""Property of texts that the add-on has made, so that it never writes into another."""


class _NeedsLog:
    @classmethod
    def poll(cls, context):
        if present_log() is None:
            cls.poll_message_set("There is no log yet; it begins with the first simulation")
            return False
        return True


class NEUROK_OT_release_memory(Operator):
    """Forget all simulated motion that is not baked, and end the process that simulates"""

    bl_idname = names.Operator.RELEASE_MEMORY
    bl_label = "Release Memory"

    @classmethod
    def poll(cls, context):
        return is_idle(cls)

    def invoke(self, context, event):
        if memory.is_unsaved():
            question = {"title": iface_("Release Memory"), "message": iface_("Takes that are not saved are lost.")}
            return context.window_manager.invoke_confirm(self, event, **question)
        return self.execute(context)

    def execute(self, context):
        megabytes = memory.megabytes_of_takes()
        memory.release()
        self.report({"INFO"}, rpt_("Released {:.1f} MB of takes and ended the backend.").format(megabytes))
        return {"FINISHED"}


class NEUROK_OT_log_open(_NeedsLog, Operator):
    """Show the end of the backend's log in a text editor of Blender's"""

    bl_idname = names.Operator.LOG_OPEN
    bl_label = "Open Log"

    def execute(self, context):
        tail = log_tail(present_log())
        if not tail:
            self.report({"INFO"}, "The log is empty: the backend had nothing to complain of.")
            return {"FINISHED"}
        text = next((text for text in bpy.data.texts if text.library is None and LOG_MARK in text), None)
        if text is None:
            text = bpy.data.texts.new(LOG_TEXT)
            text[LOG_MARK] = True
        text.from_string(tail)
        text.cursor_set(max(0, len(text.lines) - 1))
        if not bpy.app.background:
            self._show(context, text)
        return {"FINISHED"}

    def _show(self, context, text) -> None:
        """In a text editor that is open, or else in a window of its own."""
        windows = context.window_manager.windows
        areas = [area for window in windows for area in window.screen.areas if area.type == "TEXT_EDITOR"]
        if not areas:
            bpy.ops.wm.window_new()
            areas = [windows[-1].screen.areas[0]]
            areas[0].type = "TEXT_EDITOR"
        areas[0].spaces.active.text = text
        areas[0].spaces.active.top = max(0, len(text.lines) - 20)


class NEUROK_OT_log_reveal(_NeedsLog, Operator):
    """Open the folder of the backend's log in the system's file browser"""

    bl_idname = names.Operator.LOG_REVEAL
    bl_label = "Show Log in Folder"

    def execute(self, context):
        return bpy.ops.wm.path_open(filepath=str(present_log().parent))


class NEUROK_OT_diagnostics_copy(Operator):
    """Copy versions, the state of the backend, the last error and the end of the log, to send along with a question"""

    bl_idname = names.Operator.DIAGNOSTICS_COPY
    bl_label = "Copy Diagnostics"

    def execute(self, context):
        context.window_manager.clipboard = diagnostics_text()
        self.report({"INFO"}, rpt_("Diagnostics are in the clipboard. They name no user."))
        return {"FINISHED"}


CLASSES = (NEUROK_OT_release_memory, NEUROK_OT_log_open, NEUROK_OT_log_reveal, NEUROK_OT_diagnostics_copy)
