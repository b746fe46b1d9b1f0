"""Base of the gizmos of conditions and joints: drawing, and the drag."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.types import Gizmo
from mathutils import Matrix, Vector

from ..session.screen import set_status_text
from . import shapes
from .mouse_drag import MouseDrag, Step, nice_step
from .shapes import Triangles
from .units import displayed_unit
from .view import View

__all__ = ["Handle", "Part", "snap_length", "stretched"]

HINT = "Shift: Precise, Ctrl: Snap, Esc/RMB: Cancel"
# With Ctrl held a tip goes in steps of at least this many pixels.
SNAP_PIXELS = 4.0

Shape = Any


@dataclass(frozen=True)
class Part:
    """One shape of a handle in the world: it shows, or it catches the mouse, or both."""

    shape: Shape
    matrix: Matrix
    shows: bool = True
    catches: bool = True


class Handle(Gizmo):
    """Shows one condition, or one joint, of the active object, and sets its `FIELDS` by dragging.

    The group prepares it before each redraw; drawing only draws what was prepared. Subclasses say what it is put
    together from (`compose`), where a drag begins (`grab`), and what a move of the mouse sets (`drag`).
    """

    FIELDS: ClassVar[tuple[str, ...]] = ()
    # The list of the object's settings that the handle is about, and what says which of its entries is chosen.
    ENTRIES: ClassVar[str] = "conditions"
    ACTIVE: ClassVar[str] = "active_condition"

    __slots__ = ("_before", "_drag", "_shapes", "index", "is_faint", "parts")

    def setup(self):
        self.index = -1
        self.is_faint = False
        self.parts: tuple[Part, ...] = ()
        self._drag: MouseDrag | None = None
        if not hasattr(self, "_shapes"):
            self._shapes: dict[str, tuple[Hashable, Shape]] = {}

    # --- for subclasses ---

    def compose(self, view: View, obj: bpy.types.Object, condition) -> Iterable[Part]:
        raise NotImplementedError

    def grab(self, context, view: View, obj: bpy.types.Object, condition, mouse: Vector) -> None:
        """Remember what `drag` counts from."""
        raise NotImplementedError

    def drag(self, context, view: View, obj: bpy.types.Object, condition, step: Step) -> str:
        """Set the fields; returns what the header says about them."""
        raise NotImplementedError

    def let_go(self, context) -> None:
        """After the drag, whether it counts or not."""

    @property
    def is_dragged(self) -> bool:
        return self._drag is not None

    def shape(self, name: str, build: Callable[..., Triangles], *signature) -> Shape:
        """The shape build(*signature), made anew only when the signature changes."""
        known = self._shapes.get(name)
        if known is None or known[0] != signature:
            known = self._shapes[name] = (signature, self.new_custom_shape("TRIS", build(*signature)))
        return known[1]

    def tube_shape(self, name: str, build: Callable[..., Triangles], thickness: float, *signature) -> Shape:
        """The shape build(thickness, *signature), made anew when zooming has changed the thickness by a fifth."""
        return self.shape(name, build, 2.0 ** (round(4.0 * math.log2(thickness)) / 4.0), *signature)

    def ball(self, place: Vector, radius: float, catch_radius: float) -> Iterable[Part]:
        """A ball that shows, in a larger one that catches the mouse."""
        ball, where = self.shape("ball", shapes.ball), Matrix.Translation(place)
        yield Part(ball, where @ Matrix.Scale(radius, 4), catches=False)
        yield Part(ball, where @ Matrix.Scale(catch_radius, 4), shows=False)

    # --- for the group ---

    def prepare(self, context: bpy.types.Context, obj: bpy.types.Object) -> None:
        view = View.of(context)
        self.parts = tuple(self.compose(view, obj, getattr(obj.neurok, self.ENTRIES)[self.index]))

    # --- Blender's calls ---

    def draw(self, _context):
        for part in self.parts:
            if part.shows:
                self.draw_custom_shape(part.shape, matrix=part.matrix)

    def draw_select(self, _context, select_id):
        for part in self.parts:
            if part.catches:
                self.draw_custom_shape(part.shape, matrix=part.matrix, select_id=select_id)

    def _subject(self, context):
        """The object and its condition; None where undo or a script has taken it away."""
        obj = context.active_object
        if obj is None or not 0 <= self.index < len(entries := getattr(obj.neurok, self.ENTRIES)):
            return None
        return obj, entries[self.index]

    def _state(self, obj: bpy.types.Object, condition) -> dict[str, Any]:
        values = {field: getattr(condition, field) for field in self.FIELDS}
        return {field: value if isinstance(value, float) else tuple(value) for field, value in values.items()}

    def invoke(self, context, event):
        subject = self._subject(context)
        if subject is None:
            return {"CANCELLED"}
        obj, condition = subject
        self._before = (getattr(obj.neurok, self.ACTIVE), self._state(obj, condition))
        setattr(obj.neurok, self.ACTIVE, self.index)
        mouse = Vector((event.mouse_region_x, event.mouse_region_y))
        self.grab(context, View.of(context), obj, condition, mouse)
        self._drag = MouseDrag(mouse)
        set_status_text(HINT)
        return {"RUNNING_MODAL"}

    def modal(self, context, event, tweak):
        subject = self._subject(context)
        if subject is None or self._drag is None:
            return {"CANCELLED"}
        obj, condition = subject
        # A key that was held before the button went down is no event of its own.
        precise = event.shift or "PRECISE" in tweak
        snap = event.ctrl or "SNAP" in tweak
        step = self._drag.move(Vector((event.mouse_region_x, event.mouse_region_y)), precise, snap)
        text = self.drag(context, View.of(context), obj, condition, step)
        context.area.header_text_set(f"{condition.name}: {text}")
        _redraw_views(context)
        return {"RUNNING_MODAL"}

    def exit(self, context, cancel):
        self._drag = None
        set_status_text(None)
        context.area.header_text_set(None)
        subject = self._subject(context)
        if subject is not None:
            obj, condition = subject
            active, fields = self._before
            if cancel:
                setattr(obj.neurok, self.ACTIVE, active)
                for field, value in fields.items():
                    setattr(condition, field, value)
            self.let_go(context)
            changed = (active, fields) != (getattr(obj.neurok, self.ACTIVE), self._state(obj, condition))
            if changed and not cancel:
                bpy.ops.ed.undo_push(message=iface_("NeuROK {}").format(condition.name))
        _redraw_views(context)


def snap_length(context: bpy.types.Context, view: View, place: Vector) -> float:
    """A round length in the displayed unit that is some pixels long at `place`, in units of the scene."""
    unit = displayed_unit(context.scene)
    return unit * nice_step(SNAP_PIXELS * view.pixel(place) / unit)


def stretched(place: Vector, direction: Vector, thickness: float, length: float) -> Matrix:
    """Puts the z axis of a shape along `direction` (any length), `length` long and `thickness` thick."""
    along = direction if direction.length > 0.0 else Vector((0.0, 0.0, 1.0))
    turn = along.to_track_quat("Z", "Y").to_matrix().to_4x4()
    return Matrix.Translation(place) @ turn @ Matrix.Diagonal((thickness, thickness, length, 1.0))


def _redraw_views(context: bpy.types.Context) -> None:
    """The sidebar's numbers and the same handles in other views follow, which Blender does not see to by itself."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
