"""Given parts for the search for joints: loose parts, materials, vertex groups, the list."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from numpy.typing import NDArray

from ..errors import Refusal
from .joint_parts import face_parts, triangle_faces
from .mesh_io import MeshShape

__all__ = ["parts_request"]

REST = "Base"  # what no vertex group has


def parts_request(obj: bpy.types.Object, shape: MeshShape, source: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The parts of the request `joints`: header and arrays. Raises Refusal."""
    if source == "MATERIALS":
        return _given(*_by_material(obj, shape))
    if source == "GROUPS":
        return _given(*_by_group(obj, shape))
    if source == "LISTED":
        return _given(*_as_listed(obj))
    return {"parts": "loose" if source == "LOOSE" else "auto"}, {}


def _given(labels: NDArray[np.int32], names: list[str]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    return {"parts": "given", "names": names}, {"labels": labels}


def _by_material(obj: bpy.types.Object, shape: MeshShape) -> tuple[NDArray[np.int32], list[str]]:
    if not shape.slots.any():
        raise Refusal(
            rpt_("{} has no two materials.").format(obj.name),
            "Give its parts materials of their own, or look for joints by other parts.",
        )
    slots = obj.material_slots
    names = [slot.material.name if slot.material else f"{number + 1}" for number, slot in enumerate(slots)]
    return shape.slots, names


def _as_listed(obj: bpy.types.Object) -> tuple[NDArray[np.int32], list[str]]:
    """A face that belongs to no part of the list goes with the first one."""
    joints, faces = obj.neurok.joints, face_parts(obj.data)
    if faces is None or len(joints) < 2:
        raise Refusal(rpt_("{} has no list of parts yet.").format(obj.name), "Look for joints by other parts first.")
    known = np.where((faces >= 0) & (faces < len(joints)), faces, 0).astype(np.int32)
    return known[triangle_faces(obj.data)], [joint.name for joint in joints]


def _by_group(obj: bpy.types.Object, shape: MeshShape) -> tuple[NDArray[np.int32], list[str]]:
    """A triangle belongs to the group that most of its corners have the most of."""
    if not obj.vertex_groups:
        raise Refusal(
            rpt_("{} has no vertex groups.").format(obj.name),
            "Put its parts into vertex groups, or look for joints by other parts.",
        )
    number = np.zeros(len(obj.data.vertices), np.int32)
    for vertex in obj.data.vertices:
        heaviest = max(vertex.groups, key=lambda entry: entry.weight, default=None)
        if heaviest is not None and heaviest.weight > 0.0:
            number[vertex.index] = heaviest.group + 1
    first, second, third = number[shape.triangles].T
    labels = np.where(second == third, second, first).astype(np.int32)
    if labels.min() == labels.max():
        raise Refusal(
            rpt_("The vertex groups of {} do not divide its faces.").format(obj.name),
            "Put each part into a vertex group of its own.",
        )
    return labels, [REST, *(group.name for group in obj.vertex_groups)]
