"""Paths of the add-on's files, and of the folders that it writes to.

An installed extension writes only into the folder that Blender keeps for it
(`bpy.utils.extension_path_user`). Where the package is no extension, which is so only when tests import
the staged tree, Blender's temporary folder stands in for it and is gone when Blender ends.
"""

import os
import sys
from pathlib import Path

import bpy

from ..names import PACKAGE

__all__ = [
    "PACKAGE_DIRECTORY",
    "backend_log",
    "compiled_directory",
    "environments_directory",
    "setup_log",
    "wheels_directory",
]

PACKAGE_DIRECTORY = Path(__file__).parent.parent
"""The package as the zip has it; `backend/` lies in it. Not resolved: the staged tree is made of symlinks."""


def _user_directory(name: str) -> Path:
    try:
        return Path(bpy.utils.extension_path_user(PACKAGE, path=name, create=True))
    except ValueError:  # the package is not an extension, see above
        directory = Path(bpy.app.tempdir) / "neurok" / name
        directory.mkdir(parents=True, exist_ok=True)
        return directory


def environments_directory() -> Path:
    """Where Set Up GPU Backend puts PyTorch, and notes what is in use."""
    return _user_directory("environments")


def compiled_directory() -> Path:
    """Where Numba keeps what it has compiled, so that later processes need not; Numba's own variable goes first."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return Path(chosen) if chosen else _user_directory("compiled")


def wheels_directory() -> Path | None:
    """Where Blender puts the packages that extensions bring; a Python that Blender starts does not look there."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    directory = Path(bpy.utils.user_resource("EXTENSIONS")) / ".local/lib" / version / "site-packages"
    return directory if directory.is_dir() else None


def backend_log() -> Path:
    """Log of the backend process."""
    return _user_directory("logs") / "backend.log"


def setup_log() -> Path:
    """Log of Set Up GPU Backend."""
    return _user_directory("logs") / "setup.log"
