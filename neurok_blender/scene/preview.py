"""Showing a pose on the mesh without losing the original.

While a pose is shown, the mesh itself carries its original coordinates in a hidden attribute. So whatever
brings a posed mesh back (undo, redo, a file that was saved by a crash or by autosave) brings the original
with it, and no variable of this session has to be right for the mesh to be restored bit for bit.

A second attribute marks the vertices that have an original with 1: it is 0 on what another mesh brings along
when the two are joined while a pose is shown. (Integers, because the BMesh of Blender 4.2 has no booleans.)
A third has the pose as it was shown: where the mesh differs from it the artist has edited the pose, and the
original goes along.

Where a mesh has shape keys, the artist's or those of baked takes that do not play, its own coordinates show nowhere:
there the pose is one more relative shape key for as long as it is shown, and the artist's keys go on playing.
"""

from __future__ import annotations

import bmesh
import bpy
import numpy as np
from numpy.typing import NDArray

from .coordinates import read_attribute, read_coordinates, write_coordinates
from .pose_edits import transfer_edit
from .take_attributes import remove_attributes, remove_edited_attributes

__all__ = [
    "MARK_ATTRIBUTE",
    "ORIGINAL_ATTRIBUTE",
    "PREVIEW_KEY",
    "SHOWN_ATTRIBUTE",
    "is_edited",
    "is_overtaken",
    "is_posed",
    "key_coordinates",
    "original_coordinates",
    "posed_meshes",
    "restore",
    "restore_edit_mesh",
    "show",
]

# A leading dot keeps an attribute out of Blender's lists and of exporters.
ORIGINAL_ATTRIBUTE = ".neurok_original"
MARK_ATTRIBUTE = ".neurok_has_original"
SHOWN_ATTRIBUTE = ".neurok_shown"
PREVIEW_KEY = "NeuROK Shown"


def is_posed(mesh: bpy.types.Mesh) -> bool:
    if _has_original(mesh):
        return True
    key = _preview_key(mesh)
    return key is not None and not (key.mute and _owner(mesh) is None)


def _has_original(mesh: bpy.types.Mesh) -> bool:
    return ORIGINAL_ATTRIBUTE in mesh.attributes


def _preview_key(mesh: bpy.types.Mesh) -> bpy.types.ShapeKey | None:
    return None if mesh.shape_keys is None else mesh.shape_keys.key_blocks.get(PREVIEW_KEY)


def posed_meshes() -> list[bpy.types.Mesh]:
    return [mesh for mesh in bpy.data.meshes if is_posed(mesh)]


def is_edited(mesh: bpy.types.Mesh) -> bool:
    """Whether the shown pose was changed from elsewhere."""
    shown = mesh.attributes.get(SHOWN_ATTRIBUTE)
    return shown is not None and not np.array_equal(read_attribute(shown, len(mesh.vertices)), read_coordinates(mesh))


def original_coordinates(mesh: bpy.types.Mesh) -> NDArray[np.float32]:
    """The artist's coordinates Float32[V,3], whether a pose is shown or not."""
    now = read_coordinates(mesh)
    if not _has_original(mesh):
        return now
    original = read_attribute(mesh.attributes[ORIGINAL_ATTRIBUTE], len(now))
    shown = read_attribute(mesh.attributes[SHOWN_ATTRIBUTE], len(now))
    if np.array_equal(shown, now):
        return original
    marks = np.empty(len(now), np.int32)
    mesh.attributes[MARK_ATTRIBUTE].data.foreach_get("value", marks)
    ours = marks == 1
    now[ours] = transfer_edit(original[ours], shown[ours], now[ours])
    return now


def show(mesh: bpy.types.Mesh, coordinates: NDArray[np.float32], rest: NDArray[np.float32]) -> None:
    """Poses the mesh: `coordinates` Float32[V,3], object space; `rest`: those that it was simulated from."""
    if mesh.shape_keys is not None and not _has_original(mesh):
        _show_as_key(mesh, key_coordinates(mesh, coordinates, rest))
        return
    if not _has_original(mesh):
        original = read_coordinates(mesh)
        mesh.attributes.new(SHOWN_ATTRIBUTE, "FLOAT_VECTOR", "POINT")
        attribute = mesh.attributes.new(ORIGINAL_ATTRIBUTE, "FLOAT_VECTOR", "POINT")
        attribute.data.foreach_set("vector", original.reshape(-1))
        mark = mesh.attributes.new(MARK_ATTRIBUTE, "INT", "POINT")
        mark.data.foreach_set("value", np.ones(len(original), np.int32))
    mesh.attributes[SHOWN_ATTRIBUTE].data.foreach_set("vector", np.ascontiguousarray(coordinates).reshape(-1))
    write_coordinates(mesh, coordinates)


