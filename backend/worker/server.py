"""The worker process: answers requests on stdin with messages on stdout until a quit message.

Every request has a number "id", which its answers carry. Arrays are in [brackets].

    hello {protocol}                                     -> hello {protocol, version, device, engine, providers,
                                                            materials, problems}
    analyze {key, provider, joints?, labels?, pieces?} [vertices, triangles, slots?, part?]
                                                         -> analysis {key, summary} [piece] int32 (F,), which of the
                                                            pieces of the summary each triangle is of
    simulate {objects: [{key, conditions}..], shared?}   -> started {frames, fps, objects: [OBJECT..]} [weights_0?..],
                                                            frame {index} [handles_0?, points_0?..] for each,
                                                            done {report, seconds}
    pose {key, conditions} [vertices, targets, hard?]    -> posed {unmet, converged, choices} [handles_0, positions],
                                                            and {objects: [OBJECT]} [weights_0] where it begins with
                                                            this request, or where the drags have changed how a joint
                                                            moves; [values] of the nearest sliders
    coordinates {key, conditions}                        -> coordinates {names, kinds, lower, upper, objects: [OBJECT]}
                                                            [weights_0]
    shape {key, conditions} [values]                     -> shapes [handles_0] (n,H,3,4) for slider values (n,k)
    reach {key, conditions, goals, search?} [tips, targets, values]
                                                         -> reached [values, handles_0, ways, turns] of n rows of
                                                            targets (n,g,4,4), world poses of the frames tips (g,4,4)
                                                            of g links, each {part, turns, weight}, from slider values
                                                            (k,)
    poses {key, conditions, count, seed}                 -> shapes [values, handles_0] of random plausible poses
    live {key, conditions, parts?}                       -> started {fps, objects: [OBJECT]} [weights_0?, handles_0?,
                                                            points_0?] of the first frame
    step {pull}                                          -> stepped {index} [handles_0?, points_0?] of what is live, one
                                                            of `parts` steps of a frame later; pull is null or {point,
                                                            radius, target}, metres
    joints {parts, names?} [vertices, triangles, slots?, labels?]
                                                         -> joints {parts, joints, warnings} [labels]
    write_robot {joints, output, name, density, fixed_base, colours?} [vertices, triangles, part]
                                                         -> robot_written {notes}
    read_robot {file}                                    -> robot {parts, joints, masses, colours} [vertices,
                                                            triangles, part]
    cancel {target}                                      -> cancelled, with the number of the job
    quit

OBJECT is {summary, points}: what was found, and whether the object moves by points. Where it is skinned it has weights
and handles; one that has both is the sum, see `kinematics.motion`.

To any request the answer may be error {text}; heartbeat {stage, done, total} while a job runs. Texts, warnings,
reasons, notes and problems are {id, args} of the catalog in `texts`. {"buffer": name} in conditions stands for an array
of the message. The engine is "onnx" or "torch" where there is one for learned motion, else "numpy"; the device is
"cpu", or what the variable NEUROK_DEVICE asks PyTorch for, if it computes there.

The main thread runs the jobs one after the other; `worker.pipes` has the threads around it.

The latest object that was begun `live` is kept for every `step`. A step that is refused leaves the last frame as it
was.
"""

from __future__ import annotations

import importlib
import os
import traceback
from functools import partial
from types import ModuleType
from typing import Any

from backend import protocol
from backend.errors import Cancelled, UserError
from backend.worker.analyses import Analyses
from backend.worker.motion_messages import frame_arrays, object_entry, weight_arrays
from backend.worker.pipes import Inbox, Outlet
from backend.worker.posing_requests import PosingRequests
from backend.worker.requests import array_of, object_of, objects_of, parts_of, pull_of, slots_of, text_of

__all__ = ["Worker"]


