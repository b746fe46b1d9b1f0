"""Attributes of what a take does at the shown frame, for Geometry Nodes, shaders and exports: on request.

`velocity` (vectors of points, m/s, object space: motion blur of Cycles reads it), `stretch` (points: by how much the
edges at it are longer than at rest, 0.1 is a tenth) and `piece` (faces: the number of its piece). An attribute of the
artist that has such a name stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import bmesh
import bpy
import numpy as np
from numpy.typing import NDArray

from .coordinates import read_triangle_faces

if TYPE_CHECKING:
    from .takes import SceneTake

__all__ = ["remove_attributes", "remove_edited_attributes", "write_attributes"]

WRITTEN = "neurok_attributes"  # a property of the mesh: the names of those that are ours
_KINDS = {
    "velocity": ("FLOAT_VECTOR", "POINT", "vector"),
    "stretch": ("FLOAT", "POINT", "value"),
    "piece": ("INT", "FACE", "value"),
}


def write_attributes(mesh: bpy.types.Mesh, take: SceneTake, index: int) -> None:
    """Those of frame `index` of the take, which the mesh shows."""
    ours = set(mesh.get(WRITTEN, "").split())
    found = {"velocity": _velocity(take, index), "stretch": _stretch(mesh, take, index)}
    if take.piece is not None and len(take.piece) == len(mesh.loop_triangles):
        pieces = np.zeros(len(mesh.polygons), np.int32)
        pieces[read_triangle_faces(mesh)] = take.piece
        found["piece"] = pieces
    for name, values in found.items():
        kind, domain, field = _KINDS[name]
        if name not in mesh.attributes:
            mesh.attributes.new(name, kind, domain)
            ours.add(name)
        if name in ours:
            mesh.attributes[name].data.foreach_set(field, np.ascontiguousarray(values).reshape(-1))
    mesh[WRITTEN] = " ".join(sorted(ours))
    mesh.update()


def remove_attributes(mesh: bpy.types.Mesh) -> None:
    """Takes away those that were written; the mesh is not in edit mode."""
    for name in _forget(mesh):
        if (attribute := mesh.attributes.get(name)) is not None:
            mesh.attributes.remove(attribute)


def remove_edited_attributes(mesh: bpy.types.Mesh, edited: bmesh.types.BMesh) -> None:
    """The same of a mesh in edit mode."""
    for name in _forget(mesh):
        for layers in (edited.verts.layers.float_vector, edited.verts.layers.float, edited.faces.layers.int):
            if (layer := layers.get(name)) is not None:
                layers.remove(layer)


def _forget(mesh: bpy.types.Mesh) -> list[str]:
    names = mesh.get(WRITTEN, "").split()
    if names:
        del mesh[WRITTEN]
    return names


def _velocity(take: SceneTake, index: int) -> NDArray[np.float32]:
    """By the frames beside it, Float[V,3] m/s in object space."""
    before, after = max(index - 1, 0), min(index + 1, take.frame_count - 1)
    if before == after:
        return np.zeros_like(take.snapshot.evaluated)
    shapes = take.motion.shapes
    return (take.decoder(shapes[after]) - take.decoder(shapes[before])) * np.float32(take.motion.fps / (after - before))


def _stretch(mesh: bpy.types.Mesh, take: SceneTake, index: int) -> NDArray[np.float32]:
    """The mean of the edges at each vertex, Float[V]."""
    edges = np.empty((len(mesh.edges), 2), np.int32)
    mesh.attributes[".edge_verts"].data.foreach_get("value", edges.reshape(-1))
    rest, now = (
        np.linalg.norm(places[edges[:, 0]] - places[edges[:, 1]], axis=1)
        for places in (take.snapshot.evaluated, take.decoder(take.motion.shapes[index]))
    )
    longer = np.repeat(now / np.maximum(rest, 1e-12) - 1.0, 2)
    count = len(take.snapshot.evaluated)
    sums, degrees = (np.bincount(edges.reshape(-1), weights=each, minlength=count) for each in (longer, None))
    return (sums / np.maximum(degrees, 1)).astype(np.float32)
