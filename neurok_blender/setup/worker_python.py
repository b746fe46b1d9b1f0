"""Choice of the Python that runs the backend, by child processes that try each. Independent of Blender."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from ..backend.texts import Text, from_wire
from ..job.process import worker_environment
from .environment_program.plan import DEVICE_VARIABLE

__all__ = ["ENGINES", "Candidate", "PythonChooser", "PythonState", "PythonStatus", "environment_with"]

# Run in the folder of the package, as the worker is.
PROBE = """
import json, sys, numpy, scipy.sparse, numba
from backend.learned.infer.device import requested_device
from backend.errors import UserError
from backend.learned.infer.engine_choice import learned_engine
from backend.texts import to_wire
if requested_device() is not None:
    from backend.learned.infer.devices import opened_device
    try:
        opened_device(requested_device())
    except UserError as problem:
        sys.exit(json.dumps(to_wire(problem.text)))
print(sys.version.split()[0], numpy.__version__, scipy.__version__, learned_engine() or "numpy")
"""
PROBE_SECONDS = 60.0
PACKAGE_DIRECTORY = Path(__file__).parent.parent

ENGINES = {"onnx": "ONNX Runtime", "torch": "PyTorch", "numpy": "NumPy"}
"""Names of the engines that run the network; NumPy alone runs none."""


def environment_with(packages: Path | None, device: str) -> dict[str, str]:
    """Environment variables by which a child process finds the packages of a folder and computes on a device."""
    variables = {} if packages is None else {"PYTHONPATH": str(packages)}
    return variables | ({DEVICE_VARIABLE: device} if device else {})


@dataclass(frozen=True)
class Candidate:
    """A Python to try.

    `packages`: a folder of packages that are not its own, but shall be found. `device`: that of the GPU backend.
    """

    label: str
    python: Path
    packages: Path | None = None
    device: str = ""


class PythonState(Enum):
    UNKNOWN = "unknown"
    CHECKING = "checking"
    READY = "ready"
    MISSING = "missing"


@dataclass(frozen=True)
class PythonStatus:
    state: PythonState = PythonState.UNKNOWN
    label: str = ""
    python: Path | None = None
    packages: Path | None = None
    device: str = ""
    """The device of PyTorch; empty without PyTorch."""
    declined: Text | str = ""
    """Why the GPU backend, which was set up, does not run."""
    template: str = ""
    """Versions when ready, what is missing otherwise; {} stand where the `values` go."""
    values: tuple[Text | str, ...] = ()
    remedy: str = ""

    @property
    def message(self) -> str:
        return self.translated(str)

    def translated(self, translate: Callable[[Text | str], str]) -> str:
        """The message in another language; `translate` translates its template and its values."""
        return translate(self.template).format(*map(translate, self.values))


class PythonChooser:
    """Tries candidates in order, one child process each; the choice is the first that can do all, or else simulate.

    To simulate takes NumPy, SciPy and Numba; learned motion takes ONNX Runtime or PyTorch as well.
    """

    def __init__(self) -> None:
        self.status = PythonStatus()
        self._waiting: list[Candidate] = []
        self._second_best: PythonStatus | None = None
        self._declined: Text | str = ""
        self._current: Candidate | None = None
        self._process: subprocess.Popen | None = None
        self._deadline = 0.0

    def begin(self, candidates: Sequence[Candidate]) -> None:
        """Starts over with these candidates; needs at least one."""
        self.close()
        self._waiting, self._second_best, self._declined = list(candidates), None, ""
        self._try_next()

    def tick(self) -> PythonStatus:
        """Looks whether the child has answered; never waits."""
        if self._process is None:
            return self.status
        if self._process.poll() is None:
            if time.monotonic() < self._deadline:
                return self.status
            self._process.kill()
        output, complaint = self._process.communicate()
        succeeded = self._process.returncode == 0
        self._process = None
        if succeeded and len(versions := output.split()) == 4:
            self._succeed(*versions)
        else:
            lines = complaint.strip().splitlines()
            self._fail(reason=_reason(lines[-1]) if lines else "it gave no answer")
        return self.status

    def close(self) -> None:
        """Ends a check that is under way."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _succeed(self, python: str, numpy: str, scipy: str, engine: str) -> None:
        learns = engine != "numpy"
        computes = (ENGINES[engine], (self._current.device or "cpu").upper())
        found = PythonStatus(
            PythonState.READY,
            self._current.label,
            self._current.python,
            self._current.packages,
            self._current.device,
            self._declined,
            template="Python {}, NumPy {}, SciPy {}, {} on {}" if learns else "Python {}, NumPy {}, SciPy {}",
            values=(python, numpy, scipy, *computes) if learns else (python, numpy, scipy),
        )
        if learns or not self._waiting:
            self.status = found if learns else self._second_best or found
        else:
            self._second_best = self._second_best or found
            self._try_next()

    def _try_next(self, reason: Text | str = "") -> None:
        """`reason`: why the present one does not serve."""
        if not self._waiting and self._second_best is not None:
            self.status = self._second_best
            return
        if not self._waiting:
            self.status = PythonStatus(
                PythonState.MISSING,
                declined=self._declined,
                template="No Python with NumPy, SciPy and Numba was found ({}: {}).",
                values=(self._current.label, reason),
                remedy="Press Set Up GPU Backend in the add-on's preferences.",
            )
            return
        self._current = self._waiting.pop(0)
        self.status = PythonStatus(PythonState.CHECKING, self._current.label, self._current.python)
        try:
            self._process = subprocess.Popen(
                [str(self._current.python), "-c", PROBE],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                cwd=PACKAGE_DIRECTORY,
                env=worker_environment(os.environ) | environment_with(self._current.packages, self._current.device),
                creationflags=subprocess.CREATE_NO_WINDOW if sys.platform == "win32" else 0,
            )
        except OSError as error:
            self._fail(reason=error.strerror or str(error))
            return
        self._deadline = time.monotonic() + PROBE_SECONDS

    def _fail(self, reason: Text | str) -> None:
        if self._current.device:
            self._declined = reason
        self._try_next(reason)


def _reason(line: str) -> Text | str:
    """The last line that a child has left: an error of the backend, or what a Python says of itself."""
    try:
        found = from_wire(json.loads(line))
    except (ValueError, KeyError, TypeError):
        return line
    return found if isinstance(found, Text) else line
