"""Child process of Set Up GPU Backend; its progress is read without waiting."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bpy.app.translations import pgettext_rpt as rpt_

from ..backend.texts import Text, from_wire
from ..job.process import worker_environment
from . import environment_program
from .environment_program.plan import Plan

__all__ = ["EnvironmentJob", "SetupProgress"]

STARTING = "Starting"
CANCELLING = "Cancelling"
CLOSE_SECONDS = 1.5


@dataclass(frozen=True)
class SetupProgress:
    stage: str
    package: str = ""
    """What is being downloaded; while installing, how many packages."""
    done: int = 0
    total: int = 0
    """Bytes, where they are known."""
    changed: bool = False
    """From now on another environment is in use; users of the one before must stop, see `release`."""
    finished: bool = False
    message: str = ""
    remedy: str = ""
    failed: bool = False

    @property
    def factor(self) -> float:
        return self.done / self.total if self.total > 0 else 0.0


class EnvironmentJob:
    """Runs the environment program; `tick` returns the progress."""

    def __init__(self, python: Path, plan: Plan, log: Path, translate: Callable[[Text | str], str] = str):
        """`translate`: texts of the backend into the artist's language. Raises OSError."""
        self.plan, self.log, self._translate = plan, log, translate
        self.progress = SetupProgress(stage=STARTING)
        self.released = False
        """Whether `release` was called."""
        self._cancelled = False
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as stream:
            self._process = subprocess.Popen(
                [str(python), str(Path(environment_program.__file__).parent), json.dumps(asdict(plan))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stream,
                env=worker_environment(os.environ),
                creationflags=subprocess.CREATE_NO_WINDOW if sys.platform == "win32" else 0,
            )
        self._lines: deque[bytes] = deque()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        self._lines.extend(iter(self._process.stdout.readline, b""))

    def tick(self) -> SetupProgress:
        """Never waits."""
        if self.progress.finished:
            return self.progress
        code = self._process.poll()
        if code is not None:
            self._reader.join()
        while self._lines:
            self._take(json.loads(self._lines.popleft()))
        if code is not None:
            self._end()
        return self.progress

    def _take(self, line: dict[str, Any]) -> None:
        if "stage" in line:
            if not self._cancelled:
                self.progress = replace(self.progress, **line)
        elif "chosen" in line:
            self.progress = replace(self.progress, changed=True, message=_success(line["chosen"]))
        elif not self._cancelled:
            message, remedy = self._failure(line["trouble"], line["reason"], from_wire(line["text"]))
            self.progress = replace(self.progress, message=message, remedy=remedy, failed=True)

    def _end(self) -> None:
        self._process.stdin.close()
        self._process.stdout.close()
        self.progress = replace(self.progress, finished=True)
        if self._cancelled and not self.progress.changed:
            self.progress = replace(self.progress, message=rpt_("Cancelled; nothing was changed."))
        elif not self.progress.changed and not self.progress.failed:
            message = rpt_("Setting up the GPU backend was interrupted.")
            self.progress = replace(self.progress, message=message, remedy=self._look_at_log(), failed=True)

    def release(self) -> None:
        """Nothing runs in the environment before any more: it may be removed."""
        self.released = True
        try:
            self._process.stdin.write(b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            pass  # it has ended, and the next set-up removes what it has left

    def cancel(self) -> None:
        """Stops the set-up; keep ticking until the progress is finished and nothing is left."""
        if not self._cancelled and not self.progress.finished:
            self._cancelled = True
            self.progress = replace(self.progress, stage=CANCELLING, done=0, total=0, package="")
            self._process.stdin.close()

    def close(self) -> None:
        """Stops the set-up, and waits for its end: the end of its stdin stops the child and what it has started."""
        if self.progress.finished:
            return
        self.cancel()
        try:
            self._process.wait(timeout=CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.tick()

    # --- messages at the end ---

    def _look_at_log(self) -> str:
        return rpt_("Look at the end of {}, then press Set Up GPU Backend again.").format(self.log)

    def _failure(self, kind: str, reason: str, text: Text | None) -> tuple[str, str]:
        """A sentence for each kind of trouble, and its remedy."""
        shown = reason if text is None else f"{self._translate(text)} {self._translate(text.remedy)}"
        whole, part = f"{shown.rstrip('.')}.", shown.rstrip(".")
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        match kind:
            case "no_room":
                return (
                    rpt_("There is not enough room on the disk for the GPU backend ({}).").format(part),
                    rpt_("Make room where {} is, then press Set Up GPU Backend again.").format(self.plan.directory),
                )
            case "not_writable":
                return (
                    rpt_("The folder of the GPU backend cannot be written to ({}).").format(part),
                    rpt_("Change the permissions of {}, or choose Use This Python.").format(self.plan.directory),
                )
            case "no_network":
                return (
                    rpt_("The package index could not be reached."),
                    rpt_("Check the connection to the network, or install from a folder of wheels."),
                )
            case "no_packages" if self.plan.wheels:
                return (
                    rpt_("The folder does not have all packages ({}).").format(part),
                    rpt_("Put wheels there of PyTorch and all that it needs, for this system and Python {}.").format(
                        version
                    ),
                )
            case "no_packages":
                return (
                    rpt_("The package index does not have all packages ({}).").format(part),
                    rpt_("Name another package index, or install from a folder of wheels for Python {}.").format(
                        version
                    ),
                )
            case "no_pip":
                return (
                    rpt_("Blender's Python has no pip, which installs packages."),
                    rpt_("Install it (on Debian the package python3-pip), or choose Use This Python."),
                )
            case "no_python":
                return (
                    rpt_("The chosen Python does not start ({}).").format(part),
                    rpt_("Choose the program of a Python that has PyTorch."),
                )
            case "no_package":
                return (
                    rpt_("The Python lacks the package {}.").format(shown),
                    rpt_("Choose one that has PyTorch, NumPy, SciPy and safetensors."),
                )
            case "check":
                return (
                    rpt_("The GPU backend failed its test: {}").format(whole),
                    rpt_("What simulated before goes on; choose another device or another PyTorch."),
                )
            case "pip":
                return rpt_("Installing the packages failed: {}").format(whole), self._look_at_log()
        return rpt_("The files of the GPU backend could not be written ({}).").format(part), self._look_at_log()


def _success(chosen: dict[str, str] | None) -> str:
    if chosen is None:
        return rpt_("The GPU backend was removed.")
    device, name = chosen["device"].upper(), chosen["name"]
    return rpt_("The GPU backend is ready: PyTorch {} on {} ({}).").format(chosen["torch"], device, name)
