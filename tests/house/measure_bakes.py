"""Bakes one motion of 100,000 vertices in all four ways and prints what each takes, as a table or as JSON (--json).

`--rings N` makes it smaller. Run in the staged tree: `PYTHONPATH=build/stage python tests/house/measure_bakes.py`. The
motion is made here, so that nothing has to be simulated: a bar that turns as a whole, bends, twists and shakes in modes
of both signs, as an elastic object with 16 handles does.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import tempfile
import time
from pathlib import Path

import bpy
import numpy as np

VERTICES_AROUND, USUAL_RINGS = 250, 400
FRAMES, MODES, FPS = 250, 15, 24.0
BUDGET_SECONDS = 0.02  # as the button has it
ROUNDS = 3
KINDS = ("SHAPE_KEYS", "COMPRESSED", "ARMATURE", "CACHE")


def add_bar(rings: int) -> bpy.types.Object:
    """A closed tube, 2 m long and 0.4 m thick."""
    angle = np.linspace(0.0, 2.0 * np.pi, VERTICES_AROUND, endpoint=False)
    height = np.linspace(0.0, 2.0, rings)
    places = np.empty((rings, VERTICES_AROUND, 3), np.float32)
    places[..., 0], places[..., 1] = 0.2 * np.cos(angle), 0.2 * np.sin(angle)
    places[..., 2] = height[:, None]
    ring, around = np.meshgrid(np.arange(rings - 1), np.arange(VERTICES_AROUND), indexing="ij")
    following = (around + 1) % VERTICES_AROUND
    corners = [ring * VERTICES_AROUND + around, ring * VERTICES_AROUND + following]
    corners += [(ring + 1) * VERTICES_AROUND + following, (ring + 1) * VERTICES_AROUND + around]
    faces = np.stack(corners, axis=-1).reshape(-1, 4)
    mesh = bpy.data.meshes.new("Bar")
    mesh.from_pydata(places.reshape(-1, 3).tolist(), [], faces.tolist())
    bar = bpy.data.objects.new("Bar", mesh)
    bpy.context.scene.collection.objects.link(bar)
    bpy.context.view_layer.objects.active = bar
    bpy.context.view_layer.update()
    return bar


def motion(rest: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Weights Float32[V,16], a constant column and 15 smooth modes, and handles Float32[T][16,3,4]."""
    along = rest[:, 2] / 2.0
    numbers = np.arange(1, MODES + 1)
    modes = np.cos(np.pi * along[:, None] * numbers) * (1.0 + 0.3 * rest[:, :1] * numbers % 2)
    weights = np.column_stack([np.ones(len(rest)), modes]).astype(np.float32)
    rng = np.random.default_rng(3)
    shapes = rng.normal(size=(MODES, 3, 4)) * 0.12 / numbers[:, None, None]
    hertz, phases = 1.0 + 0.8 * numbers, rng.uniform(0.0, 2.0 * np.pi, MODES)
    handles = []
    for frame in range(FRAMES):
        seconds = frame / FPS
        turn = 0.6 * np.sin(2.0 * np.pi * 0.3 * seconds)
        whole = np.array([[np.cos(turn), 0, np.sin(turn), 0], [0, 1, 0, 0], [-np.sin(turn), 0, np.cos(turn), 0]])
        size = np.sin(2.0 * np.pi * hertz * seconds + phases) - np.sin(phases)
        made = np.concatenate([whole[None], np.exp(-0.3 * seconds) * size[:, None, None] * (whole[:, :3] @ shapes)])
        handles.append(made.astype(np.float32))
    return weights, handles


def bare_loop(bar: bpy.types.Object, shapes) -> float:
    """Seconds for keys of these shapes and nothing else."""
    bar.shape_key_add(name="Basis", from_mix=False)
    started = time.perf_counter()
    for number, shape in enumerate(shapes):
        bar.shape_key_add(name=str(number), from_mix=False).points.foreach_set("co", shape.reshape(-1))
    seconds = time.perf_counter() - started
    bar.shape_key_clear()
    return seconds


def measure(rings: int) -> dict[str, dict[str, float]]:
    from neurok_blender.job.motion import Shape, StreamedMotion
    from neurok_blender.scene.bakes.kinds import BakeOptions, bake_of
    from neurok_blender.scene.bakes.ledger import clear
    from neurok_blender.scene.bakes.take_numbers import object_size
    from neurok_blender.scene.mesh_io import snapshot
    from neurok_blender.scene.takes import SceneTake

    bpy.ops.wm.read_homefile(use_empty=True)
    folder = Path(tempfile.mkdtemp())
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "bakes.blend"))
    bar = add_bar(rings)
    shot = snapshot(bpy.context, bar)
    weights, handles = motion(shot.world)
    streamed = StreamedMotion(weights, False, FPS, FRAMES, [Shape(each) for each in handles])
    take = SceneTake.of(bar, shot, 1, streamed)
    ready, decoded, ours = [], [], []
    for _round in range(ROUNDS):  # in turn, so that whatever else the machine does slows all of them
        ready.append(bare_loop(bar, [take.shape(0)] * FRAMES))
        decoded.append(bare_loop(bar, (take.shape(index) for index in range(FRAMES))))
        started = time.perf_counter()
        bake_of(bpy.context, bar, take, BakeOptions()).advance(math.inf)
        ours.append(time.perf_counter() - started)
        clear(bar, bar.neurok.bakes[0])
    found = {"bare loop, one shape": {"seconds": min(ready)}, "bare loop, decoding": {"seconds": min(decoded)}}
    for kind in KINDS:
        slowest, calls, started = 0.0, 0, time.perf_counter()
        bake = bake_of(bpy.context, bar, take, BakeOptions(kind=kind))
        begun = time.perf_counter() - started
        complete = False
        while not complete:
            before = time.perf_counter()
            complete = bake.advance(BUDGET_SECONDS)
            slowest, calls = max(slowest, time.perf_counter() - before), calls + 1
        seconds = time.perf_counter() - started
        baked = bake.baked
        started = time.perf_counter()
        clear(bar, bar.neurok.bakes[0])
        found[kind.lower()] = {
            "seconds": seconds,
            "times_the_decoding_loop": seconds / min(decoded),
            "megabytes": baked.megabytes,
            "count": baked.count,
            "error_percent": 100.0 * baked.error / object_size(shot.evaluated),
            "begin_ms": 1000.0 * begun,
            "slowest_call_ms": 1000.0 * slowest,
            "calls": calls,
            "clear_ms": 1000.0 * (time.perf_counter() - started),
        }
    found["shape_keys"]["times_the_decoding_loop"] = min(ours) / min(decoded)
    found["shape_keys"]["times_the_copying_loop"] = min(ours) / min(ready)
    return found


def main() -> None:
    bpy.ops.preferences.addon_enable(module="neurok_blender")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--rings", type=int, default=USUAL_RINGS, help=f"the bar has {VERTICES_AROUND} vertices in each"
    )
    options = parser.parse_args()
    found = measure(options.rings)
    if options.json:
        print(json.dumps(found))
    else:
        print(f"{VERTICES_AROUND * options.rings:,} vertices, {FRAMES} frames")
        for name, row in found.items():
            print(f"{name:22}", "  ".join(f"{key} {value:.4g}" for key, value in row.items()))
    sys.stdout.flush()
    os._exit(0)  # the bpy module may hang at its own end


if __name__ == "__main__":
    main()
