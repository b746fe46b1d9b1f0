"""Pointmaps of what is selected: every frame is read in a slice of its own, then the worker draws them all."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_

from .errors import Refusal
from .job.phases import Phase
from .job.requests import JobRequest, Task
from .job.runner import JobRunner
from .job_start import JobStart, NoPython
from .scene.drawn import DrawnSurface, camera_kind, camera_numbers, drawn_surface
from .session import Notice, session
from .simulation import SCRIPT_BUDGET_SECONDS, SCRIPT_PAUSE_SECONDS, Outcome, Progress

__all__ = ["Pointmap", "PointmapOptions"]

MOST_BYTES = 2 * 2**30  # of all frames together, which are read before the first is drawn


@dataclass(frozen=True)
class PointmapOptions:
    """What shall be drawn, and into which files."""

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


class Pointmap:
    """Call `tick` until its outcome is no longer RUNNING. The session knows the one that runs."""

    def __init__(self, context: bpy.types.Context, options: PointmapOptions):
        """Raises Refusal."""
        self.options = options
        chosen = sorted(context.selected_objects, key=lambda obj: obj.name)
        if not chosen:
            raise Refusal("Nothing is selected.", "Select the objects that the pointmap shall show.")
        if options.file.startswith("//") and not bpy.data.filepath:
            raise Refusal("The .blend has not been saved yet.", "Save it first, or choose a whole path for the file.")
        if not options.path.parent.is_dir():
            raise Refusal(
                rpt_("There is no folder {}.").format(options.path.parent), "Choose one that exists, or make it first."
            )
        self._kind = camera_kind(context.scene)
        self._names = [obj.name for obj in chosen]
        self._numbers = {obj.session_uid: number + 1 for number, obj in enumerate(chosen)}
        self._fps = context.scene.render.fps / context.scene.render.fps_base
        self._frame_before = (context.scene.frame_current, context.scene.frame_subframe)
        self._scene_uid = context.scene.session_uid
        self._surfaces: list[DrawnSurface] = []
        self._cameras: list[dict[str, Any]] = []
        self._bytes = 0
        self._start: JobStart | None = None
        self._runner: JobRunner | None = None
        self._asked = self._cancel_asked = False
        self.notes: list[str] = []
        """What the backend has to say of the files, once they are there."""
        self.progress = Progress(stage="reading the scene", total=options.frame_count)
        session.pointmap = self
        session.notice = Notice()

    @property
    def is_reading(self) -> bool:
        """Whether the timeline still moves; nothing else may happen to the scene meanwhile."""
        return self._start is None

    def tick(self, context: bpy.types.Context, budget_seconds: float = 0.010) -> Progress:
        """Goes on a little; while it reads the scene, by one frame."""
        if self.progress.outcome is not Outcome.RUNNING:
            return self.progress
        try:
            if self._start is None:
                self._read(context)
            elif self._runner is None:
                self._runner = self._start.tick(budget_seconds)
                self.progress = Progress(stage=self._start.stage, done=self._start.done, total=self._start.total)
            else:
                self._follow(budget_seconds)
        except (NoPython, Refusal) as problem:
            self._end(Outcome.FAILED, problem.message, problem.remedy)
        return self.progress

    def finish(self, context: bpy.types.Context) -> Progress:
        """Goes on until its end, for scripts and for Blender without a window."""
        try:
            while self.tick(context, SCRIPT_BUDGET_SECONDS).outcome is Outcome.RUNNING:
                if not self.is_reading:
                    time.sleep(SCRIPT_PAUSE_SECONDS)
        finally:
            self.abort()
        return self.progress

    def cancel(self) -> None:
        """Asks for the end; call `tick` until the outcome says CANCELLED. Pictures that are there already are left."""
        if self.progress.outcome is not Outcome.RUNNING or self._cancel_asked:
            return
        self._cancel_asked = True
        if self._runner is None:
            self._end(Outcome.CANCELLED)
        else:
            self._runner.cancel()

    def abort(self) -> None:
        """Ends at once, if it still runs, without waiting for the worker's consent."""
        if self.progress.outcome is Outcome.RUNNING:
            if self._runner is not None:
                session.close_runner()
            self._end(Outcome.CANCELLED)

    # --- reading ---

    def _read(self, context: bpy.types.Context) -> None:
        scene = context.scene
        if scene.session_uid != self._scene_uid:
            raise Refusal("Another scene is shown now.", "Stay in the scene until all frames have been read.")
        scene.frame_set(self.options.frame_start + len(self._surfaces))
        if camera_kind(scene) != self._kind:
            raise Refusal(
                "The camera changes its type or its sensor fit on the way.",
                "Use cameras of one type, or make a pointmap of each.",
            )
        surface = drawn_surface(context, self._numbers)
        if not self._surfaces and not len(surface.triangles):
            raise Refusal("The selected objects have no surface.", "Select objects with faces that are not hidden.")
        # Faces that stay are held once.
        if self._surfaces and surface.has_faces_of(first := self._surfaces[0]):
            surface = DrawnSurface(surface.vertices, first.triangles, first.colors, first.objects)
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
            self._start = JobStart(JobRequest((), Task.DRAW))

    def _restore_frame(self) -> None:
        scene = next((each for each in bpy.data.scenes if each.session_uid == self._scene_uid), None)
        if scene is not None:
            frame, subframe = self._frame_before
            scene.frame_set(frame, subframe=subframe)

    # --- the worker ---

    def _follow(self, budget_seconds: float) -> None:
        state = self._runner.tick(budget_seconds)
        for answer in self._runner.answers():
            self._take(answer.header)
        if self.progress.outcome is not Outcome.RUNNING:
            return
        if state.phase is Phase.FAILED:
            self._end(Outcome.FAILED, state.message, state.remedy)
        elif state.phase is Phase.CANCELLED:
            self._end(Outcome.CANCELLED)
        else:
            if state.phase is Phase.TALKING and not self._asked:
                self._ask()
            stage = "Stopping" if self._cancel_asked else state.stage
            self.progress = Progress(stage=stage, done=state.done, total=state.total)

    def _ask(self) -> None:
        """Sends all that was read, and holds it no longer."""
        self._asked = True
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
        self._runner.ask(header, arrays)

    def _take(self, header: dict[str, Any]) -> None:
        """The one answer; the worker is free after it."""
        if self._runner.state.busy:
            self._runner.cancel()
        if header["type"] == "error":
            self._end(Outcome.FAILED, header["message"], header["remedy"])
        elif header["type"] == "pointmapped":
            self.notes = list(header["report"]["warnings"])
            message = rpt_("{} frames are in {}.").format(header["report"]["frames"], self.options.path)
            self._end(Outcome.DONE, message)

    def _end(self, outcome: Outcome, message: str = "", remedy: str = "") -> None:
        if self.is_reading:
            self._restore_frame()
        self._surfaces, self._cameras = [], []
        self.progress = Progress(outcome, message=message, remedy=remedy)
        if session.pointmap is self:
            session.pointmap = None
        session.notice = Notice(message, remedy, bad=outcome is Outcome.FAILED)
