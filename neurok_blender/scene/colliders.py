"""Colliders: objects with Blender's Collision modifier, static, moving or deforming."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from numpy.typing import NDArray

from ..errors import Refusal
from .condition_arrays import array_or_list
from .coordinates import placed, read_coordinates, read_triangles
from .motion_tracks import TransformTrack, depsgraph_of, living_object, living_scene
from .object_motion import may_deform
from .rigid_motion import is_rigid, is_still, motion_keys, moves_since_first

__all__ = [
    "ColliderTrack",
    "SceneSurface",
    "check_count",
    "collider_tracks",
    "has_collision",
    "scene_collider_tracks",
    "scene_colliders",
]

MOST_COLLIDERS = 200
MOST_ARRAYS = 56  # of the 64 of a message
MOST_BYTES = 2**29  # of one that deforms


@dataclass(frozen=True)
class SceneSurface:
    """What the scene's floor and colliders are like, where nobody says otherwise."""

    friction: float = 0.5
    restitution: float = 0.2


def collider_objects(
    layer: bpy.types.ViewLayer, condition, excluded: Collection[bpy.types.Object]
) -> list[bpy.types.Object]:
    """The colliders of a condition, by name. Raises Refusal where there is none."""
    only = condition.collection
    found = _visible_colliders(layer, layer.objects if only is None else only.all_objects, excluded)
    if not found and only is not None:
        raise Refusal(
            rpt_("The collection {} of {} has no visible object with a Collision modifier.").format(
                only.name, condition.name
            ),
            "Give its objects one (Physics properties > Collision), or clear Only In.",
        )
    if not found:
        raise Refusal(
            rpt_("{} has nothing to hit: no other visible object has a Collision modifier.").format(condition.name),
            "Give those that shall stop the object one (Physics properties > Collision).",
        )
    return found


def _visible_colliders(
    layer: bpy.types.ViewLayer, among: Iterable[bpy.types.Object], excluded: Collection[bpy.types.Object]
) -> list[bpy.types.Object]:
    found = [
        obj
        for obj in among
        if obj not in excluded
        and has_collision(obj)
        and obj.name in layer.objects
        and obj.visible_get(view_layer=layer)
    ]
    return sorted(found, key=lambda obj: obj.name)


def has_collision(obj: bpy.types.Object) -> bool:
    """Whether Blender's Collision is switched on for it."""
    switched_on = obj.collision is not None and obj.collision.use
    return switched_on and any(item.type == "COLLISION" and item.show_viewport for item in obj.modifiers)


def collider_tracks(
    scene: bpy.types.Scene,
    layer: bpy.types.ViewLayer,
    conditions: Iterable,
    frames: range,
    excluded: Collection[bpy.types.Object],
) -> list[ColliderTrack]:
    """Tracks of what stops an object: what several conditions name obeys the first."""
    found: dict[int, ColliderTrack] = {}
    for condition in conditions:
        for obj in collider_objects(layer, condition, excluded):
            if obj.session_uid not in found:
                found[obj.session_uid] = ColliderTrack(obj, scene, frames, condition)
    return list(found.values())


def scene_collider_tracks(
    scene: bpy.types.Scene,
    layer: bpy.types.ViewLayer,
    frames: range,
    objects: Collection[bpy.types.Object],
    surface,
) -> list[ColliderTrack]:
    """Tracks of the scene's colliders, if one of the objects can fall on one of them; `surface` has their friction."""
    found = scene_colliders(layer, objects)
    return [ColliderTrack(obj, scene, frames, surface) for obj in found]


def scene_colliders(layer: bpy.types.ViewLayer, objects: Collection[bpy.types.Object]) -> list[bpy.types.Object]:
    """The scene's colliders, if one of the objects can fall on one of them."""
    found = _visible_colliders(layer, layer.objects, objects)
    return found if any(_lies_below(obj, other) for obj in found for other in objects) else []


def _lies_below(collider: bpy.types.Object, obj: bpy.types.Object) -> bool:
    """Whether their boxes overlap as seen from above, and it reaches lower than the object."""
    (low, high), (lowest, highest) = (_world_box(each) for each in (collider, obj))
    return bool((low[:2] < highest[:2]).all() and (lowest[:2] < high[:2]).all() and low[2] <= lowest[2])


def _world_box(obj: bpy.types.Object) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    corners = placed(np.array(obj.bound_box), np.array(obj.matrix_world))
    return corners.min(axis=0), corners.max(axis=0)


