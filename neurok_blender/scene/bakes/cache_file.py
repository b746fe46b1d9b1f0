"""PC2 point caches, as Blender's Mesh Cache modifier and 3ds Max read them."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

__all__ = ["CacheWriter", "remove_cache"]

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


def remove_cache(obj: bpy.types.Object, entry) -> None:
    """Deletes the file of an entry, if it still is the one that was written, and no other object plays it."""
    if not entry.file:
        return
    path = Path(bpy.path.abspath(entry.file))
    shared = any(
        each.file == entry.file
        for other in bpy.data.objects
        for each in other.neurok.bakes
        if other != obj or each.serial != entry.serial
    )
    try:
        with open(path, "rb") as stream:
            header = stream.read(HEADER.size)
    except OSError:
        return  # it is gone already
    expected = HEADER.pack(SIGNATURE, 1, len(obj.data.vertices), 0.0, 1.0, entry.count)
    if header == expected and not shared:
        path.unlink(missing_ok=True)
