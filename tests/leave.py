"""The way out of a process that has loaded Blender as a module."""

from __future__ import annotations

import os
import shutil
import sys
from typing import NoReturn

__all__ = ["leave"]


def leave(code: int) -> NoReturn:
    """Ends the process with exit code `code`, without Python's and Blender's own endings.

    Where anything still refers to bpy as Python ends (a registered class, a cached type), the module of Blender 4.5
    destroys a condition variable that its sound thread waits on, and the process never ends; or it reports leaks
    after the last line that counts. Blender's temporary folder would be left behind, so it is removed here.
    """
    if "bpy" in sys.modules:
        shutil.rmtree(sys.modules["bpy"].app.tempdir, ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
