"""The handles of the chosen joint: its pivot and its axis to correct it, a dial or an arrow to try it out."""

from __future__ import annotations

import math

from bpy.types import GizmoGroup
from mathutils import Matrix, Vector

from .. import names
from ..errors import Refusal
from ..scene.bakes.ledger import playing
from ..scene.joint_test import JointTest
from ..session.backend_text import backend_text
from ..session.state import session
from . import shapes
from .axis import nearest_direction
from .dial import swept_angle
from .handle import ConditionHandle, Part, snap_length, stretched
from .joint_places import (
    joint_axis,
    joint_frame,
    joint_limits,
    joint_place,
    joint_reach,
    set_joint_axis,
    set_joint_place,
)
from .units import length_text

__all__ = [
    "CLASSES",
    "NEUROK_GGT_joints",
    "NEUROK_GT_joint_axis",
    "NEUROK_GT_joint_dial",
    "NEUROK_GT_joint_pivot",
    "NEUROK_GT_joint_slide",
]

LINE_PIXELS, BALL_PIXELS, CATCH_PIXELS, TIP_PIXELS, ARC_PIXELS = 1.5, 5.0, 10.0, 7.0, 3.0
AXIS_REACH = 1.35  # of the dial's radius: where the axis' ball is
SNAP_ANGLE = math.radians(5.0)  # with Ctrl held
COLORS = {"HINGE": (0.95, 0.75, 0.2), "ENDLESS": (0.95, 0.55, 0.2), "SLIDE": (0.35, 0.8, 0.95)}


class JointHandle(ConditionHandle):
    """Shows one joint of the active object."""

    ENTRIES = "joints"
    CHOSEN = "active_joint"


class NEUROK_GT_joint_pivot(JointHandle):
    """A ball at the pivot; dragged in the plane that faces the view, with Ctrl from vertex to vertex."""

    bl_idname = names.GizmoGroup.JOINT_PIVOT

    FIELDS = ("origin",)

    __slots__ = ("_first", "_hit")

    def compose(self, view, obj, joint):
        place = joint_place(obj, joint)
        pixel = view.pixel(place)
        ball, where = self.shape("ball", shapes.ball), Matrix.Translation(place)
        yield Part(ball, where @ Matrix.Scale(BALL_PIXELS * pixel, 4), catches=False)
        yield Part(ball, where @ Matrix.Scale(CATCH_PIXELS * pixel, 4), shows=False)

    def grab(self, context, view, obj, joint, mouse):
        self._first = joint_place(obj, joint)
        self._hit = view.across(mouse, self._first)

    def drag(self, context, view, obj, joint, step):
        place = self._first + view.across(step.hand, self._first) - self._hit
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
        ball, where = self.shape("ball", shapes.ball), Matrix.Translation(place + axis * reach)
        yield Part(ball, where @ Matrix.Scale(BALL_PIXELS * pixel, 4), catches=False)
        yield Part(ball, where @ Matrix.Scale(CATCH_PIXELS * pixel, 4), shows=False)

    def grab(self, context, view, obj, joint, mouse):
        place, axis = joint_place(obj, joint), joint_axis(obj, joint)
        self._reach = AXIS_REACH * joint_reach(view, obj)
        self._is_behind = view.towards_viewer(place).dot(axis) < 0.0
        seen = view.project(place + axis * self._reach)
        self._offset = seen - mouse if seen is not None else Vector((0.0, 0.0))

    def drag(self, context, view, obj, joint, step):
        direction = view.on_ball(step.hand + self._offset, joint_place(obj, joint), self._reach, self._is_behind)
        if step.snap:
            direction = nearest_direction(direction)
        set_joint_axis(obj, joint, direction)
        return ", ".join(f"{name} {value:.2f}" for name, value in zip("XYZ", joint.axis, strict=True))


class TryHandle(JointHandle):
    """Moves the part while it is dragged; let go, or with Esc, the part is back where it is drawn."""

    __slots__ = ("_problem", "_test", "_value")

    def _begin(self, context, obj) -> None:
        self._value = 0.0
        self._test, self._problem = None, ""
        try:
            self._test = JointTest(context, obj, self.condition)
        except Refusal as refusal:
            self._problem = refusal.message

    def drag(self, context, view, obj, joint, step):
        if self._test is None:
            return backend_text(self._problem)
        lower, upper = joint_limits(obj, joint)
        self._value = min(max(self._moved(context, view, step), lower), upper)
        self._test.show(self._value)
        return self._told(context)

    def let_go(self, context):
        if self._test is not None:
            self._test.end()
        self._test, self._value = None, 0.0

    def _moved(self, context, view, step) -> float:
        """How far the mouse asks the part to go."""
        raise NotImplementedError

    def _told(self, context) -> str:
        raise NotImplementedError


