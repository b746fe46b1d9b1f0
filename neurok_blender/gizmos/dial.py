"""A dial around the object: a turn of the mouse around it is a turn a second more or less of its spin."""

import math

from mathutils import Matrix, Vector

from .. import names
from . import shapes
from .condition_places import dial_axis, dial_frame, dial_radius, middle
from .handle import Handle, Part, stretched
from .units import angular_speed_text
from .view import View

__all__ = ["CLASSES", "NEUROK_GT_dial", "swept_angle"]

CIRCLE_PIXELS, ARC_PIXELS, CATCH_PIXELS, TIP_PIXELS = 1.0, 2.5, 8.0, 7.0
# The arc shows so many turns one outside the other, each by so much larger than the one before.
SHOWN_TURNS, GROWTH = 4, 0.07
# The arc is made anew when it has changed by this much.
ARC_STEP = math.radians(2.0)
# With Ctrl held a spin goes in eighths of a turn a second.
SNAP_SPIN = math.radians(45.0)
# Nearer than this to the middle, the mouse's direction from it says nothing.
DEAF_PIXELS = 6.0


class NEUROK_GT_dial(Handle):
    bl_idname = names.GizmoGroup.DIAL

    FIELDS = ("angular",)

    __slots__ = ("_axis", "_first_spin", "_radius", "_spin", "_swept")

    def compose(self, view, obj, condition):
        place = middle(obj)
        if not self.is_dragged:
            self._axis, self._spin = dial_axis(condition), Vector(condition.angular).length
            self._radius = dial_radius(view, obj)
        pixel = view.pixel(place)
        where = dial_frame(obj, self._axis, self._radius)
        circle = self.tube_shape("circle", shapes.circle, CIRCLE_PIXELS * pixel / self._radius)
        yield Part(circle, where, catches=False)
        yield Part(self.tube_shape("catch", shapes.circle, CATCH_PIXELS * pixel / self._radius), where, shows=False)
        limit = 2.0 * math.pi * SHOWN_TURNS
        sweep = min(max(ARC_STEP * round(self._spin / ARC_STEP), -limit), limit)
        if sweep != 0.0:
            thickness = (CIRCLE_PIXELS if self.is_faint else ARC_PIXELS) * pixel / self._radius
            yield Part(self.tube_shape("arc", shapes.arc, thickness, sweep, GROWTH), where, catches=False)
        if not self.is_faint:
            yield self._tip(where, sweep, pixel)

    def _tip(self, where: Matrix, sweep: float, pixel: float) -> Part:
        """The cone at the arc's end."""
        reach = 1.0 + GROWTH * abs(sweep) / (2.0 * math.pi)
        out = Vector((math.cos(sweep), math.sin(sweep), 0.0))
        ahead = where.to_3x3() @ Vector((-out.y, out.x, 0.0)) * (-1.0 if sweep < 0.0 else 1.0)
        foot = where @ (out * reach)
        size = TIP_PIXELS * pixel
        # Its foot sits on the arc's end.
        point = foot + ahead.normalized() * shapes.CONE_LENGTH * size * (0.5 if sweep == 0.0 else 1.0)
        return Part(self.shape("cone", shapes.cone), stretched(point, ahead, size, size))

    def grab(self, context, view, obj, condition, mouse):
        self._axis, self._radius = dial_axis(condition), dial_radius(view, obj)
        self._first_spin = self._spin = Vector(condition.angular).length
        self._swept = 0.0

    def drag(self, context, view, obj, condition, step):
        # More than one turn is possible, so each move is added to those before.
        self._swept += step.factor * swept_angle(view, middle(obj), self._axis, self._radius, step.previous, step.mouse)
        self._spin = step.snapped(self._first_spin + self._swept, SNAP_SPIN)
        condition.angular = self._axis * self._spin
        return angular_speed_text(self._spin)


def swept_angle(view: View, place: Vector, axis: Vector, radius: float, start: Vector, end: Vector) -> float:
    """By which angle about `axis` (radians, the short way round) the mouse has moved around `place`."""
    if view.is_edge_on(place, axis):
        # The side of the ring that is turned to the viewer goes along with the mouse.
        near = view.towards_viewer(place)
        near = (near - axis * near.dot(axis)).normalized() * radius
        ahead = view.across(end, place) - view.across(start, place)
        return ahead.dot(axis.cross(near)) / (radius * radius)
    places = [view.on_plane(mouse, place, axis) for mouse in (start, end)]
    deaf = DEAF_PIXELS * view.pixel(place)
    if any(found is None or (found - place).length < deaf for found in places):
        return 0.0
    before, after = (found - place for found in places)
    return math.atan2(axis.dot(before.cross(after)), before.dot(after))


CLASSES = (NEUROK_GT_dial,)
