"""Extensions of the backend: Python files with further providers."""

from __future__ import annotations

import os

import bpy

from ..names import PACKAGE

__all__ = ["EXTENSIONS_VARIABLE", "extensions"]

EXTENSIONS_VARIABLE = "NEUROK_EXTENSIONS"
"""Read by the worker: paths, separated as in PATH."""


def extensions() -> str:
    """Those of Blender's own environment, and those of the preferences."""
    addon = bpy.context.preferences.addons.get(PACKAGE)
    chosen = getattr(addon.preferences, "extensions", "") if addon is not None else ""
    given = os.environ.get(EXTENSIONS_VARIABLE, "").split(os.pathsep)
    paths = [*given, *map(bpy.path.abspath, chosen.split(os.pathsep))]
    return os.pathsep.join(os.path.abspath(path) for path in paths if path)  # the worker runs in another folder
