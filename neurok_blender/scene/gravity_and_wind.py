"""Gravity and wind, from the conditions and from the scene."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import hypot

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from mathutils import Matrix, Vector

from ..errors import Refusal
from .falloff import falloff_factor
from .motion_tracks import (
    Track,
    TransformTrack,
    VectorTrack,
    depsgraph_of,
    living_object,
    living_scene,
    vector_keys,
)
from .object_motion import is_animated_at
from .surface import box_corners

__all__ = ["WindField", "WindReading", "gravity_of", "gravity_track"]

CONDITIONS = "neurok.conditions"
MOST_GUSTS = 2.0  # of the wind's speed; the backend takes no more


def gravity_of(scene: bpy.types.Scene, conditions: Sequence) -> list[float]:
    """[x, y, z] m/s². The scene's, unless a condition takes a part of it; none where all eyes are closed."""
    gravity = Vector(scene.gravity) if scene.use_gravity else Vector()
    rows = [condition for condition in conditions if condition.kind == "GRAVITY"]
    used = [condition for condition in rows if condition.enabled]
    if rows and not used:
        return [0.0, 0.0, 0.0]
    return list(gravity * used[0].gravity_factor if used else gravity)


def gravity_track(scene: bpy.types.Scene, obj: bpy.types.Object, frames: range) -> VectorTrack:
    """The gravity that the object feels at each frame."""
    scene_uid, uid, name = scene.session_uid, obj.session_uid, obj.name

    def read() -> list[float]:
        return gravity_of(living_scene(scene_uid), living_object(uid, name).neurok.conditions)

    animated = any(is_animated_at(scene, path) for path in ("gravity", "use_gravity"))
    return VectorTrack(frames, animated or is_animated_at(obj, CONDITIONS), read)


class WindField:
    """A Wind force field as it blows at a place of the world: `velocities` m/s at each frame, `gusts` m/s at first."""

    def __init__(self, obj: bpy.types.Object, scene: bpy.types.Scene, frames: range, felt_at: Vector):
        self._place = TransformTrack(obj, scene, frames)
        self._scene_uid = scene.session_uid
        self.velocities: list[Vector] = []
        self.gusts = 0.0
        self._felt_at = felt_at
        # Its strength may have curves and drivers as well, so whatever is animated is looked at.
        self.steps = len(frames) if self._place.steps or obj.animation_data is not None else 0

    def record(self, depsgraph: bpy.types.Depsgraph) -> None:
        evaluated = living_object(self._place.uid, self._place.name).evaluated_get(depsgraph)
        matrix = Matrix(evaluated.matrix_world)
        strength = evaluated.field.strength * falloff_factor(evaluated.field, matrix, self._felt_at)
        if not self.velocities:
            self.gusts = abs(strength) * evaluated.field.noise
        self.velocities.append((matrix.to_3x3() @ Vector((0.0, 0.0, 1.0))).normalized() * strength)

    def compute(self) -> Iterator[None]:
        if not self.steps:
            self.record(depsgraph_of(living_scene(self._scene_uid)))
        yield from ()


class WindReading:
    """A wind condition while it is read: its `tracks` are filled, then `finish`."""

    def __init__(
        self, scene: bpy.types.Scene, layer: bpy.types.ViewLayer, obj: bpy.types.Object, condition, frames: range
    ):
        """Of what blows on `obj`. Raises Refusal where the condition asks for force fields and there are none."""
        self._turbulence = condition.turbulence
        uid, name, number = obj.session_uid, obj.name, list(obj.neurok.conditions).index(condition)

        def read() -> Vector:
            rows = living_object(uid, name).neurok.conditions
            if number >= len(rows):
                raise Refusal("The wind was deleted while its motion was read.", "Simulate again.")
            return rows[number].velocity

        self._own = VectorTrack(frames, is_animated_at(obj, CONDITIONS), read)
        self.fields: list[WindField] = []
        if condition.use_force_fields:
            middle = obj.matrix_world @ Vector(box_corners(obj).mean(axis=0))
            self.fields = [WindField(field, scene, frames, middle) for field in _blowing(layer, condition.name)]

    @property
    def tracks(self) -> list[Track]:
        return [self._own, *self.fields]

    def finish(self) -> dict:
        """All winds as one: velocities add up, and independent gusts by their squares."""
        own = self._own.values
        # What does not change has one value.
        velocities = sum((np.array(field.velocities, np.float64) for field in self.fields), own)
        first = Vector(velocities[0])
        keys = {"keys": keys} if (keys := vector_keys(velocities)) else {}
        if not self.fields:
            return {"velocity": list(first), "turbulence": self._turbulence, **keys}
        gusts = hypot(self._turbulence * Vector(own[0]).length, *(field.gusts for field in self.fields))
        part = min(gusts / first.length, MOST_GUSTS) if first.length > 0.0 else 0.0
        return {"velocity": list(first), "turbulence": part, **keys}


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
