"""The steps that several events of a job share: asking the worker for the next thing, and ending."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from .events import DropTake, Effect, KillWorker, Send
from .phases import JobState, Phase, WorkerPhase

__all__ = [
    "KNOWN_ANALYSES",
    "Step",
    "end",
    "fail",
    "finish",
    "lose_worker",
    "next_request",
    "remember",
    "send",
    "without_worker",
]

# How many analyses the worker keeps, the latest used last.
KNOWN_ANALYSES = 4

Step = tuple[JobState, tuple[Effect, ...]]


def send(
    state: JobState, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray] | None = None
) -> tuple[JobState, Send]:
    """Numbers the request; from here on its answer is awaited."""
    number = state.last_request + 1
    return replace(state, last_request=number, awaited=number), Send({**header, "id": number}, arrays or {})


def next_request(state: JobState) -> Step:
    """The worker is ready: what the job needs next of it."""
    request = state.request
    if request is None:
        return finish(state)
    key = request.wire_key
    known = dict(state.known)
    if key not in known:
        state = replace(state, phase=Phase.ANALYZING, stage="analyzing", done=0, total=0)
        mesh = {"vertices": request.vertices, "triangles": request.triangles}
        if request.slots is not None:
            mesh["slots"] = request.slots
        state, effect = send(state, {"type": "analyze", "key": key, "provider": request.provider}, mesh)
        return state, (effect,)
    state = replace(state, summary=known[key])
    if request.conditions is None:
        return finish(state)
    state = remember(state, key, known[key])  # the worker counts this as its latest use as well
    state = replace(state, phase=Phase.SIMULATING, stage="simulating", done=0, total=0)
    state, effect = send(state, {"type": "simulate", "key": key, "conditions": request.conditions})
    return state, (effect,)


def remember(state: JobState, key: str, summary: Mapping[str, Any]) -> JobState:
    others = tuple(entry for entry in state.known if entry[0] != key)
    return replace(state, known=(*others, (key, summary))[-KNOWN_ANALYSES:])


def finish(state: JobState) -> Step:
    return end(state, Phase.DONE, ""), ()


def fail(state: JobState, message: str, remedy: str) -> Step:
    return end(state, Phase.FAILED, message, remedy), (DropTake(),)


def end(state: JobState, phase: Phase, message: str, remedy: str = "") -> JobState:
    """The job is over; its mesh is let go."""
    return replace(state, phase=phase, message=message, remedy=remedy, request=None, cancel_deadline=None, awaited=0)


def lose_worker(state: JobState, message: str, remedy: str) -> Step:
    """The worker cannot be used: it is killed, and the job fails if there is one."""
    state = without_worker(state)
    if not state.busy:
        return state, (KillWorker(),)
    state, effects = fail(state, message, remedy)
    return state, (KillWorker(), *effects)


def without_worker(state: JobState) -> JobState:
    return replace(state, worker=WorkerPhase.ABSENT, backend=None, known=())
