"""Benchmarks of other solvers, each in a process of its own: the backend itself imports neither bpy nor newton.

A child makes its scene, steps through the frames, and prints the seconds of each and how far the vertices went.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from ..errors import UserError
from ..io import write_npz
from .newton import NEWTON_SCRIPT
from .scenes import COLD, FRAMES, sphere, summarised

__all__ = ["PEERS", "peer_row"]

# Both with the settings that a new modifier has; its own sphere each, under gravity.
_BLENDER_SCRIPT = """
import json, os, sys, time
import bpy
import numpy as np

data, frames, budget = np.load(sys.argv[4]), int(sys.argv[1]), float(sys.argv[2])
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
mesh = bpy.data.meshes.new("sphere")
mesh.from_pydata(data["vertices"].tolist(), [], data["faces"].tolist())
body = bpy.data.objects.new("sphere", mesh)
bpy.context.collection.objects.link(body)
body.modifiers.new("peer", sys.argv[3])
scene = bpy.context.scene
scene.frame_start, scene.frame_end = 1, frames
scene.frame_set(1)
before = data["vertices"].astype(np.float32)
seconds, travel = [], []
for frame in range(2, frames + 1):
    begin = time.perf_counter()
    scene.frame_set(frame)
    moved = body.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    seconds.append(time.perf_counter() - begin)
    now = np.empty_like(before)
    moved.vertices.foreach_get("co", now.ravel())
    travel.append(float(np.sqrt(((now - before) ** 2).sum(axis=1).mean())))
    before = now
    if sum(seconds) > budget and len(seconds) > 1:
        break
print("RESULT " + json.dumps([len(before), seconds, travel]), flush=True)
os._exit(0)  # the bpy module can hang in its own clean-up at exit
"""

PEERS: dict[str, tuple[str, int]] = {
    "soft_body": ("Blender Soft Body", 12_642),
    "cloth": ("Blender Cloth", 12_642),
    "newton_vbd": ("Newton VBD, 10 steps a frame, 10 iterations, CPU", 4_913),
}
BUDGET = 90.0  # s: a peer that has not done all frames by then is measured by those that it did; the row says how many
_MODIFIERS = {"soft_body": "SOFT_BODY", "cloth": "CLOTH"}


def _python_with(package: str) -> str | None:
    """The interpreter that has a package: this one, or the one that `build.py compare` made; None: neither."""
    if importlib.util.find_spec(package) is not None:
        return sys.executable
    made = Path(__file__).resolve().parents[2] / "build/compare"
    pythons = [python for python in (made / "bin/python", made / "Scripts/python.exe") if python.exists()]
    folders = [*made.glob(f"lib/python*/site-packages/{package}"), *made.glob(f"Lib/site-packages/{package}")]
    return str(pythons[0]) if pythons and folders else None


def _result(python: str, script: str, *words: str) -> tuple[int, list[float], list[float]]:
    """Vertices, seconds and metres for every frame after the start."""
    command = [python, "-c", script, str(FRAMES), str(BUDGET), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        if line.startswith("RESULT "):
            return tuple(json.loads(line[7:]))
    reason = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    raise UserError("peer_failed.solver", reason=reason)


def _blender(python: str, kind: str, vertices: int) -> tuple[int, list[float], list[float]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mesh.npz"
        points, faces = sphere(vertices)
        write_npz(path, {"vertices": points, "faces": faces})
        return _result(python, _BLENDER_SCRIPT, kind, str(path))


def peer_row(peer: str) -> dict[str, Any]:
    """A row of the bench; where the peer is not installed its `ms_per_frame` is None, and `what` says so."""
    what, vertices = PEERS[peer]
    package = "newton" if peer == "newton_vbd" else "bpy"
    python = _python_with(package)
    if python is None:
        return {"what": f"{what}: {package} is not installed here", "vertices": vertices, "ms_per_frame": None}
    result = _result(python, NEWTON_SCRIPT) if package == "newton" else _blender(python, _MODIFIERS[peer], vertices)
    count, seconds, travel = result
    warm = COLD - 1  # the start is not among them
    return {"what": what, "vertices": count, "frames": len(seconds) - warm, **summarised(seconds[warm:], travel[warm:])}
