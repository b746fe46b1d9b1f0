"""Paint the vertices of a pin with a round brush."""

import time
from collections import deque

import bpy
import numpy as np
from bpy.props import IntProperty
from bpy.types import Operator

from .. import names
from ..errors import Refusal
from ..scene.brush_view import BrushSurface, BrushView, Camera
from ..scene.painted_group import painted_vertices, write_painted
from ..scene.takes import find_by_uid
from ..session.screen import redraw_sidebars, set_status_text
from ..session.state import session
from .brush_drawing import BrushDrawing
from .feedback import has_mesh_in_object_mode, has_view, is_idle, report_refusal
from .view_regions import NAVIGATION, region_under

__all__ = ["CLASSES", "NEUROK_OT_pin_brush", "is_painting"]

HINT = (
    "NeuROK: LMB: Paint, Ctrl/Shift: Erase, F, [ ] or Ctrl Wheel: Radius, Ctrl Z: Undo Stroke, Enter: Confirm, "
    "Esc/RMB: Cancel"
)
SIZING_HINT = "NeuROK: Move: Radius, LMB: Confirm, Esc/RMB: Cancel"
TICK_SECONDS, BUDGET_SECONDS = 0.05, 0.01
RADIUS_STEP = 1.2
LEAST_RADIUS, MOST_RADIUS = 2, 1000
MOST_STROKES = 32  # that can be taken back
KINDS = ("PIN", "FOLLOW")


def is_painting() -> bool:
    """Whether the brush is at work."""
    return NEUROK_OT_pin_brush.running is not None


