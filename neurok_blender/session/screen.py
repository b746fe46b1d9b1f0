"""Redraws of the sidebars, and the hint in the status bar."""

from __future__ import annotations

import bpy
from bpy.app.translations import pgettext_iface as iface_

__all__ = ["redraw_sidebars", "set_status_text", "show_status_again"]


def redraw_sidebars() -> None:
    """Redraws the sidebars, and the preferences, which show the backend too."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()
            elif area.type == "PREFERENCES":
                area.tag_redraw()


_hint: str | None = None


def set_status_text(text: str | None) -> None:
    """Shows a hint in the artist's language in the status bar, or Blender's own text again.

    It does so in every workspace: changing it while a tool runs leaves none behind.
    """
    global _hint
    _hint = None if text is None else iface_(text)
    for workspace in bpy.data.workspaces:
        workspace.status_text_set(_hint)


def show_status_again() -> None:
    """Undo gives Blender workspaces that know nothing of the hint of a tool that goes on."""
    if _hint is not None:
        set_status_text(_hint)
