"""An arrow whose tip can be dragged: direction and length are a speed."""

from mathutils import Matrix, Vector

from .. import names
from . import shapes
from .condition_places import ARROW_FIELDS, arrow_axes, arrow_base, arrow_seconds, read_speed
from .handle import Handle, Part, snap_length, stretched
from .units import speed_text

__all__ = ["CLASSES", "NEUROK_GT_arrow"]

# Sizes in pixels at interface scale 1; the grip is the invisible ball around the tip that takes the mouse.
SHAFT_PIXELS, TIP_PIXELS, GRIP_PIXELS = 1.5, 7.0, 14.0
# A condition that is not chosen shows a smaller tip.
FAINT_PART = 0.7
# With Ctrl held, a direction so near to one of the world's axes (cosine) becomes that axis.
AXIS_COSINE = 0.985


class NEUROK_GT_arrow(Handle):
    bl_idname = names.GizmoGroup.ARROW

    FIELDS = tuple(ARROW_FIELDS.values())  # a condition has only one of them

    __slots__ = ("_base", "_first_hit", "_first_speed", "_first_tip")

    def compose(self, view, obj, condition):
        speed = read_speed(obj, condition)
        # The wind's base goes along with its direction: it moves there after the drag, or the tip left the mouse.
        base = self._base if self.is_dragged else arrow_base(obj, condition)
        tip = base + speed * arrow_seconds(condition)
        pixel = view.pixel(tip) * (FAINT_PART if self.is_faint else 1.0)
        length = max((tip - base).length - shapes.CONE_LENGTH * TIP_PIXELS * pixel, 0.0)
        shaft = self.shape("shaft", shapes.cylinder)
        yield Part(shaft, stretched(base, speed, SHAFT_PIXELS * pixel, length), catches=False)
        yield Part(self.shape("cone", shapes.cone), stretched(tip, speed, TIP_PIXELS * pixel, TIP_PIXELS * pixel))
        grip = Matrix.Translation(tip) @ Matrix.Scale(GRIP_PIXELS * pixel, 4)
        yield Part(self.shape("ball", shapes.ball), grip, shows=False)

    def grab(self, context, view, obj, condition, mouse):
        self._base = arrow_base(obj, condition)
        self._first_speed = read_speed(obj, condition)
        self._first_tip = self._base + self._first_speed * arrow_seconds(condition)
        self._first_hit = view.across(mouse, self._first_tip)

    def drag(self, context, view, obj, condition, step):
        # The tip moves in the plane through where it was that faces the view.
        moved = view.across(step.position, self._first_tip) - self._first_hit
        speed = self._first_speed + moved / arrow_seconds(condition)
        if step.snap and speed.length > 0.0:
            length = snap_length(context, view, self._first_tip) / arrow_seconds(condition)
            speed = _snapped_direction(speed) * step.snapped(speed.length, length)
        setattr(condition, ARROW_FIELDS[condition.kind], arrow_axes(obj, condition).inverted() @ speed)
        return speed_text(context.scene, speed.length)


def _snapped_direction(speed: Vector) -> Vector:
    """The unit direction of a speed, or the world's axis that it nearly is."""
    direction = speed.normalized()
    axis = max(range(3), key=lambda number: abs(direction[number]))
    if abs(direction[axis]) < AXIS_COSINE:
        return direction
    snapped = Vector((0.0, 0.0, 0.0))
    snapped[axis] = 1.0 if direction[axis] > 0.0 else -1.0
    return snapped


CLASSES = (NEUROK_GT_arrow,)