class NEUROK_GT_joint_dial(TryHandle):
    """A dial around the axis; the thick arc is as far as the part turns."""

    bl_idname = names.GizmoGroup.JOINT_DIAL

    __slots__ = ("_radius", "_swept")

    def compose(self, view, obj, joint):
        place, axis = joint_place(obj, joint), joint_axis(obj, joint)
        radius = self._radius if self.is_dragged else joint_reach(view, obj)
        pixel = view.pixel(place)
        where = joint_frame(place, axis, radius)
        yield Part(self.tube_shape("circle", shapes.circle, LINE_PIXELS * pixel / radius), where, catches=False)
        yield Part(self.tube_shape("catch", shapes.circle, CATCH_PIXELS * pixel / radius), where, shows=False)
        lower, upper = joint_limits(obj, joint)
        if joint.kind == "HINGE" and upper - lower > 1e-3:
            sweep = min(upper - lower, 2.0 * math.pi)
            arc = self.tube_shape("arc", shapes.arc, ARC_PIXELS * pixel / radius, sweep, 0.0)
            yield Part(arc, where @ Matrix.Rotation(lower, 4, "Z"), catches=False)
        now = self._value if self.is_dragged else 0.0
        foot = where @ Vector((math.cos(now), math.sin(now), 0.0))
        ahead = (where.to_3x3() @ Vector((-math.sin(now), math.cos(now), 0.0))).normalized()
        ahead = -ahead if upper < -lower else ahead
        size = TIP_PIXELS * pixel
        cone = stretched(foot + ahead * shapes.CONE_LENGTH * size, ahead, size, size)
        yield Part(self.shape("cone", shapes.cone), cone)

    def grab(self, context, view, obj, joint, mouse):
        self._radius, self._swept = joint_reach(view, obj), 0.0
        self._begin(context, obj)

    def _moved(self, context, view, step):
        test = self._test
        swept = swept_angle(view, test.place, test.axis, self._radius, step.previous, step.mouse)
        self._swept += step.factor * swept
        return step.snapped(self._swept, SNAP_ANGLE)

    def _told(self, context):
        return f"{math.degrees(self._value):.1f}°"


class NEUROK_GT_joint_slide(TryHandle):
    """An arrow along the axis; the thin line is as far as the part slides."""

    bl_idname = names.GizmoGroup.JOINT_SLIDE

    __slots__ = ("_first", "_grip")

    def compose(self, view, obj, joint):
        place, axis = joint_place(obj, joint), joint_axis(obj, joint)
        lower, upper = joint_limits(obj, joint)
        pixel = view.pixel(place)
        ahead = -axis if upper < -lower else axis
        rail = stretched(place + axis * lower, axis, LINE_PIXELS * pixel, max(upper - lower, 1e-6))
        yield Part(self.shape("rail", shapes.cylinder), rail, catches=False)
        tip = place + ahead * 0.7 * joint_reach(view, obj) + axis * (self._value if self.is_dragged else 0.0)
        shaft = (tip - place).length
        yield Part(
            self.shape("shaft", shapes.cylinder),
            stretched(place, tip - place, ARC_PIXELS * pixel, shaft),
            catches=False,
        )
        cone = stretched(
            tip + ahead * shapes.CONE_LENGTH * TIP_PIXELS * pixel, ahead, TIP_PIXELS * pixel, TIP_PIXELS * pixel
        )
        yield Part(self.shape("cone", shapes.cone), cone)
        grip = Matrix.Translation(tip) @ Matrix.Scale(1.5 * CATCH_PIXELS * pixel, 4)
        yield Part(self.shape("ball", shapes.ball), grip, shows=False)

    def grab(self, context, view, obj, joint, mouse):
        place, axis = joint_place(obj, joint), joint_axis(obj, joint)
        self._grip = place
        self._first = view.along(mouse, place, axis)
        self._begin(context, obj)

    def _moved(self, context, view, step):
        moved = view.along(step.hand, self._grip, self._test.axis) - self._first
        return step.snapped(moved, snap_length(context, view, self._grip))

    def _told(self, context):
        return length_text(context.scene, self._value)


POOL = (
    names.GizmoGroup.JOINT_DIAL,
    names.GizmoGroup.JOINT_SLIDE,
    names.GizmoGroup.JOINT_AXIS,
    names.GizmoGroup.JOINT_PIVOT,
)


class NEUROK_GGT_joints(GizmoGroup):
    bl_idname = names.GizmoGroup.JOINTS
    bl_label = "NeuROK Joints"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}

    __slots__ = ("handles",)

    @classmethod
    def poll(cls, context):
        obj = context.active_object
        if obj is None or obj.type != "MESH" or session.is_busy or not obj.neurok.show_joints:
            return False
        settings = obj.neurok
        return (
            0 <= settings.active_joint < len(settings.joints)
            and settings.joints[settings.active_joint].moves
            and obj.library is None
            and obj.mode == "OBJECT"
            and obj.select_get()
            and not playing(obj)
        )

    def setup(self, _context):
        self.handles = {kind: self.gizmos.new(kind) for kind in POOL}
        for order, gizmo in enumerate(self.handles.values()):
            gizmo.hide = True
            gizmo.use_draw_modal = True
            gizmo.use_draw_value = True
            gizmo.color_highlight = (1.0, 1.0, 1.0)
            gizmo.alpha = gizmo.alpha_highlight = 1.0
            # Where they lie on one another, the mouse takes the later one, and a joint before conditions.
            gizmo.select_bias = 20.0 + order

    def draw_prepare(self, context):
        # Undo and scripts change the list without a call of `refresh`, so every redraw looks at it.
        obj = context.active_object
        joint = obj.neurok.joints[obj.neurok.active_joint]
        hidden = {names.GizmoGroup.JOINT_SLIDE if joint.kind != "SLIDE" else names.GizmoGroup.JOINT_DIAL}
        for kind, gizmo in self.handles.items():
            gizmo.hide = kind in hidden
            if not gizmo.hide:
                gizmo.condition = obj.neurok.active_joint
                gizmo.color = COLORS[joint.kind]
                gizmo.prepare(context, obj)


CLASSES = (
    NEUROK_GT_joint_axis,
    NEUROK_GT_joint_dial,
    NEUROK_GT_joint_pivot,
    NEUROK_GT_joint_slide,
    NEUROK_GGT_joints,
)
