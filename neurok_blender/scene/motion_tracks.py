"""Tracks of what moves during a take, filled frame by frame.

What keeps still is read once, and what only follows its own F-curves is computed from these. Only for the rest the
scene itself goes from frame to frame, and back again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from numpy.typing import NDArray

from ..errors import Refusal
from .object_motion import TransformMotion, transform_motion
from .takes import find_by_uid
from .transform_curves import matrix_function

__all__ = [
    "Track",
    "TransformTrack",
    "VectorTrack",
    "depsgraph_of",
    "fill_tracks",
    "living_object",
    "living_scene",
    "vector_keys",
]

CHUNK = 50  # frames of F-curves that are read at a time


def depsgraph_of(scene: bpy.types.Scene) -> bpy.types.Depsgraph:
    """The scene as it is evaluated for the viewport."""
    if bpy.context.scene == scene:
        return bpy.context.evaluated_depsgraph_get()
    layer = scene.view_layers[0]
    layer.update()
    return layer.depsgraph


def living_scene(uid: int) -> bpy.types.Scene:
    """The scene with this session_uid; raises Refusal if it is gone."""
    scene = find_by_uid(bpy.data.scenes, uid)
    if scene is None:
        raise Refusal("The scene was deleted while its motion was read.", "Simulate again in the present one.")
    return scene


def living_object(uid: int, name: str) -> bpy.types.Object:
    """The object with this session_uid, looked up after each return to Blender; raises Refusal if it is gone."""
    obj = bpy.data.objects.get(name)  # a file may have thousands of objects, which are seldom renamed meanwhile
    if obj is None or obj.session_uid != uid:
        obj = find_by_uid(bpy.data.objects, uid)
    if obj is None:
        raise Refusal(rpt_("{} was deleted while its motion was read.").format(name), "Simulate again, now without it.")
    return obj


class Track(Protocol):
    """What has to be evaluated at each frame."""

    @property
    def steps(self) -> int:
        """How many frames the scene has to show for it, from the first of the take on."""

    def record(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Records the next of these frames."""

    def compute(self) -> Iterator[None]:
        """Records what needs no change of the frame, a little at a time."""


class VectorTrack:
    """What a vector of the scene is at each frame of a take: `values` Float64[T,3]; T is 1 where nothing moves it."""

    def __init__(self, frames: range, animated: bool, read: Callable[[], Iterable[float]]):
        """`read` is called when the scene shows a frame, and may raise Refusal."""
        self.steps = len(frames) if animated else 0
        self._read, self._values = read, []

    @property
    def values(self) -> NDArray[np.float64]:
        return np.array(self._values, np.float64)

    def record(self, _depsgraph: bpy.types.Depsgraph) -> None:
        self._values.append(tuple(self._read()))

    def compute(self) -> Iterator[None]:
        if not self.steps:
            self._values.append(tuple(self._read()))
        yield from ()


def vector_keys(values: NDArray[np.float64]) -> list[dict[str, Any]]:
    """Keys of the backend's conditions for a vector Float64[T,3] at each frame; none where it does not change."""
    if (values == values[0]).all():
        return []
    return [{"frame": number, "value": value.tolist()} for number, value in enumerate(values, 1)]


class TransformTrack:
    """Where an object is at each frame of a take: `matrices` Float64[T,4,4]; T is 1 for what keeps still."""

    def __init__(self, obj: bpy.types.Object, scene: bpy.types.Scene, frames: range, lead: bool = False):
        """`lead`: whether where it was a frame before the first counts too."""
        self.name, self.uid, self.lead = obj.name, obj.session_uid, lead
        self.before: NDArray[np.float64] | None = None
        """Float64[4,4], where that was asked for and something moves it."""
        self._scene_uid, self._frames = scene.session_uid, frames
        self._motion = transform_motion(obj, scene)
        self._matrices: list[NDArray[np.float64]] = []

    @property
    def steps(self) -> int:
        return len(self._frames) if self._motion is TransformMotion.FRAMES else 0

    @property
    def matrices(self) -> NDArray[np.float64]:
        return np.array(self._matrices)

    def record(self, depsgraph: bpy.types.Depsgraph) -> None:
        self._matrices.append(self._matrix(depsgraph))

    def record_before(self, depsgraph: bpy.types.Depsgraph) -> None:
        """The scene shows the frame before the first."""
        self.before = self._matrix(depsgraph)

    def _matrix(self, depsgraph: bpy.types.Depsgraph) -> NDArray[np.float64]:
        evaluated = living_object(self.uid, self.name).evaluated_get(depsgraph)
        return np.array(evaluated.matrix_world, dtype=np.float64)

    def compute(self) -> Iterator[None]:
        if self._motion is TransformMotion.STILL:
            self.record(depsgraph_of(living_scene(self._scene_uid)))
        elif self._motion is TransformMotion.CURVES:
            if self.lead:
                earlier = matrix_function(living_object(self.uid, self.name))(self._frames.start - 1)
                self.before = np.array(earlier, dtype=np.float64)
            for start in range(0, len(self._frames), CHUNK):
                matrix = matrix_function(living_object(self.uid, self.name))
                self._matrices += [
                    np.array(matrix(frame), dtype=np.float64) for frame in self._frames[start : start + CHUNK]
                ]
                yield


def fill_tracks(scene_uid: int, first: int, tracks: Iterable[Track]) -> Iterator[tuple[int, int]]:
    """Fills all tracks; yields frames shown and frames to show. However it ends, the current frame is as before."""
    tracks = list(tracks)
    for track in tracks:
        for _pause in track.compute():
            yield 0, 0
    total = max((track.steps for track in tracks), default=0)
    if total == 0:
        return
    scene = living_scene(scene_uid)
    current, subframe = scene.frame_current, scene.frame_subframe
    leading = [track for track in tracks if isinstance(track, TransformTrack) and track.lead and track.steps]
    try:
        if leading:
            scene.frame_set(first - 1)
            for track in leading:
                track.record_before(depsgraph_of(scene))
        for index in range(total):
            scene = living_scene(scene_uid)
            scene.frame_set(first + index)
            depsgraph = depsgraph_of(scene)
            for track in tracks:
                if index < track.steps:
                    track.record(depsgraph)
            yield index + 1, total
    finally:
        scene = find_by_uid(bpy.data.scenes, scene_uid)
        if scene is not None:
            scene.frame_set(current, subframe=subframe)
