"""Paths of the repository, failures of one sentence, and child processes."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

__all__ = ["BUILD", "ROOT", "BuildError", "read_toml", "run", "say"]

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"


class BuildError(Exception):
    """A failure that one sentence explains."""


def say(text: str) -> None:
    print(f"build.py: {text}", flush=True)


def run(command: Sequence[str | Path], failure: str, **options) -> subprocess.CompletedProcess:
    """Runs `command` to its end; raises BuildError(failure) unless it ends with code 0."""
    try:
        finished = subprocess.run([str(part) for part in command], check=False, **options)
    except OSError as error:
        raise BuildError(f"{failure} ({error.strerror}: {command[0]}).") from error
    if finished.returncode != 0:
        raise BuildError(f"{failure} (exit code {finished.returncode}).")
    return finished


def read_toml(name: str) -> dict:
    import tomllib  # new in Python 3.11; imported late so that an older Python still gets a sentence

    with open(ROOT / name, "rb") as stream:
        return tomllib.load(stream)
