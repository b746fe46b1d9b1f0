"""STL, binary and text: three vertices a facet, exactly as in the file (`geometry.topology` welds its own copy).

trimesh 5.2 cannot take its place: it welds the vertices of a text file with two solids, loads a truncated file as a
mesh without faces, and gives no reason where it refuses one.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from .damaged_file import DamagedFileError
from .number_parsing import parse_numbers

__all__ = ["read_stl"]

_HEADER = 84
_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_VERTEX = re.compile(rb"^[ \t]*vertex[ \t]+([^\r\n]*)", re.MULTILINE | re.IGNORECASE)


def read_stl(data: bytes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Vertices Float[3F,3] and triangles Int[F,3]."""
    if len(data) >= _HEADER:
        count = int.from_bytes(data[80:84], "little")
        if len(data) == _HEADER + count * _FACET.itemsize or not data.lstrip().lower().startswith(b"solid"):
            return _facets(_read_binary(data, count))
    if not data.lstrip().lower().startswith(b"solid"):
        raise DamagedFileError("it is too short for a binary STL and does not begin with 'solid'")
    if not re.search(rb"endsolid", data, re.IGNORECASE):
        raise DamagedFileError("it ends in the middle: 'endsolid' is missing")
    lines = _VERTEX.findall(data)
    rows = parse_numbers(b" ".join(lines), np.float64)
    if len(rows) != 3 * len(lines) or len(lines) % 3:
        raise DamagedFileError("a facet does not have three vertices of three coordinates")
    return _facets(rows.reshape(-1, 3))


def _read_binary(data: bytes, count: int) -> NDArray[np.float64]:
    if len(data) < _HEADER + count * _FACET.itemsize:
        present = (len(data) - _HEADER) // _FACET.itemsize
        raise DamagedFileError(f"it announces {count:,} facets and holds {present:,}")
    facets = np.frombuffer(data, dtype=_FACET, count=count, offset=_HEADER)
    return facets["corners"].reshape(-1, 3).astype(np.float64)


def _facets(vertices: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    return vertices, np.arange(len(vertices), dtype=np.int64).reshape(-1, 3)
