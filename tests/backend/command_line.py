"""Runs `python -m backend` as people do: a process of its own, in any folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.backend.io.writers import obj_text

from .shapes import Arrays

__all__ = ["ROOT", "backend", "write_conditions", "write_mesh"]

ROOT = Path(__file__).resolve().parents[2]


def backend(
    *arguments: str | Path, interpreter_options: Sequence[str] = (), variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The finished process, with its output as text; `variables` are added to the environment."""
    command = [sys.executable, *interpreter_options, "-m", "backend", *map(str, arguments)]
    environment = {**os.environ, **(variables or {})}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)


def write_mesh(path: Path, mesh: Arrays) -> Path:
    """The mesh as an OBJ file."""
    path.write_text(obj_text(mesh[0], mesh[1].tolist()))
    return path


def write_conditions(path: Path, **conditions: Any) -> Path:
    path.write_text(json.dumps(conditions))
    return path
