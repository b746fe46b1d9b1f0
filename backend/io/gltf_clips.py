"""Animations of glTF nodes, sampled evenly: translations, rotations and scales with their three interpolations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from .gltf_file import GlbFile, accessor_values
from .gltf_nodes import local_matrix, visited_nodes

__all__ = ["sampled_clips", "world_matrices"]

RATE = 30.0  # samples a second, of clips whose keys are not evenly spaced at
RATES = (10.0, 125.0)  # samples a second
MOST_SAMPLES = 3000  # of one clip

Locals = dict[int, NDArray[np.float64]]


def sampled_clips(file: GlbFile) -> Iterator[tuple[str, NDArray[np.float64], Locals]]:
    """Name, times Float[T] (s, from 0) and the local matrices Float[T,4,4] of the animated nodes of each clip."""
    for number, animation in enumerate(file.document.get("animations", [])):
        tracks: dict[tuple[int, str], tuple[NDArray[np.float64], NDArray[np.float64], str]] = {}
        for channel in animation["channels"]:
            target, sampler = channel["target"], animation["samplers"][channel["sampler"]]
            if "node" not in target or target["path"] not in _WIDTH:
                continue
            keys = accessor_values(file, sampler["input"]).astype(np.float64).ravel()
            values = accessor_values(file, sampler["output"]).astype(np.float64)
            tracks[target["node"], target["path"]] = keys, values, sampler.get("interpolation", "LINEAR")
        last = max((float(keys[-1]) for keys, _, _ in tracks.values() if len(keys)), default=0.0)
        if not tracks:
            continue
        longest = max((keys for keys, _, _ in tracks.values()), key=len)
        times = np.linspace(0.0, last, min(round(last * _rate(longest)) + 1, MOST_SAMPLES))
        name = animation.get("name")
        yield name if isinstance(name, str) and name else f"Clip {number + 1}", times, _locals(file, tracks, times)


def world_matrices(document: dict[str, Any], moving: Mapping[int, NDArray[np.float64]], nodes: Sequence[int]) -> Any:
    """World matrices Float[T,len(nodes),4,4] where the nodes in `moving` have these local ones, Float[T,4,4]."""
    world: dict[int, NDArray[np.float64]] = {-1: np.eye(4)}
    for number, parent, _ in visited_nodes(document):
        own = moving.get(number)
        world[number] = world[parent] @ (local_matrix(document["nodes"][number]) if own is None else own)
    count = max((len(each) for each in moving.values()), default=1)
    return np.stack([np.broadcast_to(world[node], (count, 4, 4)) for node in nodes], axis=1)


def _rate(keys: NDArray[np.float64]) -> float:
    """Samples a second at which every key is one, where that can be."""
    if len(keys) < 2:
        return RATE
    rate = 1.0 / max(float(np.median(np.diff(keys))), 1e-9)
    even = np.abs(keys * rate - np.round(keys * rate)).max() < 0.02
    return rate if even and RATES[0] <= rate <= RATES[1] else RATE


_WIDTH = {"translation": 3, "rotation": 4, "scale": 3}


def _locals(file: GlbFile, tracks: Mapping[tuple[int, str], Any], times: NDArray[np.float64]) -> Locals:
    found: Locals = {}
    for node in {number for number, _ in tracks}:
        drawn = file.document["nodes"][node]
        still = {
            "translation": drawn.get("translation", (0.0, 0.0, 0.0)),
            "rotation": drawn.get("rotation", (0.0, 0.0, 0.0, 1.0)),
            "scale": drawn.get("scale", (1.0, 1.0, 1.0)),
        }
        part = {
            path: _sampled(*tracks[node, path], times, path) if (node, path) in tracks else np.array(value)[None]
            for path, value in still.items()
        }
        matrices = np.zeros((len(times), 4, 4))
        turns = Rotation.from_quat(part["rotation"]).as_matrix()
        matrices[:, :3, :3] = turns * part["scale"][:, None, :]
        matrices[:, :3, 3], matrices[:, 3, 3] = part["translation"], 1.0
        found[node] = matrices
    return found


def _sampled(
    keys: NDArray[np.float64], values: NDArray[np.float64], kind: str, times: NDArray[np.float64], path: str
) -> NDArray[np.float64]:
    """Values Float[T,3 or 4] of a track."""
    cubic = kind == "CUBICSPLINE"
    shaped = values.reshape(len(keys), 3, -1) if cubic else values.reshape(len(keys), 1, -1)
    held = shaped[:, 1 if cubic else 0]
    if len(keys) == 1:
        return np.repeat(held, len(times), axis=0)
    first = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, len(keys) - 2)
    length = np.maximum(keys[first + 1] - keys[first], 1e-9)
    share = np.clip((times - keys[first]) / length, 0.0, 1.0)[:, None]
    if kind == "STEP":
        return held[np.where(share[:, 0] >= 1.0, first + 1, first)]
    start, end = held[first], held[first + 1]
    if cubic:
        leaving, coming = length[:, None] * shaped[first, 2], length[:, None] * shaped[first + 1, 0]
        square, cube = share**2, share**3
        mixed = (2 * cube - 3 * square + 1) * start + (cube - 2 * square + share) * leaving
        return mixed + (3 * square - 2 * cube) * end + (cube - square) * coming
    if path != "rotation":
        return (1.0 - share) * start + share * end
    turn = Rotation.from_quat(start).inv() * Rotation.from_quat(end)
    return (Rotation.from_quat(start) * Rotation.from_rotvec(share * turn.as_rotvec())).as_quat()
