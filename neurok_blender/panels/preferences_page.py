"""The add-on's page in Blender's preferences."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.props import StringProperty

from ..names import PACKAGE, Operator
from ..operators import keymaps
from ..operators.wrapped_text import draw_text
from ..properties.provider_menu import menu
from ..session.backend_text import backend_text
from ..session.background_analysis import background_analysis
from ..session.diagnostics import present_log, worker_facts
from ..session.memory import megabytes_of_takes
from ..session.state import session
from ..setup.worker_python import ENGINES, PythonState
from .gpu_backend_status import draw_backend_buttons, draw_declined, draw_setup
from .icons import icon_value

__all__ = ["CLASSES", "NEUROK_AP_preferences"]


def _extensions_changed(_page, _context):
    """Analyses again, by a worker that has loaded the extensions and lists their providers."""
    background_analysis.forget()


class NEUROK_AP_preferences(bpy.types.AddonPreferences):
    bl_idname = PACKAGE

    extensions: StringProperty(
        name="Extensions",
        description=(
            "Python files that bring providers of your own, which Moves As then lists. Several are separated by a "
            "colon, on Windows by a semicolon"
        ),
        subtype="FILE_PATH",
        update=_extensions_changed,
    )

    def draw(self, context):
        layout = self.layout
        _draw_backend(layout.column(), context)
        _draw_extensions(self, layout.column(), context)
        _draw_memory(layout.column())
        _draw_help(layout.column(), context)
        _draw_shortcuts(layout.column(), context)


def _title(layout: bpy.types.UILayout, text: str, **icon) -> None:
    layout.separator()
    layout.label(text=text, **icon)


def _draw_backend(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    layout.label(text="Backend", icon_value=icon_value("neurok"))
    draw_backend_buttons(layout)
    draw_setup(layout)
    status = session.chooser.status
    if status.state is PythonState.CHECKING:
        draw_text(layout, context, iface_("Looking for a Python that can simulate"), "TIME")
    elif status.state is PythonState.READY:
        draw_text(layout, context, iface_("Ready: {}.").format(status.translated(backend_text)), "CHECKMARK")
    elif status.state is PythonState.MISSING:
        draw_text(layout, context, f"{status.translated(backend_text)} {iface_(status.remedy)}", "ERROR")
    draw_declined(layout, context)
    if session.notice is session.setup_notice:
        icon = "ERROR" if session.notice.bad else "INFO"
        draw_text(
            layout, context, f"{backend_text(session.notice.message)} {backend_text(session.notice.remedy)}", icon
        )
    facts = worker_facts()
    if facts is not None:
        text = iface_("Computes on: {} ({})").format(facts["device"].upper(), ENGINES[facts["engine"]])
        layout.label(text=text, icon="BLANK1", translate=False)


def _draw_extensions(page: bpy.types.AddonPreferences, layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    _title(layout, "Extensions", icon="PLUGIN")
    layout.prop(page, "extensions", text="")
    for problem in menu.problems:
        draw_text(layout, context, problem, "ERROR")
        draw_text(layout, context, problem.remedy, "BLANK1")


def _draw_memory(layout: bpy.types.UILayout) -> None:
    _title(layout, "Memory", icon="MEMORY")
    row = layout.row()
    count = len(session.takes)
    takes = iface_("{} take holds {:.1f} MB") if count == 1 else iface_("{} takes hold {:.1f} MB")
    row.label(text=takes.format(count, megabytes_of_takes()), icon="BLANK1", translate=False)
    row.operator(Operator.RELEASE_MEMORY, icon="TRASH")


def _draw_help(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    _title(layout, "Troubleshooting", icon="QUESTION")
    row = layout.row()
    row.operator(Operator.LOG_OPEN, icon="TEXT")
    row.operator(Operator.LOG_REVEAL, icon="FILE_FOLDER")
    row.operator(Operator.DIAGNOSTICS_COPY, icon="COPYDOWN")
    log = present_log()
    if log is not None:
        draw_text(layout, context, str(log), "BLANK1")


def _draw_shortcuts(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    _title(layout, "Shortcuts in Object Mode", icon="EVENT_K")
    keymaps.draw(layout, context)


CLASSES = (NEUROK_AP_preferences,)
