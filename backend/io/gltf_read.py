"""Binary glTF (.glb): all triangle meshes of the scene as one, placed by their nodes, turned to Z up."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .appearance import Appearance, Part, Primitive
from .damaged_file import DamagedFileError
from .gltf_file import GlbFile, accessor_values, open_glb
from .gltf_materials import placed_attributes, read_library

__all__ = ["read_glb", "read_glb_appearance"]

_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_COMPRESSIONS = ("KHR_draco_mesh_compression", "EXT_meshopt_compression")


@dataclass(frozen=True)
class _Placed:
    """A mesh of the scene with the name of its node and its world matrix Float[4,4]."""

    name: str
    mesh: dict
    matrix: NDArray[np.float64]


@dataclass(frozen=True)
class _Faces:
    """The faces of one primitive: its vertices and triangles begin at these rows of the mesh."""

    primitive: dict
    first_vertex: int
    vertex_count: int
    triangles: NDArray[np.int64]  # rows of the mesh


def read_glb(data: bytes) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Vertices Float[V,3], triangles Int[F,3], material slots Int[F]: the meshes in the order of the node tree."""
    file = _opened(data)
    vertices: list[NDArray[np.float64]] = []
    triangles: list[NDArray[np.int64]] = []
    slots: list[NDArray[np.int64]] = []
    count = 0
    for placed in _placed_meshes(file.document):
        points, faces = _mesh(file, placed.mesh)
        matrix = placed.matrix
        points = points @ matrix[:3, :3].T + matrix[:3, 3]
        vertices.append(np.stack([points[:, 0], -points[:, 2], points[:, 1]], axis=1))
        # A mirror turns the faces inside out.
        order = -1 if np.linalg.det(matrix[:3, :3]) < 0 else 1
        triangles += [each.triangles[:, ::order] + count for each in faces]
        # Slots are the material's number in the file + 1, and 0 without a material.
        slots += [np.full(len(each.triangles), each.primitive.get("material", -1) + 1) for each in faces]
        count += len(points)
    if not vertices:
        raise DamagedFileError("its scene has no meshes")
    none = np.empty((0, 3), dtype=np.int64)
    return np.concatenate(vertices), np.concatenate([none, *triangles]), np.concatenate([none[:, 0], *slots])


def read_glb_appearance(data: bytes, folder: Path) -> Appearance:
    """What `read_glb` leaves out, for the same vertices and triangles; images lie in the file or beside it."""
    file = _opened(data)
    parts = []
    vertex_count = triangle_count = 0
    for placed in _placed_meshes(file.document):
        points, faces = _mesh(file, placed.mesh)
        read: dict[int, NDArray[np.float32]] = {}
        primitives = []
        for each in faces:
            start = vertex_count + each.first_vertex
            attributes = placed_attributes(file, each.primitive, each.vertex_count, placed.matrix, read)
            material = each.primitive.get("material")
            if material is not None and not 0 <= material < len(file.document.get("materials", [])):
                raise DamagedFileError("a face has a material that does not exist")
            primitives.append(
                Primitive(
                    slice(start, start + each.vertex_count),
                    slice(triangle_count, triangle_count + len(each.triangles)),
                    attributes,
                    material,
                )
            )
            triangle_count += len(each.triangles)
        mesh_name = placed.mesh.get("name")
        mesh_name = mesh_name if isinstance(mesh_name, str) else ""
        name = placed.name or mesh_name or f"Part {len(parts) + 1}"
        parts.append(Part(name, mesh_name or name, tuple(primitives)))
        vertex_count += len(points)
    return Appearance(tuple(parts), read_library(file, folder))


def _opened(data: bytes) -> GlbFile:
    file = open_glb(data)
    for extension in _COMPRESSIONS:
        if extension in file.document.get("extensionsRequired", []):
            raise DamagedFileError(f"it is compressed with {extension}, which must be switched off in the export")
    return file


def _placed_meshes(document: dict) -> list[_Placed]:
    """Each mesh of the scene, depth first."""
    nodes, meshes = document.get("nodes", []), document.get("meshes", [])
    if document.get("scenes"):
        roots = document["scenes"][document.get("scene", 0)].get("nodes", [])
    else:
        children = {child for node in nodes for child in node.get("children", [])}
        roots = [i for i in range(len(nodes)) if i not in children]
    placed = []
    waiting = [(root, np.eye(4)) for root in reversed(roots)]
    visited = 0
    while waiting:
        number, above = waiting.pop()
        visited += 1
        if visited > len(nodes):
            raise DamagedFileError("its node tree runs in a circle")
        node = nodes[number]
        matrix = above @ _local_matrix(node)
        if "mesh" in node:
            # The place of a skinned mesh comes from its joints; in the rest pose that is where it was modelled.
            name = node.get("name")
            name = name if isinstance(name, str) else ""
            placed.append(_Placed(name, meshes[node["mesh"]], np.eye(4) if "skin" in node else matrix))
        waiting += [(child, matrix) for child in reversed(node.get("children", []))]
    return placed


def _local_matrix(node: dict) -> NDArray[np.float64]:
    if "matrix" in node:
        return np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T
    x, y, z, w = node.get("rotation", (0.0, 0.0, 0.0, 1.0))
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    matrix = np.eye(4)
    matrix[:3, :3] = rotation * np.array(node.get("scale", (1.0, 1.0, 1.0)))
    matrix[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return matrix


def _mesh(file: GlbFile, mesh: dict) -> tuple[NDArray[np.float64], list[_Faces]]:
    """The points Float[n,3] of a mesh and its triangle primitives; those that share positions share vertices."""
    starts: dict[int, int] = {}
    vertices = [np.empty((0, 3))]
    faces = []
    count = 0
    for primitive in mesh["primitives"]:
        mode = primitive.get("mode", _TRIANGLES)
        if mode not in (_TRIANGLES, _STRIP, _FAN):
            continue
        position = primitive["attributes"]["POSITION"]
        own = file.document["accessors"][position]["count"]
        if position not in starts:
            points = accessor_values(file, position).astype(np.float64)
            starts[position] = count
            vertices.append(points)
            count += len(points)
        if "indices" in primitive:
            indices = accessor_values(file, primitive["indices"]).astype(np.int64).ravel()
        else:
            indices = np.arange(own)
        faces.append(_Faces(primitive, starts[position], own, _as_triangles(indices, mode) + starts[position]))
    return np.concatenate(vertices), faces


def _as_triangles(indices: NDArray[np.int64], mode: int) -> NDArray[np.int64]:
    if mode == _TRIANGLES:
        return indices[: len(indices) // 3 * 3].reshape(-1, 3)
    if len(indices) < 3:
        return np.empty((0, 3), dtype=np.int64)
    if mode == _FAN:
        first = np.full(len(indices) - 2, indices[0])
        return np.stack([first, indices[1:-1], indices[2:]], axis=1)
    strip = np.stack([indices[:-2], indices[1:-1], indices[2:]], axis=1)
    strip[1::2] = strip[1::2][:, [1, 0, 2]]
    return strip
