"""Runs the effects that the job's reducer asks for, and assembles the take; called from Blender's timer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..backend.errors import UserError
from .events import (
    Asked,
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
    SpawnFailed,
    SpawnWorker,
    StartRequested,
    StoreFrame,
    StoreRegistry,
    StoreWeights,
    Tick,
)
from .process import BackendProcess, Ended
from .requests import JobRequest
from .state import JobState, reduce

__all__ = ["Answer", "JobRunner", "Take"]

Answer = Deliver


@dataclass
class Take:
    """What a simulation gives of one object: x_v = sum_h weights[v,h] * (handles[frame][h] @ [X_v; 1]), world metres.

    `weights` float32 (V,H); `handles` one float32 (H,3,4) a frame, growing while frames come in.
    """

    weights: np.ndarray
    fps: float
    frame_count: int
    handles: list[np.ndarray] = field(default_factory=list)


class JobRunner:
    """One job at a time in one worker process, which is kept for the next job.

    `launch` starts the process; it may raise OSError. `greeted` is given the registry of every worker that says hello.
    Call `tick` often while `state.busy`; it never waits.
    """

    def __init__(
        self, launch: Callable[[], BackendProcess], greeted: Callable[[StoreRegistry], None] | None = None
    ) -> None:
        self.state = JobState()
        self.takes: tuple[Take, ...] = ()
        """One for each object of the job, once it has begun to simulate."""
        self.job_number = 0
        """Counts the jobs: whoever began one sees whether the state is still that of his own."""
        self._answers: list[Answer] = []
        self._launch, self._greeted = launch, greeted
        self._process: BackendProcess | None = None

    def start(self, request: JobRequest) -> None:
        """Begins a job; UserError "busy" while another one is running."""
        self._start(request)

    def ask(self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray] | None = None, channel: str = "") -> None:
        """Asks the worker something in a talk; the answer comes with `answers`. See `events.Asked`."""
        self._dispatch(Asked(time.monotonic(), header, arrays or {}, channel))

    def answers(self) -> list[Answer]:
        """What was answered since the last call."""
        answers, self._answers = self._answers, []
        return answers

    def check(self) -> None:
        """Only starts the worker: DONE means that it works, and `state.backend` says what it is."""
        self._start(None)

    def tick(self, budget_seconds: float = 0.010) -> JobState:
        """Handles what came in, for at most about that long, and watches the clock."""
        until = time.monotonic() + budget_seconds
        while self._process is not None and (arrived := self._process.receive()) is not None:
            self._dispatch(self._event(self._process, arrived))
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

    def _start(self, request: JobRequest | None) -> None:
        self.tick()  # a worker that ended since the last job must not be taken for a living one
        self._dispatch(StartRequested(time.monotonic(), request))  # raises where one is running
        self.job_number += 1

    def _event(self, process: BackendProcess, arrived: object) -> Event:
        now, worker = time.monotonic(), self.state.worker_number
        if isinstance(arrived, Ended):
            self._process = None
            ended = (arrived.exit_code, arrived.damage, arrived.last_line)
            return ProcessEnded(now, worker, *ended, log=str(process.log_path))
        return MessageReceived(now, worker, arrived.header, arrived.arrays)

    def _dispatch(self, event: Event) -> None:
        self.state, effects = reduce(self.state, event)
        for effect in effects:
            self._run(effect)

    def _run(self, effect: Effect) -> None:
        match effect:
            case Send(header, arrays):
                if self._process is not None:  # None: the spawn just failed, and the state knows
                    self._process.send(header, arrays)
            case StoreRegistry():
                if self._greeted is not None:
                    self._greeted(effect)
            case StoreFrame(handles):
                for take, each in zip(self.takes, handles, strict=True):
                    take.handles.append(each)
            case StoreWeights(weights, fps, frame_count):
                self.takes = tuple(Take(each, fps, frame_count) for each in weights)
            case Deliver():
                self._answers.append(effect)
            case DropTake():
                self.takes, self._answers = (), []
            case SpawnWorker(worker):
                self._spawn(worker)
            case KillWorker():
                self._process.kill()
                self._process = None
            case CloseWorker():
                self._process.close()
                self._process = None
            case Refuse(code, message, remedy):
                raise UserError(code, message, remedy)

    def _spawn(self, worker: int) -> None:
        try:
            self._process = self._launch()
        except OSError as error:
            self._dispatch(SpawnFailed(time.monotonic(), worker, f"{error}."))
