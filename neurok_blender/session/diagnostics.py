"""A report for support, as text: versions, the backend, the last error, the end of the log."""

from __future__ import annotations

import getpass
import os
import platform
import re
import tomllib
from pathlib import Path
from typing import Any

import bpy
import gpu

from ..setup import paths
from ..setup.worker_python import PythonState
from .memory import megabytes_of_takes
from .state import session

__all__ = ["addon_version", "diagnostics_text", "log_tail", "present_log", "without_user_names", "worker_facts"]

LOG_LINES = 50
LOG_BYTES = 200_000  # of the end of a log: more than anybody reads


def addon_version() -> str:
    with (paths.PACKAGE_DIRECTORY / "blender_manifest.toml").open("rb") as stream:
        return tomllib.load(stream)["version"]


def present_log() -> Path | None:
    """The log of this worker, or else of the one before; None where none was ever written."""
    log = session.log_path or paths.backend_log()
    return log if log.is_file() else None


def log_tail(log: Path) -> str:
    """The end of the log, whole lines."""
    with log.open("rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(0, size - LOG_BYTES))
        text = stream.read().decode("utf-8", errors="replace")
    return text if size <= LOG_BYTES else text.partition("\n")[2]


def worker_facts() -> dict[str, Any] | None:
    """Version, device and engine of the worker; None while none runs."""
    status = session.chooser.status
    if status.state is not PythonState.READY or session.log_path is None:
        return None
    facts = session.runner(status.python).state.backend
    return dict(facts) if facts is not None else None


def without_user_names(text: str) -> str:
    """The same text with the home folder as ~, and with the user's name left out of all other paths."""
    home = str(Path.home())
    for folder in {home, os.path.realpath(home)}:
        for spelling in {folder, folder.replace("\\", "/"), folder.replace("\\", "\\\\")}:
            # A name that only begins like the home folder's is another folder.
            text = re.sub(rf"{re.escape(spelling)}(?=[\\/\s\"',;:)]|$)", "~", text, flags=re.MULTILINE)
    name = re.escape(getpass.getuser())
    return re.sub(rf"(?<=[\\/]){name}(?=[\\/\s\"']|$)", "user", text, flags=re.MULTILINE)


def _graphics() -> str:
    try:
        return f"{gpu.platform.renderer_get()}, {gpu.platform.version_get()}"
    except SystemError:  # Blender runs without a window
        return "not in use"


def _backend() -> str:
    status = session.chooser.status
    if status.state is PythonState.READY:
        declined = f"; the GPU backend does not run: {status.declined}" if status.declined else ""
        return f"the Python {status.label} ({status.message}): {status.python}{declined}"
    return f"{status.state.value} {status.message}".strip()


def _worker() -> str:
    facts = worker_facts()
    return "not running" if facts is None else ", ".join(f"{name} {value}" for name, value in facts.items())


def diagnostics_text() -> str:
    """A report in English, whatever language Blender speaks, that names no user."""
    notice, log = session.notice, present_log()
    build = bpy.app.build_hash.decode("ascii", errors="replace")
    lines = [
        f"NeuROK {addon_version()}",
        f"Blender: {bpy.app.version_string} ({build})",
        f"Python of Blender: {platform.python_version()}",
        f"System: {platform.platform()}",
        f"Graphics: {_graphics()}",
        f"Backend: {_backend()}",
        f"Worker: {_worker()}",
        f"Takes: {len(session.takes)}, {megabytes_of_takes():.1f} MB",
        f"Last message: {f'{notice.message} {notice.remedy}'.strip() or 'none'}",
        f"Log: {log or 'none'}",
    ]
    if log is not None:
        lines += [f"  {line}" for line in log_tail(log).splitlines()[-LOG_LINES:]]
    return without_user_names("\n".join(lines) + "\n")
