"""An arrow whose tip can be dragged: direction and length are a speed."""

import math

import bpy
from bpy.types import Gizmo
from bpy_extras import view3d_utils
from mathutils import Matrix, Vector

from .. import names
from .conditions import ARROW_SECONDS, arrow_base, arrow_tip, read_speed, write_speed

__all__ = ["CLASSES", "NEUROK_GT_arrow"]

SIDES = 12
# Sizes in pixels at interface scale 1; the grip is the invisible ball around the tip that takes the mouse.
SHAFT_PIXELS, TIP_PIXELS, GRIP_PIXELS = 1.5, 7.0, 14.0
# The cone's length as a multiple of its radius.
CONE_LENGTH = 3.0
# With Ctrl held a speed goes in steps of this, m/s; with Shift the tip follows this much of the mouse.
SNAP_SPEED = 0.1
PRECISE = 0.1


def _ring(radius: float, height: float) -> list[tuple[float, float, float]]:
    angles = (2.0 * math.pi * side / SIDES for side in range(SIDES + 1))
    return [(radius * math.cos(angle), radius * math.sin(angle), height) for angle in angles]


def _cylinder() -> list[tuple[float, float, float]]:
    """Triangles of a cylinder of radius 1 from z = 0 to z = 1."""
    low, high = _ring(1.0, 0.0), _ring(1.0, 1.0)
    triangles = []
    for side in range(SIDES):
        triangles += [low[side], low[side + 1], high[side + 1], low[side], high[side + 1], high[side]]
    return triangles


def _cone() -> list[tuple[float, float, float]]:
    """Triangles of a cone of radius 1 whose point is at the origin and whose foot is at z = -CONE_LENGTH."""
    foot = _ring(1.0, -CONE_LENGTH)
    triangles = []
    for side in range(SIDES):
        triangles += [foot[side], foot[side + 1], (0.0, 0.0, 0.0)]
        triangles += [foot[side + 1], foot[side], (0.0, 0.0, -CONE_LENGTH)]
    return triangles


def _ball() -> list[tuple[float, float, float]]:
    """Triangles of an octahedron of radius 1: enough to catch the mouse."""
    ends = [Vector(axis) * sign for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)) for sign in (1, -1)]
    triangles = []
    for x in ends[0:2]:
        for y in ends[2:4]:
            for z in ends[4:6]:
                triangles += [tuple(x), tuple(y), tuple(z)]
    return triangles


def pixel_size(context: bpy.types.Context, place: Vector) -> float:
    """How long a pixel is at `place`, in metres of the world."""
    view, region = context.region_data, context.region
    depth = (view.perspective_matrix @ place.to_4d()).w
    return 2.0 * depth / (region.width * view.window_matrix[0][0])


class NEUROK_GT_arrow(Gizmo):
    """Shows one condition of the active object, the one with the index `condition`."""

    bl_idname = names.GizmoGroup.ARROW

    __slots__ = ("_first_mouse", "_first_speed", "_first_tip", "condition", "pixel", "shapes")

    def setup(self):
        self.condition = -1
        self.pixel = 0.0
        if not hasattr(self, "shapes"):
            self.shapes = tuple(self.new_custom_shape("TRIS", shape) for shape in (_cylinder(), _cone(), _ball()))

    def _subject(self, context):
        """The object and its condition; None where undo or a script has taken it away."""
        obj = context.active_object
        if obj is None or not 0 <= self.condition < len(obj.neurok.conditions):
            return None
        return obj, obj.neurok.conditions[self.condition]

    def _draw(self, context, select_id):
        subject = self._subject(context)
        if subject is None:
            return
        obj, condition = subject
        speed = read_speed(obj, condition)
        base = arrow_base(obj, condition)
        tip = arrow_tip(obj, condition)
        turn = (speed if speed.length > 0.0 else Vector((0.0, 0.0, 1.0))).to_track_quat("Z", "Y").to_matrix().to_4x4()
        if select_id is None:
            # While Blender picks, the view is narrowed to the mouse and would give another size.
            self.pixel = pixel_size(context, tip) * context.preferences.system.ui_scale
        shaft, cone, ball = self.shapes
        length = max((tip - base).length - CONE_LENGTH * TIP_PIXELS * self.pixel, 0.0)
        thick = SHAFT_PIXELS * self.pixel
        self.draw_custom_shape(
            shaft,
            matrix=Matrix.Translation(base) @ turn @ Matrix.Diagonal((thick, thick, length, 1.0)),
            select_id=select_id,
        )
        head = Matrix.Translation(tip) @ turn
        self.draw_custom_shape(cone, matrix=head @ Matrix.Scale(TIP_PIXELS * self.pixel, 4), select_id=select_id)
        if select_id is not None:
            self.draw_custom_shape(ball, matrix=head @ Matrix.Scale(GRIP_PIXELS * self.pixel, 4), select_id=select_id)

    def draw(self, context):
        self._draw(context, None)

    def draw_select(self, context, select_id):
        self._draw(context, select_id)

    def invoke(self, context, event):
        subject = self._subject(context)
        if subject is None:
            return {"CANCELLED"}
        obj, condition = subject
        obj.neurok.active_condition = self.condition
        self._first_speed = read_speed(obj, condition)
        self._first_tip = arrow_tip(obj, condition)
        self._first_mouse = Vector((event.mouse_region_x, event.mouse_region_y))
        return {"RUNNING_MODAL"}

    def modal(self, context, event, tweak):
        subject = self._subject(context)
        if subject is None:
            return {"CANCELLED"}
        obj, condition = subject
        mouse = Vector((event.mouse_region_x, event.mouse_region_y))
        if "PRECISE" in tweak:
            mouse = self._first_mouse + PRECISE * (mouse - self._first_mouse)
        # The tip moves in the plane through where it was that faces the view.
        moved = self._in_view_plane(context, mouse) - self._in_view_plane(context, self._first_mouse)
        speed = self._first_speed + moved / ARROW_SECONDS
        if "SNAP" in tweak and speed.length > 0.0:
            speed = speed.normalized() * round(speed.length / SNAP_SPEED) * SNAP_SPEED
        write_speed(obj, condition, speed)
        context.area.header_text_set(f"{condition.name}: {speed.length:.2f} m/s")
        context.area.tag_redraw()  # the sidebar's numbers follow, which Blender does not see to by itself
        return {"RUNNING_MODAL"}

    def _in_view_plane(self, context, mouse: Vector) -> Vector:
        return view3d_utils.region_2d_to_location_3d(context.region, context.region_data, mouse, self._first_tip)

    def exit(self, context, cancel):
        context.area.header_text_set(None)
        context.area.tag_redraw()
        subject = self._subject(context)
        if subject is None:
            return
        obj, condition = subject
        if cancel:
            write_speed(obj, condition, self._first_speed)
        else:
            bpy.ops.ed.undo_push(message=f"NeuROK {condition.name}")


CLASSES = (NEUROK_GT_arrow,)
