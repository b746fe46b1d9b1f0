"""Benchmark of batches: takes a minute of 1 worker and of 2, in turns within one run.

What else runs on the machine takes its share of a second core, so a bare loop is timed beside, in 1 process and in 2.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from ..batch.run_batch import batch
from ..io import write_npz
from .scenes import FRAMES, SCENES, sphere

__all__ = ["batch_table", "run_batches"]

WORKERS = (1, 2)
VERTICES, TAKES, ROUNDS = 4_913, 16, 2
QUICK_TAKES, QUICK_ROUNDS = 6, 1
LOOP = "for _ in range(50_000_000): pass"


def run_batches(quick: bool = False) -> dict[str, Any]:
    """Rows of measurements, and how many times more takes, and loops, two processes make in the same time."""
    takes, rounds = (QUICK_TAKES, QUICK_ROUNDS) if quick else (TAKES, ROUNDS)
    seconds, bare = dict.fromkeys(WORKERS, 0.0), dict.fromkeys(WORKERS, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        vertices = _write_sphere(Path(folder))
        for number in range(rounds):
            for workers in WORKERS:
                jobs = _jobs(Path(folder), takes, f"{number} {workers}")
                begin = perf_counter()
                batch(jobs, workers)
                seconds[workers] += perf_counter() - begin
                bare[workers] += _loops(workers)
    rows = [
        {
            "what": f"batch of an elastic sphere, {workers} worker{'s' * (workers > 1)}",
            "vertices": vertices,
            "frames": FRAMES,
            "takes": takes * rounds,
            "seconds": seconds[workers],
            "takes_per_minute": 60.0 * takes * rounds / seconds[workers],
        }
        for workers in WORKERS
    ]
    one, two = (row["takes_per_minute"] for row in rows)
    ratios = {"batch_2_workers_over_1": two / one, "bare_loop_2_processes_over_1": 2.0 * bare[1] / bare[2]}
    return {"rows": rows, "ratios": ratios}


def _loops(processes: int) -> float:
    """Seconds until so many processes have all done the same loop."""
    begin = perf_counter()
    started = [subprocess.Popen([sys.executable, "-c", LOOP]) for _ in range(processes)]
    for process in started:
        process.wait()
    return perf_counter() - begin


def _write_sphere(folder: Path) -> int:
    points, faces = sphere(VERTICES)
    write_npz(folder / "sphere.npz", {"vertices": points, "faces": faces})
    return len(points)


def _jobs(folder: Path, takes: int, name: str) -> Path:
    """A poke from another side in every take, so that none is what another one is."""
    path = folder / f"{name}.jsonl"
    lines = []
    for number in range(takes):
        poke = {**SCENES["free"]["pokes"][0], "speed": [-1.0, 0.05 * number, 0.3]}
        conditions = {**SCENES["free"], "provider": "elastic", "frames": FRAMES, "pokes": [poke]}
        lines.append({"mesh": "sphere.npz", "conditions": conditions, "output": f"{name} {number}.npz"})
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def batch_table(result: dict[str, Any]) -> str:
    """The result as text."""
    width = max(len(row["what"]) for row in result["rows"])
    lines = [f"{'what':{width}} {'vertices':>10} {'takes':>7} {'seconds':>9} {'takes/min':>10}"]
    for row in result["rows"]:
        numbers = f"{row['vertices']:>10,} {row['takes']:>7} {row['seconds']:>9.1f} {row['takes_per_minute']:>10.1f}"
        lines.append(f"{row['what']:{width}} {numbers}")
    return "\n".join(lines + [f"{name}: {value:.2f}" for name, value in result["ratios"].items()])
