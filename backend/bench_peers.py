"""Other solvers in the same run, each in a process of its own: the backend itself imports neither bpy nor newton.

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

from .bench_newton import NEWTON_SCRIPT
from .bench_scenes import COLD, FRAMES, sphere, summarised
from .io import write_npz

__all__ = ["PEERS", "peer_row"]

# Both with the settings that a new modifier has; its own sphere each, under gravity.
_BLENDER_SCRIPT = """
import json, os, sys, time
import bpy
import numpy as np

data, frames = np.load(sys.argv[1]), int(sys.argv[2])
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
print("RESULT " + json.dumps([len(before), seconds, travel]), flush=True)
os._exit(0)  # the bpy module can hang in its own clean-up at exit
"""

PEERS: dict[str, tuple[str, int]] = {
    "soft_body": ("Blender Soft Body", 12_642),
    "cloth": ("Blender Cloth", 12_642),
    "newton_vbd": ("Newton VBD, 10 steps a frame, 10 iterations, CPU", 4_913),
}


def _newton_python() -> str | None:
    """The interpreter that has the package newton: this one, or that of `build.py compare`; None: neither."""
    if importlib.util.find_spec("newton") is not None:
        return sys.executable
    made = Path(__file__).resolve().parents[1] / "build/compare"
    found = [python for python in (made / "bin/python", made / "Scripts/python.exe") if python.exists()]
    return str(found[0]) if found else None


def _result(command: list[str]) -> tuple[int, list[float], list[float]] | None:
    """Vertices, seconds and metres for every frame after the start; None where the child ended without them."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        if line.startswith("RESULT "):
            return tuple(json.loads(line[7:]))
    return None


def peer_row(peer: str) -> dict[str, Any]:
    """A row of the bench; its `ms_per_frame` is None where the peer is not installed, and `what` says so."""
    what, vertices = PEERS[peer]
    if peer == "newton_vbd":
        python = _newton_python()
        result = None if python is None else _result([python, "-c", NEWTON_SCRIPT, str(FRAMES)])
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "mesh.npz"
            points, faces = sphere(vertices)
            write_npz(path, {"vertices": points, "faces": faces})
            kind = {"soft_body": "SOFT_BODY", "cloth": "CLOTH"}[peer]
            result = _result([sys.executable, "-c", _BLENDER_SCRIPT, str(path), str(FRAMES), kind])
    if result is None:
        package = "newton" if peer == "newton_vbd" else "bpy"
        return {"what": f"{what}: {package} is not installed here", "vertices": vertices, "ms_per_frame": None}
    count, seconds, travel = result
    warm = COLD - 1  # the start is not among them
    return {"what": what, "vertices": count, **summarised(seconds[warm:], travel[warm:])}
