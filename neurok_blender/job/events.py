"""What can happen to a job, and what the job can ask for: the two alphabets of `state.reduce`.

Times are seconds of any monotonic clock. `worker` is the number of the worker process that an event is
about; numbers count up with every process started, so that news of an ended process cannot be mistaken.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = [
    "CancelRequested",
    "CloseRequested",
    "CloseWorker",
    "DropTake",
    "Effect",
    "Event",
    "JobRequest",
    "KillWorker",
    "MessageReceived",
    "ProcessEnded",
    "Refuse",
    "Send",
    "SpawnFailed",
    "SpawnWorker",
    "StartRequested",
    "StoreFrame",
    "StoreWeights",
    "Tick",
]


@dataclass(frozen=True, eq=False)
class JobRequest:
    """One job: analyse this mesh and, with conditions, simulate it.

    `key` is a hash of the mesh content; `vertices` float32 (V,3) are world metres, `triangles` int32 (F,3);
    `conditions` is the object that `conditions.json` holds; `slots` int32 (F,) are the material slots of the
    triangles, if known.
    """

    key: str
    vertices: np.ndarray
    triangles: np.ndarray
    provider: str
    conditions: Mapping[str, Any] | None
    slots: np.ndarray | None = None

    def __post_init__(self) -> None:
        for name, dtype in (("vertices", np.float32), ("triangles", np.int32)):
            array = getattr(self, name)
            if array.dtype != dtype or array.ndim != 2 or array.shape[1] != 3:
                raise ValueError(f"'{name}' must be {np.dtype(dtype).name} (N, 3), not {array.dtype} {array.shape}")
        slots = self.slots
        if slots is not None and (slots.dtype != np.int32 or slots.shape != (len(self.triangles),)):
            raise ValueError(f"'slots' must be int32 ({len(self.triangles)},), not {slots.dtype} {slots.shape}")
        try:
            json.dumps(self.conditions, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ValueError(f"'conditions' cannot be sent as JSON: {error}") from error

    @property
    def wire_key(self) -> str:
        """What the worker keeps the analysis under: one mesh may be known under several providers."""
        return f"{self.key}:{self.provider}"


# Events


@dataclass(frozen=True)
class StartRequested:
    """The user asks for a job; without a request only the worker is started and greeted."""

    time: float
    request: JobRequest | None


@dataclass(frozen=True)
class CancelRequested:
    time: float


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
    damage: str
    last_line: str
    log: str


@dataclass(frozen=True)
class Tick:
    """Time goes by. `heard` is when the last message of the worker came in, handled already or not;
    None when it has said nothing yet."""

    time: float
    heard: float | None


Event = StartRequested | CancelRequested | CloseRequested | SpawnFailed | MessageReceived | ProcessEnded | Tick

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


@dataclass(frozen=True, eq=False)
class StoreWeights:
    """A take begins: weights float32 (V,H), and frames will follow."""

    weights: np.ndarray
    fps: float
    frame_count: int


@dataclass(frozen=True, eq=False)
class StoreFrame:
    """The next frame of the take: handles float32 (H,3,4)."""

    handles: np.ndarray


@dataclass(frozen=True)
class DropTake:
    """Forget the take: the job was cancelled, failed, or a new one begins."""


@dataclass(frozen=True)
class Refuse:
    """The request cannot be taken now; nothing has changed."""

    code: str
    message: str
    remedy: str


Effect = SpawnWorker | Send | KillWorker | CloseWorker | StoreWeights | StoreFrame | DropTake | Refuse
