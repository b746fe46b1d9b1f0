"""The Backend panel: the Python and device in use, and the set-up of PyTorch."""

from bpy.app.translations import pgettext_iface as iface_
from bpy.types import Panel

from .. import names
from ..operators.wrapped_text import draw_text
from ..session.backend_text import backend_text
from ..session.state import session
from ..setup.worker_python import PythonState
from .gpu_backend_status import draw_backend_buttons, draw_declined, draw_setup
from .sidebar import SidebarPanel

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
            draw_text(layout, context, status.translated(backend_text), "BLANK1")
            draw_text(layout, context, str(status.python), "BLANK1")
        elif status.state is PythonState.CHECKING:
            draw_text(layout, context, iface_("Trying the Python {}.").format(iface_(status.label)), "TIME")
        elif status.state is PythonState.MISSING:
            draw_text(layout, context, status.translated(backend_text), "ERROR")
            draw_text(layout, context, status.remedy, "BLANK1")
        else:
            draw_text(layout, context, "Looked for when you simulate.", "INFO")
        draw_declined(layout, context)
        draw_setup(layout)
        draw_backend_buttons(layout)
        if session.log_path is not None:
            draw_text(layout, context, iface_("Log: {}").format(session.log_path), "TEXT")


CLASSES = (NEUROK_PT_backend,)
