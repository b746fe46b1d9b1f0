"""Benchmark of pointmaps: a robot arm with seven joints, 49 frames of 480 x 720, rendered and written.

What else runs on the machine makes the seconds longer, and hardly those that a core was busy with it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..pointmap.camera_file import DEFAULT_SIZE, read_camera
from ..pointmap.moving_surfaces import MovingSurfaces
from ..pointmap.render import Surface
from ..pointmap.render_take import DEFAULT_FRAMES, RenderSettings, make_pointmaps

__all__ = ["arm", "arm_camera", "pointmap_table", "run_pointmaps"]

JOINTS = 7
LINK = 0.25  # m from joint to joint
TRIANGLES = (500, 4_000, 25_000)  # of a link, about
QUICK_TRIANGLES = (500,)
QUICK_FRAMES = 5


def _tube(triangles: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A link along Z with round ends: vertices Float[V,3] in m, triangles Int[F,3]."""
    around = max(8, round(np.sqrt(triangles / 2)))
    along = max(4, round(triangles / (2 * around)))
    angle = 2.0 * np.pi * np.arange(around) / around
    place = np.linspace(0.0, np.pi, along + 1)
    radius = 0.45 * LINK * np.sqrt(np.sin(place))  # blunt ends
    height = 0.5 * LINK * (1.0 - 1.2 * np.cos(place))
    rings = np.stack([np.outer(radius, np.cos(angle)), np.outer(radius, np.sin(angle))], axis=-1)
    vertices = np.concatenate([rings, np.broadcast_to(height[:, None, None], (along + 1, around, 1))], axis=-1)
    first = np.arange(along)[:, None] * around + np.arange(around)
    second = np.arange(along)[:, None] * around + (np.arange(around) + 1) % around
    quads = np.stack([first, second, second + around, first + around], axis=-1).reshape(-1, 4)
    return vertices.reshape(-1, 3), np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def arm(triangles: int, frames: int) -> MovingSurfaces:
    """A base and seven links; the joints turn about Z and Y in turns, each in its own time."""
    vertices, faces = _tube(triangles)
    count, links = len(vertices), JOINTS + 1
    all_faces = np.concatenate([faces + number * count for number in range(links)])
    objects = np.repeat(np.arange(1, links + 1), len(faces))
    hue = np.arange(links)[:, None] / links + np.array([0.0, 1 / 3, 2 / 3])
    colors = np.repeat(0.5 + 0.4 * np.cos(2.0 * np.pi * hue), len(faces), axis=0)

    def surface(frame: int) -> Surface:
        rotation, origin, placed = np.eye(3), np.zeros(3), [vertices]
        for joint in range(JOINTS):
            origin = origin + rotation @ (0.0, 0.0, LINK)
            angle = 0.8 * np.sin(2.0 * np.pi * frame / frames * (1 + joint % 3) + joint)
            c, s = np.cos(angle), np.sin(angle)
            about_z, about_y = [[c, -s, 0], [s, c, 0], [0, 0, 1]], [[c, 0, s], [0, 1, 0], [-s, 0, c]]
            rotation = rotation @ np.array(about_y if joint % 2 else about_z)
            placed.append(vertices @ rotation.T + origin)
        return Surface(np.concatenate(placed), all_faces, colors, objects)

    return MovingSurfaces(frames, 24.0, [f"link {number}" for number in range(links)], surface)


def arm_camera() -> dict[str, Any]:
    """In front of the arm, which fills the picture from the bottom to the top; see `pointmap.camera_file`."""
    rows = [[1, 0, 0, 0], [0, 0, -1, -3.0], [0, 1, 0, 0.75], [0, 0, 0, 1]]
    return {"lens": 50.0, "matrix_world": rows}


def run_pointmaps(quick: bool = False) -> dict[str, Any]:
    """Rows of measurements, as `bench --json` prints them."""
    frames = QUICK_FRAMES if quick else DEFAULT_FRAMES
    track = read_camera(arm_camera(), DEFAULT_SIZE)
    rows = []
    for triangles in QUICK_TRIANGLES if quick else TRIANGLES:
        moving = arm(triangles, frames)
        with tempfile.TemporaryDirectory() as folder:
            for pictures in (None, Path(folder, "exr")):
                wanted = RenderSettings(Path(folder, "arm.npz"), pictures, frames)
                begin, busy = perf_counter(), process_time()
                report = make_pointmaps(moving, track, wanted, lambda _stage, _done, _total: None)
                seconds, busy = perf_counter() - begin, process_time() - busy
                drawing = report["stages"]["draw"]
                rows.append(
                    {
                        "what": f"pointmaps of an arm, {'.npz' if pictures is None else '.npz and OpenEXR'}",
                        "vertices": len(moving.surface(0).vertices),
                        "triangles": len(moving.surface(0).triangles),
                        "frames": frames,
                        "coverage": report["coverage"],
                        "seconds": seconds,
                        "processor_seconds": busy,
                        "ms_per_frame": 1000.0 * seconds / frames,
                        "draw_ms_per_frame": 1000.0 * drawing / frames,
                    }
                )
    return {"rows": rows, "ratios": {}}


def pointmap_table(result: dict[str, Any]) -> str:
    """The result as text."""
    width = max(len(row["what"]) for row in result["rows"])
    heads = ("triangles", "frames", "covered", "seconds", "of a core", "draw ms", "all ms")
    lines = [f"{'what':{width}} " + " ".join(f"{head:>9}" for head in heads)]
    for row in result["rows"]:
        lines.append(
            f"{row['what']:{width}} {row['triangles']:>9,} {row['frames']:>9} {row['coverage']:>9.1%}"
            f" {row['seconds']:>9.2f} {row['processor_seconds']:>9.2f}"
            f" {row['draw_ms_per_frame']:>9.1f} {row['ms_per_frame']:>9.1f}"
        )
    return "\n".join(lines)
