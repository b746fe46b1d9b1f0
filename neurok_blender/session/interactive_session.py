"""An interactive session with the worker about one object: what live mode and pose mode share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray

from ..backend.texts import Text
from ..errors import Refusal
from ..job.answers import error_text
from ..job.motion import Shape, StreamedMotion
from ..job.phases import Phase
from ..job.requests import JobRequest, ObjectRequest, Task
from ..job.runner import Answer, JobRunner
from ..scene import preview
from ..scene.bakes.ledger import switch_off, switch_on
from ..scene.conditions import ConditionsReading
from ..scene.coordinates import placed
from ..scene.decode import Decoder
from ..scene.mesh_io import check_object, snapshot
from ..scene.mirrored import make_whole
from ..scene.object_conditions import ObjectConditions
from ..scene.provider import provider_of
from ..scene.surface_picking import Hold, hold_under
from ..scene.takes import SceneTake, find_by_uid
from .background_analysis import background_analysis
from .job_start import JobStart, NoPython, object_request
from .state import session
from .take_list import add_take, half_if_unused

__all__ = ["InteractiveSession", "SessionPhase"]


class SessionPhase(Enum):
    BEGINNING = "beginning"
    OPEN = "open"
    ENDED = "ended"


class InteractiveSession:
    """Call `tick` often until the phase is ENDED. The session knows the one that runs.

    While it runs the mesh shows what `show` was given last; the take that the object had is put aside until then.
    """

    def __init__(self, context: bpy.types.Context, obj: bpy.types.Object | None, with_conditions: bool = True):
        """`with_conditions`: whether what acts on the object counts. Raises Refusal where it cannot be moved."""
        obj = check_object(obj)
        if session.is_busy:
            raise Refusal("Something else is going on.", "Wait for its end, or press Esc to end it.")
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        scene = context.scene
        make_whole(context, obj)  # before vertices are named
        self._reading = (
            ConditionsReading(scene, [ObjectConditions(scene, obj, follows=False)]) if with_conditions else None
        )
        self._played = switch_off(obj)
        try:
            self.snapshot = snapshot(context, obj)
        except Refusal:
            switch_on(obj, self._played)
            session.show_takes(context.scene.frame_current)
            half_if_unused(obj)
            raise
        self.object_uid, self.mesh_uid = obj.session_uid, obj.data.session_uid
        self._provider = provider_of(obj)
        self.request: ObjectRequest | None = None
        """The object and its conditions as the worker gets them; None until the conditions are read."""
        self.phase = SessionPhase.BEGINNING
        self.message = self.remedy = ""
        """Why it ended, unless the artist ended it; or the last refusal."""
        self._put_aside: SceneTake | None = session.takes.pop(self.mesh_uid, None)
        self._decoder: Decoder | None = None
        self._has_points = False
        self._shown: Shape | None = None
        self._runner: JobRunner | None = None
        self._start: JobStart | None = None
        session.interactive = self

    @property
    def object(self) -> bpy.types.Object | None:
        """The object, while it is there with the mesh of the session."""
        obj = find_by_uid(bpy.data.objects, self.object_uid)
        return obj if obj is not None and obj.data and obj.data.session_uid == self.mesh_uid else None

    @property
    def has_take(self) -> bool:
        """Whether a take was put aside."""
        return self._put_aside is not None

    @property
    def covers_motion(self) -> bool:
        """Whether a take of several frames, or a baked one, was put aside that a single pose must not replace."""
        aside = self._put_aside
        return bool(self._played) or (aside is not None and aside.frame_count > 1)

    @property
    def stage(self) -> str:
        """The stage of the worker, for the status bar."""
        if self._runner is not None:
            return self._runner.state.stage
        return "reading the scene" if self._start is None else self._start.stage

    @property
    def is_waiting(self) -> bool:
        """Whether a request is not answered yet."""
        return self._runner is None or bool(self._runner.state.awaited)

    @property
    def unanswered(self) -> int:
        """How many requests are not answered yet; answers come in their order."""
        if self._runner is None:
            return 0
        state = self._runner.state
        return len(state.waiting) + bool(state.awaited)

    def tick(self, budget_seconds: float = 0.010) -> list[Answer]:
        """The answers since the last call. Refusals are among them, with the type "error"."""
        if self.phase is SessionPhase.ENDED:
            return []
        if self.object is None:
            self.end("The object is no longer there.")
            return []
        if self._runner is None:
            self._begin(budget_seconds)
            return []
        state = self._runner.tick(budget_seconds)
        if state.phase in (Phase.FAILED, Phase.CANCELLED, Phase.DONE):
            self.end(state.message, state.remedy)
            return []
        if state.phase is Phase.INTERACTIVE and self.phase is SessionPhase.BEGINNING:
            self.phase = SessionPhase.OPEN
            if state.summary is not None and self.request is not None:
                background_analysis.keep(
                    self.mesh_uid, self.snapshot, self.request.provider, state.summary, self._runner
                )
        answers = self._runner.answers()
        for answer in answers:
            if "objects" in answer.header:  # how it moves is new
                self._has_points = answer.header["objects"][0]["points"]
                self._decoder = Decoder(answer.arrays.get("weights_0"), self.snapshot.world, self.snapshot.to_object)
            if answer.header["type"] == "error":
                text = error_text(answer.header)
                self.message, self.remedy = text, text.remedy
        return answers

    def _begin(self, budget_seconds: float) -> None:
        """Reads what acts on the object, then waits for a worker."""
        try:
            if self._start is not None:
                self._runner = self._start.tick(budget_seconds)
            elif self._reading is None or self._reading.advance(budget_seconds):
                conditions = {} if self._reading is None else self._reading.conditions[0]
                self.request = object_request(self.object, self.snapshot, self._provider, conditions)
                self._start = JobStart(JobRequest((self.request,), Task.INTERACTIVE))
        except (NoPython, Refusal) as problem:
            self.end(problem.message, problem.remedy)

    def ask(self, kind: str, arrays: Mapping[str, np.ndarray] | None = None, channel: str = "", **header: Any) -> None:
        """Sends a request about the object under its conditions; see `job.phases.QueuedRequest` for the channel."""
        if self._runner is not None and self.request is not None:
            buffers: dict[str, np.ndarray] = {}
            about = self.request.entry(buffers)  # named alike in every request, so that the worker knows them again
            self._runner.ask({"type": kind, **about, **header}, {**buffers, **(arrays or {})}, channel)

    def ask_on(self, kind: str, channel: str = "", **header: Any) -> None:
        """Sends a request about the object of the last one, without naming it again."""
        if self._runner is not None:
            self._runner.ask({"type": kind, **header}, channel=channel)

    def world_positions(self, shape: Shape) -> NDArray[np.float64]:
        """Where the vertices of a shape are in the world, Float[V,3] m."""
        assert self._decoder is not None
        return placed(self._decoder(shape), self.snapshot.to_world)

    def take(self, frame_start: int, fps: float, shapes: Sequence[Shape]) -> SceneTake | None:
        """Shapes as a take, one a frame; None where there are none, or no object."""
        obj = self.object
        if obj is None or self._decoder is None or not shapes:
            return None
        motion = StreamedMotion(self._decoder.weights, self._has_points, fps, len(shapes), list(shapes))
        return SceneTake.of(obj, self.snapshot, frame_start, motion)

    def show(self, shape: Shape) -> None:
        """Puts a shape on the mesh."""
        obj = self.object
        if obj is None or obj.mode != "OBJECT":
            return
        if preview.is_edited(obj.data):
            self.end("The mesh was changed while it was moved by hand.", "The change is kept. Begin again.")
        else:
            assert self._decoder is not None
            self._shown = shape
            storage = self.snapshot.storage
            preview.show(obj.data, storage(self._decoder(shape)), storage.original)

    def hold_under(self, origin: Vector, direction: Vector) -> Hold | None:
        """What a line of sight (world) meets first of the shape that is shown."""
        if self._shown is None:
            return None
        return hold_under(self.world_positions(self._shown), self.snapshot.triangles, origin, direction)

    def vertex_place(self, vertex: int) -> Vector:
        """Where a vertex of the shape that is shown is in the world (m)."""
        assert self._shown is not None
        return Vector(self.world_positions(self._shown)[vertex])

    def end(self, message: Text | str = "", remedy: Text | str = "") -> None:
        """Ends the session; the mesh and the take that it had are as they were before."""
        if self.phase is SessionPhase.ENDED:
            return
        self.phase, self.message, self.remedy = SessionPhase.ENDED, message, remedy
        if self._reading is not None:
            self._reading.close()
        if self._runner is not None and self._runner.state.busy:
            self._runner.cancel()
        if session.interactive is self:
            session.interactive = None
        mesh = find_by_uid(bpy.data.meshes, self.mesh_uid)
        if mesh is not None and not mesh.is_editmode:
            preview.restore(mesh)
            if self.object is not None:
                switch_on(self.object, self._played)
            if self._put_aside is not None:
                session.takes[self.mesh_uid] = self._put_aside
                session.show_takes(bpy.context.scene.frame_current)
        half_if_unused(self.object)

    def keep(self, take: SceneTake, name: str, instead_of: str = "") -> None:
        """Ends the session with a take, which is listed and plays; see `take_list.add_take`."""
        self._put_aside, self._played = None, []
        self.end()
        add_take(take, name, instead_of)
        session.show_takes(bpy.context.scene.frame_current)
