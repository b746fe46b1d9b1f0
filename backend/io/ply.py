"""PLY, text and binary: the vertex and face elements, in the order of the file.

trimesh 5.2 cannot take its place: of a text file that ends early it gives the faces up to there without a word, it
refuses binary files whose faces differ in their number of corners or that have bytes after the last element, it puts
triangles before quadrilaterals, and it rounds the numbers of a text file to those of the declared type.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .damaged_file import DamagedFileError
from .number_parsing import parse_numbers
from .polygons import fan_triangles

__all__ = ["read_ply"]

_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1",
    "short": "i2", "int16": "i2", "ushort": "u2", "uint16": "u2",
    "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip
_ORDERS = {"binary_little_endian": "<", "binary_big_endian": ">"}


@dataclass(frozen=True)
class _Property:
    name: str
    value_type: str
    count_type: str | None  # of a list; None for a single value


@dataclass(frozen=True)
class _Element:
    name: str
    count: int
    properties: tuple[_Property, ...]


def read_ply(data: bytes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Vertices Float[V,3] and triangles Int[F,3]; polygons become fans."""
    layout, elements, body = _header(data)
    reader = _TextReader(body) if layout == "ascii" else _BinaryReader(body, _ORDERS[layout])
    vertices, triangles = None, np.empty((0, 3), dtype=np.int64)
    for element in elements:
        if element.name == "vertex":
            names = [entry.name for entry in element.properties]
            if not {"x", "y", "z"} <= set(names) or any(entry.count_type for entry in element.properties):
                raise DamagedFileError("its vertices have no x, y and z")
            columns = reader.table(element)
            vertices = np.stack([columns[name] for name in ("x", "y", "z")], axis=1)
        elif element.name == "face":
            triangles = fan_triangles(*reader.lists(element, ("vertex_indices", "vertex_index")))
        else:
            reader.skip(element)
    if vertices is None:
        raise DamagedFileError("it has no vertex element")
    return vertices, triangles


def _header(data: bytes) -> tuple[str, list[_Element], bytes]:
    end = data.find(b"end_header")
    if not data.startswith(b"ply") or end < 0:
        raise DamagedFileError("it has no PLY header")
    line_end = data.find(b"\n", end)
    if line_end < 0:
        raise DamagedFileError("it ends with its header")
    layout, elements = "", []
    for line in data[:end].decode("ascii", errors="replace").splitlines():
        words = line.split()
        if not words or words[0] in ("ply", "comment", "obj_info"):
            continue
        if words[0] == "format":
            layout = words[1]
        elif words[0] == "element":
            elements.append(_Element(words[1], int(words[2]), ()))
        elif words[0] == "property" and elements:
            is_list = words[1] == "list"
            entry = _Property(words[-1], _TYPES[words[-2]], _TYPES[words[2]] if is_list else None)
            last = elements[-1]
            elements[-1] = _Element(last.name, last.count, (*last.properties, entry))
        else:
            raise DamagedFileError(f"its header has the unknown line '{line.strip()}'")
    if layout != "ascii" and layout not in _ORDERS:
        raise DamagedFileError(f"its format '{layout}' is unknown")
    return layout, elements, data[line_end + 1 :]