class ColliderTrack:
    """One collider over the frames of the take; `entry` is its condition for the backend.

    Tracks of equal `key` are alike.
    """

    def __init__(self, obj: bpy.types.Object, scene: bpy.types.Scene, frames: range, condition):
        self.key = (obj.session_uid, condition.friction, condition.restitution)
        self._scene_uid, self._frames = scene.session_uid, frames
        self._place = TransformTrack(obj, scene, frames)
        self._deforms = may_deform(obj, scene)
        self._surface = {"friction": condition.friction, "restitution": condition.restitution}
        self._shapes: list[NDArray[np.float32]] = []
        self._triangles = np.empty((0, 3), np.int32)

    @property
    def steps(self) -> int:
        return len(self._frames) if self._deforms else self._place.steps

    def compute(self) -> Iterator[None]:
        yield from self._place.compute()
        if not self._deforms:
            self._look(depsgraph_of(living_scene(self._scene_uid)))
            yield

    def record(self, depsgraph: bpy.types.Depsgraph) -> None:
        if self._place.steps:
            self._place.record(depsgraph)
        if self._deforms:
            self._look(depsgraph)

    @cached_property
    def entry(self) -> dict | None:
        """The collider of the backend's conditions, once the track is full; None for what has no faces."""
        name, shapes, matrices = self._place.name, self._shapes, self._place.matrices
        if len(self._triangles) == 0:
            return None
        if not all(np.isfinite(values).all() for values in (matrices, *_distinct(shapes))):
            raise Refusal(
                rpt_("{} has vertices without a real position (NaN or infinite).").format(name),
                "Delete or move those vertices, or take its Collision modifier away.",
            )
        made = {**self._surface, "triangles": array_or_list(self._triangles)}
        drawn = placed(shapes[0], matrices[0]).astype(np.float32)
        try:
            moves = moves_since_first(matrices)
        except np.linalg.LinAlgError:
            raise Refusal(
                rpt_("{} is scaled to nothing along some direction.").format(name),
                "Give it a scale, or take its Collision away.",
            ) from None
        if len(_distinct(shapes)) == 1 and is_still(moves):
            return {**made, "vertices": array_or_list(drawn)}
        if len(_distinct(shapes)) == 1 and is_rigid(moves):
            centre = drawn.astype(np.float64).mean(axis=0)
            return {**made, "vertices": array_or_list(drawn), "motion": motion_keys(moves, centre, centre)}
        self._check_size(name, len(drawn))
        count = len(self._frames)
        every = [
            placed(shapes[index % len(shapes)], matrices[index % len(matrices)]).astype(np.float32)
            for index in range(count)
        ]
        return {**made, "vertices": array_or_list(np.array(every))}

    def _look(self, depsgraph: bpy.types.Depsgraph) -> None:
        name = self._place.name
        evaluated = living_object(self._place.uid, name).evaluated_get(depsgraph)
        mesh = evaluated.to_mesh()
        try:
            shape = read_coordinates(mesh)
            if not self._shapes:
                self._triangles = read_triangles(mesh)
        finally:
            evaluated.to_mesh_clear()
        first = self._shapes[0] if self._shapes else shape
        if shape.shape != first.shape:
            raise Refusal(
                rpt_("{} changes its number of vertices while the take goes on, so it cannot be a collider.").format(
                    name
                ),
                "Turn off the modifier that does so in the viewport, or take its Collision modifier away.",
            )
        if len(self._shapes) == 1:
            self._check_size(name, len(shape))
        self._shapes.append(first if np.array_equal(first, shape) else shape)

    def _check_size(self, name: str, vertices: int) -> None:
        if 12 * vertices * len(self._frames) > MOST_BYTES:
            raise Refusal(
                rpt_("{} deforms and has {:,} vertices, too many for {} frames.").format(
                    name, vertices, len(self._frames)
                ),
                "Use a simpler mesh as the collider, or fewer frames.",
            )


def _distinct(shapes: Sequence[NDArray[np.float32]]) -> list[NDArray[np.float32]]:
    """Those that are not simply the first again."""
    return [shapes[0], *(shape for shape in shapes if shape is not shapes[0])]


def check_count(entries: Sequence[dict]) -> None:
    """Raises Refusal for more colliders than a message to the backend can hold."""
    arrays = sum(isinstance(value, np.ndarray) for entry in entries for value in entry.values())
    if len(entries) > MOST_COLLIDERS or arrays > MOST_ARRAYS:
        raise Refusal(
            rpt_("There are {} colliders, more than one simulation can take.").format(len(entries)),
            "Join some of them (Ctrl J), or put what the object can hit into a collection and choose it under Only In.",
        )
