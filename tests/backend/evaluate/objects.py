"""Small real objects for the tests of the measures, written in the format of the shared data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from tests.backend.io.writers import ply_bytes
from tests.backend.shapes import Arrays, bar, block, moved

__all__ = ["HINGE", "SLIDE", "chest", "manifest", "rigged_arm", "swinging_bar", "write_jointed", "write_sequence"]

HINGE = {
    "child": "lid",
    "parent": "body",
    "type": "revolute",
    "axis": [0.0, 2.0, 0.0],
    "origin": [-0.5, 0.0, 0.3],
    "lower": -1.5,
    "upper": 0.0,
}
SLIDE = {
    "child": "drawer",
    "parent": "body",
    "type": "prismatic",
    "axis": [1.0, 0.0, 0.0],
    "origin": [0.0, 0.0, 0.0],
    "lower": 0.0,
    "upper": 0.4,
}


def chest_parts() -> dict[str, Arrays]:
    """A body, a lid above it and a drawer in front of it, none of which touch."""
    return {
        "body": block((1.0, 0.8, 0.5), (4, 4, 4)),
        "lid": moved(block((1.0, 0.8, 0.1), (4, 4, 1)), (0.0, 0.0, 0.35)),
        "drawer": moved(block((0.1, 0.6, 0.3), (1, 3, 3)), (0.6, 0.0, 0.0)),
    }


def write_jointed(folder: Path, parts: dict[str, Arrays], joints: list[dict[str, Any]], **labels: Any) -> Path:
    """A folder with joints.json and a mesh for each part."""
    folder.mkdir(parents=True)
    for name, (vertices, triangles) in parts.items():
        (folder / f"{name}.ply").write_bytes(ply_bytes(vertices, triangles.tolist(), "binary_little_endian"))
    rows = [{"name": name, "mesh": f"{name}.ply"} for name in parts]
    value = {"name": folder.name, "category": "Chest", **labels, "parts": rows, "joints": joints}
    (folder / "joints.json").write_text(json.dumps(value))
    return folder


def chest(folder: Path, **labels: Any) -> Path:
    """A chest with a lid and a drawer."""
    return write_jointed(folder, chest_parts(), [HINGE, SLIDE], **labels)


def swinging_bar(frames: int = 6, cells: int = 10) -> tuple[NDArray, NDArray]:
    """A bar of 1 m whose second half turns in its plane, more from frame to frame; Float[T,V,3] and faces."""
    vertices, triangles = bar(1.0, 0.1, cells)
    states = []
    for angle in np.linspace(0.0, 1.0, frames):
        beyond = np.clip(vertices[:, 0] - 0.5, 0.0, None)
        state = vertices.copy()
        state[:, 0] -= beyond * (1.0 - np.cos(angle))
        state[:, 1] += beyond * np.sin(angle)
        states.append(state)
    return np.array(states), triangles


def rigged_arm(frames: int = 5) -> dict[str, Any]:
    """Three blocks above each other, the bone of each turning by more than the one below: arrays of a clip's file.

    Bones are 1 m long, and hang on the one below; the file has the uppermost first.
    """
    blocks = [moved(block((0.3, 0.3, 0.8), (1, 1, 1)), (0.0, 0.0, number + 0.5)) for number in range(3)]
    rest = np.concatenate([vertices for vertices, _ in blocks])
    triangles = np.concatenate([faces + 8 * number for number, (_, faces) in enumerate(blocks)])
    poses = np.tile(np.eye(4), (frames, 3, 1, 1))
    for frame in range(frames):
        below = np.eye(4)
        for bone in range(3):
            angle = 0.1 + 0.1 * frame * (bone + 1)
            local = np.eye(4)
            local[:3, :3] = Rotation.from_rotvec([angle, 0.0, 0.05 * frame * bone]).as_matrix()
            local[2, 3] = 1.0 if bone else 0.0
            poses[frame, bone] = below = below @ local
    bind = np.tile(np.eye(4), (3, 1, 1))
    bind[:, 2, 3] = np.arange(3)
    motion = (poses @ np.linalg.inv(bind))[:, np.repeat(np.arange(3), 8)]
    verts = np.einsum("tvij,vj->tvi", motion, np.column_stack([rest, np.ones(24)]))[..., :3]
    return {
        "verts": verts.astype(np.float32),
        "faces": triangles.astype(np.int32),
        "up": "Z",
        "licence": "CC0-1.0",
        "bone_parents": np.array([1, 2, -1]),
        "bone_pose": poses[:, ::-1],
        "skin_index": np.repeat([2, 1, 0], 8).astype(np.int16)[:, None],
        "skin_weight": np.full((24, 1), 0.5, np.float16),
    }


def write_sequence(path: Path, frames: NDArray, triangles: NDArray, up: str = "Z", licence: str = "CC0-1.0") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, verts=frames.astype(np.float32), faces=triangles.astype(np.int32), up=up, licence=licence)
    return path


def manifest(folder: Path, sequences: list[dict[str, Any]], articulated: list[dict[str, Any]]) -> None:
    (folder / "MANIFEST.json").write_text(json.dumps({"sequences": sequences, "articulated": articulated}))
