"""One press of Simulate, from the meshes to the last frame; the operator only gives it time."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import bpy
import numpy as np
from bpy.app.translations import pgettext_data as data_
from bpy.app.translations import pgettext_rpt as rpt_
from numpy.typing import NDArray

from ..backend.texts import Text
from ..errors import Refusal
from ..job.phases import JobState, Phase
from ..job.requests import JobRequest
from ..job.runner import JobRunner
from ..scene import preview
from ..scene.bakes.ledger import switch_off, switch_on
from ..scene.carried_motion import CarriedMotion
from ..scene.conditions import ConditionsReading
from ..scene.mesh_io import MeshSnapshot, check_object, snapshot
from ..scene.mirrored import joining_mirror, make_whole
from ..scene.object_conditions import ObjectConditions
from ..scene.object_motion import TransformMotion, transform_motion
from ..scene.provider import provider_of
from ..scene.shared_conditions import shared_conditions
from ..scene.takes import SceneTake, find_by_uid
from .background_analysis import background_analysis
from .job_start import JobStart, NoPython, object_request
from .state import Notice, session
from .take_list import add_take, half_if_unused

__all__ = ["Outcome", "Progress", "Simulation"]

# A script waits anyway, so it looks at the worker less often and works through more at a time.
SCRIPT_BUDGET_SECONDS, SCRIPT_PAUSE_SECONDS = 0.1, 0.002
FEWEST_FRAMES = 2  # of a take that ended early: the first one is as drawn
PACE_FRAMES = 24  # over how many frames the pace is measured that tells how long the rest takes


class Outcome(Enum):
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True)
class Progress:
    """What the panel shows. `done` of `total` counts frames while simulating; total 0 means unknown.

    `seconds_left` is None as long as nothing tells.
    """

    outcome: Outcome = Outcome.RUNNING
    stage: str = ""
    done: int = 0
    total: int = 0
    seconds_left: float | None = None
    message: Text | str = ""
    remedy: Text | str = ""
    kept: str = ""
    """What is kept of something that ended early, or what else is to be said."""


class _Pace:
    """How long the remaining frames take, by the latest ones."""

    def __init__(self) -> None:
        self._arrived: deque[tuple[int, float]] = deque(maxlen=PACE_FRAMES)

    def seconds_left(self, done: int, total: int, now: float) -> float | None:
        if done > 0 and (not self._arrived or self._arrived[-1][0] != done):
            self._arrived.append((done, now))
        if len(self._arrived) < 2:
            return None
        (first, begun), (last, ended) = self._arrived[0], self._arrived[-1]
        return (total - last) * (ended - begun) / (last - first)


@dataclass(eq=False)
class _Member:
    """One of the objects that are simulated."""

    object_uid: int
    mesh_uid: int
    name: str
    provider: str
    snapshot: MeshSnapshot
    played: list[int]
    """Which baked takes played before; they are switched off while something new is simulated and shown."""
    take: SceneTake | None = None
    moves: NDArray[np.float64] | None = None
    """How its own animation moves it, see `ObjectConditions`."""
    carried: CarriedMotion | None = None
    aside: SceneTake | None = None
    """The take that it had before."""

    @property
    def object(self) -> bpy.types.Object | None:
        return find_by_uid(bpy.data.objects, self.object_uid)

    def put_aside(self) -> None:
        self.aside = session.takes.pop(self.mesh_uid, None)

    def restore(self) -> None:
        """Back to how it was before."""
        mesh = find_by_uid(bpy.data.meshes, self.mesh_uid)
        if mesh is not None and not mesh.is_editmode:
            preview.restore(mesh)
            if self.object is not None and self.object.data == mesh:
                switch_on(self.object, self.played)
        if self.aside is not None and mesh is not None:
            session.takes[self.mesh_uid] = self.aside
        half_if_unused(self.object)


class Simulation:
    """Call `tick` until its outcome is no longer RUNNING. The session knows the one that runs.

    Where it ends early, the frames that came stay as a take. The playhead goes along with the frames that are shown,
    unless the artist moves it, and goes back in the end.
    """

    def __init__(self, context: bpy.types.Context, objects: Sequence[bpy.types.Object | None]):
        """Reads the objects and their conditions; raises Refusal where that cannot be simulated."""
        objects = [check_object(obj) for obj in objects]
        scene = context.scene
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        self._check_meshes(objects)
        self._mirrored = any(joining_mirror(obj) is not None for obj in objects)
        self._scene_uid, self._frame_before = scene.session_uid, scene.frame_current
        self._frame_start, self._frame_shown = scene.neurok.frame_start, scene.frame_current
        try:
            if any(transform_motion(obj, scene) is not TransformMotion.STILL for obj in objects):
                self._move_playhead(self._frame_start)  # what is animated is read where it begins
            for obj in objects:
                make_whole(context, obj)  # before vertices are named
            readings = [ObjectConditions(scene, obj, objects) for obj in objects]
            self._reading: ConditionsReading | None = ConditionsReading(scene, readings)
            snapshots, played = self._snapshots(context, objects)
        except Refusal:
            self._move_playhead(self._frame_before)
            for obj in objects:
                half_if_unused(obj)
            raise
        self._members = [
            _Member(obj.session_uid, obj.data.session_uid, obj.name, provider_of(obj), snap, serials)
            for obj, snap, serials in zip(objects, snapshots, played, strict=True)
        ]
        self._start: JobStart | None = None
        self._runner: JobRunner | None = None
        self._state: JobState | None = None  # the latest of this job
        self._pace = _Pace()
        self._follows_timeline = False
        self._frames_shown = 0
        self._cancel_requested = False
        self.progress = Progress()
        session.simulation = self
        session.notice = Notice()

    @property
    def mesh_uids(self) -> set[int]:
        return {member.mesh_uid for member in self._members}

    def tick(self, budget_seconds: float = 0.010, show_frames: bool = False) -> Progress:
        """Goes on for at most about `budget_seconds`; `show_frames`: the newest that has arrived is shown."""
        if self.progress.outcome is not Outcome.RUNNING:
            return self.progress
        if any(member.object is None for member in self._members):
            self.abort("An object was deleted while it was simulated.")
        elif self._runner is None:
            self._begin(budget_seconds)
        else:
            self._follow(self._runner.tick(budget_seconds), show_frames)
        return self.progress

    def frame_changed(self, frame: int) -> None:
        """The artist looks at another frame of the timeline: from now on that is shown, as far as it has arrived."""
        if self._reading is None and frame != self._frame_shown:
            self._follows_timeline, self._frame_shown = True, frame
            self._show(frame)

    def cancel(self) -> None:
        """Asks for the end; call `tick` until the outcome says CANCELLED."""
        if self.progress.outcome is not Outcome.RUNNING or self._cancel_requested:
            return
        self._cancel_requested = True
        if self._runner is None:
            self._stop(Outcome.CANCELLED)
        else:
            self._runner.cancel()

    def abort(self, reason: str = "") -> None:
        """Ends at once, if it still runs, without waiting for the worker's consent."""
        if self.progress.outcome is Outcome.RUNNING:
            if self._runner is not None:
                session.close_runner()
            self._stop(Outcome.CANCELLED, reason)

    @staticmethod
    def _snapshots(
        context: bpy.types.Context, objects: Sequence[bpy.types.Object]
    ) -> tuple[list[MeshSnapshot], list[list[int]]]:
        """The meshes, and which baked takes played; these are off from here on. Raises Refusal."""
        played = [switch_off(obj) for obj in objects]
        try:
            return [snapshot(context, obj) for obj in objects], played
        except Refusal:
            for obj, serials in zip(objects, played, strict=True):
                switch_on(obj, serials)
            session.show_takes(context.scene.frame_current)  # a refused simulation leaves the last takes as they were
            raise

    @staticmethod
    def _check_meshes(objects: Sequence[bpy.types.Object]) -> None:
        """Objects with one mesh would overwrite each other's shape."""
        seen: dict[int, str] = {}
        for obj in objects:
            other = seen.setdefault(obj.data.session_uid, obj.name)
            if other != obj.name:
                raise Refusal(
                    rpt_("{} and {} share one mesh.").format(other, obj.name),
                    "Make it single-user first (Object > Relations > Make Single User > Object & Data).",
                )

    def _begin(self, budget_seconds: float) -> None:
        """Reads what acts on the objects, then waits for a worker."""
        try:
            if self._start is not None:
                self._runner = self._start.tick(budget_seconds)
            elif self._reading is not None and self._reading.advance(budget_seconds):
                job = self._job(self._reading.conditions)
                for member, reading in zip(self._members, self._reading.readings, strict=True):
                    member.moves = reading.moves
                self._stop_reading()
                for member in self._members:
                    member.put_aside()
                self._start = JobStart(job)
        except (NoPython, Refusal) as problem:
            self._stop(Outcome.FAILED, problem.message, problem.remedy)
            return
        waiting = self._start if self._start is not None else self._reading
        stage = "reading the scene" if self._start is None else self._start.stage
        self.progress = Progress(stage=stage, done=waiting.done, total=waiting.total)

    def _stop_reading(self) -> None:
        """The scene is at the frame again at which it was before."""
        if self._reading is not None:
            self._reading.close()
            self._reading = None

    def _job(self, conditions: list[dict]) -> JobRequest:
        lowest = float(min(member.snapshot.world[:, 2].min() for member in self._members))
        shared = shared_conditions([member.name for member in self._members], conditions, lowest)
        requests = [
            object_request(member.object, member.snapshot, member.provider, each)
            for member, each in zip(self._members, conditions, strict=True)
        ]
        return JobRequest(tuple(requests), shared=shared)

    def _follow(self, state: JobState, show_frames: bool) -> None:
        self._state = state
        self._adopt_takes()
        if state.phase is Phase.FAILED:
            self._stop(Outcome.FAILED, state.message, state.remedy)
        elif state.phase is Phase.CANCELLED:
            self._stop(Outcome.CANCELLED)
        elif state.phase is Phase.DONE:
            self._finish(state)
        else:
            left = self._pace.seconds_left(state.frames, state.frame_count, time.monotonic())
            stage = "Stopping" if self._cancel_requested else state.stage
            self.progress = Progress(stage=stage, done=state.done, total=state.total, seconds_left=left)
            if show_frames and not self._cancel_requested:
                newest = self._members[0].take
                if newest is not None and newest.frame_count > self._frames_shown:
                    self._frames_shown = newest.frame_count
                    # After scrubbing the frame of the timeline is shown, and the newest one until that has arrived.
                    if not self._follows_timeline:
                        self._move_playhead(newest.frame_end)
                    self._show(self._frame_shown)

    def _adopt_takes(self) -> None:
        for member, motion in zip(self._members, self._runner.motions, strict=False):
            obj = member.object
            if member.take is None and obj is not None:
                if member.moves is not None:
                    member.carried = CarriedMotion(motion, member.moves)
                own = motion if member.carried is None else member.carried.motion
                member.take = SceneTake.of(obj, member.snapshot, self._frame_start, own)
            if member.carried is not None:
                member.carried.update()

    def _move_playhead(self, frame: int) -> None:
        self._frame_shown = frame
        scene = find_by_uid(bpy.data.scenes, self._scene_uid)
        if scene is not None and scene.frame_current != frame:
            scene.frame_set(frame)

    def _show(self, frame: int) -> None:
        if not self._cancel_requested:
            for member in self._members:
                if member.take is not None:
                    member.take.show(frame)

    def _finish(self, state: JobState) -> None:
        self._keep_takes(state)
        led = sum(member.moves is not None for member in self._members)
        said = rpt_("Follows its own animation.") if led else ""
        if led and len(self._members) > 1:
            said = rpt_("{} of {} follow their animation.").format(led, len(self._members))
        if self._mirrored:
            said = " ".join(filter(None, [rpt_("Mirrored whole simulated."), said]))
        message = rpt_("{} frames, ready to bake.").format(self._members[0].take.frame_count)
        self._end(Outcome.DONE, message, kept=said)
        session.show_takes(bpy.context.scene.frame_current)

    def _keep_takes(self, state: JobState) -> None:
        """From here on the session plays what came."""
        told = [note for summary in state.summaries for note in summary["warnings"]]
        noted = () if state.report is None else state.report["warnings"]
        late = [note for note in noted if note not in told]  # of what came up while it was solved
        for member, summary in zip(self._members, state.summaries, strict=True):
            if member.object is None:
                continue
            summary = {**summary, "warnings": [*summary["warnings"], *late]}
            member.object.neurok.found = json.dumps(summary)
            background_analysis.keep(member.mesh_uid, member.snapshot, member.provider, summary, self._runner)
            finding = background_analysis.findings[member.mesh_uid]
            member.take.piece = finding.piece
            add_take(member.take, data_("Simulation"))

    def _stop(self, outcome: Outcome, message: Text | str = "", remedy: Text | str = "") -> None:
        """It ends early: what came of it stays."""
        self._stop_reading()
        state, first = self._state, self._members[0].take
        kept = ""
        if state is not None and first is not None and first.frame_count >= FEWEST_FRAMES:
            self._keep_takes(state)
            kept = rpt_("The first {} of {} frames are kept, ready to bake.").format(
                first.frame_count, state.frame_count
            )
        else:
            for member in self._members:
                member.restore()
        self._end(outcome, message, remedy, kept)
        session.show_takes(bpy.context.scene.frame_current)  # those that nothing has replaced yet

    def _end(self, outcome: Outcome, message: Text | str = "", remedy: Text | str = "", kept: str = "") -> None:
        self.progress = Progress(outcome, message=message, remedy=remedy, kept=kept)
        if session.simulation is self:
            session.simulation = None
        session.notice = Notice(message, remedy, bad=outcome is Outcome.FAILED, kept=kept)
        if not self._follows_timeline:
            self._move_playhead(self._frame_before)
