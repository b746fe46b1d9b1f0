"""One question to the worker about nothing that it has analysed: which joints a mesh has, and files of robots."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .errors import Refusal
from .job.phases import Phase
from .job.requests import JobRequest, Task
from .job.runner import JobRunner
from .job_start import JobStart, NoPython
from .session import Notice, session
from .simulation import SCRIPT_BUDGET_SECONDS, SCRIPT_PAUSE_SECONDS, Outcome, Progress

__all__ = ["Errand"]

Take = Callable[[Mapping[str, Any], Mapping[str, np.ndarray]], str]


class Errand:
    """Call `tick` until its outcome is no longer RUNNING. The session knows the one that runs."""

    def __init__(self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray], take: Take):
        """`take` does what is to be done with the answer and says so in a sentence; it may raise Refusal."""
        self._header, self._arrays, self._take = header, arrays, take
        self._start = JobStart(JobRequest((), Task.ERRAND))
        self._runner: JobRunner | None = None
        self._asked = self._cancel_asked = False
        self.progress = Progress(stage=self._start.stage)
        session.errand = self
        session.notice = Notice()

    def tick(self, budget_seconds: float = 0.010) -> Progress:
        """Goes on a little."""
        if self.progress.outcome is not Outcome.RUNNING:
            return self.progress
        try:
            if self._runner is None:
                self._runner = self._start.tick(budget_seconds)
                self.progress = Progress(stage=self._start.stage, done=self._start.done, total=self._start.total)
            else:
                self._follow(self._runner, budget_seconds)
        except (NoPython, Refusal) as problem:
            self._end(Outcome.FAILED, problem.message, problem.remedy)
        return self.progress

    def finish(self) -> Progress:
        """Goes on until its end, for scripts and for Blender without a window."""
        try:
            while self.tick(SCRIPT_BUDGET_SECONDS).outcome is Outcome.RUNNING:
                time.sleep(SCRIPT_PAUSE_SECONDS)
        finally:
            self.abort()
        return self.progress

    def cancel(self) -> None:
        """Asks for the end; call `tick` until the outcome says CANCELLED."""
        if self.progress.outcome is not Outcome.RUNNING or self._cancel_asked:
            return
        self._cancel_asked = True
        if self._runner is None:
            self._end(Outcome.CANCELLED)
        else:
            self._runner.cancel()

    def abort(self) -> None:
        """Ends at once, if it still runs, without waiting for the worker's consent."""
        if self.progress.outcome is Outcome.RUNNING:
            if self._runner is not None:
                session.close_runner()
            self._end(Outcome.CANCELLED)

    def _follow(self, runner: JobRunner, budget_seconds: float) -> None:
        state = runner.tick(budget_seconds)
        for answer in runner.answers():
            self._answered(runner, answer.header, answer.arrays)
        if self.progress.outcome is not Outcome.RUNNING:
            return
        if state.phase is Phase.FAILED:
            self._end(Outcome.FAILED, state.message, state.remedy)
        elif state.phase is Phase.CANCELLED:
            self._end(Outcome.CANCELLED)
        else:
            if state.phase is Phase.TALKING and not self._asked:
                self._asked = True
                runner.ask(self._header, self._arrays)
            stage = "Stopping" if self._cancel_asked else state.stage
            self.progress = Progress(stage=stage, done=state.done, total=state.total)

    def _answered(self, runner: JobRunner, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        """The one answer; the worker is free after it."""
        if runner.state.busy:
            runner.cancel()
        if header["type"] == "error":
            self._end(Outcome.FAILED, header["message"], header["remedy"])
        elif header["type"] != "heartbeat":
            self._end(Outcome.DONE, self._take(header, arrays))

    def _end(self, outcome: Outcome, message: str = "", remedy: str = "") -> None:
        self._arrays = {}
        self.progress = Progress(outcome, message=message, remedy=remedy)
        if session.errand is self:
            session.errand = None
        session.notice = Notice(message, remedy, bad=outcome is Outcome.FAILED)
