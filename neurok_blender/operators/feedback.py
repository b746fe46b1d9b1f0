"""Polls, reports and redraws that operators share."""

from __future__ import annotations

import bpy

from ..backend.texts import Text
from ..errors import Refusal
from ..session.backend_text import backend_report
from ..session.state import Notice, session

__all__ = [
    "RedrawPace",
    "has_mesh",
    "has_mesh_in_object_mode",
    "has_view",
    "is_idle",
    "is_moved",
    "report_error",
    "report_refusal",
]


# Faster redraws show no difference.
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


WORK = {
    "simulation": "A simulation is running; cancel it first",
    "interactive": "An object is moved by hand; press Esc in the 3D view, or end posing, first",
    "bake": "A motion is being baked; wait for its end, or press Esc",
    "pointmap": "A pointmap is being made; wait for its end, or press Esc",
    "one_shot": "Joints are being worked on; wait for the end, or press Esc",
}
"""Each kind of work of the session, and the reason that it gives in the polls of others."""


def is_idle(operator: type[bpy.types.Operator]) -> bool:
    """For the `poll` of operators that cannot begin while meshes are moved; gives the reason."""
    for name in WORK:
        if getattr(session, name) is not None:
            operator.poll_message_set(WORK[name])
            return False
    return True


def has_mesh(operator: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """For the `poll` of operators on the active mesh object in any mode."""
    obj = context.active_object
    if obj is None or obj.type != "MESH" or obj.library is not None:
        operator.poll_message_set("Needs an active mesh object")
        return False
    return True


def has_mesh_in_object_mode(operator: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """The same for what needs object mode."""
    obj = context.active_object
    if obj is None or obj.type != "MESH" or obj.library is not None or obj.mode != "OBJECT":
        operator.poll_message_set("Needs an active mesh object in object mode")
        return False
    return True


def has_view(operator: type[bpy.types.Operator], context: bpy.types.Context, reason: str) -> bool:
    """For the `poll` of operators that use the mouse in a 3D view."""
    if context.area is None or context.area.type != "VIEW_3D":
        operator.poll_message_set(reason)
        return False
    return True


def is_moved(obj: bpy.types.Object) -> bool:
    """Whether this object is the one that is moved by hand."""
    return session.interactive is not None and session.interactive.object_uid == obj.session_uid


def report_error(operator: bpy.types.Operator, message: Text | str, remedy: Text | str) -> None:
    """Says both sentences in the status bar, in the artist's language."""
    operator.report({"ERROR"}, " ".join(backend_report(sentence) for sentence in (message, remedy) if sentence))


def report_refusal(operator: bpy.types.Operator, refusal: Refusal) -> set[str]:
    """Says a refusal in the status bar and keeps it in the panel; returns what the operator returns then."""
    session.notice = Notice(refusal.message, refusal.remedy, bad=True)
    report_error(operator, refusal.message, refusal.remedy)
    return {"CANCELLED"}
