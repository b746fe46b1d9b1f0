"""Events and effects of a job: the input and the output of `state.reduce`.

Times are seconds of any monotonic clock. `worker` is the number of the worker process that an event is
about; numbers count up with every process started, so that news of an ended process cannot be mistaken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..backend.texts import Text
from .motion import Shape
from .requests import JobRequest

__all__ = [
    "BeginTake",
    "CancelRequested",
    "CloseRequested",
    "CloseWorker",
    "Deliver",
    "DropTake",
    "Effect",
    "Event",
    "KillWorker",
    "MessageReceived",
    "ProcessEnded",
    "Refuse",
    "Send",
    "SendRequested",
    "SpawnFailed",
    "SpawnWorker",
    "StartRequested",
    "StoreFrame",
    "StoreRegistry",
    "Tick",
]


# Events


@dataclass(frozen=True)
class StartRequested:
    """The user asks for a job; without a request only the worker is started and greeted."""

    time: float
    request: JobRequest | None


@dataclass(frozen=True)
class CancelRequested:
    time: float


@dataclass(frozen=True, eq=False)
class SendRequested:
    """A request within an interactive session; of those with the same `channel` only the latest waits."""

    time: float
    header: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    channel: str = ""


@dataclass(frozen=True)
class CloseRequested:
    """The worker is of no more use: the file closes, the add-on is disabled, memory is wanted back."""

    time: float


@dataclass(frozen=True)
class SpawnFailed:
    """The operating system could not start the worker; `reason` is its sentence."""

    time: float
    worker: int
    reason: str


@dataclass(frozen=True, eq=False)
class MessageReceived:
    time: float
    worker: int
    header: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class ProcessEnded:
    """The worker is no more. `exit_code` is negative for a signal; `damage` says what was wrong with its
    last message, if anything; `last_line` is the end of its log, whose path is `log`."""

    time: float
    worker: int
    exit_code: int
    damage: Text | None
    last_line: str
    log: str


@dataclass(frozen=True)
class Tick:
    """Time goes by. `heard` is when the last message of the worker came in, handled already or not;
    None before its first message."""

    time: float
    heard: float | None


Event = (
    StartRequested
    | CancelRequested
    | SendRequested
    | CloseRequested
    | SpawnFailed
    | MessageReceived
    | ProcessEnded
    | Tick
)

# Effects


@dataclass(frozen=True)
class SpawnWorker:
    worker: int


@dataclass(frozen=True, eq=False)
class Send:
    header: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class KillWorker:
    """End the process at once; what it still says is ignored."""


@dataclass(frozen=True)
class CloseWorker:
    """Ask the process to end, and see to it that it does."""


@dataclass(frozen=True)
class StoreRegistry:
    """The worker has said which providers it has, and which extensions it cannot use: see `backend.worker.hello`."""

    providers: Sequence[Mapping[str, Any]]
    problems: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class BeginTake:
    """A take begins: of each object the weights float32 (V,H) or None, and whether its frames have points."""

    weights: tuple[np.ndarray | None, ...]
    has_points: tuple[bool, ...]
    fps: float
    frame_count: int


@dataclass(frozen=True, eq=False)
class StoreFrame:
    """The next frame of the take: the shape of each object."""

    shapes: tuple[Shape, ...]


@dataclass(frozen=True, eq=False)
class Deliver:
    """An answer of the worker in an interactive session; `answers.error_text` reads one of the type "error"."""

    header: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class DropTake:
    """Forget the take: the job was cancelled, failed, or a new one begins."""


@dataclass(frozen=True)
class Refuse:
    """The request cannot be taken now; nothing has changed."""

    text: Text


Effect = (
    SpawnWorker | Send | KillWorker | CloseWorker | StoreRegistry | BeginTake | StoreFrame | Deliver | DropTake | Refuse
)
