"""Showing a pose on the mesh without losing the original.

While a pose is shown, the mesh itself carries its original coordinates in a hidden attribute. So whatever
brings a posed mesh back (undo, redo, a file that was saved by a crash or by autosave) brings the original
with it, and no variable of this session has to be right for the mesh to be restored bit for bit.
"""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from .coordinates import read_attribute, read_coordinates, write_coordinates

__all__ = [
    "ORIGINAL_ATTRIBUTE",
    "is_posed",
    "original_coordinates",
    "posed_meshes",
    "restore",
    "restore_edit_mesh",
    "show",
]

# A leading dot keeps an attribute out of Blender's lists and of exporters.
ORIGINAL_ATTRIBUTE = ".neurok_original"


def is_posed(mesh: bpy.types.Mesh) -> bool:
    return ORIGINAL_ATTRIBUTE in mesh.attributes


def posed_meshes() -> list[bpy.types.Mesh]:
    return [mesh for mesh in bpy.data.meshes if is_posed(mesh)]


def original_coordinates(mesh: bpy.types.Mesh) -> NDArray[np.float32]:
    """The artist's coordinates Float32[V,3], whether a pose is shown or not."""
    attribute = mesh.attributes.get(ORIGINAL_ATTRIBUTE)
    return read_coordinates(mesh) if attribute is None else read_attribute(attribute, len(mesh.vertices))


def show(mesh: bpy.types.Mesh, coordinates: NDArray[np.float32]) -> None:
    """Poses the mesh: `coordinates` Float32[V,3], object space."""
    if not is_posed(mesh):
        original = read_coordinates(mesh)
        attribute = mesh.attributes.new(ORIGINAL_ATTRIBUTE, "FLOAT_VECTOR", "POINT")
        attribute.data.foreach_set("vector", original.reshape(-1))
    write_coordinates(mesh, coordinates)


def restore(mesh: bpy.types.Mesh) -> None:
    """Gives the mesh its original coordinates back, bit for bit; nothing happens where no pose is shown."""
    attribute = mesh.attributes.get(ORIGINAL_ATTRIBUTE)
    if attribute is None:
        return
    if attribute.domain == "POINT" and attribute.data_type == "FLOAT_VECTOR":
        write_coordinates(mesh, read_attribute(attribute, len(mesh.vertices)))
    mesh.attributes.remove(mesh.attributes[ORIGINAL_ATTRIBUTE])
    mesh.update()


def restore_edit_mesh(mesh: bpy.types.Mesh) -> None:
    """The same for a mesh in edit mode, where the vertices live in a BMesh."""
    import bmesh

    edited = bmesh.from_edit_mesh(mesh)
    layer = edited.verts.layers.float_vector.get(ORIGINAL_ATTRIBUTE)
    if layer is None:
        return
    for vertex in edited.verts:
        vertex.co = vertex[layer]
    edited.verts.layers.float_vector.remove(layer)
    bmesh.update_edit_mesh(mesh)
