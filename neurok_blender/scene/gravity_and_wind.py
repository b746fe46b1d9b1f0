"""Gravity and wind, from the conditions and from the scene."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import hypot

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from mathutils import Matrix, Vector

from ..errors import Refusal
from .falloff import falloff_factor
from .motion_tracks import TransformTrack, depsgraph_of, living_object, living_scene
from .surface import box_corners

__all__ = ["WindField", "WindReading", "gravity_of"]

MOST_GUSTS = 2.0  # of the wind's speed; the backend takes no more


def gravity_of(scene: bpy.types.Scene, conditions: Sequence) -> list[float]:
    """[x, y, z] m/s². The scene's, unless a condition takes a part of it; none where all eyes are closed."""
    gravity = Vector(scene.gravity) if scene.use_gravity else Vector()
    rows = [condition for condition in conditions if condition.kind == "GRAVITY"]
    used = [condition for condition in rows if condition.enabled]
    if rows and not used:
        return [0.0, 0.0, 0.0]
    return list(gravity * used[0].gravity_factor if used else gravity)


class WindField:
    """A Wind force field as it blows at a place of the world, at the first frame: `velocity` m/s, and `gusts` m/s."""

    def __init__(self, obj: bpy.types.Object, scene: bpy.types.Scene, first: int, felt_at: Vector):
        self._place = TransformTrack(obj, scene, range(first, first + 1))
        self._scene_uid = scene.session_uid
        self.velocity, self.gusts = Vector(), 0.0
        self._felt_at = felt_at
        # Its strength may have curves and drivers as well, so whatever is animated is looked at.
        self.steps = 1 if self._place.steps or obj.animation_data is not None else 0

    def record(self, depsgraph: bpy.types.Depsgraph) -> None:
        evaluated = living_object(self._place.uid, self._place.name).evaluated_get(depsgraph)
        matrix = Matrix(evaluated.matrix_world)
        strength = evaluated.field.strength * falloff_factor(evaluated.field, matrix, self._felt_at)
        self.velocity = (matrix.to_3x3() @ Vector((0.0, 0.0, 1.0))).normalized() * strength
        self.gusts = abs(strength) * evaluated.field.noise

    def compute(self) -> Iterator[None]:
        if not self.steps:
            self.record(depsgraph_of(living_scene(self._scene_uid)))
        yield from ()


class WindReading:
    """A wind condition while it is read: its `fields` are filled, then `finish`."""

    def __init__(
        self, scene: bpy.types.Scene, layer: bpy.types.ViewLayer, obj: bpy.types.Object, condition, first: int
    ):
        """Of what blows on `obj`. Raises Refusal where the condition asks for force fields and there are none."""
        self._velocity, self._turbulence = Vector(condition.velocity), condition.turbulence
        self.fields: list[WindField] = []
        if condition.use_force_fields:
            middle = obj.matrix_world @ Vector(box_corners(obj).mean(axis=0))
            self.fields = [WindField(field, scene, first, middle) for field in _blowing(layer, condition.name)]

    def finish(self) -> dict:
        """All winds as one: velocities add up, and independent gusts by their squares."""
        velocity = sum((field.velocity for field in self.fields), self._velocity)
        if not self.fields:
            return {"velocity": list(velocity), "turbulence": self._turbulence}
        gusts = hypot(self._turbulence * self._velocity.length, *(field.gusts for field in self.fields))
        part = min(gusts / velocity.length, MOST_GUSTS) if velocity.length > 0.0 else 0.0
        return {"velocity": list(velocity), "turbulence": part}


def _blowing(layer: bpy.types.ViewLayer, condition_name: str) -> list[bpy.types.Object]:
    found = [
        obj
        for obj in layer.objects
        if obj.field is not None and obj.field.type == "WIND" and obj.visible_get(view_layer=layer)
    ]
    if not found:
        raise Refusal(
            rpt_("{} uses force fields, but the scene has no visible Wind.").format(condition_name),
            "Add one (Add > Force Field > Wind), show it, or turn Force Fields off.",
        )
    return sorted(found, key=lambda obj: obj.name)
