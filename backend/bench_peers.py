"""Blender's own solvers on the same mesh in the same run.

A child process, so that the backend itself never imports bpy.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from .io import write_npz
from .kinematics.base import Array

__all__ = ["soft_body_milliseconds"]

FRAMES = 119  # as many as ours after the first
_SCRIPT = """
import json, os, sys, time
import bpy
import numpy as np

data = np.load(sys.argv[1])
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
mesh = bpy.data.meshes.new("sphere")
mesh.from_pydata(data["vertices"].tolist(), [], data["faces"].tolist())
body = bpy.data.objects.new("sphere", mesh)
bpy.context.collection.objects.link(body)
body.modifiers.new("soft", "SOFT_BODY")
scene = bpy.context.scene
scene.frame_start, scene.frame_end = 1, 250
scene.frame_set(1)
seconds = []
for frame in range(2, 2 + int(sys.argv[2])):
    begin = time.perf_counter()
    scene.frame_set(frame)
    body.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices[0].co
    seconds.append(time.perf_counter() - begin)
print("RESULT " + json.dumps(seconds), flush=True)
os._exit(0)  # the bpy module can hang in its own clean-up at exit
"""


def soft_body_milliseconds(vertices: Array, triangles: np.ndarray) -> float | None:
    """Median milliseconds of one Soft Body frame with default settings; None where bpy does not import."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mesh.npz"
        write_npz(path, {"vertices": vertices, "faces": triangles})
        done = subprocess.run(
            [sys.executable, "-c", _SCRIPT, str(path), str(FRAMES)], capture_output=True, text=True, check=False
        )
    for line in done.stdout.splitlines():
        if line.startswith("RESULT "):
            return 1e3 * float(np.median(json.loads(line[7:])))
    return None
