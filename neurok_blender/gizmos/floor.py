"""A square under the object with an arrow up and down at its front: the height of the ground."""

from mathutils import Matrix, Vector

from .. import names
from . import shapes
from .condition_places import ground_place, rest_size
from .handle import Handle, Part, snap_length, stretched
from .units import length_text

__all__ = ["CLASSES", "NEUROK_GT_floor"]

LINE_PIXELS, EDGE_CATCH_PIXELS = 1.5, 6.0
SHAFT_PIXELS, TIP_PIXELS, CATCH_PIXELS = 1.5, 7.0, 12.0
# From the square to the point of either tip.
REACH_PIXELS = 42.0
# Half a side of the square, in the object's size.
HALF_SIDE = 0.65

UP, DOWN = Vector((0.0, 0.0, 1.0)), Vector((0.0, 0.0, -1.0))


class NEUROK_GT_floor(Handle):
    bl_idname = names.GizmoGroup.FLOOR

    FIELDS = ("height",)

    __slots__ = ("_first_height", "_first_reach")

    def compose(self, view, obj, condition):
        front = self._front(obj, condition)
        pixel = view.pixel(front)
        if not self.is_faint:
            half = HALF_SIDE * rest_size(obj)
            where = Matrix.Translation(ground_place(obj, condition)) @ Matrix.Scale(half, 4)
            yield Part(self.tube_shape("line", shapes.square, LINE_PIXELS * pixel / half), where, catches=False)
            yield Part(self.tube_shape("edge", shapes.square, EDGE_CATCH_PIXELS * pixel / half), where, shows=False)
        cone, ball = self.shape("cone", shapes.cone), self.shape("ball", shapes.ball)
        shaft = self.shape("shaft", shapes.cylinder)
        for direction in (UP, DOWN):
            tip = front + direction * REACH_PIXELS * pixel
            length = (REACH_PIXELS - shapes.CONE_LENGTH * TIP_PIXELS) * pixel
            yield Part(shaft, stretched(front, direction, SHAFT_PIXELS * pixel, length), catches=False)
            yield Part(cone, stretched(tip, direction, TIP_PIXELS * pixel, TIP_PIXELS * pixel))
            grip = tip - direction * TIP_PIXELS * pixel
            yield Part(ball, Matrix.Translation(grip) @ Matrix.Scale(CATCH_PIXELS * pixel, 4), shows=False)

    def grab(self, context, view, obj, condition, mouse):
        self._first_height = condition.height
        self._first_reach = view.along(mouse, self._front(obj, condition), UP)

    def drag(self, context, view, obj, condition, step):
        front = self._front(obj, condition)
        front.z = self._first_height
        height = self._first_height + view.along(step.position, front, UP) - self._first_reach
        condition.height = step.snapped(height, snap_length(context, view, front))
        return length_text(context.scene, condition.height)

    def _front(self, obj, condition) -> Vector:
        """The middle of the square's side towards the front view, where the object does not hide it."""
        return ground_place(obj, condition) - Vector((0.0, HALF_SIDE * rest_size(obj), 0.0))


CLASSES = (NEUROK_GT_floor,)
