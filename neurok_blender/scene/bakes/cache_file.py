"""PC2 point caches, as Blender's Mesh Cache modifier and 3ds Max read them."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

__all__ = ["CacheWriter", "hand_over", "remove_cache", "remove_former"]

# Signature, version, points, first frame, frames a sample, samples.
HEADER = struct.Struct("<12siiffi")
SIGNATURE = b"POINTCACHE2\0"


class CacheWriter:
    """Writes shapes one after the other beside the file's final place, and puts it there when all are written."""

    def __init__(self, path: Path, vertex_count: int, shape_count: int):
        """Raises OSError."""
        self.path = path
        self._part = path.with_name(path.name + ".part")
        path.parent.mkdir(parents=True, exist_ok=True)
        self._stream = open(self._part, "wb")  # noqa: SIM115 - it stays open over many calls
        self._stream.write(HEADER.pack(SIGNATURE, 1, vertex_count, 0.0, 1.0, shape_count))

    def add(self, shape: NDArray[np.float32]) -> None:
        """Coordinates [V,3], object space."""
        self._stream.write(np.ascontiguousarray(shape, "<f4").data)

    def finish(self) -> None:
        self._stream.close()
        os.replace(self._part, self.path)

    def cancel(self) -> None:
        """Leaves no file, unless it is finished."""
        self._stream.close()
        self._part.unlink(missing_ok=True)


def hand_over(former, entry) -> None:
    """Undo of a bake that replaced another brings that one back: its files stay, with the one that has its place."""
    files = _former(former) + ([(former.file, former.count)] if former.file else [])
    entry.former = json.dumps(files) if files else ""
    former.file = former.former = ""


def remove_former(obj: bpy.types.Object, entry) -> None:
    """Deletes what `hand_over` has left."""
    for file, count in _former(entry):
        _remove(obj, entry, file, count)
    entry.former = ""


def remove_cache(obj: bpy.types.Object, entry) -> None:
    """Deletes the file of an entry, and those of the takes that it replaced."""
    remove_former(obj, entry)
    if entry.file:
        _remove(obj, entry, entry.file, entry.count)


def _former(entry) -> list[tuple[str, int]]:
    return [(file, count) for file, count in json.loads(entry.former)] if entry.former else []


def _remove(obj: bpy.types.Object, entry, file: str, count: int) -> None:
    """Deletes a file, if it still is the one that was written, and no other object plays it."""
    path = Path(bpy.path.abspath(file))
    shared = any(
        each.file == file
        for other in bpy.data.objects
        for each in other.neurok.bakes
        if other != obj or each.serial != entry.serial
    )
    try:
        with open(path, "rb") as stream:
            header = stream.read(HEADER.size)
    except OSError:
        return  # it is gone already
    expected = HEADER.pack(SIGNATURE, 1, len(obj.data.vertices), 0.0, 1.0, count)
    if header == expected and not shared:
        path.unlink(missing_ok=True)
