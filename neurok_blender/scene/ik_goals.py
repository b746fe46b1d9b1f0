"""Goals of inverse kinematics: the targets of parts, and their world matrices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from .joint_parts import face_parts, vertex_parts
from .preview import original_coordinates

__all__ = ["Goals", "goals_of", "owner_of", "owners_of", "part_tip", "targets_of"]

Float32 = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Goals:
    """Goals as the backend reads them.

    `entries` are {part, turns, weight}; `tips` Float32[g,4,4] the frames of the parts in the world that are brought to
    the targets, where the object is drawn; `numbers` their places in the list.
    """

    entries: tuple[dict[str, Any], ...]
    tips: Float32
    numbers: tuple[int, ...]


def goals_of(obj: bpy.types.Object, to_world: Matrix) -> Goals:
    """The enabled goals whose target and part exist."""
    count = len(obj.neurok.joints)
    found = [
        (number, entry)
        for number, entry in enumerate(obj.neurok.reaches)
        if entry.enabled and entry.target is not None and 0 <= entry.part < count
    ]
    entries = tuple({"part": entry.part, "turns": entry.turns, "weight": entry.weight} for _, entry in found)
    tips = [_rigid(to_world @ Matrix(np.reshape(entry.tip, (4, 4)).tolist())) for _, entry in found]
    return Goals(entries, np.array(tips, np.float32).reshape(-1, 4, 4), tuple(number for number, _ in found))


def targets_of(obj: bpy.types.Object, numbers: Sequence[int]) -> Float32 | None:
    """Present matrices of the targets, Float32[g,4,4]; None if one was deleted."""
    reaches = obj.neurok.reaches
    there = all(number < len(reaches) and reaches[number].target is not None for number in numbers)
    if not there:
        return None
    return np.array([_rigid(reaches[number].target.matrix_world) for number in numbers], np.float32)


def _rigid(matrix: Matrix) -> Matrix:
    """Without its scale."""
    place, turn, _scale = matrix.decompose()
    return Matrix.LocRotScale(place, turn, None)


def owner_of(target: bpy.types.Object | None) -> bpy.types.Object | None:
    """The first object of which a part reaches for this one."""
    return None if target is None else next(owners_of(target), None)


def owners_of(target: bpy.types.Object) -> Iterator[bpy.types.Object]:
    for obj in bpy.data.objects:
        if obj.type == "MESH" and any(entry.target == target for entry in obj.neurok.reaches):
            yield obj


def part_tip(obj: bpy.types.Object, number: int) -> Matrix:
    """The middle of a part where it is drawn, in the object's axes; of one without faces its pivot."""
    mesh, joints = obj.data, obj.neurok.joints
    faces = face_parts(mesh)
    chosen = np.zeros(len(mesh.vertices), bool) if faces is None else vertex_parts(mesh, faces, len(joints)) == number
    if not chosen.any():
        return Matrix.Translation(joints[number].origin)
    own = original_coordinates(mesh)[chosen]
    return Matrix.Translation((0.5 * (own.min(axis=0) + own.max(axis=0))).tolist())
