"""Pointmaps of what is selected: every frame is read in a slice of its own, then the worker draws them all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_

from ..backend.texts import Text, from_wire
from ..errors import Refusal
from ..job.requests import Task
from ..scene.visible_surface import VisibleSurface, camera_kind, camera_numbers, visible_surface_of
from .backend_request import BackendRequest
from .simulation import Progress

__all__ = ["Pointmap", "PointmapOptions"]

MOST_BYTES = 2 * 2**30  # of all frames together, which are read before the first is drawn


@dataclass(frozen=True)
class PointmapOptions:
    """Frames, size and files of a pointmap."""

    file: str
    frame_start: int
    frame_count: int
    height: int
    width: int
    exr: bool = False

    @property
    def path(self) -> Path:
        return Path(bpy.path.abspath(self.file))

    @property
    def exr_folder(self) -> Path | None:
        """Beside the file, under its name."""
        return self.path.with_name(f"{self.path.stem}_exr") if self.exr else None


class Pointmap(BackendRequest):
    slot = "pointmap"
    task = Task.DRAW

    def __init__(self, context: bpy.types.Context, options: PointmapOptions):
        """Raises Refusal."""
        self.options = options
        chosen = sorted(context.selected_objects, key=lambda obj: obj.name)
        if not chosen:
            raise Refusal("Nothing is selected.", "Select the objects that the pointmap shall show.")
        if options.file.startswith("//") and not bpy.data.filepath:
            raise Refusal("The .blend has not been saved yet.", "Save it first, or choose an absolute path.")
        if not options.path.parent.is_dir():
            raise Refusal(
                rpt_("There is no folder {}.").format(options.path.parent), "Create it first, or choose another."
            )
        self._kind = camera_kind(context.scene)
        self._names = [obj.name for obj in chosen]
        self._numbers = {obj.session_uid: number + 1 for number, obj in enumerate(chosen)}
        self._fps = context.scene.render.fps / context.scene.render.fps_base
        self._frame_before = (context.scene.frame_current, context.scene.frame_subframe)
        self._scene_uid = context.scene.session_uid
        self._surfaces: list[VisibleSurface] = []
        self._cameras: list[dict[str, Any]] = []
        self._bytes = 0
        self.notes: list[Text] = []
        """Warnings of the backend about the files, once they are written."""
        super().__init__(Progress(stage="reading the scene", total=options.frame_count))

    @property
    def is_reading(self) -> bool:
        """Whether the timeline still moves; nothing else may happen to the scene meanwhile."""
        return self._start is None

    # --- reading ---

    def _is_prepared(self) -> bool:
        """Reads one frame."""
        context = bpy.context
        scene = context.scene
        if scene.session_uid != self._scene_uid:
            raise Refusal("Another scene is shown now.", "Stay in the scene until all frames have been read.")
        scene.frame_set(self.options.frame_start + len(self._surfaces))
        if camera_kind(scene) != self._kind:
            raise Refusal(
                "The camera changes its type or its sensor fit on the way.",
                "Use cameras of one type, or make a pointmap of each.",
            )
        surface = visible_surface_of(context, self._numbers)
        if not self._surfaces and not len(surface.triangles):
            raise Refusal("The selected objects have no surface.", "Select objects with faces that are not hidden.")
        # Faces that stay are held once.
        if self._surfaces and surface.has_faces_of(first := self._surfaces[0]):
            surface = VisibleSurface(surface.vertices, first.triangles, first.colors, first.objects)
        else:
            self._bytes += surface.triangles.nbytes + surface.colors.nbytes + surface.objects.nbytes
        self._bytes += surface.vertices.nbytes
        if self._bytes > MOST_BYTES:
            raise Refusal(
                "The frames have too many vertices together.", "Use fewer frames, or simpler objects (Decimate)."
            )
        self._surfaces.append(surface)
        self._cameras.append(camera_numbers(context))
        done, total = len(self._surfaces), self.options.frame_count
        self.progress = Progress(stage="reading the scene", done=done, total=total)
        if done == total:
            self._restore_frame()
        return done == total

    def _restore_frame(self) -> None:
        scene = next((each for each in bpy.data.scenes if each.session_uid == self._scene_uid), None)
        if scene is not None:
            frame, subframe = self._frame_before
            scene.frame_set(frame, subframe=subframe)

    # --- the worker ---

    def _message(self) -> tuple[Mapping[str, Any], Mapping[str, np.ndarray]]:
        surfaces, self._surfaces = self._surfaces, []
        drawn = surfaces[:1] if all(each.triangles is surfaces[0].triangles for each in surfaces) else surfaces
        arrays = {
            "vertices": np.concatenate([each.vertices for each in surfaces]),
            "vertex_counts": np.array([len(each.vertices) for each in surfaces], np.int32),
            "triangle_counts": np.array([len(each.triangles) for each in drawn], np.int32),
        }
        for name in ("triangles", "colors", "objects"):
            arrays[name] = np.concatenate([getattr(each, name) for each in drawn])
        header = {
            "type": "pointmap",
            "camera": {**self._kind, **{name: [each[name] for each in self._cameras] for name in self._cameras[0]}},
            "size": [self.options.height, self.options.width],
            "output": str(self.options.path),
            "exr": None if self.options.exr_folder is None else str(self.options.exr_folder),
            "fps": self._fps,
            "first": self.options.frame_start,
            "names": self._names,
        }
        return header, arrays

    def _take(self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> str:
        self.notes = from_wire(header["report"]["warnings"])
        return rpt_("Pointmap written, {} frames: {}.").format(header["report"]["frames"], self.options.path)

    def _forget(self) -> None:
        if self.is_reading:
            self._restore_frame()
        self._surfaces, self._cameras = [], []
