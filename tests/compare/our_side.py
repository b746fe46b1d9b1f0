"""Runs a block through this project's own command line, as anybody would: `python -m backend simulate`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tests.compare.scenes import Block, centroid, surface

__all__ = ["run"]

ROOT = Path(__file__).resolve().parents[2]


def run(block: Block, cross: int, folder: Path, **conditions: Any) -> dict[str, Any]:
    """Mean tip and centroid Float[T,3] m at the frames of the take; `conditions` beside the block's own.

    `held` (not a condition) holds the face x = 0. Files are made in `folder`.
    """
    vertices, triangles = surface(block, cross)
    fps = conditions.setdefault("fps", block.fps)
    frames = round(block.seconds * fps) + 1
    anchor: Any = (
        {"vertices": np.flatnonzero(vertices[:, 0] < 1e-9).tolist()} if conditions.pop("held", False) else "none"
    )
    conditions |= {"provider": "elastic", "frames": frames, "anchor": anchor, "settled": False}
    conditions |= {"young": block.young, "poisson": block.poisson, "density": block.density}
    mesh, file, result = folder / "block.npz", folder / "conditions.json", folder / "take.npz"
    timed = folder / "report.json"
    np.savez(mesh, vertices=vertices, faces=triangles)
    file.write_text(json.dumps(conditions))
    command = [sys.executable, "-m", "backend", "simulate", mesh, "--conditions", file, "-o", result, "--report", timed]
    done = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"backend simulate: {done.stderr.strip().splitlines()[-1]}")
    with np.load(result) as take:
        positions = take["vertices"].astype(np.float64)
        report = json.loads(str(take["report"]))
        energy = take["energy"][:, 2]
    tip = np.flatnonzero(vertices[:, 0] > block.size[0] - 1e-9)
    return {
        "time": np.arange(frames) / fps,
        "tip": positions[:, tip].mean(axis=1),
        "centre": centroid(positions, triangles),
        "lowest": positions[..., 2].min(axis=1),
        "energy": energy,
        "handles": report["kinematics"]["handles"],
        "seconds": json.loads(timed.read_text())["stages"]["solve"],
        "vertices": len(vertices),
        "steps_per_second": report["steps"] / block.seconds,
    }
