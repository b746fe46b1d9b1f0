"""The worker process: answers requests on stdin with messages on stdout until it is told to quit.

Every request has a number "id", which its answers carry. Arrays are in [brackets].

    hello {protocol}                                     -> hello {protocol, version, device, engine}
    analyze {key, provider, joints?} [vertices, triangles, slots?, part?]
                                                         -> analysis {key, summary} [weights]
    simulate {key, conditions}                           -> started {frames, fps, summary} [weights],
                                                            frame {index} [handles] for each, done {report}
    simulate {objects: [{key, conditions}..], shared?}   -> started {frames, fps, summaries} [weights_0, ..],
                                                            frame {index} [handles_0, ..] for each, done {report}
    pose {key, conditions} [vertices, targets, hard?]    -> posed {unmet, converged, choices} [handles, positions],
                                                            and {summary} [weights] where it begins with this request,
                                                            or where the drags have changed how a joint moves;
                                                            [values] of the nearest sliders
    coordinates {key, conditions}                        -> coordinates {names, kinds, lower, upper, summary} [weights]
    shape {key, conditions} [values]                     -> shapes [handles] (n,H,3,4) for slider values (n,k)
    reach {key, conditions, goals, search?} [tips, targets, values]
                                                         -> reached [values, handles, ways, turns] of n rows of targets
                                                            (n,g,4,4), world poses of the frames tips (g,4,4) of g
                                                            links, each {part, turns, weight}, from slider values (k,)
    poses {key, conditions, count, seed}                 -> shapes [values, handles] of random plausible poses
    live {key, conditions, parts?}                       -> started {fps, summary} [weights, handles] of the first frame
    step {pull}                                          -> stepped {index} [handles] of what is live, one of `parts`
                                                            steps of a frame later; pull is null or {point, radius,
                                                            target}, metres
    joints {parts, names?} [vertices, triangles, slots?, labels?]
                                                         -> joints {parts, joints, warnings} [labels]
    write_robot {joints, output, name, density, fixed_base, colours?} [vertices, triangles, part]
                                                         -> robot_written {notes}
    read_robot {file}                                    -> robot {parts, joints, masses, colours} [vertices,
                                                            triangles, part]
    cancel {target}                                      -> cancelled, with the number of the job
    quit

and to any of them error {code, message, remedy}; heartbeat {stage, done, total} while a job runs. {"buffer": name} in
conditions stands for an array of the message. The engine is "onnx" or "torch" where there is one for learned motion,
else "numpy"; the device is "cpu", or what the variable NEUROK_DEVICE asks PyTorch for, if it computes there.

The main thread runs the jobs one after the other; `worker_pipes` has the threads around it.

The latest object that was posed is kept for the next of `pose`, `coordinates`, `shape` and `poses`, and the latest that
was begun `live` for every `step`. A step that is refused leaves the last frame as it was.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import tomllib
import traceback
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from backend import protocol
from backend.errors import Cancelled, UserError
from backend.learned.infer.device import requested_device
from backend.learned.infer.engine_choice import learned_engine
from backend.worker.pipes import EXIT_BAD_STREAM, Inbox, Outlet, take_standard_streams
from backend.worker.requests import (
    MOST_OBJECTS,
    array_of,
    asked_for,
    drags_of,
    draw_of,
    object_of,
    parts_of,
    pull_of,
    reach_of,
    slots_of,
    text_of,
    values_of,
)

__all__ = ["KEPT_ANALYSES", "KEPT_VERTICES", "main"]

KEPT_ANALYSES = 4  # the latest, of whatever size
KEPT_VERTICES = 1_000_000  # more are kept while their meshes have no more vertices than these together


@dataclass(frozen=True)
class _Kept:
    """An analysis and the size of its mesh."""

    analysis: Any
    vertices: int


@dataclass(frozen=True)
class _Posing:
    """An object that is posed, and what it was made from."""

    analysis: Any
    conditions: tuple[str | bytes, ...]
    object: Any
    told: np.ndarray | None = None  # the weights that the client has


def main(engine: Any = None) -> int:
    """Serves stdin and stdout until quit or the end of stdin; the exit code of the process.

    `engine` has the functions `analyze`, `prepare`, `prepare_together`, `begin_pose` and `begin_live` of
    `backend.engine`, which is imported at the first request when none is given, after the client has been told so.
    """
    # Ctrl-C in a terminal reaches the whole group; ending the worker is the client's business.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = take_standard_streams()
    outlet = Outlet(answers)
    inbox = Inbox(requests)
    inbox.start()
    outlet.start()
    return Worker(inbox, outlet, engine).serve()


class Worker:
    """Runs the requests in order."""

    def __init__(self, inbox: Inbox, outlet: Outlet, engine: Any) -> None:
        self._inbox = inbox
        self._outlet = outlet
        self._given_engine = engine
        self._analyses: OrderedDict[str, _Kept] = OrderedDict()
        self._posing: _Posing | None = None
        self._live: Any = None
        self._handlers = {
            "hello": self._hello,
            "analyze": self._analyze,
            "simulate": self._simulate,
            "pose": self._pose,
            "coordinates": self._coordinates,
            "shape": self._shape,
            "poses": self._poses,
            "reach": self._reach,
            "live": self._begin_live,
            "step": self._step,
            "pointmap": self._pointmap,
            "joints": self._joints,
            "write_robot": self._write_robot,
            "read_robot": self._read_robot,
        }

    def serve(self) -> int:
        while (message := self._inbox.next_job()) is not None:
            self._answer(message)
            del message  # its mesh is not held until the next request
        if self._inbox.exit_code == EXIT_BAD_STREAM:
            what = "The requests to the backend broke off or were damaged."
            self._refuse(0, UserError("bad_stream", what, "Start the backend again."))
        return self._inbox.exit_code

    def _answer(self, message: protocol.Message) -> None:
        job = message.header.get("id")
        if type(job) is not int:
            self._refuse(0, UserError("bad_request", "A request has no number.", "Give it a whole 'id'."))
        elif message.type == "cancel":
            self._confirm_cancel(message, job)
        elif message.type not in self._handlers:
            what = f"The request '{message.type}' is unknown to this backend."
            self._refuse(job, UserError("bad_request", what, "Use an add-on and a backend of one version."))
        else:
            self._run(message, job)

    def _confirm_cancel(self, message: protocol.Message, job: int) -> None:
        target = message.header.get("target")
        if type(target) is not int:
            what = "A cancel request names no job."
            self._refuse(job, UserError("bad_request", what, "Give the number of the job as 'target'."))
            return
        if self._inbox.take_cancel(target):
            self._outlet.send({"type": "cancelled", "id": target})

    def _run(self, message: protocol.Message, job: int) -> None:
        """Runs one job and answers with its result or with the reason why there is none."""
        try:
            if not self._inbox.should_cancel(job):
                self._handlers[message.type](message, job)
        except Cancelled:
            pass  # answered below
        except UserError as error:
            self._refuse(job, error)
        except MemoryError:
            traceback.print_exc()
            what = "The backend ran out of memory."
            remedy = "Close other programs, use fewer frames or simplify the mesh (Decimate modifier)."
            self._refuse(job, UserError("out_of_memory", what, remedy))
        except Exception as error:
            traceback.print_exc()
            what = f"The backend met an unexpected {type(error).__name__}."
            self._refuse(job, UserError("internal", what, f"The details are in {_log_name()}."))
        self._outlet.end()
        if self._inbox.take_cancel(job):
            self._outlet.send({"type": "cancelled", "id": job})

    def _refuse(self, job: int, error: UserError) -> None:
        self._outlet.end()
        text = {"code": error.code, "message": error.message, "remedy": error.remedy}
        self._outlet.send({"type": "error", "id": job, **text})

    def _progress(self, job: int, stage: str, done: int, total: int) -> None:
        if self._inbox.should_cancel(job):
            raise Cancelled
        self._outlet.progress(stage, done, total)

    def _hello(self, message: protocol.Message, job: int) -> None:
        spoken = message.header.get("protocol")
        if spoken != protocol.PROTOCOL_VERSION:
            what = f"The backend speaks protocol {protocol.PROTOCOL_VERSION}, the client {spoken}."
            remedy = "Install the add-on and the backend from the same release."
            raise UserError("protocol_mismatch", what, remedy)
        self._engine(job)
        answer = {"protocol": protocol.PROTOCOL_VERSION, "version": _version()}
        answer["engine"] = learned_engine() or "numpy"  # which also solves what is elastic or rigid
        self._outlet.send({"type": "hello", "id": job, **answer, "device": self._device(answer["engine"])})

    @staticmethod
    def _device(engine: str) -> str:
        """Where the engine computes; a graphics card is tried, for what cannot be used shall not be told of."""
        asked = requested_device() if engine == "torch" else None
        if asked in (None, "cpu"):
            return "cpu"
        from backend.learned.infer.devices import opened_device

        try:
            return opened_device(asked).type
        except UserError as problem:
            print(problem, file=sys.stderr)  # in the log; the first analysis says it to the artist
            return "cpu"

    def _engine(self, job: int) -> Any:
        if self._given_engine is None:
            self._outlet.begin(job, "importing")
            self._given_engine = _imported_engine()
        return self._given_engine

    def _analyze(self, message: protocol.Message, job: int) -> None:
        engine = self._engine(job)
        key = text_of(message.type, message.header, "key")
        provider = text_of(message.type, message.header, "provider")
        vertices = array_of(message, "vertices", "float32")
        triangles = array_of(message, "triangles", "int32")
        slots, known = slots_of(message), {}
        if "joints" in message.header:
            from backend.worker.joints_message import joints_of

            known["joints"] = joints_of(message)
        self._outlet.begin(job, "analyzing")

        analysis = engine.analyze(vertices, triangles, provider, partial(self._progress, job), slots, **known)
        self._analyses[key] = _Kept(analysis, len(vertices))
        self._analyses.move_to_end(key)
        while self._too_many():
            self._analyses.popitem(last=False)
        answer = {"type": "analysis", "id": job, "key": key, "summary": analysis.summary}
        self._outlet.send(answer, {"weights": _float32(analysis.weights)})

    def _too_many(self) -> bool:
        """As many as a scene may have objects, and of large meshes fewer."""
        count, vertices = len(self._analyses), sum(each.vertices for each in self._analyses.values())
        return count > MOST_OBJECTS or (count > KEPT_ANALYSES and vertices > KEPT_VERTICES)

    def _analysis(self, key: str) -> Any:
        if key not in self._analyses:
            raise UserError("unknown_mesh", "The backend does not know this mesh.", "Send the mesh again.")
        self._analyses.move_to_end(key)
        return self._analyses[key].analysis

    def _simulate(self, message: protocol.Message, job: int) -> None:
        engine = self._engine(job)
        asked = asked_for(message)
        analyses = [self._analysis(key) for key, _ in asked]
        self._outlet.begin(job, "analyzing")

        conditions, progress = [each for _, each in asked], partial(self._progress, job)
        if "objects" in message.header:
            take = engine.prepare_together(analyses, conditions, progress)
            started = {"summaries": [each.summary for each in take.members]}
            weights = _numbered("weights", [each.body.weights for each in take.members])
        else:
            take = engine.prepare(analyses[0], conditions[0], progress)
            started, weights = {"summary": take.summary}, {"weights": _float32(take.weights)}
        started = {"type": "started", "id": job, "frames": take.frame_count, "fps": take.fps, **started}
        self._outlet.send(started, weights)
        for frame in take.frames(lambda: self._inbox.should_cancel(job)):
            if isinstance(frame, list):
                index, handles = frame[0].index, _numbered("handles", [each.handles for each in frame])
            else:
                index, handles = frame.index, {"handles": _float32(frame.handles)}
            self._outlet.send({"type": "frame", "id": job, "index": index}, handles)
            self._progress(job, "simulating", index, take.frame_count)
        self._outlet.send({"type": "done", "id": job, "report": take.report()})

    def _taken_posing(self, message: protocol.Message, job: int) -> _Posing:
        """The kept object if the request is about it as it is, else a new one.

        It is to be kept again after the request: only what came through one unharmed serves the next.
        """
        engine = self._engine(job)
        key, conditions = object_of(message)
        others = sorted(set(message.arrays) - {"vertices", "targets", "hard", "values", "tips"})
        analysis, header = self._analysis(key), json.dumps(message.header["conditions"], sort_keys=True)
        wanted = (header, *(message.arrays[name].tobytes() for name in others))
        posing, self._posing = self._posing, None
        if posing is not None and posing.analysis is analysis and posing.conditions == wanted:
            return posing
        self._outlet.begin(job, "analyzing")

        return _Posing(analysis, wanted, engine.begin_pose(analysis, conditions, partial(self._progress, job)))

    def _pose(self, message: protocol.Message, job: int) -> None:
        """One solve, from the last one: a drag is as fast as its steps are small."""
        drags = drags_of(message)
        posing = self._taken_posing(message, job)
        shape = posing.object.solve(drags.vertices, drags.targets.astype(np.float64), drags.hard)
        answer: dict[str, Any] = {"type": "posed", "id": job}
        arrays: dict[str, np.ndarray] = {}
        weights = posing.object.weights
        if weights is not posing.told:  # new to the client, or of other choices
            answer["summary"] = posing.object.summary
            arrays["weights"] = _float32(weights)
        self._posing = replace(posing, told=weights)
        answer["choices"] = list(shape.choices)
        moved = {"handles": shape.handles, "positions": shape.positions, "values": shape.values}
        arrays |= {name: _float32(array) for name, array in moved.items()}
        self._outlet.send({**answer, "unmet": shape.unmet.tolist(), "converged": shape.converged}, arrays)

    def _coordinates(self, message: protocol.Message, job: int) -> None:
        posing = self._taken_posing(message, job)
        found, weights = posing.object.coordinates, posing.object.weights
        self._posing = replace(posing, told=weights)
        answer = {"names": list(found.names), "kinds": list(found.kinds)}
        answer |= {"lower": found.lower.tolist(), "upper": found.upper.tolist(), "summary": posing.object.summary}
        self._outlet.send({"type": "coordinates", "id": job, **answer}, {"weights": _float32(weights)})

    def _shape(self, message: protocol.Message, job: int) -> None:
        values = values_of(message)
        posing = self._taken_posing(message, job)
        handles = posing.object.shapes(values)
        self._posing = posing
        self._outlet.send({"type": "shapes", "id": job}, {"handles": _float32(handles)})

    def _poses(self, message: protocol.Message, job: int) -> None:
        count, seed = draw_of(message)
        posing = self._taken_posing(message, job)
        values, handles = posing.object.poses(count, seed)
        self._posing = posing
        arrays = {"values": _float32(values), "handles": _float32(handles)}
        self._outlet.send({"type": "shapes", "id": job}, arrays)

    def _reach(self, message: protocol.Message, job: int) -> None:
        """Quick as `pose`: whoever moves a target asks for every move."""
        asked = reach_of(message)
        posing = self._taken_posing(message, job)
        from backend.robots.multi_target_ik import Goal

        goals = [Goal(*goal) for goal in zip(asked.parts, asked.tips, asked.turns, asked.weights, strict=True)]
        found = posing.object.reach(goals, asked.targets, asked.start, asked.search)
        self._posing = posing
        arrays = {name: _float32(getattr(found, name)) for name in ("values", "handles", "ways", "turns")}
        self._outlet.send({"type": "reached", "id": job}, arrays)

    def _begin_live(self, message: protocol.Message, job: int) -> None:
        engine = self._engine(job)
        key, conditions = object_of(message)
        analysis = self._analysis(key)
        self._live = None
        self._outlet.begin(job, "analyzing")

        self._live = engine.begin_live(analysis, conditions, partial(self._progress, job), parts_of(message))
        answer = {"type": "started", "id": job, "fps": self._live.fps, "summary": self._live.summary}
        arrays = {"weights": _float32(self._live.weights), "handles": _float32(self._live.frame.handles)}
        self._outlet.send(answer, arrays)

    def _step(self, message: protocol.Message, job: int) -> None:
        """One frame; no heartbeat, it is quick."""
        pull = pull_of(message)
        if self._live is None:
            raise UserError("not_live", "No object is live in this backend.", "Begin live again.")
        frame = self._live.step(pull, lambda: self._inbox.should_cancel(job))
        self._outlet.send({"type": "stepped", "id": job, "index": frame.index}, {"handles": _float32(frame.handles)})

    def _pointmap(self, message: protocol.Message, job: int) -> None:
        """Needs nothing that was analysed: the message has all surfaces."""
        self._outlet.begin(job, "importing")
        from backend.worker.pointmaps import answer_pointmap

        report = answer_pointmap(message, partial(self._progress, job))
        self._outlet.send({"type": "pointmapped", "id": job, "report": report})

    def _joints(self, message: protocol.Message, job: int) -> None:
        """Joints of a mesh that has none."""
        self._outlet.begin(job, "importing")
        from backend.worker.find_joints import answer_joints

        answer, arrays = answer_joints(message, partial(self._progress, job))
        self._outlet.send({"type": "joints", "id": job, **answer}, arrays)

    def _write_robot(self, message: protocol.Message, job: int) -> None:
        self._outlet.begin(job, "importing")
        from backend.worker.robot_requests import answer_write

        self._outlet.begin(job, "writing the robot")
        self._outlet.send({"type": "robot_written", "id": job, **answer_write(message)})

    def _read_robot(self, message: protocol.Message, job: int) -> None:
        self._outlet.begin(job, "importing")
        from backend.worker.robot_requests import answer_read

        self._outlet.begin(job, "reading the robot")
        answer, arrays = answer_read(message)
        self._outlet.send({"type": "robot", "id": job, **answer}, arrays)


def _version() -> str:
    """The version of the release; the manifest beside this package is its only source."""
    manifest = Path(__file__).parents[2] / "blender_manifest.toml"
    return tomllib.loads(manifest.read_text(encoding="utf-8"))["version"]


def _imported_engine() -> ModuleType:
    try:
        return importlib.import_module("backend.engine")
    except ImportError as error:
        traceback.print_exc()
        what = f"The backend's Python lacks a part that it needs ({error})."
        raise UserError("engine_missing", what, "Run the backend setup in the add-on's preferences.") from error


def _float32(values: Any) -> np.ndarray:
    return np.asarray(values, dtype=np.float32)


def _numbered(name: str, values: Sequence[Any]) -> dict[str, np.ndarray]:
    """One array for each object of a scene."""
    return {f"{name}_{number}": _float32(value) for number, value in enumerate(values)}


def _log_name() -> str:
    """The file that stderr goes to, as whoever started this process named it."""
    return os.environ.get("NEUROK_LOG") or "the error output of the backend"
