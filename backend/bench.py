"""`python -m backend bench`: milliseconds a frame, and ratios within one run (machines differ, ratios do not)."""

from __future__ import annotations

from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from . import engine
from .bench_peers import soft_body_milliseconds
from .decode import decode_frames
from .kinematics.base import Array

__all__ = ["run", "table"]

PEER_VERTICES = 12_642
FRAMES = 120


def sphere(vertices: int) -> tuple[Array, np.ndarray]:
    """A latitude-longitude sphere of diameter 1 m with nearly this many vertices: Float[V,3], Int[F,3]."""
    rings = round(np.sqrt(vertices - 2))
    around = round((vertices - 2) / rings)
    polar = np.pi * np.arange(1, rings + 1) / (rings + 1)
    angle = 2.0 * np.pi * np.arange(around) / around
    level, turn = np.meshgrid(polar, angle, indexing="ij")
    grid = np.stack([np.sin(level) * np.cos(turn), np.sin(level) * np.sin(turn), np.cos(level)], axis=-1).reshape(-1, 3)
    points = 0.5 * np.vstack([grid, [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]])
    index = np.arange(rings * around).reshape(rings, around)
    right = np.roll(index, -1, axis=1)
    top, bottom = rings * around, rings * around + 1
    faces = [
        np.stack([index[:-1], index[1:], right[1:]], axis=-1).reshape(-1, 3),
        np.stack([index[:-1], right[1:], right[:-1]], axis=-1).reshape(-1, 3),
        np.stack([np.full(around, top), index[0], right[0]], axis=-1),
        np.stack([np.full(around, bottom), right[-1], index[-1]], axis=-1),
    ]
    return points, np.vstack(faces)


SCENES: dict[str, dict[str, Any]] = {
    "poked, free": {
        "anchor": "none",
        "gravity": [0.0, 0.0, 0.0],
        "pokes": [{"point": [0.5, 0.0, 0.0], "speed": [-1.0, 0.0, 0.3], "radius": 0.2}],
    },
    "dropped on the ground": {"anchor": "none", "ground": {"height": -0.7}},
}


def _measure(what: str, vertices: int) -> dict[str, Any]:
    points, triangles = sphere(vertices)
    begin = perf_counter()
    analysis = engine.analyze(points, triangles)
    take = engine.prepare(analysis, {"frames": FRAMES, **SCENES[what]})
    ready = perf_counter()
    solve, handles = [], []
    frames = take.frames(lambda: False)
    while True:
        start = perf_counter()
        frame = next(frames, None)
        if frame is None:
            break
        solve.append(1e3 * (perf_counter() - start))
        handles.append(frame.handles)
    start = perf_counter()
    # A million vertices times all frames would not fit: decode a few and say what one costs.
    decoded = decode_frames(points, take.weights, np.array(handles[: max(1, min(FRAMES, 12_000_000 // len(points)))]))
    decode = 1e3 * (perf_counter() - start) / len(decoded)
    report = take.report()
    return {
        "what": f"elastic sphere, {what}",
        "vertices": len(points),
        "handles": int(take.weights.shape[1]),
        "ms_per_frame": median(solve) + decode,
        "solve_ms_per_frame": median(solve),
        "mean_solve_ms_per_frame": sum(solve) / len(solve),
        "decode_ms_per_frame": decode,
        "analyze_seconds": ready - begin,
        "newton_iterations_per_frame": report["newton_iterations"] / FRAMES,
    }


def run(peers: bool) -> dict[str, Any]:
    """Rows of measurements and the ratios that the project promises."""
    _measure("poked, free", 1_000)  # imports, caches and the clock of the processor get warm
    rows = [_measure(what, vertices) for what in SCENES for vertices in (1_000, PEER_VERTICES, 100_000, 1_000_000)]
    by = {(row["what"], row["vertices"]): row for row in rows}
    free = sorted(count for what, count in by if what.endswith("free"))
    name = "elastic sphere, poked, free"
    ratios = {
        "solve_1000000_over_1000": by[name, free[-1]]["mean_solve_ms_per_frame"]
        / by[name, free[0]]["mean_solve_ms_per_frame"]
    }
    if peers:
        soft = soft_body_milliseconds(*sphere(PEER_VERTICES))
        ours = by[name, free[1]]
        if soft is None:
            rows.append(
                {
                    "what": "Blender Soft Body: bpy does not import here",
                    "vertices": ours["vertices"],
                    "ms_per_frame": None,
                }
            )
        else:
            rows.append({"what": "Blender Soft Body", "vertices": ours["vertices"], "ms_per_frame": soft})
            ratios["soft_body_over_elastic"] = soft / ours["ms_per_frame"]
    return {"rows": rows, "ratios": ratios}


def table(result: dict[str, Any]) -> str:
    """The result as text."""
    lines = [f"{'what':42} {'vertices':>10} {'ms/frame':>9} {'solve':>8} {'decode':>8} {'analyze s':>10}"]
    for row in result["rows"]:
        cells = [
            row.get(key) for key in ("ms_per_frame", "solve_ms_per_frame", "decode_ms_per_frame", "analyze_seconds")
        ]
        shown = ["-" if cell is None else f"{cell:.2f}" for cell in cells]
        lines.append(
            f"{row['what']:42} {row['vertices']:>10,} {shown[0]:>9} {shown[1]:>8} {shown[2]:>8} {shown[3]:>10}"
        )
    return "\n".join(lines + [f"{name}: {value:.2f}" for name, value in result["ratios"].items()])