class Worker:
    """Answers one request after the other."""

    def __init__(self, inbox: Inbox, outlet: Outlet, engine: Any) -> None:
        self._inbox = inbox
        self._outlet = outlet
        self._given_engine = engine
        self._analyses = Analyses()
        self._live: Any = None
        self._handlers = {
            "hello": self._hello,
            "analyze": self._analyze,
            "simulate": self._simulate,
            **PosingRequests(self._analyses, outlet, self._engine, self._progress).handlers,
            "live": self._begin_live,
            "step": self._step,
            "pointmap": self._pointmap,
            "joints": self._joints,
            "write_robot": self._write_robot,
            "read_robot": self._read_robot,
        }

    def answer(self, message: protocol.Message) -> None:
        """Runs one job and answers with its result or with the reason why there is none."""
        job = message.header.get("id")
        if type(job) is not int:
            self.refuse(0, UserError("bad_request.no_number"))
            return
        if message.type == "cancel":
            self._confirm_cancel(message, job)
            return
        if message.type not in self._handlers:
            self.refuse(job, UserError("bad_request.unknown", request=message.type))
            return
        try:
            if not self._inbox.should_cancel(job):
                self._handlers[message.type](message, job)
        except Cancelled:
            pass  # answered below
        except UserError as error:
            self.refuse(job, error)
        except MemoryError:
            traceback.print_exc()
            self.refuse(job, UserError("out_of_memory.job"))
        except Exception as error:
            traceback.print_exc()
            self.refuse(job, UserError("internal.unexpected", kind=type(error).__name__, log=_log_name()))
        self._outlet.end()
        if self._inbox.take_cancel(job):
            self._outlet.send({"type": "cancelled", "id": job})

    def _confirm_cancel(self, message: protocol.Message, job: int) -> None:
        target = message.header.get("target")
        if type(target) is not int:
            self.refuse(job, UserError("bad_request.no_target"))
        elif self._inbox.take_cancel(target):
            self._outlet.send({"type": "cancelled", "id": target})

    def refuse(self, job: int, error: UserError) -> None:
        self._outlet.end()
        self._outlet.send({"type": "error", "id": job, "text": error.text})

    def _progress(self, job: int, stage: str, done: int, total: int) -> None:
        if self._inbox.should_cancel(job):
            raise Cancelled
        self._outlet.progress(stage, done, total)

    def _hello(self, message: protocol.Message, job: int) -> None:
        spoken = message.header.get("protocol")
        if spoken != protocol.PROTOCOL_VERSION:
            raise UserError("protocol_mismatch.client", own=protocol.PROTOCOL_VERSION, given=spoken)
        self._engine(job)
        from backend.worker.hello import introduction

        self._outlet.send({"type": "hello", "id": job, "protocol": protocol.PROTOCOL_VERSION, **introduction()})

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
        if "labels" in message.header:
            from backend.worker.labels_message import labels_of

            known |= labels_of(message)
        if "pieces" in message.header:
            from backend.worker.labels_message import pieces_of

            known["pieces"] = pieces_of(message)
        if "joints" in message.header:
            from backend.worker.joints_message import joints_of

            known["joints"] = joints_of(message)
        self._outlet.begin(job, "analyzing")

        analysis = engine.analyze(vertices, triangles, provider, partial(self._progress, job), slots, **known)
        self._analyses.keep(key, analysis, len(vertices))
        told = {"type": "analysis", "id": job, "key": key, "summary": analysis.summary}
        self._outlet.send(told, {"piece": analysis.piece})

    def _simulate(self, message: protocol.Message, job: int) -> None:
        engine = self._engine(job)
        objects = objects_of(message)
        analyses = [self._analyses.of(key) for key, _ in objects]
        self._outlet.begin(job, "analyzing")

        take = engine.prepare(analyses, [conditions for _, conditions in objects], partial(self._progress, job))
        entries = [object_entry(each.summary, each.motion) for each in take.members]
        started = {"type": "started", "id": job, "frames": take.frame_count, "fps": take.fps, "objects": entries}
        self._outlet.send(started, weight_arrays(each.motion for each in take.members))
        for frames in take.frames(lambda: self._inbox.should_cancel(job)):
            index = frames[0].index
            self._outlet.send({"type": "frame", "id": job, "index": index}, frame_arrays(frames))
            self._progress(job, "simulating", index, take.frame_count)
        self._outlet.send({"type": "done", "id": job, "report": take.report(), "seconds": take.seconds})

    def _begin_live(self, message: protocol.Message, job: int) -> None:
        engine = self._engine(job)
        key, conditions = object_of(message)
        analysis = self._analyses.of(key)
        self._live = None
        self._outlet.begin(job, "analyzing")

        live = self._live = engine.begin_live(analysis, conditions, partial(self._progress, job), parts_of(message))
        entries = [object_entry(live.summary, live.motion)]
        arrays = {**weight_arrays([live.motion]), **frame_arrays([live.frame])}
        self._outlet.send({"type": "started", "id": job, "fps": live.fps, "objects": entries}, arrays)

    def _step(self, message: protocol.Message, job: int) -> None:
        """One frame; no heartbeat, it is quick."""
        pull = pull_of(message)
        if self._live is None:
            raise UserError("not_live.step")
        frame = self._live.step(pull, lambda: self._inbox.should_cancel(job))
        self._outlet.send({"type": "stepped", "id": job, "index": frame.index}, frame_arrays([frame]))

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


def _imported_engine() -> ModuleType:
    try:
        engine = importlib.import_module("backend.engine")
        from backend.simulation.kernels import begin_compiling
    except ImportError as error:
        traceback.print_exc()
        raise UserError("engine_missing.part", reason=error) from error
    begin_compiling()
    return engine


def _log_name() -> str:
    """The log file that the client redirects stderr to, by its variable."""
    return os.environ.get("NEUROK_LOG") or "the error output of the backend"
