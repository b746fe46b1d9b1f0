"""Animated glTF (.glb): the first frame as the mesh, each later frame as a morph target, played one by one.

Several objects are as many nodes that one animation plays together.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .replacing import replacing

__all__ = ["MovingMesh", "write_glb"]

_JSON_CHUNK, _BINARY_CHUNK = 0x4E4F534A, 0x004E4942
_FLOAT, _UNSIGNED_INT = 5126, 5125
_ARRAY_BUFFER, _ELEMENT_ARRAY_BUFFER = 34962, 34963
_LARGEST_FILE = 2**32 - 1


class _Buffers:
    """Accessors over one binary chunk that is written later, array by array."""

    def __init__(self) -> None:
        self.views: list[dict] = []
        self.accessors: list[dict] = []
        self.size = 0

    def add(self, count: int, width: int, component: int, target: int | None, limits: tuple | None) -> int:
        """The index of a new accessor of `count` elements of `width` four-byte numbers."""
        view = {"buffer": 0, "byteOffset": self.size, "byteLength": 4 * count * width}
        if target is not None:
            view["target"] = target
        accessor = {
            "bufferView": len(self.views),
            "componentType": component,
            "count": count,
            "type": "VEC3" if width == 3 else "SCALAR",
        }
        if limits is not None:
            accessor["min"], accessor["max"] = limits
        self.views.append(view)
        self.accessors.append(accessor)
        self.size += view["byteLength"]
        return len(self.accessors) - 1


@dataclass(frozen=True)
class MovingMesh:
    """One object of an animation: positions (T,V,3) in metres, Z up, and triangles Int[F,3]."""

    name: str
    frames: NDArray[np.floating]
    triangles: NDArray[np.integer]


def write_glb(path: str | Path, objects: Sequence[MovingMesh], fps: float) -> None:
    """One node for each object, all with the same number of frames; frame 1 plays at 0 seconds.

    Frame i is morph target i - 1 with weight 1 at its time and 0 at all others; linear in between.
    """
    frame_count = len(objects[0].frames)
    target_count = frame_count - 1
    buffers = _Buffers()
    meshes = [_described(each, buffers) for each in objects]
    document: dict = {
        "asset": {"version": "2.0", "generator": "NeuROK for Blender"},
        "scene": 0,
        "scenes": [{"nodes": list(range(len(objects)))}],
        "nodes": [{"name": each.name, "mesh": number} for number, each in enumerate(objects)],
        "meshes": meshes,
    }
    times = (np.arange(frame_count) / fps).astype("<f4")
    if target_count:
        time = buffers.add(frame_count, 1, _FLOAT, None, ([float(times[0])], [float(times[-1])]))
        weight = buffers.add(frame_count * target_count, 1, _FLOAT, None, None)
        document["animations"] = [
            {
                "name": "NeuROK",
                "samplers": [{"input": time, "output": weight, "interpolation": "LINEAR"}],
                "channels": [
                    {"sampler": 0, "target": {"node": number, "path": "weights"}} for number in range(len(objects))
                ],
            }
        ]
    document["accessors"], document["bufferViews"] = buffers.accessors, buffers.views
    document["buffers"] = [{"byteLength": buffers.size}]

    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    total = 12 + 8 + len(text) + 8 + buffers.size
    if total > _LARGEST_FILE:
        vertex_count = sum(each.frames.shape[1] for each in objects)
        raise UserError(
            "too_large",
            f"{frame_count} frames of {vertex_count:,} vertices do not fit into a .glb file (4 GiB).",
            f"Write a {'.pc2' if len(objects) == 1 else '.npz'} file instead, or fewer frames.",
        )
    with replacing(path) as stream:
        stream.write(struct.pack("<4sII", b"glTF", 2, total))
        stream.write(struct.pack("<II", len(text), _JSON_CHUNK) + text)
        stream.write(struct.pack("<II", buffers.size, _BINARY_CHUNK))
        for each in objects:
            stream.write(np.ascontiguousarray(each.triangles, dtype="<u4").tobytes())
            first = _turned(each.frames[0])
            stream.write(first.tobytes())
            for frame in each.frames[1:]:
                stream.write((_turned(frame) - first).tobytes())
        if target_count:
            stream.write(times.tobytes())
            # The first row, all zero, is the mesh itself.
            stream.write(np.eye(frame_count, target_count, k=-1, dtype="<f4").tobytes())


def _described(moving: MovingMesh, buffers: _Buffers) -> dict:
    """The glTF mesh of an object, with room for its triangles, first frame and morph targets, in this order."""
    frame_count, vertex_count, _ = moving.frames.shape
    first = _turned(moving.frames[0])
    index = buffers.add(3 * len(moving.triangles), 1, _UNSIGNED_INT, _ELEMENT_ARRAY_BUFFER, None)
    position = buffers.add(vertex_count, 3, _FLOAT, _ARRAY_BUFFER, _limits(first))
    primitive: dict = {"attributes": {"POSITION": position}, "indices": index, "mode": 4}
    mesh: dict = {"name": moving.name, "primitives": [primitive]}
    if frame_count > 1:
        primitive["targets"] = [
            {"POSITION": buffers.add(vertex_count, 3, _FLOAT, _ARRAY_BUFFER, _limits(_turned(frame) - first))}
            for frame in moving.frames[1:]
        ]
        mesh["weights"] = [0.0] * (frame_count - 1)
        mesh["extras"] = {"targetNames": [f"Frame {number}" for number in range(2, frame_count + 1)]}
    return mesh


def _turned(frame: NDArray[np.floating]) -> NDArray[np.float32]:
    """Z up to Y up: (x, y, z) becomes (x, z, -y)."""
    frame = np.asarray(frame, dtype="<f4")
    return np.stack([frame[:, 0], frame[:, 2], -frame[:, 1]], axis=1)


def _limits(values: NDArray[np.float32]) -> tuple[list[float], list[float]]:
    return [float(v) for v in values.min(axis=0)], [float(v) for v in values.max(axis=0)]
