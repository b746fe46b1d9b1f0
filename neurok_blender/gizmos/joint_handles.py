"""The handles that correct the active joint: a ball at its pivot, and one at the end of its axis."""

from __future__ import annotations

from mathutils import Vector

from .. import names
from . import shapes
from .axis import nearest_direction
from .handle import Handle, Part, stretched
from .joint_places import joint_axis, joint_place, joint_reach, set_joint_axis, set_joint_place
from .units import length_text

__all__ = [
    "CATCH_PIXELS",
    "CLASSES",
    "LINE_PIXELS",
    "JointHandle",
    "NEUROK_GT_joint_axis",
    "NEUROK_GT_joint_pivot",
]

LINE_PIXELS, BALL_PIXELS, CATCH_PIXELS = 1.5, 5.0, 10.0
AXIS_REACH = 1.35  # of the dial's radius: where the axis' ball is


class JointHandle(Handle):
    """Shows one joint of the active object."""

    ENTRIES = "joints"
    ACTIVE = "active_joint"


class NEUROK_GT_joint_pivot(JointHandle):
    """A ball at the pivot; dragged in the plane that faces the view, with Ctrl from vertex to vertex."""

    bl_idname = names.GizmoGroup.JOINT_PIVOT

    FIELDS = ("origin",)

    __slots__ = ("_first", "_hit")

    def compose(self, view, obj, joint):
        place = joint_place(obj, joint)
        pixel = view.pixel(place)
        yield from self.ball(place, BALL_PIXELS * pixel, CATCH_PIXELS * pixel)

    def grab(self, context, view, obj, joint, mouse):
        self._first = joint_place(obj, joint)
        self._hit = view.across(mouse, self._first)

    def drag(self, context, view, obj, joint, step):
        place = self._first + view.across(step.position, self._first) - self._hit
        if step.snap:
            place = _vertex_seen(view, obj, place)
        set_joint_place(obj, joint, place)
        return ", ".join(
            f"{axis} {length_text(context.scene, value)}" for axis, value in zip("XYZ", joint.origin, strict=True)
        )


def _vertex_seen(view, obj, place: Vector) -> Vector:
    """The vertex that is seen nearest to a place."""
    towards = view.towards_viewer(place)

    def beside(vertex: Vector) -> float:
        offset = vertex - place
        return (offset - towards * offset.dot(towards)).length_squared

    return min((obj.matrix_world @ vertex.co for vertex in obj.data.vertices), key=beside)


class NEUROK_GT_joint_axis(JointHandle):
    """The axis as a line; the ball at its end, dragged over a ball around the pivot, turns it."""

    bl_idname = names.GizmoGroup.JOINT_AXIS

    FIELDS = ("axis", "lower_distance", "upper_distance")

    __slots__ = ("_is_behind", "_offset", "_reach")

    def compose(self, view, obj, joint):
        place, axis = joint_place(obj, joint), joint_axis(obj, joint)
        reach = self._reach if self.is_dragged else AXIS_REACH * joint_reach(view, obj)
        pixel = view.pixel(place)
        line = stretched(place - axis * reach, axis, LINE_PIXELS * pixel, 2.0 * reach)
        yield Part(self.shape("line", shapes.cylinder), line, catches=False)
        yield from self.ball(place + axis * reach, BALL_PIXELS * pixel, CATCH_PIXELS * pixel)

    def grab(self, context, view, obj, joint, mouse):
        place, axis = joint_place(obj, joint), joint_axis(obj, joint)
        self._reach = AXIS_REACH * joint_reach(view, obj)
        self._is_behind = view.towards_viewer(place).dot(axis) < 0.0
        seen = view.project(place + axis * self._reach)
        self._offset = seen - mouse if seen is not None else Vector((0.0, 0.0))

    def drag(self, context, view, obj, joint, step):
        direction = view.on_ball(step.position + self._offset, joint_place(obj, joint), self._reach, self._is_behind)
        if step.snap:
            direction = nearest_direction(direction)
        set_joint_axis(obj, joint, direction)
        return ", ".join(f"{name} {value:.2f}" for name, value in zip("XYZ", joint.axis, strict=True))


CLASSES = (NEUROK_GT_joint_axis, NEUROK_GT_joint_pivot)
