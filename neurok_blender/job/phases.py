"""The state of a job and of its worker process."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..backend.texts import Text
from .requests import JobRequest, Task

__all__ = ["Ended", "JobState", "Phase", "QueuedRequest", "WorkerPhase"]


class Phase(enum.Enum):
    IDLE = "idle"
    STARTING = "starting"
    ANALYZING = "analyzing"
    SIMULATING = "simulating"
    INTERACTIVE = "interactive"
    DONE = "done"
    CANCELLING = "cancelling"
    CANCELLED = "cancelled"
    FAILED = "failed"


BUSY_PHASES = (Phase.STARTING, Phase.ANALYZING, Phase.SIMULATING, Phase.INTERACTIVE, Phase.CANCELLING)


class WorkerPhase(enum.Enum):
    ABSENT = "absent"
    GREETING = "greeting"
    READY = "ready"


@dataclass(frozen=True)
class Ended:
    """The worker process has ended.

    exit_code: Negative for a signal.
    damage: What was wrong with its last message, if anything.
    last_line: The end of its log.
    """

    exit_code: int
    damage: Text | None
    last_line: str


@dataclass(frozen=True, eq=False)
class QueuedRequest:
    """A request within an interactive session; of those with the same `channel` only the latest waits."""

    header: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    channel: str = ""


@dataclass(frozen=True)
class JobState:
    """`stage`, `done` and `total` are the progress that the worker reports, in frames once frames come;
    `text` is for the user, when the job was cancelled or failed; `summaries`, one for each object of the job, `report`
    and `seconds` of each stage come from the backend as they are.
    """

    phase: Phase = Phase.IDLE
    stage: str = ""
    done: int = 0
    total: int = 0
    text: Text | None = None
    summaries: tuple[Mapping[str, Any], ...] = ()
    report: Mapping[str, Any] | None = None
    seconds: Mapping[str, float] | None = None
    # Version, device and engine of the worker. None while there is none.
    backend: Mapping[str, Any] | None = None
    worker: WorkerPhase = WorkerPhase.ABSENT
    # (wire key, summary) of the analyses that the living worker keeps, the latest used last.
    known: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    # The number of the request whose answer is awaited, and of the last one sent.
    awaited: int = 0
    last_request: int = 0
    request: JobRequest | None = None
    analyzed_again: bool = False
    # Requests of an interactive session that wait until the one before is answered, and that one.
    waiting: tuple[QueuedRequest, ...] = ()
    pending: QueuedRequest | None = None
    # Of the take that comes in: how many frames are here and will be, and of each object the arrays of a frame.
    frames: int = 0
    frame_count: int = 0
    frame_arrays: tuple[Mapping[str, tuple[int, ...]], ...] = ()
    # Monotonic seconds: silence counts from here; the previous tick; when a cancel must be answered.
    watched_since: float = 0.0
    last_tick: float = 0.0
    cancel_deadline: float | None = None

    @property
    def busy(self) -> bool:
        """A job is under way: keep ticking, and refuse another one."""
        return self.phase in BUSY_PHASES

    @property
    def summary(self) -> Mapping[str, Any] | None:
        """The summary of the first object."""
        return self.summaries[0] if self.summaries else None

    @property
    def fraction(self) -> float:
        """Progress of the stage from 0 to 1; 0 where the worker cannot tell."""
        return min(self.done / self.total, 1.0) if self.total > 0 else 0.0

    @property
    def message(self) -> Text | str:
        """What `text` says; "" where there is none."""
        return self.text or ""

    @property
    def remedy(self) -> Text | str:
        """What to do about it; "" where nothing failed."""
        return (self.text and self.text.remedy) or ""

    @property
    def activity(self) -> Text:
        """The present activity of the backend, to stand after "while"."""
        match self.phase:
            case Phase.STARTING:
                return Text("activity.starting")
            case Phase.ANALYZING:
                return Text("activity.analyzing")
            case Phase.SIMULATING if self.frame_count > 0:
                # The frames that came are done; the next one is being made.
                frame = min(self.frames + 1, self.frame_count)
                return Text("activity.simulating", frame=frame, count=self.frame_count)
            case Phase.SIMULATING:
                return Text("activity.preparing")
            case Phase.INTERACTIVE if self.request is not None and self.request.task is Task.DRAW:
                return Text("activity.drawing")
            case Phase.INTERACTIVE if self.request is not None and self.request.task is Task.ONE_SHOT:
                return Text("activity.joints")
            case Phase.INTERACTIVE:
                return Text("activity.posing")
            case Phase.CANCELLING:
                return Text("activity.cancelling")
            case _:
                return Text("activity.idle")
