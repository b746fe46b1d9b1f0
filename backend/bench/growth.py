"""Benchmark of growth: 10 to 100 boxes rain into a bin; how much a frame costs for each, beside other solvers.

The same boxes in MuJoCo and in Blender's Rigid Body, where they are installed. Seconds are those of the processor:
others that run on the machine do not count.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Sequence
from statistics import fmean, median
from time import process_time
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from .. import engine
from ..data.shapes import Piece, box, joined
from ..kinematics.base import Array
from ..kinematics.decode import decode_frames
from .penetration import deepest

__all__ = ["COUNTS", "growth_table", "rain", "run_growth"]

COUNTS = (10, 20, 50, 100)
FRAMES, FPS = 120, 24.0
SIZE = 0.3  # m, of a box
FRICTION, DENSITY = 0.5, 1000.0
WALL = 0.2  # m
APART = 0.6  # m between the centres of boxes that wait above the bin
SETTLED = 12  # frames at the end whose motion is jitter
_MUJOCO_STEPS = 20  # of 1/480 s in a frame, near its default of 2 ms


def rain(count: int, seed: int = 0) -> tuple[Array, Array, float]:
    """Centres Float[n,3] m and turns Float[n,3] (rotation vectors) of boxes above a bin, and half its inner width."""
    random = np.random.default_rng(seed)
    across = max(2, int(np.ceil((0.5 * count) ** (1 / 3))))
    layer, place = np.divmod(np.arange(count), across * across)
    cells = np.stack([place % across, place // across], axis=1) - 0.5 * (across - 1)
    centres = np.column_stack([APART * cells, 0.5 + APART * layer]) + random.uniform(-0.03, 0.03, (count, 3))
    return centres, Rotation.random(count, random_state=seed).as_rotvec(), 0.5 * APART * across


def _boards(half: float) -> list[tuple[Array, Array]]:
    """Centres and half sizes of the floor and the four walls of a bin."""
    high, wide = 2.0, half + 0.5 * WALL
    boards = [(np.array([0.0, 0.0, -0.5 * WALL]), np.array([half + WALL, half + WALL, 0.5 * WALL]))]
    for axis in (0, 1):
        for sign in (-1.0, 1.0):
            centre, size = np.array([0.0, 0.0, high]), np.array([half + WALL, half + WALL, high])
            centre[axis], size[axis] = sign * wide, 0.5 * WALL
            boards.append((centre, size))
    return boards


def _box(half: Array, centre: Array) -> Piece:
    return box(centre - half, centre + half)


def _ours(count: int) -> dict[str, Any]:
    """A row: CPU seconds of a frame, how deep boxes are in each other at the end, and how much they still move."""
    centres, turns, half = rain(count)
    cube = _box(np.full(3, 0.5 * SIZE), np.zeros(3))
    meshes = [(Rotation.from_rotvec(turn).apply(cube[0]) + c, cube[1]) for c, turn in zip(centres, turns, strict=True)]
    bin_vertices, bin_faces = joined(*(_box(size, centre) for centre, size in _boards(half)))
    collider = {"vertices": bin_vertices.tolist(), "triangles": bin_faces.tolist(), "friction": FRICTION}
    shared = {"frames": FRAMES, "fps": FPS, "anchor": "none", "friction": FRICTION, "density": DENSITY}
    shared["colliders"] = [collider]
    analyses = [engine.analyze(*mesh, "rigid") for mesh in meshes]
    take = engine.prepare(analyses, [shared] * count)
    seconds, frames = [], []
    begin = process_time()
    for frame in take.frames(lambda: False):
        seconds.append(process_time() - begin)
        frames.append(frame)
        begin = process_time()
    last = [
        decode_frames(mesh[0], member.motion.weights, [frame[number].handles for frame in frames[-SETTLED:]])
        for number, (mesh, member) in enumerate(zip(meshes, take.members, strict=True))
    ]
    ways = [np.linalg.norm(np.diff(place, axis=0), axis=2).sum(axis=0).max() for place in last]
    places = [place[-1].astype(float) for place in last]
    depths = [
        deepest((one, cube[1]), (other, cube[1]))
        for number, one in enumerate(places)
        for place, other in enumerate(places)
        if place != number and np.linalg.norm(one.mean(axis=0) - other.mean(axis=0)) < 2.0 * SIZE
    ]
    return {
        **_timed("boxes", count, seconds[1:]),
        "deepest": max(depths, default=0.0) / SIZE,
        "jitter": max(ways) * FPS / (SETTLED - 1) / SIZE,
        "newton_iterations": take.report()["newton_iterations"] / FRAMES,
    }


def _timed(what: str, count: int, seconds: Sequence[float]) -> dict[str, Any]:
    frame = 1e3 * fmean(seconds)
    return {
        "what": what,
        "count": count,
        "mean_ms_per_frame": frame,
        "ms_per_frame": 1e3 * median(seconds),
        "mean_ms_per_frame_and_thing": frame / count,
    }


def _mujoco(count: int) -> dict[str, Any]:
    import mujoco

    centres, turns, half = rain(count)
    quaternions = Rotation.from_rotvec(turns).as_quat()[:, [3, 0, 1, 2]]
    geom = f'type="box" friction="{FRICTION} 0.005 0.0001"'

    def words(values: Array) -> str:
        return " ".join(f"{value:.9g}" for value in values)

    boards = [f'<geom {geom} pos="{words(centre)}" size="{words(size)}"/>' for centre, size in _boards(half)]
    bodies = [
        f'<body pos="{words(centre)}" quat="{words(turn)}"><freejoint/>'
        f'<geom {geom} size="{words(np.full(3, 0.5 * SIZE))}" density="{DENSITY}"/></body>'
        for centre, turn in zip(centres, quaternions, strict=True)
    ]
    option = f'<option timestep="{1.0 / FPS / _MUJOCO_STEPS}"/><size memory="256M"/>'
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco>{option}<worldbody>{''.join(boards + bodies)}</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    seconds = []
    for _ in range(FRAMES - 1):
        begin = process_time()
        for _ in range(_MUJOCO_STEPS):
            mujoco.mj_step(model, data)
        seconds.append(process_time() - begin)
    depth = max([0.0, *(-contact.dist for contact in data.contact)])
    return {
        **_timed(f"MuJoCo {mujoco.__version__}, {_MUJOCO_STEPS} steps a frame", count, seconds),
        "deepest": depth / SIZE,
    }


_BLENDER_SCRIPT = """
import json, os, sys, time
import bpy

