"""What is said of pieces of an object: by their names, and of faces that were made pieces by hand."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from .condition_arrays import array_or_list
from .joint_parts import triangle_faces

__all__ = ["PIECE_ATTRIBUTE", "add_piece", "forget_piece", "pieces_of", "said_of_piece", "say_of_piece"]

# Of a face: the number of the piece that it was given to; 0: of none. A leading dot keeps an attribute out of Blender's
# lists and of exporters.
PIECE_ATTRIBUTE = ".neurok_piece"


def pieces_of(obj: bpy.types.Object) -> list[dict[str, Any]]:
    """The condition `pieces`: found pieces first, because all their faces may have been given to others."""
    said = sorted(obj.neurok.pieces, key=lambda entry: entry.number > 0)
    own = _triangle_pieces(obj.data) if any(entry.number for entry in said) else None
    return [piece for entry in said for piece in _piece(entry, own)]


def _piece(entry, own: NDArray[np.int32] | None) -> Iterator[dict[str, Any]]:
    values = {"material": entry.material} if entry.material else {}
    if entry.behaviour != "AUTO":
        values["behaviour"] = entry.behaviour.lower()
    if entry.number == 0:
        if values:
            yield {"which": entry.name, **values}
        return
    faces = np.flatnonzero(own == entry.number)
    if len(faces):
        yield {"which": {"faces": array_or_list(faces)}, "name": entry.name, **values}


def _triangle_pieces(mesh: bpy.types.Mesh) -> NDArray[np.int32]:
    """The number Int32[T] of the piece that each triangle was given to by hand."""
    faces = np.zeros(len(mesh.polygons), np.int32)
    attribute = mesh.attributes.get(PIECE_ATTRIBUTE)
    if attribute is not None and attribute.domain == "FACE" and attribute.data_type == "INT":
        attribute.data.foreach_get("value", faces)
    return faces[triangle_faces(mesh)]


def said_of_piece(obj: bpy.types.Object, name: str):
    """What is said of the piece of this name; None where nothing is."""
    index = obj.neurok.pieces.find(name)
    return None if index < 0 else obj.neurok.pieces[index]


def say_of_piece(obj: bpy.types.Object, name: str, **values: str) -> None:
    """Sets `material` or `behaviour` of a piece; where nothing but Automatic is left of it, it is forgotten."""
    entry = said_of_piece(obj, name)
    if entry is None:
        entry = obj.neurok.pieces.add()
        entry.name = name
    for field, value in values.items():
        setattr(entry, field, value)
    if not entry.number and not entry.material and entry.behaviour == "AUTO":
        forget_piece(obj, name)


def forget_piece(obj: bpy.types.Object, name: str) -> None:
    """The piece is as the analysis finds it; faces that were given to it by hand go back to where they came from."""
    index = obj.neurok.pieces.find(name)
    if index >= 0:
        obj.neurok.pieces.remove(index)


def add_piece(obj: bpy.types.Object, name: str, material: str, taken: Collection[str]):
    """A new piece of one's own, called `name` or like it, for faces that are given its number."""
    pieces = obj.neurok.pieces
    free, count = name, 0
    while free in pieces or free in taken:
        count += 1
        free = f"{name}.{count:03d}"
    number = 1 + max((entry.number for entry in pieces), default=0)
    entry = pieces.add()
    entry.name, entry.number, entry.material = free, number, material
    return entry
