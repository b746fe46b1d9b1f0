"""What the messages of the living worker do to the job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..backend.protocol import PROTOCOL_VERSION
from .events import Deliver, DropTake, MessageReceived, StoreFrame, StoreRegistry, StoreWeights
from .phases import JobState, Phase, WorkerPhase
from .steps import Step, end, fail, finish, lose_worker, next_question, next_request, remember

__all__ = ["message_received"]

SAME_RELEASE = "Install the add-on and the backend from the same release."

Arrays = Mapping[str, np.ndarray]
Header = Mapping[str, Any]


def message_received(state: JobState, event: MessageReceived) -> Step:
    """Handles a message; answers to requests that are no longer awaited are ignored."""
    header = event.header
    try:
        if state.worker is WorkerPhase.GREETING:
            return _greeting(state, header)
        # Number 0 is an error that belongs to no request: the worker is about to end.
        awaited = header["id"] == state.awaited or (header["type"] == "error" and header["id"] == 0)
        return _answer(state, header, event.arrays) if state.busy and awaited else (state, ())
    except (KeyError, TypeError, ValueError) as error:
        what = f"The backend sent a '{header['type']}' message that does not fit ({error!r})."
        return lose_worker(state, what, SAME_RELEASE)


def _greeting(state: JobState, header: Header) -> Step:
    """Until the worker has said hello there is nothing else it can speak about."""
    if header["type"] == "heartbeat":
        return (_progress(state, header), ()) if state.busy else (state, ())
    if header["type"] == "error":
        return lose_worker(state, header["message"], header["remedy"])
    if header["type"] != "hello":
        raise ValueError("it came before hello")
    if header["protocol"] != PROTOCOL_VERSION:
        what = f"The backend speaks protocol {header['protocol']}, this add-on {PROTOCOL_VERSION}."
        return lose_worker(state, what, SAME_RELEASE)
    backend = {name: header[name] for name in ("version", "device", "engine")}
    registry = StoreRegistry(tuple(header["providers"]), tuple(header["problems"]))
    state = replace(state, worker=WorkerPhase.READY, backend=backend)
    state, effects = next_request(state) if state.busy else (state, ())
    return state, (*effects, registry)


def _answer(state: JobState, header: Header, arrays: Arrays) -> Step:
    match header["type"], state.phase:
        case "heartbeat", _:
            return _progress(state, header), ()
        case (("cancelled" | "error"), Phase.CANCELLING):
            return end(state, Phase.CANCELLED, "Cancelled."), (DropTake(),)
        case _, Phase.CANCELLING:
            return state, ()  # sent before the worker heard of the cancel
        case "error", _ if header["code"] == "unknown_mesh" and not state.analyzed_again:
            return _analyzed_again(state)
        case _, Phase.TALKING:
            state, effects = next_question(replace(state, awaited=0, asking=None, stage="ready"))
            return state, (Deliver(header, arrays), *effects)
        case "error", _:
            return fail(state, header["message"], header["remedy"])
        case "analysis", Phase.ANALYZING:
            return next_request(remember(state, header["key"], header["summary"]))
        case "started", Phase.SIMULATING:
            return _started(state, header, arrays)
        case "frame", Phase.SIMULATING:
            return _frame(state, header, arrays)
        case "done", Phase.SIMULATING:
            if state.frame_count == 0 or state.frames != state.frame_count:
                raise ValueError(f"{state.frames} of {state.frame_count} frames came")
            return finish(replace(state, report=header["report"]))
    raise ValueError(f"it was not expected while {state.activity}")


def _progress(state: JobState, header: Header) -> JobState:
    state = replace(state, stage=header["stage"])
    if state.frame_count > 0:
        return state  # the frames themselves count from here on
    return replace(state, done=int(header["done"]), total=int(header["total"]))


def _analyzed_again(state: JobState) -> Step:
    """The worker has dropped an analysis; that it should do so twice in one job is a failure."""
    mine = {each.wire_key for each in state.request.objects}
    known = tuple(entry for entry in state.known if entry[0] not in mine)
    if state.asking is not None:
        state = replace(state, waiting=(state.asking, *state.waiting), asking=None)
    return next_request(replace(state, known=known, analyzed_again=True))


def _each(state: JobState, arrays: Arrays, name: str) -> tuple[np.ndarray, ...]:
    """The arrays of that name, one for each object; in a message about several objects they are numbered."""
    count = len(state.request.objects)
    return (arrays[name],) if count == 1 else tuple(arrays[f"{name}_{number}"] for number in range(count))


def _started(state: JobState, header: Header, arrays: Arrays) -> Step:
    frame_count, fps = int(header["frames"]), float(header["fps"])
    if state.frame_count > 0 or frame_count < 1 or not fps > 0.0:
        raise ValueError(f"{frame_count} frames at {fps} per second")
    weights = _each(state, arrays, "weights")
    for each, asked in zip(weights, state.request.objects, strict=True):
        if each.ndim != 2 or each.dtype != np.float32 or len(each) != len(asked.vertices):
            raise ValueError(f"weights {each.dtype} {each.shape} for {len(asked.vertices)} vertices")
    state = replace(
        state,
        stage="simulating",
        done=0,
        total=frame_count,
        frames=0,
        frame_count=frame_count,
        handle_counts=tuple(each.shape[1] for each in weights),
        summaries=(header["summary"],) if len(weights) == 1 else tuple(header["summaries"]),
    )
    return state, (StoreWeights(weights, fps, frame_count),)


def _frame(state: JobState, header: Header, arrays: Arrays) -> Step:
    index = state.frames + 1
    if header["index"] != index or index > state.frame_count:
        raise ValueError(f"frame {header['index']} came as number {index} of {state.frame_count}")
    handles = _each(state, arrays, "handles")
    for each, count in zip(handles, state.handle_counts, strict=True):
        if each.dtype != np.float32 or each.shape != (count, 3, 4):
            raise ValueError(f"handles {each.dtype} {each.shape} for {count} handles")
    return replace(state, frames=index, done=index), (StoreFrame(handles),)
