"""Telling the artist: reports, the status bar, the panel."""

from __future__ import annotations

import bpy

from ..errors import Refusal
from ..session import Notice, session

__all__ = ["redraw_sidebars", "report_refusal", "set_status_text"]


def report_refusal(operator: bpy.types.Operator, refusal: Refusal) -> None:
    """Says a refusal in the status bar and keeps it in the panel."""
    session.notice = Notice(refusal.message, refusal.remedy, bad=True)
    operator.report({"ERROR"}, str(refusal))


def redraw_sidebars() -> None:
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()


def set_status_text(text: str | None) -> None:
    """Shows a hint in the status bar of every workspace, so that changing it while a tool runs leaves none behind."""
    for workspace in bpy.data.workspaces:
        workspace.status_text_set(text)
