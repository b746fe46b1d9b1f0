"""Adds an armature object between a mesh and its parent, and removes it."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from mathutils import Matrix

from ..curves import release

__all__ = ["Bone", "add_bones", "add_rig", "remove_rig"]

Bone = tuple[str, Sequence[float], str, bool]
"""name, place of its head in armature space, name of its parent or "", whether it moves vertices"""

NEAR_IDENTITY = 1e-6


def add_rig(context: bpy.types.Context, obj: bpy.types.Object, entry, to_world: np.ndarray) -> bpy.types.Object:
    """A new armature whose space is the world as it was when the object stood at `to_world` [4,4].

    Who moves the armature moves all: the mesh becomes its child, as exporters want it. Nothing moves by that.
    """
    rig = bpy.data.objects.new(f"{obj.name} {entry.name}", bpy.data.armatures.new(f"{obj.name} {entry.name}"))
    entry.armature = rig
    _collection(context, obj).objects.link(rig)
    moved = obj.matrix_world @ Matrix(to_world.tolist()).inverted()
    if (
        max(
            abs(a - b)
            for row, unit in zip(moved, Matrix.Identity(4), strict=True)
            for a, b in zip(row, unit, strict=True)
        )
        < NEAR_IDENTITY
    ):
        moved = Matrix.Identity(4)
    above = Matrix.Identity(4)
    if obj.parent is not None:
        above = obj.matrix_world @ (obj.matrix_parent_inverse @ obj.matrix_basis).inverted()
        _hang(rig, obj)
        rig.matrix_parent_inverse = above.inverted()
    rig.matrix_basis = moved
    entry.former_inverse = [number for row in obj.matrix_parent_inverse for number in row]
    inverse = moved.inverted() @ above @ obj.matrix_parent_inverse
    obj.parent, obj.parent_type = rig, "OBJECT"
    obj.matrix_parent_inverse = inverse
    return rig


def add_bones(context: bpy.types.Context, rig: bpy.types.Object, bones: Sequence[Bone], length: float) -> None:
    """Bones along Y, so that their own axes are the armature's. Only edit mode can make them."""
    layer = context.view_layer
    active, selected = layer.objects.active, [each for each in layer.objects if each.select_get()]
    for each in selected:
        each.select_set(False)
    layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        for name, head, parent, deforms in bones:
            bone = rig.data.edit_bones.new(name)
            bone.head = head
            bone.tail = (head[0], head[1] + length, head[2])
            bone.use_deform = deforms
            if parent:
                bone.parent = rig.data.edit_bones[parent]
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
        rig.select_set(False)
        for each in selected:
            each.select_set(True)
        layer.objects.active = active


def remove_rig(obj: bpy.types.Object, entry) -> None:
    """Removes an entry's armature; its children get its parent."""
    rig = entry.armature
    if rig is None:
        return
    following = next(
        (each for each in obj.neurok.bakes if each.armature is not None and each.armature.parent == rig), None
    )
    if following is not None:
        following.former_inverse = entry.former_inverse[:]
    below = rig.matrix_parent_inverse @ rig.matrix_basis
    children = [each for each in bpy.data.objects if each.parent == rig]
    if obj in children:
        children.remove(obj)
        _hang(obj, rig)
        numbers = entry.former_inverse
        obj.matrix_parent_inverse = Matrix([numbers[row : row + 4] for row in range(0, 16, 4)])
    entry.armature = None
    if _is_needed(rig, obj):
        return
    if entry.action is not None:
        release(rig, entry.action)
    for child in children:
        inverse = below @ child.matrix_parent_inverse
        _hang(child, rig)
        child.matrix_parent_inverse = inverse
    data = rig.data
    bpy.data.objects.remove(rig)
    if data.users == 0:
        bpy.data.armatures.remove(data)


def _is_needed(rig: bpy.types.Object, obj: bpy.types.Object) -> bool:
    """Whether a copy of the object moves by the same armature."""
    return any(
        modifier.type == "ARMATURE" and modifier.object == rig
        for other in bpy.data.objects
        if other != obj
        for modifier in other.modifiers
    )


def _hang(child: bpy.types.Object, like: bpy.types.Object) -> None:
    """Gives the child the parent that `like` has."""
    child.parent = like.parent
    if like.parent is not None:
        child.parent_type = like.parent_type
        child.parent_bone = like.parent_bone
        if like.parent_type == "VERTEX_3":
            child.parent_vertices = like.parent_vertices
        elif like.parent_type == "VERTEX":
            child.parent_vertices[0] = like.parent_vertices[0]


def _collection(context: bpy.types.Context, obj: bpy.types.Object) -> bpy.types.Collection:
    """One in which the object can be seen in this scene."""
    here = {context.scene.collection, *context.scene.collection.children_recursive}
    return next((each for each in obj.users_collection if each in here), context.scene.collection)
