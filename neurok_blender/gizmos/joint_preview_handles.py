"""The handles that preview the motion of the active joint: a dial for a hinge, an arrow for a slide."""

from __future__ import annotations

import math

from mathutils import Matrix, Vector

from .. import names
from ..errors import Refusal
from ..session.backend_text import backend_text
from ..session.joint_preview import JointPreview
from . import shapes
from .dial import swept_angle
from .handle import Part, snap_length, stretched
from .joint_handles import CATCH_PIXELS, LINE_PIXELS, JointHandle
from .joint_places import joint_axis, joint_frame, joint_limits, joint_place, joint_reach
from .units import length_text

__all__ = ["CLASSES", "NEUROK_GT_joint_dial", "NEUROK_GT_joint_slide"]

TIP_PIXELS, ARC_PIXELS = 7.0, 3.0
SNAP_ANGLE = math.radians(5.0)  # with Ctrl held


class PreviewHandle(JointHandle):
    """Moves the part while it is dragged; let go, or with Esc, the part is back where it is drawn."""

    __slots__ = ("_preview", "_problem", "_value")

    def _begin(self, context, obj) -> None:
        self._value = 0.0
        self._preview, self._problem = None, ""
        try:
            self._preview = JointPreview(context, obj, self.index)
        except Refusal as refusal:
            self._problem = refusal.message

    def drag(self, context, view, obj, joint, step):
        if self._preview is None:
            return backend_text(self._problem)
        lower, upper = joint_limits(obj, joint)
        self._value = min(max(self._moved(context, view, step), lower), upper)
        self._preview.show(self._value)
        return self._header_text(context)

    def let_go(self, context):
        if self._preview is not None:
            self._preview.end()
        self._preview, self._value = None, 0.0

    def _moved(self, context, view, step) -> float:
        """How far the mouse asks the part to go."""
        raise NotImplementedError

    def _header_text(self, context) -> str:
        raise NotImplementedError


class NEUROK_GT_joint_dial(PreviewHandle):
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
        preview = self._preview
        swept = swept_angle(view, preview.place, preview.axis, self._radius, step.previous, step.mouse)
        self._swept += step.factor * swept
        return step.snapped(self._swept, SNAP_ANGLE)

    def _header_text(self, context):
        return f"{math.degrees(self._value):.1f}°"


class NEUROK_GT_joint_slide(PreviewHandle):
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
        moved = view.along(step.position, self._grip, self._preview.axis) - self._first
        return step.snapped(moved, snap_length(context, view, self._grip))

    def _header_text(self, context):
        return length_text(context.scene, self._value)


CLASSES = (NEUROK_GT_joint_dial, NEUROK_GT_joint_slide)
