"""An undamped elastic bar that swings for a minute at 24 frames a second: its energy neither drifts nor runs away.

A symplectic step makes energy wobble, by an amount that does not grow. So two questions: how far it is ever off, and
whether there is a trend. For the trend the minute is cut into blocks, each longer than the slowest swing; their means
are nearly independent, and a straight line through them has a slope with a known uncertainty.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.backend.shapes import bar, block
from tests.backend.takes import Result, run
from tests.sweeps import sweep

ROOT = Path(__file__).resolve().parents[3]
SECONDS, FPS, BLOCKS = 60, 24, 12
BAR = bar(1.0, 0.1, 10)
CLAMPED = np.flatnonzero(BAR[0][:, 0] < 1e-9).tolist()
TIP = BAR[0][:, 0] > 1.0 - 1e-9
START = {
    "released": {"gravity": [0, 0, -9.81]},  # from the horizontal
    "poked": {
        "gravity": [0, 0, 0],
        "pokes": [{"point": [1.0, 0.05, 0.0], "speed": [0.0, 0.3, 0.5], "radius": 0.1, "duration": 1}],
    },
}


@lru_cache(maxsize=2)
def _swung(start: str, hertz: float) -> Result:
    conditions = {"anchor": {"vertices": CLAMPED}, "undamped": True, "frames": SECONDS * FPS + 1, "fps": FPS}
    return run(BAR, "elastic", stiffness_hz=hertz, **conditions, **START[start])


def _energy(take: Result) -> tuple[np.ndarray, np.ndarray, float]:
    """Seconds and total energy once the poke is over, and the energy of the motion (J)."""
    kinetic, _, total = take.energy[2:].T
    # Released, the total is nothing by definition (drawn at rest): what goes to and fro is the measure.
    return take.seconds[2:], total, max(float(kinetic.max()), abs(float(total[0])))


def _trend(seconds: np.ndarray, total: np.ndarray) -> tuple[float, float]:
    """Change of the energy over the whole time by a straight line through block means, and its standard error (J)."""
    means = [np.mean(part) for part in np.array_split(total, BLOCKS)]
    times = [np.mean(part) for part in np.array_split(seconds, BLOCKS)]
    line = stats.linregress(times, means)
    span = seconds[-1] - seconds[0]
    return line.slope * span, line.stderr * span


CASES = [("released", 3.0), ("poked", 1.5)]


@pytest.mark.parametrize(("start", "hertz"), sweep(CASES, 0))
def test_energy_stays_within_half_a_per_cent_for_a_minute(start: str, hertz: float) -> None:
    take = _swung(start, hertz)
    _, total, amount = _energy(take)
    away = np.linalg.norm(take.positions[:, TIP] - BAR[0][TIP], axis=2)
    assert away.max() > 0.05  # it does swing, and goes on swinging
    assert away[-5 * FPS :].max() > 0.5 * away.max()
    assert np.abs(total - total[0]).max() < 0.005 * amount


@pytest.mark.parametrize(("start", "hertz"), sweep(CASES, 0))
def test_energy_has_no_trend(start: str, hertz: float) -> None:
    """A line through the minute changes by no more than chance makes of the wobble, or by less than 0.06 %.

    (|t| of 4.6 with ten degrees of freedom: once in a thousand. What is left below 0.06 % is no longer chance, but
    would need eight minutes to use up the half per cent.)
    """
    seconds, total, amount = _energy(_swung(start, hertz))
    change, uncertainty = _trend(seconds, total)
    assert abs(change) < 0.001 * amount
    assert abs(change) < max(4.6 * uncertainty, 6e-4 * amount)


def test_a_trend_would_be_seen() -> None:
    """The measure itself: a wobble of 0.4 % alone passes, the same with a drift of 0.1 % a minute does not."""
    seconds = np.arange(1, SECONDS * FPS + 1) / FPS
    wobble = 0.004 * np.sin(2 * np.pi * 1.5 * seconds) * np.sin(2 * np.pi * 0.13 * seconds)
    change, uncertainty = _trend(seconds, wobble)
    assert abs(change) < 4.6 * uncertainty
    change, uncertainty = _trend(seconds, wobble + 0.001 * seconds / SECONDS)
    assert change == pytest.approx(0.001, rel=0.2)
    assert change > 4.6 * uncertainty


def test_an_undamped_cube_that_is_dropped_keeps_its_energy() -> None:
    """At 24 frames a second: most of it, and of the speed nearly what Newton's solver gives (docs/comparison.md)."""
    figures = json.loads((ROOT / "docs/comparison.json").read_text())["drop"]
    size, lift = figures["block"]["size"][2], figures["block"]["lift"]
    made = {name: figures["block"][name] for name in ("young", "poisson", "density")}
    conditions = {"frames": 13, "anchor": "none", "settled": False, "undamped": True, **made}
    vertices, triangles = block((size, size, size), (6, 6, 6))
    mesh = vertices - [0.0, 0.0, vertices[:, 2].min() - lift], triangles
    take = run(mesh, "elastic", ground={"friction": 0.0}, **conditions)
    height, total = take.centres()[:, 2], take.energy[:, 2]
    flying = take.positions[:, :, 2].min(axis=1) > 2e-3
    now = next(frame for frame in range(8, 12) if flying[frame - 1 : frame + 2].all())
    fall = 9.81 * lift * made["density"] * size**3
    assert 0.85 < 1.0 + (total[now] - total[0]) / fall < 1.01
    speed = (height[now + 1] - height[now - 1]) * 12.0  # of the centre, in free flight
    apex = height[now] + speed**2 / (2.0 * 9.81)
    assert np.sqrt((apex - height[0] + lift) / lift) == pytest.approx(figures["newton_limit"]["rebound"], rel=0.1)
