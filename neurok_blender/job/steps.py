"""The steps that several transitions of a job share: sending the next request, and ending."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..backend.texts import Text
from .effects import Effect, KillWorker, Send
from .phases import JobState, Phase, WorkerPhase
from .requests import Task

__all__ = [
    "KNOWN_ANALYSES",
    "Step",
    "end",
    "fail",
    "finish",
    "lose_worker",
    "next_interactive_request",
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
    """The next request of the job to a ready worker."""
    request = state.request
    if request is None:
        return finish(state)
    known = dict(state.known)
    for each in request.objects:
        if each.wire_key not in known:
            state = replace(state, phase=Phase.ANALYZING, stage="analyzing", done=0, total=0)
            state, effect = send(state, *each.analysis())
            return state, (effect,)
    state = replace(state, summaries=tuple(known[each.wire_key] for each in request.objects))
    if request.task is Task.ANALYZE:
        return finish(state)
    for each in request.objects:  # the worker counts this as their latest use as well
        state = remember(state, each.wire_key, known[each.wire_key])
    if request.task.is_interactive:
        state = replace(state, phase=Phase.INTERACTIVE, stage="ready", done=0, total=0, awaited=0)
        return next_interactive_request(state)
    state = replace(state, phase=Phase.SIMULATING, stage="simulating", done=0, total=0)
    header, arrays = request.simulation()
    state, effect = send(state, header, arrays)
    return state, (effect,)


def next_interactive_request(state: JobState) -> Step:
    """In an interactive job: sends the request that waits longest, unless an answer is awaited."""
    if state.awaited or not state.waiting:
        return state, ()
    following, *waiting = state.waiting
    state, effect = send(replace(state, waiting=tuple(waiting), pending=following), following.header, following.arrays)
    return state, (effect,)


def remember(state: JobState, key: str, summary: Mapping[str, Any]) -> JobState:
    """A job may have more objects than the worker keeps for certain; those that it dropped are sent again."""
    kept = KNOWN_ANALYSES if state.request is None else max(KNOWN_ANALYSES, len(state.request.objects))
    others = tuple(entry for entry in state.known if entry[0] != key)
    return replace(state, known=(*others, (key, summary))[-kept:])


def finish(state: JobState) -> Step:
    return end(state, Phase.DONE), ()


def fail(state: JobState, text: Text) -> Step:
    return end(state, Phase.FAILED, text), ()


def end(state: JobState, phase: Phase, text: Text | None = None) -> JobState:
    """The job is over; its mesh is let go."""
    over = {"request": None, "waiting": (), "pending": None, "cancel_deadline": None, "awaited": 0}
    return replace(state, phase=phase, text=text, **over)


def lose_worker(state: JobState, text: Text) -> Step:
    """The worker cannot be used: it is killed, and the job fails if there is one."""
    state = without_worker(state)
    if not state.busy:
        return state, (KillWorker(),)
    state, effects = fail(state, text)
    return state, (KillWorker(), *effects)


def without_worker(state: JobState) -> JobState:
    return replace(state, worker=WorkerPhase.ABSENT, backend=None, known=())
