"""A reader of OpenEXR files by the letter of the format's description: scan lines, float32, ZIP. Nothing else."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np

__all__ = ["read_exr"]

MAGIC, FLOAT, ZIP, ZIP_LINES = 20000630, 2, 3, 16


def _text(data: bytes, place: int) -> tuple[str, int]:
    end = data.index(b"\0", place)
    return data[place:end].decode(), end + 1


def _unpacked(block: bytes, size: int) -> bytes:
    """ZIP's blocks hold differences of bytes, the even bytes first; what would not shrink is stored as it is."""
    if len(block) == size:
        return block
    steps = np.frombuffer(zlib.decompress(block), dtype=np.uint8).astype(np.int64)
    steps[1:] -= 128
    halves = (np.cumsum(steps) % 256).astype(np.uint8)
    found = np.empty(size, dtype=np.uint8)
    found[0::2], found[1::2] = halves[: (size + 1) // 2], halves[(size + 1) // 2 :]
    return found.tobytes()


def read_exr(path: Path) -> tuple[dict[str, np.ndarray], dict[str, bytes]]:
    """Layers Float32[H,W] and the attributes of the header as bytes."""
    data = path.read_bytes()
    magic, version = struct.unpack_from("<II", data)
    assert (magic, version & 0xFF) == (MAGIC, 2) and not version & 0x200, "not a plain file of scan lines"
    place, attributes = 8, {}
    while data[place]:
        name, place = _text(data, place)
        _kind, place = _text(data, place)
        (size,) = struct.unpack_from("<I", data, place)
        attributes[name] = data[place + 4 : place + 4 + size]
        place += 4 + size
    left, top, right, bottom = struct.unpack("<iiii", attributes["dataWindow"])
    width, height = right - left + 1, bottom - top + 1
    assert attributes["compression"] == bytes([ZIP])
    names, inside = [], 0
    while attributes["channels"][inside]:
        name, inside = _text(attributes["channels"], inside)
        assert struct.unpack_from("<i", attributes["channels"], inside) == (FLOAT,)
        names.append(name)
        inside += 16
    lines = np.empty((height, len(names), width), dtype="<f4")
    blocks = -(-height // ZIP_LINES)
    for offset in struct.unpack_from(f"<{blocks}Q", data, place + 1):
        row, size = struct.unpack_from("<ii", data, offset)
        part = lines[row - top : row - top + ZIP_LINES]
        content = _unpacked(data[offset + 8 : offset + 8 + size], part.nbytes)
        part[:] = np.frombuffer(content, dtype="<f4").reshape(part.shape)
    return {name: lines[:, number] for number, name in enumerate(names)}, attributes
