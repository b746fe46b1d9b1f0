"""Starts a job: finds a Python, starts the worker, and cancels what keeps it busy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy

from ..job.phases import Phase
from ..job.requests import JobRequest, ObjectRequest
from ..job.runner import JobRunner
from ..properties.provider_menu import JOINTED, menu
from ..scene.joint_alternatives import kept_alternatives
from ..scene.mesh_io import MeshShape
from ..setup.worker_python import PythonState
from .backend_text import backend_report
from .state import session

__all__ = ["JobStart", "NoPython", "object_request"]


class NoPython(Exception):
    """There is nothing that could run the worker."""

    def __init__(self, message: str, remedy: str):
        super().__init__(message)
        self.message, self.remedy = message, remedy


def object_request(
    obj: bpy.types.Object, shape: MeshShape, provider: str, conditions: Mapping[str, Any] | None = None
) -> ObjectRequest:
    """The request of an object; with conditions its joints move by the alternatives that were chosen."""
    given = dict(conditions or {})
    for name in ("joints", "pieces"):  # the analysis has them
        given.pop(name, None)
    chosen = conditions is not None and menu.understands(provider, "choices") and obj.neurok.ways
    if chosen and (choices := kept_alternatives(obj, shape.form)):
        given["choices"] = choices
    joints = shape.joints if provider == JOINTED else None
    jointed = {} if joints is None else {"joints": joints.tree, "part": joints.part}
    key, mesh = shape.key(provider), (shape.world, shape.triangles)
    known = {"labels": shape.labels, "pieces": shape.pieces}
    return ObjectRequest(key, *mesh, provider, given, shape.slots, **jointed, **known)


class JobStart:
    """Call `tick` until it gives the runner that has begun the job; it never waits."""

    def __init__(self, job: JobRequest) -> None:
        self._job = job
        self.stage, self.done, self.total = "Looking for a Python that can simulate", 0, 0
        session.want_python()

    def tick(self, budget_seconds: float) -> JobRunner | None:
        """Raises NoPython."""
        status = session.chooser.tick()
        if status.state is PythonState.MISSING:
            raise NoPython(status.translated(backend_report), status.remedy)
        if status.state is not PythonState.READY:
            return None
        runner = session.runner(status.python)
        state = runner.tick(budget_seconds)
        if not state.busy:
            runner.start(self._job)
            return runner
        # The background is looking at something: at this very mesh, or at what can wait.
        known = {each.wire_key for each in state.request.objects} if state.request is not None else set()
        if state.phase is not Phase.CANCELLING and not known <= {each.wire_key for each in self._job.objects}:
            runner.cancel()
        self.stage, self.done, self.total = state.stage or self.stage, state.done, state.total
        return None
