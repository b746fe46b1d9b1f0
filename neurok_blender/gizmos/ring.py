"""A ring on the surface around a poked place: how far the poke is felt."""

import bpy
import numpy as np
from mathutils import Vector

from .. import names
from ..scene.impulses import poke_vector_in_world
from . import shapes
from .handle import Handle, Part, snap_length, stretched
from .units import length_text
from .view import View

__all__ = ["CLASSES", "NEUROK_GT_ring", "surface_normal"]

LINE_PIXELS, CATCH_PIXELS = 1.5, 7.0
# However far away one is, the ring leaves room for the grip in its middle.
LEAST_PIXELS = 22.0
LEAST_RADIUS = 1e-4
# Finding the nearest face of a mesh with more vertices takes longer than a redraw may; but there the nearest of the
# vertices is near enough.
MANY_VERTICES = 10_000


class NEUROK_GT_ring(Handle):
    bl_idname = names.GizmoGroup.RING

    FIELDS = ("radius",)

    __slots__ = ("_first_distance", "_first_radius", "_normal", "_normal_of")

    def setup(self):
        super().setup()
        self._normal_of = None

    def compose(self, view, obj, condition):
        place, normal = self._place(obj, condition)
        pixel = view.pixel(place)
        radius = max(condition.radius, LEAST_PIXELS * pixel)
        where = stretched(place, normal, radius, radius)
        yield Part(self.tube_shape("line", shapes.circle, LINE_PIXELS * pixel / radius), where, catches=False)
        yield Part(self.tube_shape("catch", shapes.circle, CATCH_PIXELS * pixel / radius), where, shows=False)

    def grab(self, context, view, obj, condition, mouse):
        self._first_radius = condition.radius
        self._first_distance = self._distance(view, obj, condition, mouse)

    def drag(self, context, view, obj, condition, step):
        place, _normal = self._place(obj, condition)
        radius = self._first_radius + self._distance(view, obj, condition, step.position) - self._first_distance
        condition.radius = max(step.snapped(radius, snap_length(context, view, place)), LEAST_RADIUS)
        return length_text(context.scene, condition.radius)

    def _place(self, obj: bpy.types.Object, condition) -> tuple[Vector, Vector]:
        """The ring's middle and unit normal in the world."""
        location = Vector(condition.location)
        # What the surface looks like is read once for each place: never while a take plays or the view turns.
        signature = (obj.session_uid, obj.data.session_uid, len(obj.data.vertices), tuple(location))
        if self._normal_of != signature:
            self._normal, self._normal_of = surface_normal(obj, location), signature
        # A normal goes to the world by the inverse transpose, so that it stays upright under unequal scale.
        normal = obj.matrix_world.to_3x3().inverted_safe().transposed() @ (self._normal or Vector((0.0, 0.0, 0.0)))
        if normal.length == 0.0:
            normal = poke_vector_in_world(obj, condition)
        if normal.length == 0.0:
            normal = Vector((0.0, 0.0, 1.0))
        return obj.matrix_world @ location, normal.normalized()

    def _distance(self, view: View, obj: bpy.types.Object, condition, mouse: Vector) -> float:
        """From the middle to the mouse: in the ring's plane, or facing the viewer where that is seen edge-on."""
        place, normal = self._place(obj, condition)
        found = None if view.is_edge_on(place, normal) else view.on_plane(mouse, place, normal)
        return ((view.across(mouse, place) if found is None else found) - place).length


def surface_normal(obj: bpy.types.Object, location: Vector) -> Vector | None:
    """The surface's unit normal next to a place, object space; None without a surface."""
    mesh = obj.data
    if len(mesh.vertices) > MANY_VERTICES:
        places = np.empty((len(mesh.vertices), 3), np.float32)
        mesh.vertices.foreach_get("co", places.reshape(-1))
        nearest = int(((places - np.array(location, np.float32)) ** 2).sum(axis=1).argmin())
        return mesh.vertices[nearest].normal.copy()
    if len(mesh.polygons) == 0:
        return None
    try:
        found, _location, normal, _face = obj.closest_point_on_mesh(location)
    except RuntimeError:  # modifiers have left no face
        return None
    return normal if found else None


CLASSES = (NEUROK_GT_ring,)
