"""Opens a sample's .blend in a Blender of its own, simulates what is active and prints what moved as a line of JSON."""

from __future__ import annotations

import json
import sys

import bpy
import numpy as np

from tests.leave import leave

FRAMES = 12


def simulated(path: str) -> dict:
    bpy.ops.preferences.addon_enable(module="neurok_blender")
    bpy.ops.wm.open_mainfile(filepath=path)
    from neurok_blender import api

    scene, sample = bpy.context.scene, bpy.context.object
    found = {
        "name": sample.name,
        "frames": [scene.frame_start, scene.frame_end, scene.neurok.frame_count],
        "camera": scene.camera is not None,
        "conditions": len(sample.neurok.conditions),
        "files": len(bpy.data.libraries) + len([image for image in bpy.data.images if image.filepath]),
    }
    scene.neurok.frame_count = FRAMES
    bpy.ops.neurok.simulate()
    motion = api.motion_of(sample)
    first, last = motion.positions(motion.frames[0]), motion.positions(motion.frames[-1])
    moved = float(np.linalg.norm(last - first, axis=1).max())
    return found | {"simulated": len(motion.frames), "moved": moved / max(sample.dimensions)}


if __name__ == "__main__":
    print(json.dumps(simulated(sys.argv[1])))
    leave(0)
