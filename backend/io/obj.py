"""Wavefront OBJ: positions, faces with their materials and objects, in the order of the file."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from ..geometry.labels import Labels, SlotLabel
from .damaged_file import DamagedFileError
from .number_parsing import parse_numbers, words_per_line
from .polygons import fan_triangles, per_triangle

__all__ = ["read_obj"]

_VERTEX = re.compile(rb"^[ \t]*v[ \t]+([^\r\n#]*)", re.MULTILINE)
_FACE = re.compile(rb"^[ \t]*f[ \t]+([^\r\n#]*)", re.MULTILINE)
# Names may have blanks and number signs in them: "Material #25" is no "Material" with a comment.
_MATERIAL = re.compile(rb"^[ \t]*usemtl\b([^\r\n]*)", re.MULTILINE)
_OBJECT = re.compile(rb"^[ \t]*o[ \t]+([^\r\n]*)", re.MULTILINE)
_GROUP = re.compile(rb"^[ \t]*g[ \t]+([^\r\n]*)", re.MULTILINE)
# In 12/34/56 only the position index matters.
_OTHER_INDICES = re.compile(rb"/[^ \t\n]*")


def read_obj(data: bytes) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], Labels]:
    """Vertices Float[V,3], triangles Int[F,3], material slots Int[F], and labels.

    Objects are its `o` lines, or else its groups. Polygons become fans, texture and normal indices are ignored.
    """
    if b"\\" in data:
        data = re.sub(rb"\\\r?\n", b" ", data)
    vertex_lines = _VERTEX.findall(data)
    if not vertex_lines:
        raise DamagedFileError("it has no vertex lines")
    vertices = _positions(vertex_lines)

    face_lines = _FACE.findall(data)
    text = b"\n".join(face_lines)
    counts = words_per_line(text, len(face_lines))
    indices = _position_indices(text, counts)
    if np.any(counts < 3):
        raise DamagedFileError("a face has fewer than three corners")
    if np.any(indices == 0):
        raise DamagedFileError("a face uses vertex 0, and OBJ counts from 1")
    negative = indices < 0
    if negative.any():
        # -1 is the last vertex above the face line.
        vertex_at = np.fromiter((match.start() for match in _VERTEX.finditer(data)), dtype=np.int64)
        above = np.repeat(np.searchsorted(vertex_at, _face_places(data)), counts)
        indices = np.where(negative, indices + above, indices - 1)
    else:
        indices = indices - 1
    slots, materials = _named(data, _MATERIAL, len(counts))
    objects, names = _named(data, _OBJECT if _OBJECT.search(data) else _GROUP, len(counts))
    labels = Labels(per_triangle(counts, objects), ("", *names), dict(enumerate(map(SlotLabel, materials), 1)))
    return vertices, fan_triangles(counts, indices), per_triangle(counts, slots), labels


def _face_places(data: bytes) -> NDArray[np.int64]:
    """Where in the file the face lines begin, Int[faces]."""
    return np.fromiter((match.start() for match in _FACE.finditer(data)), dtype=np.int64)


def _named(data: bytes, lines: re.Pattern[bytes], face_count: int) -> tuple[NDArray[np.int64], list[str]]:
    """What is named last above each face, Int[faces] from 1, 0 before any name; and the names."""
    named = [(match.start(), match[1].strip()) for match in lines.finditer(data)]
    if not named:
        return np.zeros(face_count, dtype=np.int64), []
    number: dict[bytes, int] = {}
    used = np.array([0, *(number.setdefault(name, len(number) + 1) for _, name in named)])
    names = [name.decode("utf-8", "replace") for name in number]
    return used[np.searchsorted([place for place, _ in named], _face_places(data))], names


def _position_indices(text: bytes, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first number of each word, Int[sum(counts)], of words like 12, 12/34, 12//56 or 12/34/56."""
    if b"/" in text:
        spread = text.replace(b"/", b" ")
        numbers_per_line = words_per_line(spread, len(counts))
        for width in (2, 3):
            # The faces of a file mostly have words of one kind; then every second or third number is wanted.
            if np.array_equal(numbers_per_line, width * counts):
                return _parsed(spread, width * counts)[::width]
        text = _OTHER_INDICES.sub(b"", text)
    return _parsed(text, counts)


def _parsed(text: bytes, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    indices = parse_numbers(text, np.int64)
    if len(indices) != counts.sum():
        raise DamagedFileError("something stands where a vertex number should be")
    return indices


def _positions(lines: list[bytes]) -> NDArray[np.float64]:
    """The first three numbers of each line; a weight or a colour may follow."""
    text = b"\n".join(lines)
    counts = words_per_line(text, len(lines))
    if counts.min() < 3:
        raise DamagedFileError("a vertex has fewer than three coordinates")
    numbers = parse_numbers(text, np.float64)
    if len(numbers) != counts.sum():
        raise DamagedFileError("something stands where a coordinate should be")
    first = np.cumsum(counts) - counts
    return numbers[first[:, None] + np.arange(3)]
