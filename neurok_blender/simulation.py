"""One press of Simulate, from the mesh to the last frame; the operator only gives it time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum

import bpy

from .errors import Refusal
from .job.phases import JobState, Phase
from .job.runner import JobRequest, JobRunner
from .scene import preview
from .scene.conditions import conditions_of, provider_of
from .scene.mesh_io import check_object, snapshot
from .scene.takes import SceneTake, find_by_uid
from .session import Notice, session
from .worker_python import PythonState

__all__ = ["Outcome", "Progress", "Simulation"]


class Outcome(Enum):
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True)
class Progress:
    """What the panel shows. `done` of `total` counts frames while simulating; total 0 means unknown."""

    outcome: Outcome = Outcome.RUNNING
    stage: str = "Looking for a Python that can simulate"
    done: int = 0
    total: int = 0
    message: str = ""
    remedy: str = ""


class Simulation:
    """Call `tick` until its outcome is no longer RUNNING. The session knows the one that runs."""

    def __init__(self, context: bpy.types.Context):
        """Reads the active object and its conditions; raises Refusal where that cannot be simulated."""
        obj = check_object(context.active_object)
        if obj.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        self._conditions = conditions_of(context.scene, obj)
        try:
            self._snapshot = snapshot(context, obj)
        except Refusal:
            session.show_takes(context.scene.frame_current)  # a refused simulation leaves the last take as it was
            raise
        session.forget_take(obj.data)
        self._frame_start = context.scene.neurok.frame_start
        self.object_uid = obj.session_uid
        self.mesh_uid = obj.data.session_uid
        self._provider = provider_of(obj)
        self._runner: JobRunner | None = None
        self._take: SceneTake | None = None
        self._frames_shown = 0
        self._cancel_asked = False
        self.progress = Progress()
        session.simulation = self
        session.notice = Notice()
        session.want_python()

    def tick(self, budget_seconds: float = 0.010, show_frames: bool = True) -> Progress:
        """Goes on for at most about `budget_seconds`; shows the newest frame that has arrived."""
        if self.progress.outcome is not Outcome.RUNNING:
            return self.progress
        if find_by_uid(bpy.data.objects, self.object_uid) is None:
            self._stop(Outcome.CANCELLED, "The object was deleted while it was simulated.")
        elif self._runner is None:
            self._await_python()
        else:
            self._follow(self._runner.tick(budget_seconds), show_frames)
        return self.progress

    def cancel(self) -> None:
        """Restores the mesh and asks for the end; call `tick` until the outcome says CANCELLED."""
        if self.progress.outcome is not Outcome.RUNNING or self._cancel_asked:
            return
        self._cancel_asked = True
        self._restore()
        if self._runner is None:
            self._stop(Outcome.CANCELLED)
        else:
            self._runner.cancel()

    def abort(self) -> None:
        """Ends at once, if it still runs: the worker is closed and the mesh restored."""
        if self.progress.outcome is Outcome.RUNNING:
            self._stop(Outcome.CANCELLED)

    def _await_python(self) -> None:
        status = session.chooser.tick()
        if status.state is PythonState.READY:
            self._runner = session.runner(status.python)
            snap = self._snapshot
            self._runner.start(
                JobRequest(
                    snap.key(self._provider), snap.world, snap.triangles, self._provider, self._conditions, snap.slots
                )
            )
        elif status.state is PythonState.MISSING:
            self._stop(Outcome.FAILED, status.message, status.remedy)

    def _follow(self, state: JobState, show_frames: bool) -> None:
        if state.phase is Phase.FAILED:
            self._stop(Outcome.FAILED, state.message, state.remedy)
        elif state.phase is Phase.CANCELLED:
            self._stop(Outcome.CANCELLED)
        elif state.phase is Phase.DONE:
            self._adopt_take()
            self._finish(state)
        else:
            self.progress = Progress(
                stage="Stopping" if self._cancel_asked else state.stage, done=state.done, total=state.total
            )
            if show_frames and not self._cancel_asked:
                self._adopt_take()
                self._show_newest()

    def _adopt_take(self) -> None:
        obj = find_by_uid(bpy.data.objects, self.object_uid)
        if self._take is None and self._runner.take is not None and obj is not None:
            self._take = SceneTake.of(obj, self._snapshot, self._frame_start, self._runner.take)

    def _show_newest(self) -> None:
        if self._take is not None and self._take.frame_count > self._frames_shown:
            self._frames_shown = self._take.frame_count
            self._take.show(self._take.frame_end)

    def _finish(self, state: JobState) -> None:
        obj = find_by_uid(bpy.data.objects, self.object_uid)
        if state.summary is not None:
            obj.neurok.found = json.dumps(state.summary)
        session.takes[self.mesh_uid] = self._take
        self._end(Outcome.DONE, f"{self._take.frame_count} frames are ready to play and bake.")
        session.show_takes(bpy.context.scene.frame_current)

    def _stop(self, outcome: Outcome, message: str = "", remedy: str = "") -> None:
        if self._runner is not None and outcome is Outcome.CANCELLED:
            session.close_runner()
        self._end(outcome, message, remedy)
        self._restore()

    def _restore(self) -> None:
        mesh = find_by_uid(bpy.data.meshes, self.mesh_uid)
        if mesh is not None and not mesh.is_editmode:
            preview.restore(mesh)

    def _end(self, outcome: Outcome, message: str = "", remedy: str = "") -> None:
        self.progress = Progress(outcome, message=message, remedy=remedy)
        if session.simulation is self:
            session.simulation = None
        session.notice = Notice(message, remedy, bad=outcome is Outcome.FAILED)