class _BinaryReader:
    """Elements one after the other, from packed bytes."""

    def __init__(self, body: bytes, order: str) -> None:
        self._body, self._order, self._at = body, order, 0

    def table(self, element: _Element) -> dict[str, NDArray[np.float64]]:
        fields = [(f"{i} {entry.name}", self._order + entry.value_type) for i, entry in enumerate(element.properties)]
        rows = self._take(np.dtype(fields), element)
        return {
            entry.name: rows[field].astype(np.float64)
            for entry, (field, _) in zip(element.properties, fields, strict=True)
        }

    def lists(self, element: _Element, names: tuple[str, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Lengths and values of the list with one of these names."""
        wanted = _position(element, names)
        if element.count == 0:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        uniform = self._uniform(element)
        if uniform is not None:
            values = uniform[f"values {wanted}"].astype(np.int64)
            return np.full(element.count, values.shape[1], dtype=np.int64), values.ravel()
        return self._one_by_one(element, wanted)

    def skip(self, element: _Element) -> None:
        if any(entry.count_type for entry in element.properties):
            self._one_by_one(element, -1)
        else:
            self.table(element)

    def _take(self, dtype: np.dtype, element: _Element) -> NDArray[np.void]:
        size = dtype.itemsize * element.count
        if self._at + size > len(self._body):
            raise DamagedFileError(f"it ends within its {element.count:,} {element.name} entries")
        rows = np.frombuffer(self._body, dtype=dtype, count=element.count, offset=self._at)
        self._at += size
        return rows

    def _uniform(self, element: _Element) -> NDArray[np.void] | None:
        """All entries at once if each has lists of the same lengths as the first one."""
        fields: list[tuple] = []
        at = self._at
        for i, entry in enumerate(element.properties):
            length = 1
            if entry.count_type:
                length = self._number(at, entry.count_type)
                at += np.dtype(entry.count_type).itemsize
                fields.append((f"length {i}", self._order + entry.count_type))
            fields.append((f"values {i}", self._order + entry.value_type, (length,)))
            at += np.dtype(entry.value_type).itemsize * length
        dtype = np.dtype(fields)
        if self._at + dtype.itemsize * element.count > len(self._body):
            return None
        rows = np.frombuffer(self._body, dtype=dtype, count=element.count, offset=self._at)
        for i, entry in enumerate(element.properties):
            if entry.count_type and np.any(rows[f"length {i}"] != rows[f"length {i}"][0]):
                return None
        self._at += dtype.itemsize * element.count
        return rows

    def _one_by_one(self, element: _Element, wanted: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        lengths: list[int] = []
        pieces: list[bytes] = []
        value_type = element.properties[wanted].value_type
        for _ in range(element.count):
            for i, entry in enumerate(element.properties):
                length = 1
                if entry.count_type:
                    length = self._number(self._at, entry.count_type)
                    self._at += np.dtype(entry.count_type).itemsize
                size = np.dtype(entry.value_type).itemsize * length
                if self._at + size > len(self._body):
                    raise DamagedFileError(f"it ends within its {element.count:,} {element.name} entries")
                if i == wanted:
                    lengths.append(length)
                    pieces.append(self._body[self._at : self._at + size])
                self._at += size
        values = np.frombuffer(b"".join(pieces), dtype=self._order + value_type).astype(np.int64)
        return np.array(lengths, dtype=np.int64), values

    def _number(self, at: int, value_type: str) -> int:
        size = np.dtype(value_type).itemsize
        if at + size > len(self._body):
            raise DamagedFileError("it ends within a list")
        order = "little" if self._order == "<" else "big"
        number = int.from_bytes(self._body[at : at + size], order, signed=value_type.startswith("i"))
        if number < 0:
            raise DamagedFileError("a list has a negative length")
        return number


class _TextReader:
    """Elements one after the other, one line an entry."""

    def __init__(self, body: bytes) -> None:
        self._lines = [line for line in body.split(b"\n") if line.strip()]
        self._at = 0

    def table(self, element: _Element) -> dict[str, NDArray[np.float64]]:
        lines = self._take(element)
        width = len(element.properties)
        numbers = parse_numbers(b" ".join(lines), np.float64)
        if len(numbers) != width * len(lines):
            raise DamagedFileError(f"a {element.name} does not have {width} numbers")
        rows = numbers.reshape(-1, width)
        return {entry.name: rows[:, i] for i, entry in enumerate(element.properties)}

    def lists(self, element: _Element, names: tuple[str, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        wanted = _position(element, names)
        lengths: list[int] = []
        words: list[bytes] = []
        for line in self._take(element):
            row = line.split()
            at = 0
            for i, entry in enumerate(element.properties):
                length = 1
                if entry.count_type:
                    length, at = int(row[at]), at + 1
                if length < 0 or at + length > len(row):
                    raise DamagedFileError(f"a {element.name} has too few numbers")
                if i == wanted:
                    lengths.append(length)
                    words.extend(row[at : at + length])
                at += length
        return np.array(lengths, dtype=np.int64), parse_numbers(b" ".join(words), np.int64)

    def skip(self, element: _Element) -> None:
        self._take(element)

    def _take(self, element: _Element) -> list[bytes]:
        lines = self._lines[self._at : self._at + element.count]
        if len(lines) < element.count:
            raise DamagedFileError(f"it ends within its {element.count:,} {element.name} entries")
        self._at += element.count
        return lines


def _position(element: _Element, names: tuple[str, ...]) -> int:
    for i, entry in enumerate(element.properties):
        if entry.name in names and entry.count_type:
            return i
    raise DamagedFileError("its faces have no vertex indices")
