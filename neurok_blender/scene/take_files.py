"""Takes on disk: what was simulated of one mesh, as an .npz in a folder beside the .blend, NAME.neurok.

A file has the motion as it came (weights, and of every frame handles, points or both), the matrix and the coordinates
that it was simulated from, and a fingerprint of the mesh, by which it is known again.
"""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np

from ..job.motion import Shape, StreamedMotion
from .mesh_io import snapshot
from .takes import SceneTake

__all__ = ["ENDING", "TakeUnfit", "folder_of", "read_take", "write_take"]

FORMAT = 1
ENDING = ".take.npz"
PARTS = ("handles", "points")


class TakeUnfit(Exception):
    """The file cannot be read, or is of another mesh."""


def folder_of(blend: str) -> Path:
    """Where the takes of a .blend are."""
    return Path(blend).with_suffix(".neurok")


def write_take(path: Path, take: SceneTake) -> None:
    """Raises OSError. A file that is there already stays whole until the new one is."""
    motion, snap = take.motion, take.snapshot
    header = {
        "format": FORMAT,
        "fingerprint": snap.fingerprint,
        "frame_start": take.frame_start,
        "fps": motion.fps,
        "has_points": motion.has_points,
    }
    arrays = {"evaluated": snap.evaluated, "to_world": snap.to_world}
    if motion.weights is not None:
        arrays["weights"] = motion.weights
    if take.piece is not None:
        arrays["piece"] = take.piece
    for name in PARTS:
        rows = [getattr(shape, name) for shape in motion.shapes]
        if rows and rows[0] is not None:
            arrays[name] = np.stack(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    try:
        with open(part, "wb") as stream:
            np.savez(stream, header=np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def read_take(path: Path, context: bpy.types.Context, obj: bpy.types.Object) -> SceneTake:
    """The take of this file for the object, which is in object mode. Raises TakeUnfit, or Refusal."""
    try:
        with np.load(path, allow_pickle=False) as held:
            header = json.loads(held["header"].tobytes())
            arrays = {name: held[name] for name in held.files if name != "header"}
        if header["format"] != FORMAT:
            raise TakeUnfit(f"{path} has the format {header['format']}")
        shapes = [Shape(**dict(zip(_parts(arrays), row, strict=True))) for row in zip(*_rows(arrays), strict=True)]
        motion = StreamedMotion(arrays.get("weights"), header["has_points"], header["fps"], len(shapes), shapes)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as problem:
        raise TakeUnfit(f"{path}: {problem}") from problem
    now = snapshot(context, obj)
    if now.fingerprint != header["fingerprint"] or not shapes or now.evaluated.shape != arrays["evaluated"].shape:
        raise TakeUnfit(f"{obj.name} is not what was simulated")
    was = replace(now, evaluated=arrays["evaluated"], to_world=arrays["to_world"])
    take = SceneTake.of(obj, was, header["frame_start"], motion)
    take.piece = arrays.get("piece")
    return take


def _parts(arrays: dict[str, np.ndarray]) -> list[str]:
    return [name for name in PARTS if name in arrays]


def _rows(arrays: dict[str, np.ndarray]) -> list[np.ndarray]:
    return [arrays[name] for name in _parts(arrays)]
