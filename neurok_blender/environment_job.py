"""Set Up Backend as seen from Blender: one child process whose progress is read without waiting."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass, replace
from pathlib import Path

from bpy.app.translations import pgettext_rpt as rpt_

from . import environment_setup
from .job.process import worker_environment

__all__ = ["EnvironmentJob", "SetupProgress"]

# NumPy 1.26 is what Blender 4.2 has; both serve the backend.
REQUIREMENTS = ("numpy>=1.26,<3", "scipy>=1.11,<2")

STARTING = "Starting"


@dataclass(frozen=True)
class SetupProgress:
    stage: str
    done: int
    total: int
    finished: bool = False
    message: str = ""
    """Empty after success."""
    remedy: str = ""


class EnvironmentJob:
    """Runs environment_setup.py; `tick` tells how far it is."""

    def __init__(self, python: Path, directory: Path, log: Path):
        self.log = log
        self.progress = SetupProgress(stage=STARTING, done=0, total=len(environment_setup.STAGES))
        with log.open("wb") as stream:
            self._process = subprocess.Popen(
                [str(python), environment_setup.__file__, str(directory), *REQUIREMENTS],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stream,
                env=worker_environment(os.environ),
                creationflags=subprocess.CREATE_NO_WINDOW if sys.platform == "win32" else 0,
            )
        self._lines: list[bytes] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        self._lines.extend(iter(self._process.stdout.readline, b""))

    def tick(self) -> SetupProgress:
        """Never waits."""
        if self.progress.finished:
            return self.progress
        code = self._process.poll()
        if self._lines:
            latest = json.loads(self._lines[-1])
            self.progress = SetupProgress(latest["stage"], latest["done"], latest["total"])
        if code is not None:
            self._release()
            done = replace(self.progress, finished=True)
            self.progress = (
                done
                if code == 0
                else replace(
                    done,
                    message=_failure(self.progress.stage),
                    remedy=rpt_("Look at the end of {}, then press Set Up Backend again.").format(self.log),
                )
            )
        return self.progress

    def close(self) -> None:
        """Stops the installation: the end of its stdin stops the child and what the child has started."""
        if self.progress.finished:
            return
        self._process.stdin.close()
        try:
            self._process.wait(timeout=1.5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def _release(self) -> None:
        self._process.stdin.close()
        self._reader.join()
        self._process.stdout.close()


def _failure(stage: str) -> str:
    """A whole sentence for each stage, because other languages bend its words."""
    return {
        STARTING: rpt_("Setting up the backend failed while starting."),
        environment_setup.MAKING: rpt_("Setting up the backend failed while making the environment."),
        environment_setup.INSTALLING: rpt_("Setting up the backend failed while downloading and installing packages."),
        environment_setup.CHECKING: rpt_("Setting up the backend failed while checking."),
    }[stage]
