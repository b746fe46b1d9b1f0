"""Runs `python -m backend` as people do, a process of its own, or its `main` in this one where many runs are due."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from backend.__main__ import main
from tests.backend.io.writers import obj_text

from .shapes import Arrays

__all__ = ["ROOT", "backend", "backend_here", "write_conditions", "write_mesh"]

ROOT = Path(__file__).resolve().parents[2]


def backend(
    *arguments: str | Path, interpreter_options: Sequence[str] = (), variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The finished process, with its output as text; `variables` are added to the environment."""
    command = [sys.executable, *interpreter_options, "-m", "backend", *map(str, arguments)]
    environment = {**os.environ, **(variables or {})}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)


def backend_here(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """What the command line does with the arguments, without starting Python anew."""
    output, errors, words = io.StringIO(), io.StringIO(), list(map(str, arguments))
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            code = main(words)
        except SystemExit as leaving:  # from argparse
            code = int(leaving.code or 0)
    return subprocess.CompletedProcess(words, code, output.getvalue(), errors.getvalue())


def write_mesh(path: Path, mesh: Arrays) -> Path:
    """The mesh as an OBJ file."""
    path.write_text(obj_text(mesh[0], mesh[1].tolist()))
    return path


def write_conditions(path: Path, **conditions: Any) -> Path:
    path.write_text(json.dumps(conditions))
    return path
