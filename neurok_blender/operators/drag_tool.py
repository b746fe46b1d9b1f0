"""Base of the modal tools that drag an object in the 3D view."""

from __future__ import annotations

import bpy
from mathutils import Vector

from ..scene.surface_picking import Hold, in_view_plane
from ..scene.takes import SceneTake
from ..session.interactive_session import InteractiveSession
from ..session.screen import redraw_sidebars, set_status_text
from ..session.state import Notice, session
from .feedback import has_view, is_idle, report_error
from .pull_line import PullLine
from .view_regions import mouse_in

__all__ = ["DragTool"]


class DragTool:
    """Mix-in: a timer, a line from the held point to the mouse, and a session that may end by itself."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        obj = context.active_object
        if obj is None or obj.type != "MESH":
            cls.poll_message_set("Needs an active mesh object")
            return False
        return has_view(cls, context, "Needs a 3D view to drag in") and is_idle(cls)

    def _enter(self, context: bpy.types.Context, tick_seconds: float) -> set[str]:
        session.notice = Notice()
        self._area = context.area
        self._region: bpy.types.Region | None = None
        self._hold: Hold | None = None
        self._line = PullLine()
        self._timer = context.window_manager.event_timer_add(tick_seconds, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def _target(self, event: bpy.types.Event) -> Vector:
        """The place under the mouse in the plane through the held point that faces the view."""
        view = self._area.spaces.active.region_3d
        return in_view_plane(self._region, view, mouse_in(self._region, event), self._hold.place)

    def _keep(
        self, context: bpy.types.Context, interactive: InteractiveSession, take: SceneTake, name: str, message: str
    ) -> set[str]:
        """Ends with a take of that name, and reports it."""
        interactive.keep(take, name)
        session.notice = Notice(message)
        self._leave(context)
        self.report({"INFO"}, message)
        return {"FINISHED"}

    def _tell_why(self, interactive: InteractiveSession) -> None:
        """The session has ended, and not by the artist's will."""
        if interactive.message:
            session.notice = Notice(interactive.message, interactive.remedy, bad=True)
            report_error(self, interactive.message, interactive.remedy)

    def _leave(self, context: bpy.types.Context) -> None:
        self._line.remove()
        context.window_manager.event_timer_remove(self._timer)
        set_status_text(None)
        redraw_sidebars()
        self._area.tag_redraw()