def _show_as_key(mesh: bpy.types.Mesh, coordinates: NDArray[np.float32]) -> None:
    key = _preview_key(mesh)
    if key is None:
        if (obj := _owner(mesh)) is None:
            return
        active = obj.active_shape_key_index
        key = obj.shape_key_add(name=PREVIEW_KEY, from_mix=False)
        obj.active_shape_key_index = active
    key.points.foreach_set("co", np.ascontiguousarray(coordinates).reshape(-1))
    key.mute, key.value = False, 1.0
    mesh.update()


def key_coordinates(
    mesh: bpy.types.Mesh, coordinates: NDArray[np.float32], rest: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Those of a relative shape key that makes `rest`, which the other keys show, `coordinates` Float32[V,3]."""
    basis = np.empty_like(rest)
    mesh.shape_keys.reference_key.points.foreach_get("co", basis.reshape(-1))
    return coordinates if np.array_equal(basis, rest) else basis + (coordinates - rest)


def is_overtaken(mesh: bpy.types.Mesh) -> bool:
    """Whether shape keys were added while the pose was shown without any."""
    return _has_original(mesh) and mesh.shape_keys is not None


def _owner(mesh: bpy.types.Mesh) -> bpy.types.Object | None:
    """Only by way of an object can a key be added or removed."""
    return next((obj for obj in bpy.data.objects if obj.data == mesh), None)


def _remove_key(mesh: bpy.types.Mesh) -> None:
    if (key := _preview_key(mesh)) is None:
        return
    if (obj := _owner(mesh)) is None:
        key.mute = True  # if the mesh is used again, it is as it was drawn
        return
    active = obj.active_shape_key_index
    obj.shape_key_remove(key)
    obj.active_shape_key_index = min(active, len(mesh.shape_keys.key_blocks) - 1) if mesh.shape_keys else 0
    mesh.update()


def restore(mesh: bpy.types.Mesh) -> None:
    """Gives the mesh its original coordinates back, bit for bit; nothing happens where no pose is shown."""
    remove_attributes(mesh)
    _remove_key(mesh)
    if not _has_original(mesh):
        return
    posed, original = read_coordinates(mesh), original_coordinates(mesh)
    write_coordinates(mesh, original)
    if mesh.shape_keys is not None:
        _restore_keys(mesh.shape_keys, posed, original)
    for name in (ORIGINAL_ATTRIBUTE, MARK_ATTRIBUTE, SHOWN_ATTRIBUTE):
        mesh.attributes.remove(mesh.attributes[name])
    mesh.update()


def _restore_keys(keys: bpy.types.Key, posed: NDArray[np.float32], original: NDArray[np.float32]) -> None:
    """Shape keys that were added while the pose was shown took it for the shape of the mesh."""
    for key in keys.key_blocks:
        coordinates = np.empty_like(posed)
        key.points.foreach_get("co", coordinates.reshape(-1))
        if np.array_equal(coordinates, posed):
            key.points.foreach_set("co", original.reshape(-1))


def restore_edit_mesh(mesh: bpy.types.Mesh) -> None:
    """The same for a mesh in edit mode, where the vertices live in a BMesh."""
    key = _preview_key(mesh)
    if key is not None and not key.mute:
        key.mute = True  # it is removed as soon as the mesh is out of edit mode
    edited = bmesh.from_edit_mesh(mesh)
    remove_edited_attributes(mesh, edited)
    layer = edited.verts.layers.float_vector.get(ORIGINAL_ATTRIBUTE)
    if layer is None:
        return
    mark, shown = edited.verts.layers.int[MARK_ATTRIBUTE], edited.verts.layers.float_vector[SHOWN_ATTRIBUTE]
    ours = [vertex for vertex in edited.verts if vertex[mark] == 1]
    if ours:
        arrays = (
            [vertex[layer] for vertex in ours],
            [vertex[shown] for vertex in ours],
            [vertex.co for vertex in ours],
        )
        for vertex, place in zip(ours, transfer_edit(*(np.array(each, np.float32) for each in arrays)), strict=True):
            vertex.co = place
    # A layer that is removed moves the others.
    for kind, name in (
        ("float_vector", ORIGINAL_ATTRIBUTE),
        ("float_vector", SHOWN_ATTRIBUTE),
        ("int", MARK_ATTRIBUTE),
    ):
        layers = getattr(edited.verts.layers, kind)
        layers.remove(layers[name])
    bmesh.update_edit_mesh(mesh)
