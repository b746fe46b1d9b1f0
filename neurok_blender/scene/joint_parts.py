"""The parts of an object: the part of each face and vertex, and the tree of the parts."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

__all__ = [
    "PART_ATTRIBUTE",
    "face_parts",
    "part_subtree",
    "tree_order",
    "triangle_faces",
    "vertex_parts",
    "write_face_parts",
]

# A leading dot keeps an attribute out of Blender's lists and of exporters.
PART_ATTRIBUTE = ".neurok_part"

Numbers = NDArray[np.int32]


def tree_order(joints) -> list[tuple[int, int]]:
    """(number, depth) of all parts in the order of the tree, each after its parent; roots have depth 0."""
    below: dict[int, list[int]] = {}
    for number, joint in enumerate(joints):
        below.setdefault(joint.parent if 0 <= joint.parent < len(joints) else -1, []).append(number)
    found: list[tuple[int, int]] = []
    waiting = [(number, 0) for number in reversed(below.get(-1, []))]
    while waiting:
        number, depth = waiting.pop()
        found.append((number, depth))
        waiting += [(child, depth + 1) for child in reversed(below.get(number, []))]
    return found


def part_subtree(joints, number: int) -> list[int]:
    """A part and all its children."""
    found = [number]
    for part in found:
        found += [child for child, joint in enumerate(joints) if joint.parent == part and child not in found]
    return found


def face_parts(mesh: bpy.types.Mesh) -> Numbers | None:
    """The part Int32[F] of each face; None where the mesh has no parts."""
    attribute = mesh.attributes.get(PART_ATTRIBUTE)
    if attribute is None or attribute.domain != "FACE" or attribute.data_type != "INT":
        return None
    found = np.empty(len(mesh.polygons), np.int32)
    attribute.data.foreach_get("value", found)
    return found


def write_face_parts(mesh: bpy.types.Mesh, parts: Numbers) -> None:
    attribute = mesh.attributes.get(PART_ATTRIBUTE)
    if attribute is None:
        attribute = mesh.attributes.new(PART_ATTRIBUTE, "INT", "FACE")
    attribute.data.foreach_set("value", np.ascontiguousarray(parts, np.int32))


def triangle_faces(mesh: bpy.types.Mesh) -> Numbers:
    """The face Int32[T] of each triangle, in the order in which Blender cuts faces into triangles."""
    corners = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", corners)
    return np.repeat(np.arange(len(corners), dtype=np.int32), np.maximum(corners - 2, 0))


def vertex_parts(mesh: bpy.types.Mesh, faces: Numbers, count: int) -> Numbers:
    """The part Int32[V] of each vertex: of the last of its faces; what has no face goes with the first part.

    `count`: numbers from there on are none, and count as the first part too.
    """
    corners, vertices = np.empty(len(mesh.polygons), np.int32), np.empty(len(mesh.loops), np.int32)
    mesh.polygons.foreach_get("loop_total", corners)
    mesh.loops.foreach_get("vertex_index", vertices)
    known = np.where((faces >= 0) & (faces < count), faces, 0).astype(np.int32)
    found = np.zeros(len(mesh.vertices), np.int32)
    found[vertices] = np.repeat(known, corners)
    return found
