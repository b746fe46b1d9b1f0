"""A .glb with all that a result has to keep: parts under placed nodes, materials, an image, UVs, colours, normals."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.spatial.transform import Rotation

from backend.io import MovingMesh, Skinning, read_model
from tests.backend.shapes import box

from .writers import GlbMaker

__all__ = ["COLOURS", "FRAMES", "bent", "checker", "dressed_glb", "mixed", "rigid_parts"]

FRAMES = 7
COLOURS = {"Paint": [0.8, 0.1, 0.2, 1.0], "Rubber": [0.05, 0.05, 0.05, 1.0], "Glass": [0.2, 0.9, 0.9, 0.4]}


def checker() -> bytes:
    """A small PNG."""
    stream = io.BytesIO()
    pixels = np.uint8([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [255, 255, 255]]])
    Image.fromarray(pixels).resize((8, 8), Image.Resampling.NEAREST).save(stream, "png")
    return stream.getvalue()


def _ball(rings: int, around: int) -> tuple[NDArray, NDArray, NDArray]:
    """A unit ball as exporters write one, its seam twice: points, which are its normals, UVs, triangles."""
    v, u = np.meshgrid(np.linspace(0, 1, rings), np.linspace(0, 1, around), indexing="ij")
    angle, polar = 2 * np.pi * u.ravel(), np.pi * (0.02 + 0.96 * v.ravel())
    points = np.stack([np.sin(polar) * np.cos(angle), np.cos(polar), np.sin(polar) * np.sin(angle)], axis=1)
    index = np.arange(rings * around).reshape(rings, around)
    a, b, c, d = index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]
    triangles = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    return points, np.stack([u.ravel(), v.ravel()], axis=1), triangles


def _materials() -> list[dict]:
    """Paint with an image and a clear coat, rubber, and glass."""
    moved = {"KHR_texture_transform": {"scale": [2.0, 2.0]}}
    return [
        {
            "name": "Paint",
            "pbrMetallicRoughness": {
                "baseColorFactor": COLOURS["Paint"],
                "baseColorTexture": {"index": 0, "extensions": moved},
                "metallicFactor": 0.25,
            },
            "extensions": {"KHR_materials_clearcoat": {"clearcoatFactor": 0.7, "clearcoatTexture": {"index": 0}}},
        },
        {
            "name": "Rubber",
            "pbrMetallicRoughness": {
                "baseColorFactor": COLOURS["Rubber"],
                "metallicFactor": 0.0,
                "roughnessFactor": 0.9,
            },
            "doubleSided": True,
        },
        {"name": "Glass", "pbrMetallicRoughness": {"baseColorFactor": COLOURS["Glass"]}, "alphaMode": "BLEND"},
    ]


def dressed_glb(folder: Path, image_beside: bool = False) -> Path:
    """Body (paint with an image, and glass, on the same vertices) and Wheel (rubber), under a turned, moved node."""
    maker = GlbMaker()
    points, uv, triangles = _ball(9, 12)

    def attributes(scale: float) -> dict:
        return {
            "POSITION": maker.accessor(np.float32(scale * points), 5126, "VEC3"),
            "NORMAL": maker.accessor(np.float32(points), 5126, "VEC3"),
            "TEXCOORD_0": maker.accessor(np.float32(uv), 5126, "VEC2"),
            "COLOR_0": maker.accessor(np.uint8(255 * np.column_stack([uv, uv])), 5121, "VEC4", normalized=True),
        }

    def faces(which: NDArray) -> int:
        return maker.accessor(np.uint16(which).ravel(), 5123, "SCALAR")

    half = len(triangles) // 2
    shared = attributes(1.0)
    other = {**shared, "TEXCOORD_0": maker.accessor(np.float32(1.0 - uv), 5126, "VEC2")}
    body = maker.mesh(
        {"attributes": shared, "indices": faces(triangles[:half]), "material": 0},
        {"attributes": other, "indices": faces(triangles[half:]), "material": 2},
    )
    wheel = maker.mesh({"attributes": attributes(0.5), "indices": faces(triangles), "material": 1})
    document = maker.document
    document["meshes"][body]["name"], document["meshes"][wheel]["name"] = "BodyMesh", "WheelMesh"
    quarter = [0.0, float(np.sqrt(0.5)), 0.0, float(np.sqrt(0.5))]
    document["nodes"] = [
        {"name": "Car", "translation": [1.0, 2.0, 3.0], "rotation": quarter, "children": [1, 2]},
        {"name": "Body", "mesh": body, "scale": [2.0, 1.0, 1.0]},
        {"name": "Wheel", "mesh": wheel, "translation": [0.0, -1.5, 0.0]},
    ]
    document["scenes"], document["scene"] = [{"nodes": [0]}], 0
    if image_beside:
        (folder / "check er.png").write_bytes(checker())
        document["images"] = [{"uri": "check%20er.png"}]
    else:
        document["images"] = [{"name": "Checker", "mimeType": "image/png", "bufferView": maker.view(checker())}]
    document["samplers"] = [{"magFilter": 9728, "wrapS": 33071}]
    document["textures"] = [{"source": 0, "sampler": 0}]
    document["materials"] = _materials()
    document["extensionsUsed"] = ["KHR_texture_transform", "KHR_materials_clearcoat", "KHR_lights_punctual"]
    path = folder / "car.glb"
    path.write_bytes(maker.bytes())
    return path


def _turns() -> Iterator[tuple[NDArray, NDArray]]:
    for time in np.linspace(0.0, 1.0, FRAMES):
        yield Rotation.from_rotvec(time * np.array([0.5, 4.0, -1.0])).as_matrix(), time * np.array([3.0, -1.0, 0.5])


def rigid_parts(path: Path, name: str = "") -> MovingMesh:
    """The body turns and flies, the wheel stands still, and what lies between them is a blend."""
    mesh, appearance = read_model(path)
    split = appearance.parts[1].primitives[0].vertices.start
    weights = np.zeros((len(mesh.vertices), 3), dtype=np.float32)
    weights[:split, 2], weights[split:, 0] = 1.0, 1.0
    weights[:9] = [0.25, 0.0, 0.75]
    handles = np.tile(np.eye(4)[:3], (FRAMES, 3, 1, 1))
    for frame, (turn, shift) in enumerate(_turns()):
        handles[frame, 2] = np.column_stack([turn, shift])
    return _moving(name, mesh, appearance, weights, handles)


def bent(path: Path, name: str = "") -> MovingMesh:
    """A body that turns while a mode of it, which is no weight between 0 and 1, shears it."""
    mesh, appearance = read_model(path)
    mode = np.sin(2.0 * mesh.vertices[:, 2])
    weights = np.column_stack([np.ones(len(mode)), mode]).astype(np.float32)
    handles = np.zeros((FRAMES, 2, 3, 4))
    for frame, (turn, shift) in enumerate(_turns()):
        handles[frame, 0] = np.column_stack([turn, shift])
        handles[frame, 1, 0, 3], handles[frame, 1, 1, 1] = 0.02 * frame, 0.01 * frame
    return _moving(name, mesh, appearance, weights, handles)


def _moving(name: str, mesh, appearance, weights: NDArray, handles: NDArray) -> MovingMesh:
    homogeneous = np.column_stack([mesh.vertices, np.ones(len(mesh.vertices))])
    frames = np.einsum("vh,thij,vj->tvi", weights.astype(np.float64), handles, homogeneous).astype(np.float32)
    return MovingMesh(name, frames, mesh.triangles, Skinning(mesh.vertices, weights, handles), appearance)


def mixed(influences: int) -> MovingMesh:
    """A box in three frames, each of whose vertices so many of twelve handles move."""
    vertices, triangles = box()
    random = np.random.default_rng(influences)
    weights = np.zeros((len(vertices), 12))
    for row in weights:
        row[random.permutation(12)[:influences]] = random.uniform(0.5, 1.0, influences)
    weights = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
    handles = np.tile(np.eye(4)[:3], (3, 12, 1, 1))
    handles[1:, :, :, 3] = random.normal(size=(2, 12, 3))
    homogeneous = np.column_stack([vertices, np.ones(len(vertices))])
    frames = np.einsum("vh,thij,vj->tvi", weights.astype(np.float64), handles, homogeneous)
    return MovingMesh("a", frames, triangles, Skinning(vertices, weights, handles))
