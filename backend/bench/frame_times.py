"""Benchmark of a take: milliseconds a frame, and ratios within one run (machines differ, ratios do not)."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
from tqdm import tqdm

from .. import engine
from ..kinematics.decode import decode_frames
from .live_latency import LIVE_SIZES, live_rows
from .peers import PEERS, peer_row
from .scenes import COLD, FRAMES, SCENES, sphere, summarised

__all__ = ["ratios", "run", "table"]

SIZES = (1_000, 4_913, 12_642, 100_000, 1_000_000)
QUICK_SIZES = (4_913, 12_642)  # those of the peers
HANDLES = (8, 16, 32)
DEFAULT = "as many handles as needed"  # what a take without the key `handles` has
WATCHED = 1_000  # vertices whose way is measured


def _what(scene: str, handles: int | str) -> str:
    return f"elastic sphere, {scene}, " + (handles if isinstance(handles, str) else f"{handles} handles")


def _measure(analysis: engine.Analysis, scene: str, handles: int | str) -> dict[str, Any]:
    points = analysis.mesh.vertices
    begin = perf_counter()
    asked = {} if handles == DEFAULT else {"handles": handles}
    take = engine.prepare([analysis], [{"frames": FRAMES, "provider": "elastic", **asked, **SCENES[scene]}])
    prepared = perf_counter() - begin
    weights, seconds, moved = take.members[0].motion.weights, [], []
    frames = take.frames(lambda: False)
    for _ in range(FRAMES):
        begin = perf_counter()
        (frame,) = next(frames)
        seconds.append(perf_counter() - begin)
        moved.append(frame.handles)
    transforms = np.array(moved)
    begin = perf_counter()
    # A million vertices times all frames would not fit: decode a few and say what one costs.
    decoded = decode_frames(points, weights, transforms[: max(1, min(FRAMES, 12_000_000 // len(points)))])
    decode = 1e3 * (perf_counter() - begin) / len(decoded)
    watched = np.linspace(0, len(points) - 1, min(WATCHED, len(points))).astype(int)
    path = decode_frames(points[watched], weights[watched], transforms)
    travel = np.sqrt((np.diff(path, axis=0) ** 2).sum(axis=2).mean(axis=1))
    times = summarised(seconds[COLD:], travel[COLD - 1 :].tolist(), decode)
    report = take.report()
    return {
        "what": _what(scene, handles),
        "vertices": len(points),
        "handles": int(weights.shape[1]),
        "frames": FRAMES - COLD,
        **times,
        "solve_ms_per_frame": times["ms_per_frame"] - decode,
        "mean_solve_ms_per_frame": times["mean_ms_per_frame"] - decode,
        "decode_ms_per_frame": decode,
        "analyze_seconds": analysis.seconds + prepared,
        "newton_iterations_per_frame": report["newton_iterations"] / FRAMES,
    }


def _analysed(vertices: int) -> engine.Analysis:
    return engine.analyze(*sphere(vertices), "elastic")


def run(peers: bool, quick: bool = False) -> dict[str, Any]:
    """Rows of measurements and the ratios that the project promises; `quick` leaves out sizes and counts of handles."""
    _measure(_analysed(1_000), "free", DEFAULT)  # imports, caches and the clock of the processor get warm
    rows = []
    counts = (DEFAULT,) if quick else (DEFAULT, *HANDLES)
    for size in tqdm(QUICK_SIZES if quick else SIZES, desc="elastic", leave=False):
        analysis = _analysed(size)
        rows += [_measure(analysis, scene, count) for count in counts for scene in SCENES]
    for size in tqdm(LIVE_SIZES[:1] if quick else LIVE_SIZES, desc="live", leave=False):
        rows += live_rows(size)
    if peers:
        rows += [peer_row(peer) for peer in tqdm(PEERS, desc="peers", leave=False)]
    return {"rows": rows, "ratios": ratios(rows)}


def _nearest(rows: list[dict[str, Any]], handles: int | str, vertices: int) -> dict[str, Any] | None:
    """Our free row of this size, to a hundredth: a sphere cannot have every number of vertices."""
    free = (row for row in rows if row["what"] == _what("free", handles))
    return next((row for row in free if abs(row["vertices"] - vertices) < 0.01 * vertices), None)


def ratios(rows: list[dict[str, Any]]) -> dict[str, float]:
    """How many times longer a peer's frame takes than ours free, on meshes of the same size; and what size costs us.

    By medians, and by means with `_mean`; against a take with default handles, or with the number at the end.
    """
    found: dict[str, float] = {}
    for peer, (what, vertices) in PEERS.items():
        theirs = next((row for row in rows if row["what"] == what), None)
        if theirs is None:  # not installed
            continue
        for count in (DEFAULT, *HANDLES):
            ours = _nearest(rows, count, vertices)
            if ours is None:
                continue
            name = f"{peer}_over_elastic" + ("" if count == DEFAULT else f"_{count}_handles")
            found[name] = theirs["ms_per_frame"] / ours["ms_per_frame"]
            found[f"{name}_mean"] = theirs["mean_ms_per_frame"] / ours["mean_ms_per_frame"]
    few, many = (_nearest(rows, DEFAULT, size) for size in (SIZES[0], SIZES[-1]))
    if few and many:
        name = f"solve_{SIZES[-1]}_over_{SIZES[0]}"
        found[name] = many["solve_ms_per_frame"] / few["solve_ms_per_frame"]
        found[f"{name}_mean"] = many["mean_solve_ms_per_frame"] / few["mean_solve_ms_per_frame"]
    return found


def table(result: dict[str, Any]) -> str:
    """The result as text."""
    columns = {
        "ms_per_frame": "ms/frame",
        "mean_ms_per_frame": "mean",
        "solve_ms_per_frame": "solve",
        "decode_ms_per_frame": "decode",
        "analyze_seconds": "analyze s",
    }
    width = max(len(row["what"]) for row in result["rows"])
    lines = [f"{'what':{width}} {'vertices':>10}" + "".join(f" {title:>9}" for title in columns.values())]
    for row in result["rows"]:
        cells = ("-" if row.get(key) is None else f"{row[key]:.2f}" for key in columns)
        lines.append(f"{row['what']:{width}} {row['vertices']:>10,}" + "".join(f" {cell:>9}" for cell in cells))
    return "\n".join(lines + [f"{name}: {value:.2f}" for name, value in result["ratios"].items()])
