"""Binary glTF (.glb): all triangle meshes of the scene as one, placed by nodes and skins, turned to Z up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..geometry.labels import Labels
from .appearance import Appearance, Part, Primitive
from .damaged_file import DamagedFileError
from .gltf_file import GlbFile, accessor_values, open_glb
from .gltf_materials import placed_attributes, read_library, slot_labels
from .gltf_nodes import PlacedMesh, placed_meshes

__all__ = ["read_glb", "read_glb_appearance", "vertex_sets"]

_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_COMPRESSIONS = ("KHR_draco_mesh_compression", "EXT_meshopt_compression")


@dataclass(frozen=True)
class _Faces:
    """The faces of one primitive: its vertices and triangles begin at these rows of the mesh."""

    primitive: dict
    first_vertex: int
    vertex_count: int
    triangles: NDArray[np.int64]  # rows of the mesh
    transforms: NDArray[np.float64]  # Float[4,4] of its vertices, or Float[n,4,4] of each


@dataclass(frozen=True)
class _Geometry:
    """A mesh in the world, Y up: points Float[n,3], and the faces of its primitives."""

    points: NDArray[np.float64]
    faces: list[_Faces]


def read_glb(data: bytes) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], Labels]:
    """Vertices Float[V,3], triangles Int[F,3], material slots Int[F], labels: the meshes in the order of the nodes.

    Slots are the material's number in the file + 1, and 0 without a material.
    """
    file = _opened(data)
    vertices: list[NDArray[np.float64]] = []
    triangles, slots = [np.empty((0, 3), dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    objects, names = [np.empty(0, dtype=np.int64)], []
    count = 0
    for placed in placed_meshes(file):
        read = _mesh(file, placed)
        vertices.append(np.stack([read.points[:, 0], -read.points[:, 2], read.points[:, 1]], axis=1))
        for each in read.faces:
            triangles.append(each.triangles + count)
            slots.append(np.full(len(each.triangles), each.primitive.get("material", -1) + 1))
            objects.append(np.full(len(each.triangles), len(names)))
        names.append(_name(placed, len(names)))
        count += len(read.points)
    if not vertices:
        raise DamagedFileError("its scene has no meshes")
    labels = Labels(np.concatenate(objects), tuple(names), slot_labels(file.document))
    return np.concatenate(vertices), np.concatenate(triangles), np.concatenate(slots), labels


def read_glb_appearance(data: bytes, folder: Path) -> Appearance:
    """What `read_glb` leaves out, for the same vertices and triangles; images lie in the file or beside it."""
    file = _opened(data)
    parts = []
    vertex_count = triangle_count = 0
    for placed in placed_meshes(file):
        geometry = _mesh(file, placed)
        read: dict[int, NDArray[np.float32]] = {}
        primitives = []
        for each in geometry.faces:
            start = vertex_count + each.first_vertex
            attributes = placed_attributes(file, each.primitive, each.vertex_count, each.transforms, read)
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
        name = _name(placed, len(parts))
        parts.append(Part(name, _mesh_name(placed) or name, tuple(primitives)))
        vertex_count += len(geometry.points)
    return Appearance(tuple(parts), read_library(file, folder))


def _opened(data: bytes) -> GlbFile:
    file = open_glb(data)
    for extension in _COMPRESSIONS:
        if extension in file.document.get("extensionsRequired", []):
            raise DamagedFileError(f"it is compressed with {extension}, which must be switched off in the export")
    return file


def _mesh_name(placed: PlacedMesh) -> str:
    name = placed.mesh.get("name")
    return name if isinstance(name, str) else ""


def _name(placed: PlacedMesh, number: int) -> str:
    """Of the node, or else of its mesh."""
    return placed.name or _mesh_name(placed) or f"Part {number + 1}"


def _triangle_primitives(placed: PlacedMesh) -> Iterator[dict]:
    return (each for each in placed.mesh["primitives"] if each.get("mode", _TRIANGLES) in (_TRIANGLES, _STRIP, _FAN))


def vertex_sets(file: GlbFile, placed: PlacedMesh) -> Iterator[tuple[dict, NDArray[np.float64]]]:
    """The points Float[n,3] of a mesh where it was modelled, and the primitive that has them: in the order of `_mesh`,
    those that share positions once.
    """
    known: set[int] = set()
    for primitive in _triangle_primitives(placed):
        position = primitive["attributes"]["POSITION"]
        if position not in known:
            known.add(position)
            yield primitive, _morphed(file, placed, primitive, accessor_values(file, position).astype(np.float64))


def _mesh(file: GlbFile, placed: PlacedMesh) -> _Geometry:
    """The triangle primitives of a mesh where the scene shows them; those that share positions share vertices."""
    starts: dict[int, tuple[int, NDArray[np.float64]]] = {}
    vertices = [np.empty((0, 3))]
    faces = []
    count = 0
    for primitive in _triangle_primitives(placed):
        position = primitive["attributes"]["POSITION"]
        own = file.document["accessors"][position]["count"]
        if position not in starts:
            points = _morphed(file, placed, primitive, accessor_values(file, position).astype(np.float64))
            matrices = placed.transforms(file, primitive, own)
            starts[position] = (count, matrices)
            vertices.append(_transformed(points, matrices))
            count += len(points)
        start, matrices = starts[position]
        if "indices" in primitive:
            indices = accessor_values(file, primitive["indices"]).astype(np.int64).ravel()
        else:
            indices = np.arange(own)
        # A mirror turns the faces inside out.
        order = -1 if np.median(np.linalg.det(matrices[..., :3, :3])) < 0.0 else 1
        triangles = _as_triangles(indices, primitive.get("mode", _TRIANGLES))[:, ::order] + start
        faces.append(_Faces(primitive, start, own, triangles, matrices))
    return _Geometry(np.concatenate(vertices), faces)


def _morphed(file: GlbFile, placed: PlacedMesh, primitive: dict, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points moved by the morph targets as the file leaves them."""
    for weight, target in zip(placed.morphs, primitive.get("targets", ()), strict=False):
        if weight and "POSITION" in target:
            points = points + weight * accessor_values(file, target["POSITION"])
    return points


def _transformed(points: NDArray[np.float64], matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    if matrices.ndim == 2:
        return points @ matrices[:3, :3].T + matrices[:3, 3]
    return np.einsum("nij,nj->ni", matrices[:, :3, :3], points) + matrices[:, :3, 3]


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
