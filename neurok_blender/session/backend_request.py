"""One request to the worker and its one answer, without an analysis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..backend.texts import Text
from ..errors import Refusal
from ..job.answers import error_text
from ..job.phases import Phase
from ..job.requests import JobRequest, Task
from ..job.runner import JobRunner
from .job_start import JobStart, NoPython
from .simulation import Outcome, Progress
from .state import Notice, session

__all__ = ["BackendRequest"]


class BackendRequest:
    """Call `tick` until its outcome is no longer RUNNING. The session knows the one that runs."""

    slot: ClassVar[str]  # its place in the session
    task: ClassVar[Task]

    def __init__(self, progress: Progress) -> None:
        self._start: JobStart | None = None
        self._runner: JobRunner | None = None
        self._sent = self._cancel_requested = False
        self.progress = progress
        setattr(session, self.slot, self)
        session.notice = Notice()

    # --- what differs from request to request ---

    def _is_prepared(self) -> bool:
        """Called at each tick until the request can be sent; does a small part of the work. Raises Refusal."""
        return True

    def _message(self) -> tuple[Mapping[str, Any], Mapping[str, np.ndarray]]:
        """Header and arrays of the request; they are held no longer."""
        raise NotImplementedError

    def _take(self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> str:
        """Handles the answer and returns a sentence about the result. Raises Refusal."""
        raise NotImplementedError

    def _forget(self) -> None:
        """At any end: frees memory and restores what was moved."""

    # --- how it goes ---

    def tick(self, budget_seconds: float = 0.010) -> Progress:
        """Goes on a little."""
        if self.progress.outcome is not Outcome.RUNNING:
            return self.progress
        try:
            if self._start is None:
                if self._is_prepared():
                    self._start = JobStart(JobRequest((), self.task))
            elif self._runner is None:
                self._runner = self._start.tick(budget_seconds)
                self.progress = Progress(stage=self._start.stage, done=self._start.done, total=self._start.total)
            else:
                self._follow(self._runner, budget_seconds)
        except (NoPython, Refusal) as problem:
            self._end(Outcome.FAILED, problem.message, problem.remedy)
        return self.progress

    def cancel(self) -> None:
        """Asks for the end; call `tick` until the outcome says CANCELLED. Files that are there already are left."""
        if self.progress.outcome is not Outcome.RUNNING or self._cancel_requested:
            return
        self._cancel_requested = True
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
            if state.phase is Phase.INTERACTIVE and not self._sent:
                self._sent = True
                runner.ask(*self._message())
            stage = "Stopping" if self._cancel_requested else state.stage
            self.progress = Progress(stage=stage, done=state.done, total=state.total)

    def _answered(self, runner: JobRunner, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        """The one answer; the worker is free after it."""
        if runner.state.busy:
            runner.cancel()
        if header["type"] == "error":
            text = error_text(header)
            self._end(Outcome.FAILED, text, text.remedy)
        elif header["type"] != "heartbeat":
            self._end(Outcome.DONE, self._take(header, arrays))

    def _end(self, outcome: Outcome, message: Text | str = "", remedy: Text | str = "") -> None:
        self._forget()
        self.progress = Progress(outcome, message=message, remedy=remedy)
        if getattr(session, self.slot) is self:
            setattr(session, self.slot, None)
        session.notice = Notice(message, remedy, bad=outcome is Outcome.FAILED)
