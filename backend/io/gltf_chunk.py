"""The binary chunk of a .glb file: its layout first, its arrays written one by one later."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from .gltf_file import BINARY_CHUNK, JSON_CHUNK

__all__ = ["ELEMENTS", "VERTICES", "Chunk"]

VERTICES, ELEMENTS = 34962, 34963  # what a view is for: attributes of vertices, or their numbers
_COMPONENTS = {"|u1": 5121, "<u2": 5123, "<u4": 5125, "<f4": 5126}
_TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Chunk:
    """Accessors and views. Arrays that are large are asked for when their turn to be written comes."""

    def __init__(self) -> None:
        self.accessors: list[dict[str, Any]] = []
        self.views: list[dict[str, Any]] = []
        self.size = 0
        self._pieces: list[Callable[[], bytes]] = []

    def add(
        self,
        values: NDArray[np.generic] | Callable[[], NDArray[np.generic]],
        target: int | None = None,
        limits: bool = False,
    ) -> int:
        """The number of a new accessor for rows of numbers, (n,) or (n,width); `limits`: it says how far they reach."""
        array = values() if callable(values) else values
        width = 1 if array.ndim == 1 else array.shape[1]
        accessor = {
            "bufferView": self._view(array.nbytes, target, _bytes_of(values if callable(values) else array)),
            "componentType": _COMPONENTS[array.dtype.str],
            "count": len(array),
            "type": _TYPES[width],
        }
        if limits:
            rows = array.reshape(-1, width)
            accessor["min"] = [float(value) for value in rows.min(axis=0)]
            accessor["max"] = [float(value) for value in rows.max(axis=0)]
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def add_bytes(self, content: bytes) -> int:
        """The number of a new view of bytes as they are, an image."""
        return self._view(len(content), None, lambda: content)

    def _view(self, size: int, target: int | None, piece: Callable[[], bytes]) -> int:
        view = {"buffer": 0, "byteOffset": self.size, "byteLength": size}
        if target is not None:
            view["target"] = target
        self.views.append(view)
        self._pieces.append(piece)
        self.size += size + -size % 4
        return len(self.views) - 1

    def header(self, document: dict[str, Any]) -> bytes:
        """All of the file that stands before the block, for a document that it completes."""
        document = {
            **document,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": self.size}],
        }
        text = json.dumps(document, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        total = 12 + 8 + len(text) + 8 + self.size
        # A file over 4 GiB does not know its own size: it is refused before this is written.
        start = struct.pack("<4sIII", b"glTF", 2, min(total, 2**32 - 1), len(text))
        return (
            start + struct.pack("<I", JSON_CHUNK) + text + struct.pack("<II", min(self.size, 2**32 - 1), BINARY_CHUNK)
        )

    def write(self, stream: BinaryIO) -> None:
        """The block itself."""
        for piece in self._pieces:
            content = piece()
            stream.write(content)
            stream.write(b"\0" * (-len(content) % 4))


def _bytes_of(values: NDArray[np.generic] | Callable[[], NDArray[np.generic]]) -> Callable[[], bytes]:
    return lambda: np.ascontiguousarray(values() if callable(values) else values).tobytes()
