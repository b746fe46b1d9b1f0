"""Telling the artist: reports, the status bar, the panel; and not more often than Blender can draw."""

from __future__ import annotations

import bpy

from ..errors import Refusal
from ..session.backend_text import backend_report
from ..session.state import Notice, session

__all__ = [
    "RedrawPace",
    "is_idle",
    "is_moved",
    "report_error",
    "report_refusal",
]


# Smoother than this nobody sees.
FASTEST_SECONDS = 1.0 / 30.0


class RedrawPace:
    """Leaves at least as much time between redraws as they take, so that the backend gets its share of the machine."""

    def __init__(self) -> None:
        self._last_tick = 0.0
        self._next_redraw = 0.0
        self._drawing = False

    def is_time(self, now: float) -> bool:
        """Called at each tick with its time in seconds; true where a change may be shown."""
        if self._drawing:
            # The tick after a redraw comes late by as long as it took.
            self._next_redraw = now + max(FASTEST_SECONDS, now - self._last_tick)
            self._drawing = False
        self._last_tick = now
        return now >= self._next_redraw

    def redrawn(self) -> None:
        """Something was shown at this tick."""
        self._drawing = True


def is_idle(operator: type[bpy.types.Operator]) -> bool:
    """For the `poll` of what cannot begin while meshes are moved; says why where it may not."""
    if session.simulation is not None:
        operator.poll_message_set("A simulation is running; cancel it first")
        return False
    if session.interactive is not None:
        operator.poll_message_set("An object is moved by hand; press Esc in the 3D view, or end posing, first")
        return False
    if session.bake is not None:
        operator.poll_message_set("A motion is being baked; wait for its end, or press Esc")
        return False
    if session.pointmap is not None:
        operator.poll_message_set("A pointmap is being made; wait for its end, or press Esc")
        return False
    if session.one_shot is not None:
        operator.poll_message_set("Joints are being worked on; wait for the end, or press Esc")
        return False
    return True


def is_moved(obj: bpy.types.Object) -> bool:
    """Whether this object is the one that is moved by hand."""
    return session.interactive is not None and session.interactive.object_uid == obj.session_uid


def report_error(operator: bpy.types.Operator, message: str, remedy: str) -> None:
    """Says both sentences in the status bar, in the artist's language."""
    operator.report({"ERROR"}, " ".join(backend_report(sentence) for sentence in (message, remedy) if sentence))


def report_refusal(operator: bpy.types.Operator, refusal: Refusal) -> None:
    """Says a refusal in the status bar and keeps it in the panel."""
    session.notice = Notice(refusal.message, refusal.remedy, bad=True)
    report_error(operator, refusal.message, refusal.remedy)
