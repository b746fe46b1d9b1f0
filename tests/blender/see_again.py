"""Imports a .glb, .fbx or .usdc into a Blender of its own, without the add-on, and writes down what it shows there.

    python tests/blender/see_again.py FILE OUT.npz FRAME...

Frames are counted from 1, the first one that has keys. `places` is Float32[T,V,3], world; `armature`: whether an
armature moves the mesh; `influences`: the most groups of a vertex.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import bpy
import numpy as np


def see(path: Path, frames: list[int]) -> dict[str, np.ndarray]:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = 24
    importers = {".glb": bpy.ops.import_scene.gltf, ".fbx": bpy.ops.import_scene.fbx, ".usdc": bpy.ops.wm.usd_import}
    assert importers[path.suffix](filepath=str(path)) == {"FINISHED"}
    # Importers add balls of their own, with few vertices, to draw bones by.
    (obj,) = [each for each in bpy.data.objects if each.type == "MESH" and len(each.data.vertices) > 50]
    offset = round(min(action.frame_range[0] for action in bpy.data.actions) - 1.0)
    places = []
    for frame in frames:
        scene.frame_set(frame + offset)
        evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
        local = np.empty((len(evaluated.data.vertices), 3), np.float32)
        evaluated.data.vertices.foreach_get("co", local.reshape(-1))
        matrix = np.array(evaluated.matrix_world)
        places.append(local @ matrix[:3, :3].T + matrix[:3, 3])
    counts = [sum(item.weight > 0.0 for item in vertex.groups) for vertex in obj.data.vertices]
    armature = any(modifier.type == "ARMATURE" for modifier in obj.modifiers)
    return {"places": np.array(places), "armature": np.array(armature), "influences": np.array(max(counts))}


if __name__ == "__main__":
    found = see(Path(sys.argv[1]), [int(word) for word in sys.argv[3:]])
    assert "neurok_blender" not in sys.modules
    np.savez(sys.argv[2], **found)
    sys.stdout.flush()
    os._exit(0)  # the bpy module may not come to its end
