"""The base of a poke's arrow: dragged over the surface, it moves the place that is poked."""

from mathutils import Vector

from .. import names
from ..scene.surface import cast_ray
from ..session.state import session
from .handle import Handle
from .units import length_text

__all__ = ["CLASSES", "NEUROK_GT_grip"]

BALL_PIXELS, CATCH_PIXELS = 5.0, 9.0


class NEUROK_GT_grip(Handle):
    bl_idname = names.GizmoGroup.GRIP

    FIELDS = ("location",)

    __slots__ = ("_offset",)

    def compose(self, view, obj, condition):
        place = obj.matrix_world @ Vector(condition.location)
        pixel = view.pixel(place)
        yield from self.ball(place, BALL_PIXELS * pixel, CATCH_PIXELS * pixel)

    def grab(self, context, view, obj, condition, mouse):
        # One pokes the shape that the simulation starts from, not a pose that happens to be shown.
        session.show_originals()
        seen = view.project(obj.matrix_world @ Vector(condition.location))
        self._offset = seen - mouse if seen is not None else Vector((0.0, 0.0))

    def drag(self, context, view, obj, condition, step):
        has_surface = len(obj.data.polygons) > 0
        found = cast_ray(context, obj, *view.ray(step.position + self._offset)) if has_surface else None
        if found is not None:  # beside the object the place waits for the mouse to come back
            condition.location = _nearest_vertex(context, obj, found.location) if step.snap else found.location
        return ", ".join(
            f"{axis} {length_text(context.scene, value)}" for axis, value in zip("XYZ", condition.location, strict=True)
        )

    def let_go(self, context):
        session.show_takes(context.scene.frame_current)


def _nearest_vertex(context, obj, place: Vector) -> Vector:
    """The corner next to a place of the face that the place is on; object space."""
    evaluated = obj.evaluated_get(context.evaluated_depsgraph_get())
    _found, _location, _normal, face = evaluated.closest_point_on_mesh(place)
    mesh = evaluated.data
    corners = (mesh.vertices[index].co for index in mesh.polygons[face].vertices)
    return min(corners, key=lambda corner: (corner - place).length_squared).copy()


CLASSES = (NEUROK_GT_grip,)
