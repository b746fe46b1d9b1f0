"""Animated glTF (.glb): the first frame as the mesh, each later frame as a morph target, played one by one."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .replacing import replacing

__all__ = ["write_glb"]

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


def write_glb(path: str | Path, frames: NDArray[np.floating], triangles: NDArray[np.integer], fps: float) -> None:
    """Positions (T,V,3) in metres, Z up, and triangles Int[F,3]; frame 1 plays at 0 seconds.

    Frame i is morph target i - 1 with weight 1 at its time and 0 at all others; linear in between.
    """
    frame_count, vertex_count, _ = frames.shape
    target_count = frame_count - 1
    first = _turned(frames[0])
    buffers = _Buffers()
    index = buffers.add(3 * len(triangles), 1, _UNSIGNED_INT, _ELEMENT_ARRAY_BUFFER, None)
    position = buffers.add(vertex_count, 3, _FLOAT, _ARRAY_BUFFER, _limits(first))
    targets = [
        buffers.add(vertex_count, 3, _FLOAT, _ARRAY_BUFFER, _limits(_turned(frame) - first)) for frame in frames[1:]
    ]
    primitive = {"attributes": {"POSITION": position}, "indices": index, "mode": 4}
    mesh: dict = {"name": "NeuROK", "primitives": [primitive]}
    document: dict = {
        "asset": {"version": "2.0", "generator": "NeuROK for Blender"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "NeuROK", "mesh": 0}],
        "meshes": [mesh],
    }
    times = (np.arange(frame_count) / fps).astype("<f4")
    if target_count:
        primitive["targets"] = [{"POSITION": target} for target in targets]
        mesh["weights"] = [0.0] * target_count
        mesh["extras"] = {"targetNames": [f"Frame {number}" for number in range(2, frame_count + 1)]}
        time = buffers.add(frame_count, 1, _FLOAT, None, ([float(times[0])], [float(times[-1])]))
        weight = buffers.add(frame_count * target_count, 1, _FLOAT, None, None)
        document["animations"] = [
            {
                "name": "NeuROK",
                "samplers": [{"input": time, "output": weight, "interpolation": "LINEAR"}],
                "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
            }
        ]
    document["accessors"], document["bufferViews"] = buffers.accessors, buffers.views
    document["buffers"] = [{"byteLength": buffers.size}]

    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    total = 12 + 8 + len(text) + 8 + buffers.size
    if total > _LARGEST_FILE:
        raise UserError(
            "too_large",
            f"{frame_count} frames of {vertex_count:,} vertices do not fit into a .glb file (4 GiB).",
            "Write a .pc2 file instead, or fewer frames.",
        )
    with replacing(path) as stream:
        stream.write(struct.pack("<4sII", b"glTF", 2, total))
        stream.write(struct.pack("<II", len(text), _JSON_CHUNK) + text)
        stream.write(struct.pack("<II", buffers.size, _BINARY_CHUNK))
        stream.write(np.ascontiguousarray(triangles, dtype="<u4").tobytes())
        stream.write(first.tobytes())
        for frame in frames[1:]:
            stream.write((_turned(frame) - first).tobytes())
        if target_count:
            stream.write(times.tobytes())
            # The first row, all zero, is the mesh itself.
            stream.write(np.eye(frame_count, target_count, k=-1, dtype="<f4").tobytes())


def _turned(frame: NDArray[np.floating]) -> NDArray[np.float32]:
    """Z up to Y up: (x, y, z) becomes (x, z, -y)."""
    frame = np.asarray(frame, dtype="<f4")
    return np.stack([frame[:, 0], frame[:, 2], -frame[:, 1]], axis=1)


def _limits(values: NDArray[np.float32]) -> tuple[list[float], list[float]]:
    return [float(v) for v in values.min(axis=0)], [float(v) for v in values.max(axis=0)]
