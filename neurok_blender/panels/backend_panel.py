"""The Backend panel: one line of how it is, and the way to its page in the preferences."""

from bpy.app.translations import pgettext_iface as iface_
from bpy.types import Panel, UILayout

from .. import names
from ..session.state import session
from ..setup.worker_python import PythonState
from .gpu_backend_status import setup_text
from .sidebar import SidebarPanel

__all__ = ["CLASSES", "NEUROK_PT_backend"]


class NEUROK_PT_backend(SidebarPanel, Panel):
    bl_idname = names.Panel.BACKEND
    bl_label = "Backend"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, _context):
        row = self.layout.row()
        _draw_status(row)
        row.operator("preferences.addon_show", text="", icon="PREFERENCES").module = names.PACKAGE


def _draw_status(row: UILayout) -> None:
    status = session.chooser.status
    if session.setup is not None:
        progress = session.setup.progress
        row.progress(factor=progress.factor, text=setup_text(progress))
    elif status.state is PythonState.READY:
        icon = "ERROR" if status.declined else "CHECKMARK"
        row.label(text=iface_("Ready: {}").format(iface_(status.label)), icon=icon, translate=False)
    elif status.state is PythonState.CHECKING:
        row.label(text=iface_("Checking {}...").format(iface_(status.label)), icon="TIME", translate=False)
    elif status.state is PythonState.MISSING:
        row.label(text="No Python found", icon="ERROR")
    else:
        row.label(text="Found when you simulate", icon="INFO")


CLASSES = (NEUROK_PT_backend,)
