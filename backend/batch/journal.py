"""The journal of finished takes: a folder beside the file of jobs, with one file for each process that made some.

Nobody writes into the file of another one, so that many machines can share the folder. A line says of one output what
it was made of and how the file looked when it was complete; as long as it looks so, it is done.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..errors import UserError

__all__ = ["Journal", "journal_folder"]

SAME_TIME = 2.0  # s: how coarsely some file systems keep the time of a change


def journal_folder(jobs: Path) -> Path:
    """JOBS.jsonl.journal beside JOBS.jsonl."""
    return jobs.with_name(f"{jobs.name}.journal")


class Journal:
    """The lines of all processes as they were when this was made, and those that this process adds."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._latest: dict[str, dict[str, Any]] = {}  # by the name of the output
        for path in sorted(folder.glob("*.jsonl")):
            for line in path.read_bytes().splitlines():
                self._keep(line)

    def _keep(self, line: bytes) -> None:
        try:
            entry = json.loads(line)
            name, changed = str(entry["output"]), float(entry["changed"])
            int(entry["bytes"]), str(entry["inputs"])
        except (ValueError, KeyError, TypeError):
            return  # half a line, of a process that was killed: what it made is made again
        # By the clock of the file's own disk: those of the machines may differ.
        if name not in self._latest or changed > self._latest[name]["changed"]:
            self._latest[name] = entry

    def has(self, output: Path, inputs: str) -> bool:
        """Whether the file is there, made of these inputs, and unchanged since."""
        entry = self._latest.get(self._name(output))
        if entry is None or entry["inputs"] != inputs:
            return False
        try:
            now = output.stat()
        except OSError:
            return False
        return entry["bytes"] == now.st_size and abs(entry["changed"] - now.st_mtime) <= SAME_TIME

    def add(self, output: Path, inputs: str, seconds: float, notes: Sequence[str]) -> None:
        """Records that a file is complete. Raises UserError."""
        now = output.stat()
        entry = {
            "output": self._name(output),
            "inputs": inputs,
            "bytes": now.st_size,
            "changed": now.st_mtime,
            "seconds": round(seconds, 3),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "notes": list(notes),
        }
        try:
            with open(_own_file(self._folder), "ab") as stream:
                stream.write(json.dumps(entry).encode() + b"\n")
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as problem:
            raise UserError(
                "cannot_write.shared_journal", folder=self._folder, reason=problem.strerror or problem
            ) from problem

    def _name(self, output: Path) -> str:
        """From the folder of the jobs, so that all of it may be moved."""
        return Path(os.path.relpath(output, self._folder.parent)).as_posix()


_STARTED = time.time_ns()


def _own_file(folder: Path) -> Path:
    """The file of this process, under a name that no other process ever had."""
    return folder / f"{socket.gethostname()}-{os.getpid()}-{_STARTED}.jsonl"
