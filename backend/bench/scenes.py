"""The scenes of the benchmarks, and how every solver in them is timed."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median
from typing import Any

import numpy as np

from ..kinematics.base import Array

__all__ = ["COLD", "FRAMES", "SCENES", "sphere", "summarised"]

FRAMES = 120  # of every take, the start counted as the first
# Not timed, for anybody: the start itself and the first frame after it, in which caches are filled.
COLD = 2

SCENES: dict[str, dict[str, Any]] = {
    "free": {
        "anchor": "none",
        "gravity": [0.0, 0.0, 0.0],
        "pokes": [{"point": [0.5, 0.0, 0.0], "speed": [-1.0, 0.0, 0.3], "radius": 0.2}],
    },
    "on the ground": {"anchor": "none", "ground": {"height": -0.7}},
    "on the ground, self-contact": {"anchor": "none", "ground": {"height": -0.7}, "self_contact": True},
}


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


def summarised(seconds: Sequence[float], travel: Sequence[float], decode: float = 0.0) -> dict[str, float]:
    """Median and mean milliseconds of a frame, and how far it moves.

    seconds of every frame after the cold ones; travel: root mean square way (m) of the vertices in each; decode: ms of
    each frame that are not in `seconds`.
    """
    return {
        "ms_per_frame": 1e3 * median(seconds) + decode,
        "mean_ms_per_frame": 1e3 * fmean(seconds) + decode,
        "travel_per_frame": fmean(travel),
    }
