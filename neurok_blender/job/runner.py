"""Carries out the effects of a job's transitions, and assembles the take; called from Blender's timer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..backend.errors import UserError
from ..backend.protocol import encode_message
from .effects import (
    BeginTake,
    CloseWorker,
    Deliver,
    DropTake,
    KillWorker,
    Refuse,
    Send,
    SpawnWorker,
    StoreFrame,
    StorePieces,
    StoreRegistry,
)
from .motion import StreamedMotion
from .phases import Ended, JobState, QueuedRequest
from .process import BackendProcess
from .requests import JobRequest
from .state import (
    cancel_job,
    close_worker,
    message_received,
    process_ended,
    queue_request,
    spawn_failed,
    start_job,
    watch_clock,
)
from .steps import Step

__all__ = ["Answer", "JobRunner"]

Answer = Deliver


class JobRunner:
    """One job at a time in one worker process, which is kept for the next job.

    `launch` starts the process; it may raise OSError. `greeted` is given the registry of every new worker.
    Call `tick` often while `state.busy`; it never waits.
    """

    def __init__(
        self, launch: Callable[[], BackendProcess], greeted: Callable[[StoreRegistry], None] | None = None
    ) -> None:
        self.state = JobState()
        self.motions: tuple[StreamedMotion, ...] = ()
        """One for each object of the job, once it has begun to simulate."""
        self.pieces: dict[str, np.ndarray] = {}
        """By the wire keys of the analyses that the worker keeps: the piece of each triangle int32 (F,)."""
        self.job_number = 0
        """Counts the jobs; tells whether the state is still that of a given job."""
        self._answers: list[Answer] = []
        self._launch, self._greeted = launch, greeted
        self._process: BackendProcess | None = None

    def start(self, request: JobRequest | None) -> None:
        """Begins a job; UserError "busy" while another one is running.

        Without a request it only starts the worker: DONE means that it works, and `state.backend` says what it is.
        """
        self.tick()  # a worker that ended since the last job must not be taken for a living one
        self._apply(start_job(self.state, time.monotonic(), request))  # raises where one is running
        self.job_number += 1

    def ask(self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray] | None = None, channel: str = "") -> None:
        """Sends a request of an interactive session; its answer comes with `answers`. See `phases.QueuedRequest`."""
        request = QueuedRequest(header, arrays or {}, channel)
        self._apply(queue_request(self.state, time.monotonic(), request))

    def answers(self) -> list[Answer]:
        """The answers since the last call."""
        answers, self._answers = self._answers, []
        return answers

    def tick(self, budget_seconds: float = 0.010) -> JobState:
        """Handles what came in, for at most about that long, and watches the clock."""
        until = time.monotonic() + budget_seconds
        while (process := self._process) is not None and (arrived := process.receive()) is not None:
            if isinstance(arrived, Ended):
                self._process = None
                self._apply(process_ended(self.state, arrived, str(process.log_path)))
            else:
                self._apply(message_received(self.state, arrived.header, arrived.arrays))
            if time.monotonic() >= until:
                break
        heard = None if self._process is None else self._process.heard_at
        self._apply(watch_clock(self.state, time.monotonic(), heard))
        return self.state

    def cancel(self) -> None:
        """Asks for the end of the job; keep ticking until `state.busy` is false, 1.5 s at most."""
        self._apply(cancel_job(self.state, time.monotonic()))

    def close(self) -> None:
        """Lets go of the worker and the take; the process ends by itself within two seconds."""
        self._apply(close_worker(self.state))

    def _apply(self, step: Step) -> None:
        """Takes over the state after a transition, and carries out its effects."""
        self.state, effects = step
        for effect in effects:
            match effect:
                case Send(header, arrays):
                    if self._process is not None:  # None: the spawn just failed, and the state knows
                        self._process.outgoing.put(encode_message(header, arrays))
                case StoreFrame(shapes):
                    for motion, shape in zip(self.motions, shapes, strict=True):
                        motion.shapes.append(shape)
                case BeginTake(weights, has_points, fps, frame_count):
                    motions = zip(weights, has_points, strict=True)
                    self.motions = tuple(StreamedMotion(*each, fps, frame_count) for each in motions)
                case StorePieces(key, piece):
                    known = dict(self.state.known)
                    self.pieces = {each: held for each, held in self.pieces.items() if each in known} | {key: piece}
                case StoreRegistry():
                    if self._greeted is not None:
                        self._greeted(effect)
                case Deliver():
                    self._answers.append(effect)
                case DropTake():
                    self.motions, self._answers = (), []
                case SpawnWorker():
                    self._spawn()
                case KillWorker():
                    self._process.kill()
                    self._process = None
                case CloseWorker():
                    self._process.close()
                    self._process = None
                case Refuse(text):
                    raise UserError.of(text)

    def _spawn(self) -> None:
        try:
            self._process = self._launch()
        except OSError as error:
            self._apply(spawn_failed(self.state, f"{error}."))