class NEUROK_OT_pin_brush(Operator):
    """Paint the vertices that are held; press it again or Enter when done"""

    bl_idname = names.Operator.PIN_BRUSH
    bl_label = "Paint Pin"
    bl_options = {"UNDO"}

    radius: IntProperty(
        name="Radius",
        description="Radius of the brush on the screen",
        subtype="PIXEL",
        default=40,
        min=LEAST_RADIUS,
        max=MOST_RADIUS,
    )

    # The one that is at work, so that its button can end it. Not annotated: Blender reads the annotations of an
    # operator, and as a module it does not end after one that is no property.
    running = None

    @classmethod
    def poll(cls, context):
        if not has_mesh_in_object_mode(cls, context):
            return False
        settings = context.active_object.neurok
        number = settings.active_condition
        if not 0 <= number < len(settings.conditions) or settings.conditions[number].kind not in KINDS:
            cls.poll_message_set("Choose a pin or a follower in the list of conditions first")
            return False
        return is_idle(cls) and has_view(cls, context, "Needs a 3D view to paint in; scripts fill a vertex group")

    def invoke(self, context, event):
        tool = type(self)
        if tool.running is not None:
            tool.running._finish_requested = True
            return {"CANCELLED"}
        obj = context.active_object
        session.show_originals()  # one paints the shape that the simulation starts from
        context.view_layer.update()
        try:
            self._surface = BrushSurface.of(context, obj)
        except Refusal as refusal:
            session.show_takes(context.scene.frame_current)
            return report_refusal(self, refusal)
        self._area, self._uid = context.area, obj.session_uid
        self._number = obj.neurok.active_condition
        self._name = obj.neurok.conditions[self._number].name
        self._painted = np.zeros(len(self._surface.positions), dtype=bool)
        self._loading = painted_vertices(obj, obj.neurok.conditions[self._number])
        self._view: BrushView | None = None
        self._before: deque[np.ndarray] = deque(maxlen=MOST_STROKES)
        self._last: tuple[float, float] | None = None
        self._erases = False
        self._sizing: tuple[float, float, int] | None = None
        self._finish_requested = False
        self._drawing = BrushDrawing()
        self._drawing.begin()
        self._timer = context.window_manager.event_timer_add(TICK_SECONDS, window=context.window)
        context.window.cursor_modal_set("PAINT_CROSS")
        context.window_manager.modal_handler_add(self)
        tool.running = self
        set_status_text(HINT)
        self._load()
        self._area.tag_redraw()
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        condition = self._condition
        if condition is None:  # deleted, or undone
            self.cancel(context)
            return {"CANCELLED"}
        if event.type == "TIMER":
            self._load()
            return self._finish(context) if self._finish_requested else {"PASS_THROUGH"}
        region = region_under(self._area, event)
        inside = region is not None and region.type == "WINDOW"
        if self._sizing is not None:
            return self._size(event)
        if self._last is not None:
            return self._stroke(event)
        if event.value == "PRESS":
            if event.type in {"ESC", "RIGHTMOUSE"}:
                self.cancel(context)
                return {"CANCELLED"}
            if event.type in {"RET", "NUMPAD_ENTER"}:
                return self._finish(context)
        if not inside:
            self._drawing.region = None
            self._area.tag_redraw()
            return {"PASS_THROUGH"}  # buttons work
        self._point_at(region, event)
        if event.type == "MOUSEMOVE":
            return {"PASS_THROUGH"}
        if event.value == "PRESS" and self._press(region, event):
            return {"RUNNING_MODAL"}
        navigates = event.type in NAVIGATION or event.type.startswith("NUMPAD_")
        return {"PASS_THROUGH"} if navigates else {"RUNNING_MODAL"}

    def cancel(self, context):
        """Nothing was written yet, so all is as before."""
        type(self).running = None
        self._drawing.end()
        context.window_manager.event_timer_remove(self._timer)
        context.window.cursor_modal_restore()
        set_status_text(None)
        session.show_takes(context.scene.frame_current)
        redraw_sidebars()
        self._area.tag_redraw()

    @property
    def _object(self) -> bpy.types.Object | None:
        return find_by_uid(bpy.data.objects, self._uid)

    @property
    def _condition(self):
        """The condition that is painted, while it is there."""
        obj = self._object
        if obj is None or obj.mode != "OBJECT" or len(obj.data.vertices) != len(self._painted):
            return None
        conditions = obj.neurok.conditions
        there = self._number < len(conditions) and conditions[self._number].name == self._name
        return conditions[self._number] if there and conditions[self._number].kind in KINDS else None

    def _load(self) -> None:
        """Reads the painted weights for a while; strokes wait for it."""
        until = time.monotonic() + BUDGET_SECONDS
        while self._loading is not None and time.monotonic() < until:
            try:
                next(self._loading)
            except StopIteration as end:
                self._loading = None
                self._painted = end.value
                self._show()

    def _finish(self, context):
        if self._loading is None:
            write_painted(self._object, self._condition, self._painted)
        self.cancel(context)
        return {"FINISHED"}

    def _point_at(self, region, event) -> None:
        drawing = self._drawing
        drawing.region, drawing.radius = region, self.radius
        drawing.centre = (event.mouse_x - region.x, event.mouse_y - region.y)
        drawing.erases = event.ctrl or event.shift
        self._area.tag_redraw()

    def _press(self, region, event) -> bool:
        """Whether the event was for the brush."""
        if event.type == "LEFTMOUSE":
            if self._loading is None:
                self._before.append(self._painted.copy())
                self._region, self._erases, self._last = region, event.ctrl or event.shift, self._drawing.centre
                self._touch(self._last)
        elif event.type == "Z" and event.ctrl:
            if self._before:
                self._painted = self._before.pop()
                self._show()
        elif event.type == "F":
            x, y = self._drawing.centre
            self._sizing = (x - self.radius, y, self.radius)
            self._region = region
            set_status_text(SIZING_HINT)
        elif event.type == "LEFT_BRACKET" or (event.type == "WHEELDOWNMOUSE" and event.ctrl):
            self._resize(self.radius / RADIUS_STEP)
        elif event.type == "RIGHT_BRACKET" or (event.type == "WHEELUPMOUSE" and event.ctrl):
            self._resize(self.radius * RADIUS_STEP)
        else:
            return False
        return True

    def _resize(self, radius: float) -> None:
        self.radius = min(max(round(radius), LEAST_RADIUS), MOST_RADIUS)
        self._drawing.radius = self.radius
        self._area.tag_redraw()

    def _size(self, event):
        """While F changes the radius: the circle stays, and its rim is where the mouse is."""
        x, y, first = self._sizing
        if event.type == "MOUSEMOVE":
            place = (event.mouse_x - self._region.x, event.mouse_y - self._region.y)
            self._drawing.centre = (x, y)
            self._resize(np.hypot(place[0] - x, place[1] - y))
        elif event.value == "PRESS" and event.type in {"ESC", "RIGHTMOUSE", "LEFTMOUSE", "RET", "NUMPAD_ENTER", "F"}:
            if event.type in {"ESC", "RIGHTMOUSE"}:
                self._resize(first)
            self._sizing = None
            set_status_text(HINT)
        return {"RUNNING_MODAL"}

    def _stroke(self, event):
        """While the mouse button is down."""
        if event.type == "MOUSEMOVE":
            self._drawing.centre = (event.mouse_x - self._region.x, event.mouse_y - self._region.y)
            self._touch(self._drawing.centre)
        elif event.type == "LEFTMOUSE" and event.value == "RELEASE":
            self._last = None
        elif event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            self._last, self._painted = None, self._before.pop()
            self._show()
        return {"RUNNING_MODAL"}

    def _touch(self, place: tuple[float, float]) -> None:
        """Paints or erases from where the mouse was to where it is."""
        camera = Camera.of(self._region, self._region.data)
        if self._view is None or self._view.camera != camera:
            self._view = BrushView(self._surface, camera)
        self._painted[self._view.touched(self._last, place, self.radius)] = not self._erases
        self._last = place
        self._show()

    def _show(self) -> None:
        self._drawing.show(self._surface.positions[self._painted])
        self._area.tag_redraw()


CLASSES = (NEUROK_OT_pin_brush,)
