"""The properties in the .blend as `conditions` of the backend (SI units, world space)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import bpy

from .colliders import ColliderTrack, collider_objects
from .motion_tracks import fill_tracks
from .object_conditions import ObjectConditions

__all__ = ["ConditionsReading", "conditions_of"]


def conditions_of(scene: bpy.types.Scene, obj: bpy.types.Object) -> dict:
    """Everything that acts on `obj` in `scene`; raises Refusal for what cannot be meant so.

    For scripts: where something moves it goes through all frames of the take before it returns.
    """
    reading = ConditionsReading(scene, [obj])
    try:
        while not reading.advance(1.0):
            pass
    finally:
        reading.close()
    return reading.conditions[0]


class ConditionsReading:
    """Reads everything that acts on objects that are simulated together, a little at a time.

    Call `advance` until it returns True, then take `conditions`, one for each object in their order; or `close` to
    give up. Whatever moves the objects is looked at frame by frame where nothing else tells how: `done` of `total`
    frames so far, total 0 where none has to be shown.
    """

    def __init__(self, scene: bpy.types.Scene, objects: Sequence[bpy.types.Object]):
        """Raises Refusal for what the properties alone show."""
        self.done = self.total = 0
        self.conditions: list[dict] = []
        self._scene_uid = scene.session_uid
        self._frames = range(scene.neurok.frame_start, scene.neurok.frame_start + scene.neurok.frame_count)
        layer = bpy.context.view_layer if bpy.context.scene == scene else scene.view_layers[0]
        known: dict[tuple, ColliderTrack] = {}
        self._readings = [
            ObjectConditions(scene, layer, obj, self._frames, self._colliders(scene, layer, obj, objects, known))
            for obj in objects
        ]
        self._work = self._read()
        self._complete = False

    def advance(self, budget_seconds: float) -> bool:
        """Goes on for at most about `budget_seconds`; whether all is read. Raises Refusal."""
        until = time.monotonic() + budget_seconds
        while not self._complete:
            progress = next(self._work, None)
            if progress is None:
                self._complete = True
                break
            self.done, self.total = progress
            if time.monotonic() >= until:
                break
        return self._complete

    def close(self) -> None:
        """Leaves the scene at the frame at which it was before. It may be called at any time, and more than once."""
        self._work.close()

    def _colliders(
        self,
        scene: bpy.types.Scene,
        layer: bpy.types.ViewLayer,
        obj: bpy.types.Object,
        together: Sequence[bpy.types.Object],
        known: dict[tuple, ColliderTrack],
    ) -> list[ColliderTrack]:
        """Tracks of what stops the object: what several conditions name obeys the first, and is looked at once."""
        found: dict[int, ColliderTrack] = {}
        for condition in obj.neurok.conditions:
            if not condition.enabled or condition.kind != "COLLIDERS":
                continue
            for collider in collider_objects(layer, condition, together):
                key = (collider.session_uid, condition.friction, condition.restitution)
                if key not in known:
                    known[key] = ColliderTrack(collider, scene, self._frames, condition)
                found.setdefault(collider.session_uid, known[key])
        return list(found.values())

    def _read(self) -> Iterator[tuple[int, int]]:
        """Yields frames shown and frames to show."""
        for reading in self._readings:
            for _pause in reading.read_vertices():
                yield 0, 0
        # Several objects may look at the same track.
        tracks = list({id(track): track for reading in self._readings for track in reading.tracks}.values())
        yield from fill_tracks(self._scene_uid, self._frames.start, tracks)
        self.conditions = [reading.finish() for reading in self._readings]
