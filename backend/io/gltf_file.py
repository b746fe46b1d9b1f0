"""The container of a binary glTF file: its JSON, and its accessors as arrays."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .damaged_file import DamagedFileError

__all__ = ["BINARY_CHUNK", "JSON_CHUNK", "GlbFile", "accessor_values", "open_glb", "view_bytes"]

JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942
_COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


@dataclass(frozen=True)
class GlbFile:
    """The JSON of a file and its binary chunk."""

    document: dict
    binary: bytes


def open_glb(data: bytes) -> GlbFile:
    """The chunks of a file; raises DamagedFileError where they are not whole."""
    if len(data) < 20 or data[:4] != b"glTF":
        raise DamagedFileError("it has no binary glTF header")
    version, total = (int.from_bytes(data[at : at + 4], "little") for at in (4, 8))
    if version != 2:
        raise DamagedFileError(f"it is glTF version {version}, and only version 2 can be read")
    if total > len(data):
        raise DamagedFileError(f"it announces {total:,} bytes and holds {len(data):,}")
    document, binary, at = None, b"", 12
    while at + 8 <= total:
        size, kind = (int.from_bytes(data[at + 4 * i : at + 4 * i + 4], "little") for i in range(2))
        chunk = data[at + 8 : at + 8 + size]
        if len(chunk) < size:
            raise DamagedFileError("one of its chunks is cut off")
        if kind == JSON_CHUNK and document is None:
            document = json.loads(chunk)
        elif kind == BINARY_CHUNK and not binary:
            binary = chunk
        at += 8 + size
    if not isinstance(document, dict):
        raise DamagedFileError("it has no description chunk")
    return GlbFile(document, binary)


def accessor_values(file: GlbFile, number: int) -> NDArray[np.generic]:
    """The values (count, width) of an accessor, with its sparse replacements and scaled if normalized."""
    accessor = file.document["accessors"][number]
    width, count = _WIDTHS[accessor["type"]], accessor["count"]
    dtype = np.dtype(_COMPONENTS[accessor["componentType"]])
    if "bufferView" in accessor:
        values = _view(file, accessor["bufferView"], accessor.get("byteOffset", 0), dtype, count, width)
    else:
        values = np.zeros((count, width), dtype=dtype)
    if "sparse" in accessor:
        sparse = accessor["sparse"]
        where, what = sparse["indices"], sparse["values"]
        rows_type = np.dtype(_COMPONENTS[where["componentType"]])
        rows = _view(file, where["bufferView"], where.get("byteOffset", 0), rows_type, sparse["count"], 1)
        values = values.copy()
        values[rows[:, 0].astype(np.int64)] = _view(
            file, what["bufferView"], what.get("byteOffset", 0), dtype, sparse["count"], width
        )
    if accessor.get("normalized") and dtype.kind in "iu":
        return np.maximum(values / np.iinfo(dtype).max, -1.0)
    return values


def _view(file: GlbFile, number: int, offset: int, dtype: np.dtype, count: int, width: int) -> NDArray[np.generic]:
    view = file.document["bufferViews"][number]
    if file.document["buffers"][view["buffer"]].get("uri"):
        raise DamagedFileError("its data lies in another file")
    stride = view.get("byteStride", dtype.itemsize * width)
    start = view.get("byteOffset", 0) + offset
    if count and start + stride * (count - 1) + dtype.itemsize * width > len(file.binary):
        raise DamagedFileError("its data chunk is too short")
    return (
        np.ndarray((count, width), dtype, file.binary, start, (stride, dtype.itemsize))
        if count
        else np.empty((0, width), dtype)
    )


def view_bytes(file: GlbFile, number: int) -> bytes:
    """The bytes of a buffer view."""
    view = file.document["bufferViews"][number]
    return _view(file, number, 0, np.dtype("u1"), view["byteLength"], 1).tobytes()
