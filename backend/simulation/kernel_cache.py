"""What of the compiled kernels is in Numba's cache, and a process that fills it ahead of the first take.

A file beside the cache for each solver tells that all of its kernels are there, for this Python, Numba and sources. The
process ends with the one that began it: it watches its standard input.
"""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import numba

from ..errors import UserError
from ..io.atomic_write import atomic_write
from ..understanding.analysis import Progress

__all__ = ["compile_in_background", "is_compiled", "note_compiled", "wait_for_background"]

BACKEND = Path(__file__).absolute().parents[1]  # not resolved: Numba keeps apart what is imported by other paths
_LOOK_SECONDS = 0.1
_running: list[subprocess.Popen[bytes]] = []  # at most one in a process
_noted: set[str] = set()  # solvers whose kernels this process knows to be there


def compile_in_background(solvers: Sequence[str]) -> None:
    """Begins to compile what is missing; for the user's cache alone, which Numba's variable names.

    Where no process can be started, takes compile what they need themselves, and say so.
    """
    if not numba.config.CACHE_DIR or _running or all(map(is_compiled, solvers)):
        return
    command = [sys.executable, "-m", "backend.simulation.compile_kernels"]
    low = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)  # Windows; elsewhere the process is nice by itself
    nothing = subprocess.DEVNULL
    with suppress(OSError):
        _running.append(
            subprocess.Popen(command, cwd=BACKEND.parent, stdin=subprocess.PIPE, stdout=nothing, creationflags=low)
        )


def wait_for_background(solvers: Sequence[str], progress: Progress) -> None:
    """Returns when these kernels are there, or nobody compiles them. `progress` may raise Cancelled."""
    while _running and _running[0].poll() is None and not all(map(is_compiled, solvers)):
        progress("compiling", 0, 1)
        time.sleep(_LOOK_SECONDS)


def is_compiled(solver: str) -> bool:
    """Whether the kernels of a solver are in the cache, so that they need not be compiled."""
    if solver not in _noted and _note(solver).is_file():
        _noted.add(solver)
    return solver in _noted


def note_compiled(solver: str) -> None:
    """Notes that the kernels of a solver are in the cache; where nothing can be written, for this process."""
    _noted.add(solver)
    note = _note(solver)
    with suppress(UserError, OSError):
        note.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(note) as file:
            file.write(b"All kernels are compiled.\n")


def _note(solver: str) -> Path:
    folder = Path(numba.config.CACHE_DIR) if numba.config.CACHE_DIR else BACKEND / "__pycache__"
    return folder / f"compiled-{_digest()}-{solver}.txt"


@cache
def _digest() -> str:
    """Of all that Numba's cache depends on."""
    about = [sys.version, numba.__version__, platform.machine(), str(BACKEND)]
    for path in sorted(BACKEND.rglob("*.py")):
        found = path.stat()
        about.append(f"{path.name} {found.st_size} {found.st_mtime_ns}")
    return hashlib.sha256("\n".join(about).encode()).hexdigest()[:16]
