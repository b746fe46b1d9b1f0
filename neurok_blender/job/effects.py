"""Effects of a job: what its transitions want done, see `state`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..backend.texts import Text
from .motion import Shape

__all__ = [
    "BeginTake",
    "CloseWorker",
    "Deliver",
    "DropTake",
    "Effect",
    "KillWorker",
    "Refuse",
    "Send",
    "SpawnWorker",
    "StoreFrame",
    "StorePieces",
    "StoreRegistry",
]


@dataclass(frozen=True)
class SpawnWorker:
    """Start a worker process."""


@dataclass(frozen=True, eq=False)
class Send:
    header: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class KillWorker:
    """End the process at once; what it still sends is ignored."""


@dataclass(frozen=True)
class CloseWorker:
    """Ask the process to end, and see to it that it does."""


@dataclass(frozen=True)
class StoreRegistry:
    """Providers and materials of a new worker, and extensions that it cannot use: see `backend.worker.hello`."""

    providers: Sequence[Mapping[str, Any]]
    materials: Sequence[Mapping[str, Any]]
    problems: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class StorePieces:
    """Of the analysis with this wire key: int32 (F,), the piece of each triangle, by its place in the summary."""

    key: str
    piece: np.ndarray


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
    """Forget the take: a new job begins, or the worker is let go."""


@dataclass(frozen=True)
class Refuse:
    """The request cannot be taken now; nothing has changed."""

    text: Text


Effect = (
    SpawnWorker
    | Send
    | KillWorker
    | CloseWorker
    | StoreRegistry
    | StorePieces
    | BeginTake
    | StoreFrame
    | Deliver
    | DropTake
    | Refuse
)
