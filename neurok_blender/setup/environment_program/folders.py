"""Folders that are half made, in use, or to be removed."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

__all__ = ["UNFINISHED", "WORKSHOP", "patiently", "remove_leftovers", "remove_tree"]

UNFINISHED = ".part"
WORKSHOP = ".tmp"  # pip unpacks there, on the same disk
TRIES, TRY_SECONDS = 20, 0.25  # Windows keeps files of a process for a moment after its end


def patiently(action) -> None:
    """Repeats the call: on Windows a virus scanner may hold the file for a moment."""
    for attempt in range(TRIES):
        try:
            action()
            return
        except PermissionError:
            if os.name != "nt" or attempt == TRIES - 1:
                raise
            time.sleep(TRY_SECONDS)


def remove_tree(folder: Path) -> None:
    """Leaves a folder only where something keeps its files."""
    for _attempt in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(TRY_SECONDS)


def remove_leftovers(directory: Path) -> None:
    """What a set-up that was killed has left."""
    for folder in directory.iterdir():
        if folder.suffix in (UNFINISHED, WORKSHOP):
            remove_tree(folder) if folder.is_dir() else folder.unlink(missing_ok=True)
