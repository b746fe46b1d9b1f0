"""The Backend box: which Python simulates, and setting one up."""

from bpy.app.translations import pgettext_iface as iface_
from bpy.types import Panel

from .. import names
from ..session import session
from ..worker_python import PythonState
from .base import SidebarPanel, draw_text

__all__ = ["CLASSES", "NEUROK_PT_backend"]


class NEUROK_PT_backend(SidebarPanel, Panel):
    bl_idname = names.Panel.BACKEND
    bl_label = "Backend"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        status = session.chooser.status
        if status.state is PythonState.READY:
            draw_text(layout, context, iface_("Ready: the Python {}.").format(iface_(status.label)), "CHECKMARK")
            draw_text(layout, context, status.message, "BLANK1")
            draw_text(layout, context, str(status.python), "BLANK1")
        elif status.state is PythonState.CHECKING:
            draw_text(layout, context, iface_("Trying the Python {}.").format(iface_(status.label)), "TIME")
        elif status.state is PythonState.MISSING:
            draw_text(layout, context, status.told(iface_), "ERROR")
            draw_text(layout, context, status.remedy, "BLANK1")
        else:
            draw_text(layout, context, "Looked for when you simulate.", "INFO")
        if session.setup is not None:
            progress = session.setup.progress
            layout.progress(factor=progress.done / progress.total, text=progress.stage)
        row = layout.row(align=True)
        row.operator(names.Operator.BACKEND_CHECK, icon="FILE_REFRESH")
        row.operator(names.Operator.BACKEND_SETUP, icon="IMPORT")
        if session.log_path is not None:
            draw_text(layout, context, iface_("Log: {}").format(session.log_path), "TEXT")


CLASSES = (NEUROK_PT_backend,)
