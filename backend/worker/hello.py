"""What the worker says of itself when greeted: version, device, providers, materials, extensions that do not run."""

from __future__ import annotations

import sys
import tomllib
import traceback
from pathlib import Path
from typing import Any

from ..errors import UserError
from ..extending import load_extensions
from ..learned.infer.device import requested_device
from ..learned.infer.engine_choice import learned_engine
from ..materials.table import material_entries
from ..understanding.providers.registry import provider_entries

__all__ = ["introduction"]


def introduction() -> dict[str, Any]:
    """Fields of the answer to `hello`."""
    engine = learned_engine() or "numpy"  # which also solves what is elastic or rigid
    problems = load_extensions()
    for problem in problems:
        traceback.print_exception(problem)  # in the log, with the line
    return {
        "version": _version(),
        "engine": engine,
        "device": _device(engine),
        "providers": provider_entries(),
        "materials": material_entries(),
        "problems": [each.text for each in problems],
    }


def _version() -> str:
    """The version of the release; the manifest beside the backend is its only source."""
    manifest = Path(__file__).parents[2] / "blender_manifest.toml"
    return tomllib.loads(manifest.read_text(encoding="utf-8"))["version"]


def _device(engine: str) -> str:
    """Where the engine computes. A graphics card is tried first: one that does not work is not named."""
    asked = requested_device() if engine == "torch" else None
    if asked in (None, "cpu"):
        return "cpu"
    from ..learned.infer.devices import opened_device

    try:
        return opened_device(asked).type
    except UserError as problem:
        print(problem, file=sys.stderr)  # in the log; the first analysis says it to the artist
        return "cpu"
