"""A job of a batch and its outcome: plain values, which travel between processes and machines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Job", "Outcome"]


@dataclass(frozen=True)
class Job:
    """Paths are absolute. `conditions` are a file, or the content of one, whose files are found from `folder`."""

    line: int  # of the file of jobs, from 1
    source: Path  # a mesh or a scene
    conditions: Path | dict[str, Any] | None
    folder: Path
    output: Path

    @property
    def title(self) -> str:
        """The name of the job in messages."""
        return f"Line {self.line}, {self.output.name}"


@dataclass(frozen=True)
class Outcome:
    """`problem` is "" where the take is there now."""

    problem: str = ""
    notes: tuple[str, ...] = ()
