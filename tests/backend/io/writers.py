"""Mesh files for the tests, written by hand so that every byte is known."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray


def obj_text(vertices: NDArray, polygons: Iterable[Sequence[int]], word: str = "{0}") -> str:
    """`word` is the pattern of a corner: {0} the index from 1 of the vertex (and of all else)."""
    lines = ["# made for a test", "o thing"]
    lines += ["v " + " ".join(repr(float(value)) for value in row) for row in vertices]
    lines += ["vt 0.5 0.5", "vn 0 0 1"]
    lines += ["f " + " ".join(word.format(index + 1) for index in polygon) for polygon in polygons]
    return "\n".join(lines) + "\n"


def ply_bytes(vertices: NDArray, polygons: Sequence[Sequence[int]], layout: str) -> bytes:
    header = [
        "ply",
        f"format {layout} 1.0",
        "comment made for a test",
        f"element vertex {len(vertices)}",
        "property float x",
        "property float y",
        "property uchar red",
        "property float z",
        f"element face {len(polygons)}",
        "property list uchar int vertex_indices",
        "element tag 1",
        "property int value",
        "end_header",
    ]
    head = ("\n".join(header) + "\n").encode()
    if layout == "ascii":
        rows = [f"{x!r} {y!r} 7 {z!r}" for x, y, z in np.float32(vertices).tolist()]
        rows += [f"{len(polygon)} " + " ".join(map(str, polygon)) for polygon in polygons]
        return head + ("\n".join([*rows, "5"]) + "\n").encode()
    order = "<" if layout == "binary_little_endian" else ">"
    body = b"".join(struct.pack(order + "ffBf", x, y, 7, z) for x, y, z in vertices)
    body += b"".join(struct.pack(f"{order}B{len(p)}i", len(p), *p) for p in polygons)
    return head + body + struct.pack(order + "i", 5)


def stl_binary(corners: NDArray) -> bytes:
    """corners Float[F,3,3]."""
    body = b"".join(
        struct.pack("<12fH", 0, 0, 1, *facet.ravel().tolist(), 0) for facet in np.asarray(corners, dtype=np.float32)
    )
    return b"solid but binary".ljust(80) + struct.pack("<I", len(corners)) + body


def stl_text(corners: NDArray) -> bytes:
    lines = ["solid thing"]
    for facet in corners:
        lines += ["facet normal 0 0 1", " outer loop"]
        lines += ["  vertex " + " ".join(repr(float(value)) for value in corner) for corner in facet]
        lines += [" endloop", "endfacet"]
    return ("\n".join([*lines, "endsolid thing"]) + "\n").encode()


class GlbMaker:
    """A .glb file with any number of buffers views in one chunk."""

    def __init__(self) -> None:
        self.document: dict = {
            "asset": {"version": "2.0"},
            "accessors": [],
            "bufferViews": [],
            "meshes": [],
            "nodes": [],
        }
        self._binary = b""

    def view(self, data: bytes, **extra: int) -> int:
        self._binary += b"\0" * (-len(self._binary) % 4)
        self.document["bufferViews"].append(
            {"buffer": 0, "byteOffset": len(self._binary), "byteLength": len(data)} | extra
        )
        self._binary += data
        return len(self.document["bufferViews"]) - 1

    def accessor(self, values: NDArray, component: int, kind: str, **extra: object) -> int:
        entry = {
            "bufferView": self.view(values.tobytes()),
            "componentType": component,
            "count": len(values),
            "type": kind,
        }
        self.document["accessors"].append(entry | extra)
        return len(self.document["accessors"]) - 1

    def mesh(self, *primitives: dict) -> int:
        self.document["meshes"].append({"primitives": list(primitives)})
        return len(self.document["meshes"]) - 1

    def primitive(self, vertices: NDArray, triangles: NDArray) -> dict:
        return {
            "attributes": {"POSITION": self.accessor(np.float32(vertices), 5126, "VEC3")},
            "indices": self.accessor(np.uint16(triangles).ravel(), 5123, "SCALAR"),
        }

    def bytes(self) -> bytes:
        document = self.document | {"buffers": [{"byteLength": len(self._binary)}]}
        text = json.dumps(document).encode()
        text += b" " * (-len(text) % 4)
        binary = self._binary + b"\0" * (-len(self._binary) % 4)
        total = 12 + 8 + len(text) + 8 + len(binary)
        chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(binary), 0x004E4942) + binary
        return struct.pack("<4sII", b"glTF", 2, total) + chunks
