"""Runs the effects that the job's reducer asks for, and assembles the take; called from Blender's timer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..backend.errors import UserError
from .events import (
    BeginTake,
    CancelRequested,
    CloseRequested,
    CloseWorker,
    Deliver,
    DropTake,
    Effect,
    Event,
    KillWorker,
    MessageReceived,
    ProcessEnded,
    Refuse,
    Send,
    SendRequested,
    SpawnFailed,
    SpawnWorker,
    StartRequested,
    StoreFrame,
    StoreRegistry,
    Tick,
)
from .motion import StreamedMotion
from .process import BackendProcess, Ended
from .requests import JobRequest
from .state import JobState, reduce

__all__ = ["Answer", "JobRunner"]

Answer = Deliver


class JobRunner:
    """One job at a time in one worker process, which is kept for the next job.

    `launch` starts the process; it may raise OSError. `greeted` is given the registry of every worker that says hello.
    Call `tick` often while `state.busy`; it never waits.
    """

    def __init__(
        self, launch: Callable[[], BackendProcess], greeted: Callable[[StoreRegistry], None] | None = None
    ) -> None:
        self.state = JobState()
        self.motions: tuple[StreamedMotion, ...] = ()
        """One for each object of the job, once it has begun to simulate."""
        self.job_number = 0
        """Counts the jobs: whoever began one sees whether the state is still that of his own."""
        self._answers: list[Answer] = []
        self._launch, self._greeted = launch, greeted
        self._process: BackendProcess | None = None

    def start(self, request: JobRequest | None) -> None:
        """Begins a job; UserError "busy" while another one is running.

        Without a request it only starts the worker: DONE means that it works, and `state.backend` says what it is.
        """
        self.tick()  # a worker that ended since the last job must not be taken for a living one
        self._dispatch(StartRequested(time.monotonic(), request))  # raises where one is running
        self.job_number += 1

    def ask(self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray] | None = None, channel: str = "") -> None:
        """Sends a request of an interactive session; its answer comes with `answers`. See `events.SendRequested`."""
        self._dispatch(SendRequested(time.monotonic(), header, arrays or {}, channel))

    def answers(self) -> list[Answer]:
        """What was answered since the last call."""
        answers, self._answers = self._answers, []
        return answers

    def tick(self, budget_seconds: float = 0.010) -> JobState:
        """Handles what came in, for at most about that long, and watches the clock."""
        until = time.monotonic() + budget_seconds
        while (process := self._process) is not None and (arrived := process.receive()) is not None:
            now, worker = time.monotonic(), self.state.worker_number
            if isinstance(arrived, Ended):
                self._process = None
                ended = (arrived.exit_code, arrived.damage, arrived.last_line)
                self._dispatch(ProcessEnded(now, worker, *ended, log=str(process.log_path)))
            else:
                self._dispatch(MessageReceived(now, worker, arrived.header, arrived.arrays))
            if time.monotonic() >= until:
                break
        heard = None if self._process is None else self._process.heard_at
        self._dispatch(Tick(time.monotonic(), heard))
        return self.state

    def cancel(self) -> None:
        """Asks for the end of the job; keep ticking until `state.busy` is false, 1.5 s at most."""
        self._dispatch(CancelRequested(time.monotonic()))

    def close(self) -> None:
        """Lets go of the worker and the take; the process ends by itself within two seconds."""
        self._dispatch(CloseRequested(time.monotonic()))

    def _dispatch(self, event: Event) -> None:
        self.state, effects = reduce(self.state, event)
        for effect in effects:
            self._perform(effect)

    def _perform(self, effect: Effect) -> None:
        match effect:
            case Send(header, arrays):
                if self._process is not None:  # None: the spawn just failed, and the state knows
                    self._process.send(header, arrays)
            case StoreFrame(shapes):
                for motion, shape in zip(self.motions, shapes, strict=True):
                    motion.shapes.append(shape)
            case BeginTake(weights, has_points, fps, frame_count):
                motions = zip(weights, has_points, strict=True)
                self.motions = tuple(StreamedMotion(*each, fps, frame_count) for each in motions)
            case StoreRegistry():
                if self._greeted is not None:
                    self._greeted(effect)
            case Deliver():
                self._answers.append(effect)
            case DropTake():
                self.motions, self._answers = (), []
            case SpawnWorker(worker):
                self._spawn(worker)
            case KillWorker():
                self._process.kill()
                self._process = None
            case CloseWorker():
                self._process.close()
                self._process = None
            case Refuse(text):
                raise UserError.of(text)

    def _spawn(self, worker: int) -> None:
        try:
            self._process = self._launch()
        except OSError as error:
            self._dispatch(SpawnFailed(time.monotonic(), worker, f"{error}."))
