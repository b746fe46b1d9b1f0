"""The transitions of a job's state by messages of the worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..backend.protocol import PROTOCOL_VERSION
from ..backend.texts import Text, from_wire
from .effects import BeginTake, Deliver, StoreFrame, StorePieces, StoreRegistry
from .motion import Shape
from .phases import JobState, Phase, WorkerPhase
from .steps import Step, end, fail, finish, lose_worker, next_interactive_request, next_request, remember

__all__ = ["error_text", "message_received"]

Arrays = Mapping[str, np.ndarray]
Header = Mapping[str, Any]


def error_text(header: Header) -> Text:
    """What an answer of the type "error" says; ValueError where that is no error of the catalog."""
    text = from_wire(header["text"])
    if not isinstance(text, Text) or text.remedy is None:
        raise ValueError("it has no text of an error")
    return text


def message_received(state: JobState, header: Header, arrays: Arrays) -> Step:
    """Handles a message; answers to requests that are no longer awaited are ignored."""
    try:
        if state.worker is WorkerPhase.GREETING:
            return _greeting(state, header)
        # Number 0 is an error that belongs to no request: the worker is about to end.
        awaited = header["id"] == state.awaited or (header["type"] == "error" and header["id"] == 0)
        if not state.busy or not awaited:
            return state, ()
        match header["type"], state.phase:
            case "heartbeat", _:
                return _progress(state, header), ()
            case (("cancelled" | "error"), Phase.CANCELLING):
                return end(state, Phase.CANCELLED, Text("job.cancelled")), ()
            case _, Phase.CANCELLING:
                return state, ()  # sent before the worker heard of the cancel
            case "error", _ if error_text(header).code == "unknown_mesh" and not state.analyzed_again:
                return _analyzed_again(state)
            case _, Phase.INTERACTIVE:
                state, effects = next_interactive_request(replace(state, awaited=0, pending=None, stage="ready"))
                return state, (Deliver(header, arrays), *effects)
            case "error", _:
                return fail(state, error_text(header))
            case "analysis", Phase.ANALYZING:
                return _analysis(state, header, arrays)
            case "started", Phase.SIMULATING:
                return _started(state, header, arrays)
            case "frame", Phase.SIMULATING:
                return _frame(state, header, arrays)
            case "done", Phase.SIMULATING:
                if state.frame_count == 0 or state.frames != state.frame_count:
                    raise ValueError(f"{state.frames} of {state.frame_count} frames came")
                return finish(replace(state, report=header["report"], seconds=header["seconds"]))
        raise ValueError(f"it was not expected while {state.activity}")
    except (KeyError, TypeError, ValueError) as error:
        return lose_worker(state, Text("worker.unfit_message", type=header["type"], reason=repr(error)))


def _greeting(state: JobState, header: Header) -> Step:
    """The first message of a worker: hello, a heartbeat or an error."""
    if header["type"] == "heartbeat":
        return (_progress(state, header), ()) if state.busy else (state, ())
    if header["type"] == "error":
        return lose_worker(state, error_text(header))
    if header["type"] != "hello":
        raise ValueError("it came before hello")
    if header["protocol"] != PROTOCOL_VERSION:
        return lose_worker(state, Text("worker.other_protocol", given=header["protocol"], own=PROTOCOL_VERSION))
    backend = {name: header[name] for name in ("version", "device", "engine")}
    registry = StoreRegistry(*(tuple(header[name]) for name in ("providers", "materials", "problems")))
    state = replace(state, worker=WorkerPhase.READY, backend=backend)
    state, effects = next_request(state) if state.busy else (state, ())
    return state, (*effects, registry)


def _progress(state: JobState, header: Header) -> JobState:
    state = replace(state, stage=header["stage"])
    if state.frame_count > 0:
        return state  # the frames themselves count from here on
    return replace(state, done=int(header["done"]), total=int(header["total"]))


def _analyzed_again(state: JobState) -> Step:
    """The worker has dropped an analysis; that it should do so twice in one job is a failure."""
    mine = {each.wire_key for each in state.request.objects}
    known = tuple(entry for entry in state.known if entry[0] not in mine)
    if state.pending is not None:
        state = replace(state, waiting=(state.pending, *state.waiting), pending=None)
    return next_request(replace(state, known=known, analyzed_again=True))


def _analysis(state: JobState, header: Header, arrays: Arrays) -> Step:
    key, piece = header["key"], arrays["piece"]
    triangles = next(len(each.triangles) for each in state.request.objects if each.wire_key == key)
    if piece.dtype != np.int32 or piece.shape != (triangles,):
        raise ValueError(f"pieces {piece.dtype} {piece.shape} of {triangles} triangles")
    state, effects = next_request(remember(state, key, header["summary"]))
    return state, (StorePieces(key, piece), *effects)


def _started(state: JobState, header: Header, arrays: Arrays) -> Step:
    frame_count, fps, entries = int(header["frames"]), float(header["fps"]), header["objects"]
    if state.frame_count > 0 or frame_count < 1 or not fps > 0.0:
        raise ValueError(f"{frame_count} frames at {fps} per second")
    weights = tuple(arrays.get(f"weights_{number}") for number in range(len(entries)))
    has_points = tuple(bool(entry["points"]) for entry in entries)
    expected = []
    for each, points, requested in zip(weights, has_points, state.request.objects, strict=True):
        vertex_count, shapes = len(requested.vertices), {}
        if each is not None:
            if each.ndim != 2 or each.dtype != np.float32 or len(each) != vertex_count:
                raise ValueError(f"weights {each.dtype} {each.shape} for {vertex_count} vertices")
            shapes["handles"] = (each.shape[1], 3, 4)
        if points:
            shapes["points"] = (vertex_count, 3)
        if not shapes:
            raise ValueError("an object with neither weights nor points")
        expected.append(shapes)
    state = replace(
        state,
        stage="simulating",
        done=0,
        total=frame_count,
        frames=0,
        frame_count=frame_count,
        frame_arrays=tuple(expected),
        summaries=tuple(entry["summary"] for entry in entries),
    )
    return state, (BeginTake(weights, has_points, fps, frame_count),)


def _frame(state: JobState, header: Header, arrays: Arrays) -> Step:
    index = state.frames + 1
    if header["index"] != index or index > state.frame_count:
        raise ValueError(f"frame {header['index']} came as number {index} of {state.frame_count}")
    for number, expected in enumerate(state.frame_arrays):
        for name, shape in expected.items():
            each = arrays[f"{name}_{number}"]
            if each.dtype != np.float32 or each.shape != shape:
                raise ValueError(f"{name} {each.dtype} {each.shape} in place of {shape}")
    shapes = tuple(Shape.of(arrays, number) for number in range(len(state.frame_arrays)))
    return replace(state, frames=index, done=index), (StoreFrame(shapes),)
