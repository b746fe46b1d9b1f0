"""The properties in the .blend as `conditions` of the backend (SI units, world space)."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator, Sequence

import bpy

from .colliders import ColliderTrack
from .motion_tracks import fill_tracks
from .object_conditions import ObjectConditions

__all__ = ["ConditionsReading", "conditions_of"]


def conditions_of(scene: bpy.types.Scene, obj: bpy.types.Object) -> dict:
    """Everything that acts on `obj` in `scene`; raises Refusal for what cannot be simulated.

    For scripts: where something moves it goes through all frames of the take before it returns.
    """
    reading = ConditionsReading(scene, [ObjectConditions(scene, obj)])
    try:
        while not reading.advance(1.0):
            pass
    finally:
        reading.close()
    return reading.conditions[0]


class ConditionsReading:
    """Reads everything that acts on objects that are simulated together, a little at a time.

    Call `advance` until it returns True, then take `conditions`, one for each of the `readings`; or `close` to give up.
    Whatever moves the objects is looked at frame by frame where nothing else tells how: `done` of `total` frames so
    far, total 0 where none has to be shown.
    """

    def __init__(self, scene: bpy.types.Scene, readings: Sequence[ObjectConditions]):
        self.done = self.total = 0
        self.conditions: list[dict] = []
        self._scene_uid, self._first_frame = scene.session_uid, scene.neurok.frame_start
        self.readings = readings
        if any(reading.names_colliders for reading in readings):  # what one of them says holds for the others
            for reading in readings:
                reading.colliders = reading.colliders if reading.names_colliders else []
        known: dict[Hashable, ColliderTrack] = {}
        for reading in readings:  # what several objects hit is looked at once
            reading.colliders = [known.setdefault(track.key, track) for track in reading.colliders]
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

    def _read(self) -> Iterator[tuple[int, int]]:
        """Yields frames shown and frames to show."""
        for reading in self.readings:
            for _pause in reading.read_vertices():
                yield 0, 0
        # Several objects may look at the same track.
        tracks = list({id(track): track for reading in self.readings for track in reading.tracks}.values())
        yield from fill_tracks(self._scene_uid, self._first_frame, tracks)
        self.conditions = [reading.finish() for reading in self.readings]
