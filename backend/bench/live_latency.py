"""Benchmark of live steps: solved in this process, and as a client waits for them from a worker process."""

from __future__ import annotations

import subprocess
import sys
from statistics import fmean, median, quantiles
from time import perf_counter
from typing import Any

import numpy as np

from .. import engine, protocol
from ..errors import UserError
from ..texts import from_wire
from .scenes import COLD, FRAMES, sphere

__all__ = ["LIVE_SCENES", "LIVE_SIZES", "live_rows"]

LIVE_SIZES = (10_000, 50_000, 200_000)
LIVE_SCENES: dict[str, dict[str, Any]] = {
    "anchored": {},
    "free": {"anchor": "none", "gravity": [0.0, 0.0, 0.0]},
    "on the ground": {"anchor": "none", "ground": {"height": -0.5005}},
}
POINT = np.array([0.0, 0.0, 0.5])  # the top of the sphere
CIRCLE = 0.2  # m: the hand goes round once a second, sideways from where it gripped


def _pull(frame: int) -> dict[str, Any]:
    angle = 2.0 * np.pi * frame / 24.0
    target = POINT + CIRCLE * np.array([np.cos(angle) - 1.0, np.sin(angle), 0.0])
    return {"point": POINT.tolist(), "radius": 0.1, "target": target.tolist()}


class _Worker:
    """A worker process, asked for one thing after the other."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "backend", "worker"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def ask(self, header: dict[str, Any], arrays: dict[str, np.ndarray] | None = None) -> protocol.Message:
        """The answer, heartbeats left out. Raises UserError."""
        protocol.write_message(self._process.stdin, {"id": 1, **header}, arrays)
        while (message := protocol.read_message(self._process.stdout)) is not None:
            if message.type == "error":
                raise UserError.of(from_wire(message.header["text"]))
            if message.type != "heartbeat":
                return message
        raise UserError("worker_ended.bench")

    def end(self) -> None:
        self._process.stdin.close()  # which ends it
        self._process.wait()
        self._process.stdout.close()


def _solve_times(analysis: engine.Analysis, conditions: dict[str, Any]) -> list[float]:
    """Seconds of every step in this process."""
    live, seconds = engine.begin_live(analysis, conditions), []
    for frame in range(1, FRAMES):
        begin = perf_counter()
        live.step(_pull(frame))
        seconds.append(perf_counter() - begin)
    return seconds[COLD:]


def _round_trips(worker: _Worker, conditions: dict[str, Any]) -> tuple[list[float], int]:
    """Seconds from the request of a step until its handles are here, for every step; and how many handles."""
    started, seconds = worker.ask({"type": "live", "key": "sphere", "conditions": conditions}), []
    for frame in range(1, FRAMES):
        begin = perf_counter()
        worker.ask({"type": "step", "pull": _pull(frame)})
        seconds.append(perf_counter() - begin)
    return seconds[COLD:], started.arrays["weights_0"].shape[1]


def live_rows(size: int) -> list[dict[str, Any]]:
    """Of a sphere of nearly so many vertices: `ms_per_frame` is the round trip, `solve_ms_per_frame` the step alone."""
    points, triangles = sphere(size)
    analysis = engine.analyze(points, triangles, "elastic")
    worker, rows = _Worker(), []
    try:
        arrays = {"vertices": points.astype(np.float32), "triangles": triangles.astype(np.int32)}
        worker.ask({"type": "analyze", "key": "sphere", "provider": "elastic"}, arrays)
        for scene, conditions in LIVE_SCENES.items():
            solved = _solve_times(analysis, conditions)
            waited, handles = _round_trips(worker, conditions)
            rows.append(
                {
                    "what": f"live step, {scene}",
                    "vertices": len(points),
                    "handles": handles,
                    "frames": len(waited),
                    "ms_per_frame": 1e3 * median(waited),
                    "mean_ms_per_frame": 1e3 * fmean(waited),
                    "slow_ms_per_frame": 1e3 * quantiles(waited, n=20)[-1],
                    "solve_ms_per_frame": 1e3 * median(solved),
                    "mean_solve_ms_per_frame": 1e3 * fmean(solved),
                }
            )
    finally:
        worker.end()
    return rows
