"""Background analysis of the active object, whose result the panel shows before anything is pressed.

The panel says which object it shows; a timer reads that object's mesh once it has been left alone for a moment, and
lets the worker analyse it if its content is new. So the analysis is there when Simulate is pressed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..backend.texts import Text
from ..errors import Refusal
from ..job.phases import Phase
from ..job.requests import JobRequest, Task, wire_key
from ..job.runner import JobRunner
from ..scene import preview
from ..scene.bakes.ledger import playing
from ..scene.labels import labels_of
from ..scene.mesh_io import MeshShape, look_at
from ..scene.provider import provider_of
from ..scene.takes import find_by_uid
from ..setup.worker_python import PythonState
from .job_start import object_request
from .state import session

__all__ = ["BackgroundAnalysis", "Finding", "background_analysis", "summary_of"]

CALM_SECONDS = 0.6  # without a change, before a mesh is read, so that it is not read in the middle of a drag
MOST_VERTICES = 500_000  # larger meshes are read when Simulate is pressed: reading them takes longer than a blink


@dataclass(frozen=True)
class Finding:
    """The analysis of a mesh: the `summary` of the backend, or why the mesh cannot be simulated."""

    key: str = ""
    provider: str = ""
    form: str = ""  # of joints with alternatives
    summary: Mapping[str, Any] | None = None
    message: Text | str = ""
    remedy: Text | str = ""
    shape: MeshShape | None = field(default=None, compare=False)
    piece: NDArray[np.int32] | None = field(default=None, compare=False)
    """Int32[F]: the piece of each triangle of the shape, by its place in the summary."""

    @cached_property
    def slots(self) -> NDArray[np.intp]:
        """Of each piece the material slot that most of its triangles have, Int[P]."""
        if self.shape is None or self.piece is None:
            return np.zeros(0, np.intp)
        counts = np.zeros((int(self.piece.max()) + 1, int(self.shape.slots.max()) + 1), np.int64)
        np.add.at(counts, (self.piece, self.shape.slots), 1)
        return counts.argmax(axis=1)


class BackgroundAnalysis:
    """One object is watched at a time. `tick` never waits."""

    def __init__(self) -> None:
        self._object_uid = 0
        self._changed_at = 0.0
        self._seen_at = -1.0
        self._runner: JobRunner | None = None
        self._shape: tuple[int, MeshShape, str] | None = None
        """The subject of the analysis: session_uid of the mesh, the mesh, the provider."""
        self._read: tuple[int, float, MeshShape] | None = None
        """What was looked at last: session_uid of the mesh, which change it followed, the mesh."""
        self._job_number = 0
        self.findings: dict[int, Finding] = {}
        """By the session_uid of the mesh."""

    @property
    def is_analyzing(self) -> bool:
        return self._runner is not None

    def watch(self, obj: bpy.types.Object) -> None:
        """The panel shows this object. Called while drawing: it only takes note."""
        if obj.session_uid != self._object_uid:
            self._object_uid = obj.session_uid
            self.changed()

    def changed(self) -> None:
        """The watched object may look different now."""
        self._changed_at = time.monotonic()

    def keep(
        self,
        mesh_uid: int,
        shape: MeshShape,
        provider: str,
        summary: Mapping[str, Any],
        runner: JobRunner | None = None,
    ) -> None:
        """Keeps the analysis of a mesh that a job has brought, one of the runner where that knows its pieces."""
        form, key = shape.form if summary.get("choices") else "", shape.key(provider)
        piece = None if runner is None else runner.pieces.get(wire_key(key, provider))
        self.findings[mesh_uid] = Finding(key, provider, form, summary, shape=shape, piece=piece)

    def finding_of(self, obj: bpy.types.Object) -> Finding | None:
        return self.findings.get(obj.data.session_uid)

    def is_current(self, obj: bpy.types.Object) -> bool:
        """Whether what was found holds for the object as it is now, and as it is chosen to move."""
        known = self.finding_of(obj)
        if known is None or known.provider != provider_of(obj) or self.is_analyzing:
            return False
        return self._is_at_rest(obj) is False or self._seen_at >= self._changed_at

    @staticmethod
    def _is_at_rest(obj: bpy.types.Object) -> bool:
        """Whether the object shows itself: in object mode, and neither a take nor a baked one plays on it."""
        return obj.mode == "OBJECT" and not preview.is_posed(obj.data) and not playing(obj)

    @property
    def watched(self) -> bpy.types.Object | None:
        """The object that the panel shows."""
        return find_by_uid(bpy.data.objects, self._object_uid)

    def is_watched(self, identifier: bpy.types.ID) -> bool:
        obj = find_by_uid(bpy.data.objects, self._object_uid)
        return obj is not None and identifier.session_uid in (obj.session_uid, obj.data.session_uid)

    def forget(self) -> None:
        """Another file is opened, or memory is wanted back."""
        if self._runner is not None and self._runner.state.busy:
            self._runner.cancel()
        self._object_uid, self._runner, self._shape, self._read = 0, None, None, None
        self.findings.clear()

    def tick(self, budget_seconds: float = 0.005) -> bool:
        """Goes on a little; true where the panel has something new to show."""
        if session.is_busy:
            self._runner = None  # who is busy decides what becomes of what the worker is doing
            return False
        if self._runner is not None:
            return self._follow(self._runner, budget_seconds)
        return self._look()

    def _look(self) -> bool:
        obj = find_by_uid(bpy.data.objects, self._object_uid)
        if obj is None or obj.type != "MESH" or not self._is_at_rest(obj):
            return False
        known, provider = self.finding_of(obj), provider_of(obj)
        if known is not None and known.shape is not None and known.shape.labels != labels_of(obj):
            self._seen_at = -1.0  # nothing tells when something is given another name
        fresh = known is not None and known.provider == provider and self._seen_at >= self._changed_at
        if fresh or time.monotonic() - self._changed_at < CALM_SECONDS or len(obj.data.vertices) > MOST_VERTICES:
            return False
        session.want_python()
        status = session.chooser.tick()
        if status.state is not PythonState.READY:
            return False
        runner = session.runner(status.python)
        if runner.state.busy:
            return False
        if self._read is None or self._read[:2] != (obj.data.session_uid, self._changed_at):
            return self._take_a_look(obj, provider)
        shape, self._read = self._read[2], None
        self._seen_at = self._changed_at
        if known is not None and known.key == shape.key(provider):
            return False
        runner.start(JobRequest((object_request(obj, shape, provider),), Task.ANALYZE))
        self._job_number = runner.job_number
        self._runner, self._shape = runner, (obj.data.session_uid, shape, provider)
        return True

    def _take_a_look(self, obj: bpy.types.Object, provider: str) -> bool:
        """Reads the mesh; to compare and to send it is the next tick's part, or the window would stand still."""
        uid, known = obj.data.session_uid, self.finding_of(obj)
        try:
            self._read = (uid, self._changed_at, look_at(bpy.context, obj))
        except Refusal as refusal:
            self._seen_at = time.monotonic()
            self.findings[uid] = Finding(provider=provider, message=refusal.message, remedy=refusal.remedy)
            return self.findings[uid] != known
        return False

    def _follow(self, runner: JobRunner, budget_seconds: float) -> bool:
        state = runner.tick(budget_seconds)
        if runner.job_number != self._job_number:  # a script has given the worker another one, to its end
            self._runner, self._shape = None, None
            return True
        if state.busy:
            return False
        assert self._shape is not None
        mesh_uid, shape, provider = self._shape
        if state.phase is Phase.DONE:
            self.keep(mesh_uid, shape, provider, state.summary, runner)
        elif state.phase is Phase.FAILED:
            self.findings[mesh_uid] = Finding(shape.key(provider), provider, message=state.message, remedy=state.remedy)
        self._runner, self._shape = None, None
        return True


background_analysis = BackgroundAnalysis()


def summary_of(obj: bpy.types.Object) -> Mapping[str, Any] | None:
    """What was found out about the object; until something is, what was stored after its last simulation."""
    finding = background_analysis.finding_of(obj)
    if finding is not None:
        return finding.summary
    return json.loads(obj.neurok.found) if obj.neurok.found else None
