"""Rows of the Backend panel and of the preferences: buttons, progress of a set-up, problems."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface as iface_

from .. import names
from ..operators.wrapped_text import draw_text
from ..session.backend_text import backend_text
from ..session.state import session
from ..setup.environment_job import SetupProgress
from ..setup.environment_program.plan import INSTALLING

__all__ = ["draw_backend_buttons", "draw_declined", "draw_setup", "setup_text"]


def setup_text(progress: SetupProgress) -> str:
    """One line of how far it is."""
    stage = iface_(progress.stage)
    if progress.stage == INSTALLING and progress.package:
        return f"{stage} ({progress.package})"
    if progress.total > 0:
        megabytes = (progress.done / 1e6, progress.total / 1e6)
        return iface_("{}: {:.0f} of {:.0f} MB").format(progress.package, *megabytes)
    return f"{stage}: {progress.package}" if progress.package else stage


def draw_setup(layout: bpy.types.UILayout) -> None:
    """The progress of a set-up and the button that stops it, while there is one."""
    if session.setup is None:
        return
    progress = session.setup.progress
    layout.progress(factor=progress.factor, text=setup_text(progress))
    layout.operator(names.Operator.BACKEND_CANCEL, icon="CANCEL")


def draw_declined(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Why the GPU backend does not run, where one was set up."""
    reason = session.chooser.status.declined
    if reason:
        text = iface_("The GPU backend does not run: {}").format(f"{backend_text(reason).rstrip('.')}.")
        draw_text(layout, context, text, "ERROR")
        draw_text(layout, context, "Set it up again, or remove it.", "BLANK1")


def draw_backend_buttons(layout: bpy.types.UILayout) -> None:
    row = layout.row(align=True)
    row.operator(names.Operator.BACKEND_CHECK, icon="FILE_REFRESH")
    row.operator(names.Operator.BACKEND_SETUP, icon="IMPORT")
    row.operator(names.Operator.BACKEND_REMOVE, text="", icon="TRASH")
