"""Live mode: pull at the object while it is simulated, and record a take."""

from bpy.app.translations import pgettext_data as data_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.types import Operator

from .. import names
from ..errors import Refusal
from ..scene.surface import box_corners, box_size, line_of_sight
from ..session.interactive_session import SessionPhase
from ..session.live_session import Grab, Live
from ..session.screen import set_status_text
from .drag_tool import DragTool
from .feedback import report_refusal
from .view_regions import NAVIGATION, mouse_in, region_under

__all__ = ["CLASSES", "NEUROK_OT_live"]

TICK_SECONDS = 1.0 / 120.0
ANSWER_SECONDS = 0.012  # for which the answer to a move of the mouse is waited for: less than a redraw takes
RADIUS_PART = 0.15  # of the object's size: what follows a pull directly
HINTS = {
    False: "NeuROK Live: LMB Drag: Pull, R: Record, Enter/Esc: Exit",
    True: "NeuROK Live, recording: LMB Drag: Pull, R: Restart, Enter: Keep Take, Esc: Discard Take",
}


class NEUROK_OT_live(DragTool, Operator):
    """Pull at the object and see it answer at once; record what happens to the timeline"""

    bl_idname = names.Operator.LIVE
    bl_label = "Live"

    def invoke(self, context, event):
        obj = context.active_object
        try:
            self._live = Live(context, obj)
        except Refusal as refusal:
            return report_refusal(self, refusal)
        self._radius = RADIUS_PART * box_size(obj, box_corners(obj))
        self._stage = ""
        return self._enter(context, TICK_SECONDS)

    def modal(self, context, event):
        live = self._live
        if live.interactive.phase is SessionPhase.ENDED:
            return self._ended(context)
        if event.type == "ESC" and event.value == "PRESS":
            live.interactive.end()
            return self._ended(context)
        if event.type in {"RET", "NUMPAD_ENTER"} and event.value == "PRESS":
            return self._finish(context)
        if event.type == "R" and event.value == "PRESS" and live.is_ready:
            live.record()
        elif event.type == "LEFTMOUSE":
            if not self._click(context, event):
                return {"PASS_THROUGH"}
        elif event.type == "MOUSEMOVE":
            self._drag(event)
        elif event.type in NAVIGATION:
            return {"PASS_THROUGH"}
        moved = live.tick(ANSWER_SECONDS if event.type == "MOUSEMOVE" and self._hold is not None else 0.0)
        self._tell(context, moved)
        return {"RUNNING_MODAL"}

    def cancel(self, context):
        """Blender ends the operator itself, as it does when another file is opened."""
        self._live.interactive.end()
        self._leave(context)

    def _click(self, context, event) -> bool:
        """Press grabs the surface under the mouse, release lets go; false for events that are passed on."""
        if event.value == "RELEASE":
            self._hold = self._live.grab = None
            self._line.hide()
            return True
        region = region_under(self._area, event)
        if region is None or region.type != "WINDOW":
            return False
        obj = self._live.interactive.object
        if event.value != "PRESS" or obj is None or not self._live.is_ready:
            return True
        view = self._area.spaces.active.region_3d
        sight = line_of_sight(region, view, mouse_in(region, event))
        self._hold, self._region = self._live.interactive.hold_under(*sight), region
        if self._hold is not None:
            drawn = self._hold.on(self._live.interactive.snapshot.world)
            self._live.grab = Grab(drawn, self._hold.place.copy(), self._radius)
        return True

    def _drag(self, event) -> None:
        if self._hold is None or self._live.grab is None:
            return
        target = self._target(event)
        self._live.grab.target = target
        self._line.show(self._hold, self._live.interactive, target)

    def _tell(self, context, moved: bool) -> None:
        """The status bar, and a redraw where there is something new to see."""
        live = self._live
        if moved:
            self._area.tag_redraw()
        frames = f" ({live.recorded_frames})" if live.is_recording else ""
        working = rpt_("Preparing Live...")
        text = rpt_(HINTS[live.is_recording]) + frames if live.is_ready else working
        if text != self._stage:
            self._stage = text
            set_status_text(text)

    def _finish(self, context):
        take = self._live.take()
        if take is None:
            self._live.interactive.end()
            return self._ended(context)
        message = rpt_("Recorded {} frames, ready to bake.").format(take.frame_count)
        return self._keep(context, self._live.interactive, take, data_("Recording"), message)

    def _ended(self, context):
        interactive = self._live.interactive
        self._leave(context)
        self._tell_why(interactive)
        return {"CANCELLED"}


CLASSES = (NEUROK_OT_live,)
