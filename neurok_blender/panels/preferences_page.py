"""Draws the add-on's page in Blender's preferences."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface as iface_

from ..names import Operator
from ..operators import keymaps
from ..scene.provider_menu import menu
from ..session.backend_text import told
from ..session.memory import megabytes_of_takes
from ..session.state import session
from ..setup.diagnostics import present_log, worker_facts
from ..setup.worker_python import ENGINES, PythonState
from .base import draw_text
from .gpu_backend import draw_backend_buttons, draw_declined, draw_setup
from .icons import icon_value

__all__ = ["draw_page"]


def draw_page(page: bpy.types.AddonPreferences, context: bpy.types.Context) -> None:
    layout = page.layout
    _draw_backend(layout.column(), context)
    _draw_extensions(page, layout.column(), context)
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
        draw_text(layout, context, iface_("Ready: {}.").format(status.told(iface_)), "CHECKMARK")
    elif status.state is PythonState.MISSING:
        draw_text(layout, context, f"{status.told(iface_)} {iface_(status.remedy)}", "ERROR")
    draw_declined(layout, context)
    if session.notice is session.setup_notice:
        icon = "ERROR" if session.notice.bad else "INFO"
        draw_text(layout, context, f"{told(session.notice.message)} {told(session.notice.remedy)}", icon)
    facts = worker_facts()
    if facts is not None:
        text = iface_("Computes on: {} ({})").format(facts["device"].upper(), ENGINES[facts["engine"]])
        layout.label(text=text, icon="BLANK1", translate=False)


def _draw_extensions(page: bpy.types.AddonPreferences, layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    _title(layout, "Extensions", icon="PLUGIN")
    layout.prop(page, "extensions", text="")
    for message, remedy in menu.problems:
        draw_text(layout, context, message, "ERROR")
        draw_text(layout, context, remedy, "BLANK1")


def _draw_memory(layout: bpy.types.UILayout) -> None:
    _title(layout, "Memory", icon="MEMORY")
    row = layout.row()
    count = len(session.takes)
    takes = iface_("{} take holds {:.1f} MB") if count == 1 else iface_("{} takes hold {:.1f} MB")
    row.label(text=takes.format(count, megabytes_of_takes()), icon="BLANK1", translate=False)
    row.operator(Operator.RELEASE_MEMORY, icon="TRASH")


def _draw_help(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    _title(layout, "When Something Is Amiss", icon="QUESTION")
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
