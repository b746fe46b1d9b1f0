"""Kernels compiled ahead of the first take, by a process of low priority that fills Numba's cache.

A file beside the cache tells for which Python, Numba and sources all of it is there, so that this happens once after an
installation. The process ends with the one that began it: it watches its standard input.
"""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
import time
from pathlib import Path

import numba

from ..io.atomic_write import atomic_write
from ..understanding.analysis import Progress

__all__ = ["compile_in_background", "note_compiled", "wait_for_background"]

BACKEND = Path(__file__).resolve().parents[1]
_LOOK_SECONDS = 0.1
_running: list[subprocess.Popen[bytes]] = []  # at most one in a process


def compile_in_background() -> None:
    """Begins to compile unless everything is there; for the user's cache alone, which Numba's variable names."""
    if not numba.config.CACHE_DIR or _running or _note().is_file():
        return
    command = [sys.executable, "-m", "backend.simulation.compile_kernels"]
    low = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)  # Windows; elsewhere the process is nice by itself
    nothing = subprocess.DEVNULL
    _running.append(
        subprocess.Popen(command, cwd=BACKEND.parent, stdin=subprocess.PIPE, stdout=nothing, creationflags=low)
    )


def wait_for_background(progress: Progress) -> None:
    """Returns when nothing is compiled in the background any more. `progress` may raise Cancelled."""
    while _running and _running[0].poll() is None:
        progress("compiling", 0, 1)
        time.sleep(_LOOK_SECONDS)


def note_compiled() -> None:
    """Notes that all kernels are in the cache."""
    note = _note()
    note.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(note) as file:
        file.write(b"All kernels are compiled.\n")


def _note() -> Path:
    """Its name has a digest of all that Numba's cache depends on."""
    about = [sys.version, numba.__version__, platform.machine(), str(BACKEND)]
    for path in sorted(BACKEND.rglob("*.py")):
        found = path.stat()
        about.append(f"{path.name} {found.st_size} {found.st_mtime_ns}")
    digest = hashlib.sha256("\n".join(about).encode()).hexdigest()[:16]
    return Path(numba.config.CACHE_DIR) / f"compiled-{digest}.txt"
