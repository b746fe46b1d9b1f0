"""A sample scene in a Blender of its own: simulated once, baked three ways, each exported by Blender's glTF exporter.

    python tests/browser/made_in_blender.py KIND FOLDER

Writes KIND.glb, the object as it was drawn; KIND.json, its conditions for the command line; KIND_<bake>.glb; and
KIND.npz: `places` (T,V,3) of the simulated frames, and of each bake `<bake>` (T,V,3) where Blender shows the vertices
and `<bake> off`, how far the bake says that they may be off. Metres in the world, Z up.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "build" / "stage"), str(ROOT)]
FRAMES = 36
BAKES = ("SHAPE_KEYS", "COMPRESSED", "ARMATURE")


def make(kind: str, folder: Path) -> None:
    import bpy  # reads BLENDER_USER_RESOURCES as it starts
    import numpy as np

    bpy.ops.preferences.addon_enable(module="neurok_blender")
    from neurok_blender import api

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.neurok.sample_add(kind=kind.upper())
    scene, sample = bpy.context.scene, bpy.context.object
    scene.neurok.frame_count = FRAMES
    scene.frame_start, scene.frame_end = 1, FRAMES
    for other in scene.objects:
        other.select_set(other == sample)
    # Exporters split and reorder vertices; what begins with an underscore goes with each of them.
    numbers = sample.data.attributes.new("_ID", "FLOAT", "POINT")
    numbers.data.foreach_set("value", np.arange(len(sample.data.vertices), dtype=np.float32))

    def export(path: Path) -> None:
        bpy.ops.export_scene.gltf(filepath=str(path), use_selection=True, export_attributes=True)

    export(folder / f"{kind}.glb")
    told = api.conditions(sample)
    wanted = {
        name: told[name] for name in ("provider", "pokes", "velocities", "stiffness_hz", "gravity") if name in told
    }
    (folder / f"{kind}.json").write_text(json.dumps(wanted | {"frames": FRAMES, "fps": scene.render.fps}))
    (motion,) = api.simulate(sample)
    arrays = {"places": np.array([motion.positions(frame) for frame in motion.frames])}
    for bake in BAKES:
        baked = api.bake(sample, bake, name=bake)
        arrays[bake], arrays[f"{bake} off"] = _shown(sample, motion.frames), np.array(baked.error)
        if baked.kind == "ARMATURE":
            sample.neurok.bakes[0].armature.select_set(True)
        export(folder / f"{kind}_{bake.lower()}.glb")
        api.clear_bake(sample, baked.name)
    np.savez(folder / f"{kind}.npz", **arrays)


def _shown(obj, frames: range):
    """Where Blender shows the vertices in the world [T,V,3]."""
    import bpy
    import numpy as np

    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
        local = np.empty((len(evaluated.data.vertices), 3), np.float32)
        evaluated.data.vertices.foreach_get("co", local.reshape(-1))
        matrix = np.array(evaluated.matrix_world)
        found.append(local @ matrix[:3, :3].T + matrix[:3, 3])
    return np.array(found)


if __name__ == "__main__":
    from tests.leave import leave

    with tempfile.TemporaryDirectory() as user:
        # A Blender of its own: the artist's preferences and extensions are neither read nor written.
        os.environ["BLENDER_USER_RESOURCES"] = user
        make(sys.argv[1], Path(sys.argv[2]))
    leave(0)
