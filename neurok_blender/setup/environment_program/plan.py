"""The plan of the program, the record of the environment in use, and the lines that the program prints."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "CHECKING",
    "DEVICE_VARIABLE",
    "DOWNLOADING",
    "INSTALLING",
    "RECORD",
    "REMOVING",
    "Environment",
    "Plan",
    "Trouble",
    "read_environment",
    "tell",
]

RECORD = "gpu.json"
DEVICE_VARIABLE = "NEUROK_DEVICE"  # as backend/learned/infer/device.py has it

DOWNLOADING = "Downloading packages"
INSTALLING = "Installing packages"
CHECKING = "Computing a test"
REMOVING = "Removing"


@dataclass(frozen=True)
class Plan:
    """The task of one run. Folders are absolute paths."""

    directory: str
    """Where environments are kept, each in a folder of its own."""
    package: str = ""
    """Folder that the package `backend` lies in."""
    device: str = ""
    """Empty: remove the present environment."""
    python: str = ""
    """An existing Python to use as it is; empty: install into a folder for the Python that runs this."""
    requirements: tuple[str, ...] = ()
    wheels: str = ""
    """Install from this folder alone."""
    index: str = ""
    """Install from this package index, not from pip's own."""
    room: float = 0.0
    """Megabytes that have to be free."""


@dataclass(frozen=True)
class Environment:
    """The environment in use, as RECORD has it."""

    device: str
    python: str = ""
    """Empty: the one of Blender."""
    packages: str = ""
    """Name of the folder beside RECORD; empty where the Python has all by itself."""
    name: str = ""
    """Of the processor or the graphics card."""
    torch: str = ""


class Trouble(Exception):
    """Failure of a run: a code, and the last line that the failing program printed.

    `text` is that as a text of the backend, {"id", "args"}, where the backend failed.
    """

    def __init__(self, kind: str, reason: str = "", text: dict[str, object] | None = None) -> None:
        super().__init__(kind, reason)
        self.kind, self.reason, self.text = kind, reason, text


def read_environment(directory: Path) -> Environment | None:
    """The environment in use; None without one. It may no longer work."""
    try:
        return Environment(**json.loads((directory / RECORD).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def tell(**line: object) -> None:
    print(json.dumps(line), flush=True)