scene_of, frames, fps, friction, density = json.load(sys.stdin), *(float(word) for word in sys.argv[1:5])
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
scene = bpy.context.scene
scene.render.fps = round(fps)
scene.frame_start, scene.frame_end = 1, int(frames)
bpy.ops.rigidbody.world_add()
scene.rigidbody_world.point_cache.frame_end = int(frames)
corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
for kind, centre, turn, size in scene_of:
    mesh = bpy.data.meshes.new("box")
    mesh.from_pydata([[a * b for a, b in zip(corner, size)] for corner in corners], [], faces)
    thing = bpy.data.objects.new("box", mesh)
    scene.collection.objects.link(thing)
    thing.location, thing.rotation_mode, thing.rotation_quaternion = centre, "QUATERNION", turn
    bpy.context.view_layer.objects.active = thing
    bpy.ops.rigidbody.object_add()
    body = thing.rigid_body
    body.type, body.friction, body.collision_shape = kind, friction, "BOX"
    body.mass = 8 * density * size[0] * size[1] * size[2]
scene.frame_set(1)
seconds = []
for frame in range(2, int(frames) + 1):
    begin = time.process_time()
    scene.frame_set(frame)
    seconds.append(time.process_time() - begin)
print("RESULT " + json.dumps([seconds, list(bpy.app.version)]), flush=True)
os._exit(0)  # the bpy module can hang in its own clean-up at exit
"""


def _blender(count: int) -> dict[str, Any]:
    centres, turns, half = rain(count)
    quaternions = Rotation.from_rotvec(turns).as_quat()[:, [3, 0, 1, 2]]
    things = [("PASSIVE", c.tolist(), [1.0, 0.0, 0.0, 0.0], size.tolist()) for c, size in _boards(half)]
    things += [
        ("ACTIVE", centre.tolist(), turn.tolist(), [0.5 * SIZE] * 3)
        for centre, turn in zip(centres, quaternions, strict=True)
    ]
    words = [str(word) for word in (FRAMES, FPS, FRICTION, DENSITY)]
    done = subprocess.run(
        [sys.executable, "-c", _BLENDER_SCRIPT, *words], input=json.dumps(things), capture_output=True, text=True
    )
    for line in done.stdout.splitlines():
        if line.startswith("RESULT "):
            seconds, version = json.loads(line.removeprefix("RESULT "))
            return _timed(f"Blender {'.'.join(map(str, version))} Rigid Body, 10 steps a frame", count, seconds)
    return {"what": "Blender's Rigid Body failed", "count": count, "mean_ms_per_frame": None}


def run_growth(peers: bool, quick: bool) -> dict[str, Any]:
    """A row for each count and solver, and how much the cost of a frame for each grows from the first to the last."""
    counts = COUNTS[:2] if quick else COUNTS
    _ours(2)  # compiles, or fetches what was compiled
    rows = [_ours(count) for count in counts]
    if peers:
        for module, measure in (("mujoco", _mujoco), ("bpy", _blender)):
            if importlib.util.find_spec(module) is not None:
                rows += [measure(count) for count in counts]
    return {"rows": rows, "ratios": _ratios(rows)}


def _ratios(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    found: dict[str, float] = {}
    cost = {(row["what"], row["count"]): row["mean_ms_per_frame"] for row in rows if row["mean_ms_per_frame"]}
    kinds = list(dict.fromkeys(what for what, _ in cost))
    for what in kinds:
        counts = sorted(count for name, count in cost if name == what)
        first, last = counts[0], counts[-1]
        found[f"{what}: cost of each of {last} over that of each of {first}"] = (
            cost[what, last] / last / (cost[what, first] / first)
        )
        for count in counts:
            if what != "boxes" and ("boxes", count) in cost:
                found[f"{what} over boxes, {count}"] = cost[what, count] / cost["boxes", count]
    return found


def growth_table(result: dict[str, Any]) -> str:
    """The result as text."""
    lines = [f"{'things':>6} {'ms a frame':>11} {'median':>8} {'each':>8} {'deepest %':>10} {'jitter %/s':>11}  what"]
    for row in result["rows"]:
        if row["mean_ms_per_frame"] is None:
            lines.append(f"{row['count']:>6} {'':>52}  {row['what']}")
            continue
        depth, jitter = (f"{100.0 * row[key]:.3f}" if key in row else "" for key in ("deepest", "jitter"))
        numbers = f"{row['mean_ms_per_frame']:>11.2f} {row['ms_per_frame']:>8.2f}"
        each = f"{row['mean_ms_per_frame_and_thing']:>8.3f}"
        lines.append(f"{row['count']:>6} {numbers} {each} {depth:>10} {jitter:>11}  {row['what']}")
    return "\n".join(lines + [f"{name}: {value:.3g}" for name, value in result["ratios"].items()])
