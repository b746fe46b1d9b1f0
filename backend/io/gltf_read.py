"""Binary glTF (.glb): all triangle meshes of the scene as one, placed by their nodes, turned to Z up."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .damaged import DamagedFileError

__all__ = ["read_glb"]

_JSON_CHUNK, _BINARY_CHUNK = 0x4E4F534A, 0x004E4942
_COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_COMPRESSIONS = ("KHR_draco_mesh_compression", "EXT_meshopt_compression")


@dataclass(frozen=True)
class _File:
    document: dict
    binary: bytes


def read_glb(data: bytes) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Vertices Float[V,3], triangles Int[F,3], material slots Int[F]: the meshes in the order of the node tree."""
    file = _chunks(data)
    for extension in _COMPRESSIONS:
        if extension in file.document.get("extensionsRequired", []):
            raise DamagedFileError(f"it is compressed with {extension}, which must be switched off in the export")
    vertices: list[NDArray[np.float64]] = []
    triangles: list[NDArray[np.int64]] = []
    slots: list[NDArray[np.int64]] = []
    count = 0
    for mesh, matrix in _placed_meshes(file.document):
        points, faces, materials = _mesh(file, mesh)
        points = points @ matrix[:3, :3].T + matrix[:3, 3]
        if np.linalg.det(matrix[:3, :3]) < 0:
            # A mirror turns the faces inside out.
            faces = faces[:, ::-1]
        vertices.append(np.stack([points[:, 0], -points[:, 2], points[:, 1]], axis=1))
        triangles.append(faces + count)
        slots.append(materials)
        count += len(points)
    if not vertices:
        raise DamagedFileError("its scene has no meshes")
    return np.concatenate(vertices), np.concatenate(triangles), np.concatenate(slots)


def _chunks(data: bytes) -> _File:
    if len(data) < 20 or data[:4] != b"glTF":
        raise DamagedFileError("it has no binary glTF header")
    version, total = (int.from_bytes(data[at : at + 4], "little") for at in (4, 8))
    if version != 2:
        raise DamagedFileError(f"it is glTF version {version}, and only version 2 can be read")
    if total > len(data):
        raise DamagedFileError(f"it announces {total:,} bytes and holds {len(data):,}")
    document, binary, at = None, b"", 12
    while at + 8 <= total:
        size, kind = (int.from_bytes(data[at + 4 * i : at + 4 * i + 4], "little") for i in range(2))
        chunk = data[at + 8 : at + 8 + size]
        if len(chunk) < size:
            raise DamagedFileError("one of its chunks is cut off")
        if kind == _JSON_CHUNK and document is None:
            document = json.loads(chunk)
        elif kind == _BINARY_CHUNK and not binary:
            binary = chunk
        at += 8 + size
    if not isinstance(document, dict):
        raise DamagedFileError("it has no description chunk")
    return _File(document, binary)


def _placed_meshes(document: dict) -> list[tuple[dict, NDArray[np.float64]]]:
    """Each mesh of the scene with its world matrix Float[4,4], depth first."""
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
            placed.append((meshes[node["mesh"]], np.eye(4) if "skin" in node else matrix))
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


def _mesh(file: _File, mesh: dict) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """The triangle primitives of a mesh; those that share their positions share their vertices.

    Slots are the material's number in the file + 1, and 0 without a material.
    """
    starts: dict[int, int] = {}
    vertices = [np.empty((0, 3))]
    triangles = [np.empty((0, 3), dtype=np.int64)]
    slots = [np.empty(0, dtype=np.int64)]
    count = 0
    for primitive in mesh["primitives"]:
        mode = primitive.get("mode", _TRIANGLES)
        if mode not in (_TRIANGLES, _STRIP, _FAN):
            continue
        position = primitive["attributes"]["POSITION"]
        if position not in starts:
            points = _accessor(file, position).astype(np.float64)
            starts[position] = count
            vertices.append(points)
            count += len(points)
        if "indices" in primitive:
            indices = _accessor(file, primitive["indices"]).astype(np.int64).ravel()
        else:
            indices = np.arange(file.document["accessors"][position]["count"])
        triangles.append(_as_triangles(indices, mode) + starts[position])
        slots.append(np.full(len(triangles[-1]), primitive.get("material", -1) + 1, dtype=np.int64))
    return np.concatenate(vertices), np.concatenate(triangles), np.concatenate(slots)


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


def _accessor(file: _File, number: int) -> NDArray[np.generic]:
    """The values (count, width) of an accessor, with its sparse replacements and scaled if normalized."""
    accessor = file.document["accessors"][number]
    width, count = _WIDTHS[accessor["type"]], accessor["count"]
    dtype = np.dtype(_COMPONENTS[accessor["componentType"]])
    if "bufferView" in accessor:
        values = _view(file, accessor["bufferView"], accessor.get("byteOffset", 0), dtype, count, width)
    else:
        values = np.zeros((count, width), dtype=dtype)
    if "sparse" in accessor:
        sparse = accessor["sparse"]
        where, what = sparse["indices"], sparse["values"]
        rows_type = np.dtype(_COMPONENTS[where["componentType"]])
        rows = _view(file, where["bufferView"], where.get("byteOffset", 0), rows_type, sparse["count"], 1)
        values = values.copy()
        values[rows[:, 0].astype(np.int64)] = _view(
            file, what["bufferView"], what.get("byteOffset", 0), dtype, sparse["count"], width
        )
    if accessor.get("normalized") and dtype.kind in "iu":
        return np.maximum(values / np.iinfo(dtype).max, -1.0)
    return values


def _view(file: _File, number: int, offset: int, dtype: np.dtype, count: int, width: int) -> NDArray[np.generic]:
    view = file.document["bufferViews"][number]
    if file.document["buffers"][view["buffer"]].get("uri"):
        raise DamagedFileError("its data lies in another file")
    stride = view.get("byteStride", dtype.itemsize * width)
    start = view.get("byteOffset", 0) + offset
    if count and start + stride * (count - 1) + dtype.itemsize * width > len(file.binary):
        raise DamagedFileError("its data chunk is too short")
    return (
        np.ndarray((count, width), dtype, file.binary, start, (stride, dtype.itemsize))
        if count
        else np.empty((0, width), dtype)
    )
