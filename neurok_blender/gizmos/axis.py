"""A grip on a dial's axis: dragged over a ball around the object, it turns the axis and keeps the spin."""

import itertools

from mathutils import Vector

from .. import names
from . import shapes
from .condition_places import dial_axis, dial_radius, middle
from .handle import Handle, Part, stretched

__all__ = ["CLASSES", "NEUROK_GT_axis", "nearest_direction"]

LINE_PIXELS, BALL_PIXELS, CATCH_PIXELS = 1.0, 5.0, 10.0
# How far from the middle the grip is, in radii of the dial.
REACH = 1.3

# With Ctrl held: along the world's axes, and half and a third way between them.
DIRECTIONS = tuple(
    Vector(direction).normalized() for direction in itertools.product((-1, 0, 1), repeat=3) if any(direction)
)


class NEUROK_GT_axis(Handle):
    bl_idname = names.GizmoGroup.AXIS

    FIELDS = ("angular",)

    __slots__ = ("_is_behind", "_offset", "_reach", "_spin")

    def compose(self, view, obj, condition):
        place, axis = middle(obj), dial_axis(condition)
        reach = self._reach if self.is_dragged else REACH * dial_radius(view, obj)
        end = place + axis * reach
        pixel = view.pixel(end)
        line = stretched(place, axis, LINE_PIXELS * pixel, reach)
        yield Part(self.shape("line", shapes.cylinder), line, catches=False)
        yield from self.ball(end, BALL_PIXELS * pixel, CATCH_PIXELS * pixel)

    def grab(self, context, view, obj, condition, mouse):
        place, axis = middle(obj), dial_axis(condition)
        self._reach = REACH * dial_radius(view, obj)
        self._spin = Vector(condition.angular).length
        self._is_behind = view.towards_viewer(place).dot(axis) < 0.0
        seen = view.project(place + axis * self._reach)
        self._offset = seen - mouse if seen is not None else Vector((0.0, 0.0))

    def drag(self, context, view, obj, condition, step):
        direction = view.on_ball(step.position + self._offset, middle(obj), self._reach, self._is_behind)
        if step.snap:
            direction = nearest_direction(direction)
        condition.angular = direction * self._spin
        return ", ".join(f"{name} {value:.2f}" for name, value in zip("XYZ", direction, strict=True))


def nearest_direction(direction: Vector) -> Vector:
    return max(DIRECTIONS, key=direction.dot)


CLASSES = (NEUROK_GT_axis,)
