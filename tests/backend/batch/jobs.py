"""Folders with jobs, and the command that works on them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from tests.backend.command_line import ROOT, write_mesh
from tests.backend.shapes import block, sphere

__all__ = ["finished", "lines_of", "quick_jobs", "started", "until", "write_jobs"]


def write_jobs(folder: Path, *jobs: dict[str, Any]) -> Path:
    path = folder / "jobs.jsonl"
    path.write_text("".join(json.dumps(job) + "\n" for job in jobs))
    return path


def quick_jobs(folder: Path, count: int, frames: int = 12, kind: str = "npz", slow: bool = False) -> Path:
    """Pokes of different strength; a slow one takes a second or two."""
    write_mesh(folder / "thing.obj", sphere(2_000) if slow else block((0.4, 0.4, 0.4), (2, 2, 2)))
    jobs = []
    for number in range(count):
        conditions = {
            "provider": "elastic" if slow else "rigid",
            "anchor": "none",
            "frames": frames,
            "pokes": [{"point": [0, 0, 0.2], "speed": [0.1 * number, 0.0, 1.0]}],
        }
        jobs.append({"mesh": "thing.obj", "conditions": conditions, "output": f"take {number}.{kind}"})
    return write_jobs(folder, *jobs)


def _heed_ctrl_c() -> None:
    """What a shell runs in its background ignores Ctrl C, and so would what that starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def started(jobs: Path, *options: str) -> subprocess.Popen[str]:
    """The running command, in a process group of its own as a terminal makes one."""
    command = [sys.executable, "-m", "backend", "batch", str(jobs), *options]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_heed_ctrl_c,
    )


def finished(jobs: Path, *options: str) -> tuple[int, str, str]:
    """Its exit code, what it prints, and what it prints on standard error without the bar."""
    process = started(jobs, *options)
    said, errors = process.communicate(timeout=240)
    shown = [line for line in errors.replace("\r", "\n").splitlines() if line.strip() and not line.startswith("batch:")]
    return process.returncode, said, "\n".join(shown)


def lines_of(jobs: Path) -> list[dict[str, Any]]:
    """The journal of a file of jobs: every completion by any process."""
    folder = jobs.with_name(f"{jobs.name}.journal")
    return [json.loads(line) for path in folder.glob("*.jsonl") for line in path.read_text().splitlines()]


def until(true: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Waits for something to become true; gives what it gave."""
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return found


def workers_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """The worker processes of a running command."""
    found = []
    for child in psutil.Process(process.pid).children(recursive=True):
        try:
            if any("spawn_main" in word for word in child.cmdline()):
                found.append(child)
        except psutil.NoSuchProcess:
            continue
    return found
