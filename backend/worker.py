"""The worker process: answers requests on stdin with messages on stdout until it is told to quit.

The main thread runs the jobs one after the other; `worker_pipes` has the threads around it.
"""

from __future__ import annotations

import importlib
import os
import signal
import tomllib
import traceback
from collections import OrderedDict
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from backend import protocol
from backend.errors import Cancelled, UserError
from backend.worker_pipes import EXIT_BAD_STREAM, Inbox, Outlet, take_standard_streams

__all__ = ["KEPT_ANALYSES", "main"]

KEPT_ANALYSES = 4


def main(engine: Any = None) -> int:
    """Serves stdin and stdout until quit or the end of stdin; the exit code of the process.

    `engine` has the functions `analyze` and `prepare` of `backend.engine`, which is imported at the
    first request when none is given, after the client has been told so.
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
        self._analyses: OrderedDict[str, Any] = OrderedDict()
        self._handlers = {"hello": self._hello, "analyze": self._analyze, "simulate": self._simulate}

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
        self._outlet.send({"type": "hello", "id": job, **answer, "device": "cpu", "engine": "numpy"})

    def _engine(self, job: int) -> Any:
        if self._given_engine is None:
            self._outlet.begin(job, "importing")
            self._given_engine = _imported_engine()
        return self._given_engine

    def _analyze(self, message: protocol.Message, job: int) -> None:
        engine = self._engine(job)
        key = _text(message, "key")
        provider = _text(message, "provider")
        vertices = _array(message, "vertices", "float32")
        triangles = _array(message, "triangles", "int32")
        self._outlet.begin(job, "analyzing")

        def progress(stage: str, done: int, total: int) -> None:
            self._progress(job, stage, done, total)

        analysis = engine.analyze(vertices, triangles, provider, progress)
        self._analyses[key] = analysis
        self._analyses.move_to_end(key)
        while len(self._analyses) > KEPT_ANALYSES:
            self._analyses.popitem(last=False)
        answer = {"type": "analysis", "id": job, "key": key, "summary": analysis.summary}
        self._outlet.send(answer, {"weights": _float32(analysis.weights)})

    def _simulate(self, message: protocol.Message, job: int) -> None:
        engine = self._engine(job)
        key = _text(message, "key")
        conditions = message.header.get("conditions")
        if not isinstance(conditions, dict):
            what = "A 'simulate' request has no object under 'conditions'."
            raise UserError("bad_request", what, "Use an add-on and a backend of one version.")
        if key not in self._analyses:
            raise UserError("unknown_mesh", "The backend does not know this mesh.", "Send the mesh again.")
        self._analyses.move_to_end(key)
        self._outlet.begin(job, "analyzing")

        def progress(stage: str, done: int, total: int) -> None:
            self._progress(job, stage, done, total)

        take = engine.prepare(self._analyses[key], conditions, progress)
        started = {"frames": take.frame_count, "fps": take.fps, "summary": take.summary}
        self._outlet.send({"type": "started", "id": job, **started}, {"weights": _float32(take.weights)})
        for frame in take.frames(lambda: self._inbox.should_cancel(job)):
            header = {"type": "frame", "id": job, "index": frame.index}
            self._outlet.send(header, {"handles": _float32(frame.handles)})
            self._progress(job, "simulating", frame.index, take.frame_count)
        self._outlet.send({"type": "done", "id": job, "report": take.report()})


def _version() -> str:
    """The version of the release; the manifest beside this package is its only source."""
    manifest = Path(__file__).parent.parent / "blender_manifest.toml"
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


def _text(message: protocol.Message, name: str) -> str:
    value = message.header.get(name)
    if not isinstance(value, str) or not value:
        what = f"A '{message.type}' request has no text under '{name}'."
        raise UserError("bad_request", what, "Use an add-on and a backend of one version.")
    return value


def _array(message: protocol.Message, name: str, dtype: str) -> np.ndarray:
    """The array of that name, checked to be dtype[N,3]; what it holds is for the engine to judge."""
    array = message.arrays.get(name)
    if array is None or array.dtype.name != dtype or array.ndim != 2 or array.shape[1] != 3:
        what = f"A '{message.type}' request has no {dtype} array '{name}' with rows of three."
        raise UserError("bad_request", what, "Use an add-on and a backend of one version.")
    return array


def _log_name() -> str:
    """The file that stderr goes to, as whoever started this process named it."""
    return os.environ.get("NEUROK_LOG") or "the error output of the backend"
