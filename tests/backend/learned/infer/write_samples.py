"""Builds every sample of the add-on in a Blender of its own and writes each mesh to FOLDER/KIND.npz."""

from __future__ import annotations

import sys
from pathlib import Path

import bpy
import numpy as np


def triangulated(obj: bpy.types.Object) -> dict[str, np.ndarray]:
    """In metres of the world."""
    mesh = obj.data
    mesh.calc_loop_triangles()
    vertices = np.empty((len(mesh.vertices), 3), dtype=np.float32)
    mesh.vertices.foreach_get("co", vertices.ravel())
    triangles = np.empty((len(mesh.loop_triangles), 3), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles.ravel())
    slots = np.empty(len(triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("material_index", slots)
    turn = np.array(obj.matrix_world)
    return {"vertices": vertices @ turn[:3, :3].T + turn[:3, 3], "triangles": triangles, "slots": slots}


if __name__ == "__main__":
    bpy.ops.preferences.addon_enable(module="neurok_blender")
    for kind in ("PLANT", "TOY", "FLAG", "CABINET"):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        bpy.ops.neurok.sample_add(kind=kind)
        np.savez(Path(sys.argv[1]) / f"{kind}.npz", **triangulated(bpy.context.object))
