"""The bench's own parts: its scenes are valid takes that move, its ratios and its table say what the rows say."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from backend import engine
from backend.bench import batch_rate, frame_times, live_latency, peers, scenes
from backend.bench.frame_times import DEFAULT
from backend.bench.peers import PEERS, peer_row
from backend.errors import UserError
from tests.backend.command_line import ROOT
from tests.backend.takes import volume


def _row(what: str, vertices: int, median: float, mean: float) -> dict:
    return {
        "what": what,
        "vertices": vertices,
        "ms_per_frame": median,
        "mean_ms_per_frame": mean,
        "solve_ms_per_frame": median - 0.5,
        "mean_solve_ms_per_frame": mean - 0.5,
    }


@pytest.mark.parametrize("vertices", [1_000, 4_913, 12_642])
def test_the_sphere_is_closed_round_and_of_nearly_the_size_asked(vertices: int) -> None:
    points, triangles = scenes.sphere(vertices)
    assert len(points) == pytest.approx(vertices, rel=0.01)
    assert len(triangles) == 2 * len(points) - 4  # Euler's formula of a closed surface without holes
    assert np.allclose(np.linalg.norm(points, axis=1), 0.5)
    assert volume(points, triangles) == pytest.approx(np.pi / 6.0, rel=0.01)  # wound outward: positive


@pytest.mark.parametrize("scene", list(scenes.SCENES))
def test_every_scene_is_valid_and_moves(scene: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_times, "FRAMES", 6)
    row = frame_times._measure(engine.analyze(*scenes.sphere(300), "elastic"), scene, 8)
    assert row["handles"] <= 8
    assert row["frames"] == 6 - scenes.COLD
    assert row["travel_per_frame"] > 1e-4  # metres, of a sphere of one
    assert 0.0 < row["decode_ms_per_frame"] < row["ms_per_frame"]
    assert row["ms_per_frame"] == pytest.approx(row["solve_ms_per_frame"] + row["decode_ms_per_frame"])


def test_live_steps_are_timed_here_and_through_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_latency, "FRAMES", 12)
    rows = live_latency.live_rows(300)
    assert [row["what"] for row in rows] == [
        "live step, anchored",
        "live step, free",
        "live step, on the ground",
    ]
    for row in rows:
        assert row["vertices"] == pytest.approx(300, rel=0.05) and row["frames"] == 11 - scenes.COLD
        assert row["solve_ms_per_frame"] > 0.0 and 0.0 < row["ms_per_frame"] <= row["slow_ms_per_frame"]


def test_median_and_mean_of_a_frame() -> None:
    found = scenes.summarised([1.0, 2.0, 6.0], [0.1, 0.2, 0.3], decode=10.0)
    assert found == pytest.approx({"ms_per_frame": 2_010.0, "mean_ms_per_frame": 3_010.0, "travel_per_frame": 0.2})


def test_ratios_compare_equal_sizes_by_medians_and_by_means() -> None:
    rows = [
        _row(frame_times._what("free", DEFAULT), 994, 1.0, 1.5),
        _row(frame_times._what("free", DEFAULT), 12_658, 2.0, 4.0),
        _row(frame_times._what("free", 8), 12_658, 1.0, 3.0),
        _row(frame_times._what("on the ground", DEFAULT), 12_658, 7.0, 7.0),
        _row(frame_times._what("free", DEFAULT), 1_000_002, 9.0, 2.5),
        _row(PEERS["soft_body"][0], 12_658, 100.0, 120.0),
        {"what": f"{PEERS['newton_vbd'][0]}: newton is not installed here", "vertices": 4_913, "ms_per_frame": None},
    ]
    assert frame_times.ratios(rows) == {
        "soft_body_over_elastic": 50.0,
        "soft_body_over_elastic_mean": 30.0,
        "soft_body_over_elastic_8_handles": 100.0,
        "soft_body_over_elastic_8_handles_mean": 40.0,
        "solve_1000000_over_1000": 17.0,
        "solve_1000000_over_1000_mean": 2.0,
    }


def test_a_peer_that_is_not_installed_is_named_and_has_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "_python_with", lambda _package: None)
    for peer, package in (("soft_body", "bpy"), ("cloth", "bpy"), ("newton_vbd", "newton")):
        row = peer_row(peer)
        assert row["ms_per_frame"] is None
        assert row["what"].endswith(f": {package} is not installed here")


def test_a_peer_that_breaks_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "NEWTON_SCRIPT", "raise SystemExit('no such solver')")
    monkeypatch.setattr(peers, "_python_with", lambda _package: peers.sys.executable)
    with pytest.raises(UserError, match=r"does not run here \(no such solver\)"):
        peer_row("newton_vbd")


def test_table_has_a_line_for_each_row_and_ratio() -> None:
    rows = [
        {**_row("elastic sphere, free", 12_658, 1.25, 2.5), "decode_ms_per_frame": 0.75},
        {"what": "a solver: it is not installed here", "vertices": 4_913, "ms_per_frame": None},
    ]
    lines = frame_times.table({"rows": rows, "ratios": {"soft_body_over_elastic": 50.0}}).splitlines()
    assert [line.split()[-6:] for line in lines[1:3]] == [
        ["12,658", "1.25", "2.50", "0.75", "0.75", "-"],
        ["4,913", "-", "-", "-", "-", "-"],
    ]
    assert lines[3:] == ["soft_body_over_elastic: 50.00"]


# In a process of its own: the helper that Python starts beside worker processes stays until its process ends.
BATCHES = """
import json
from backend.bench import batch_rate
batch_rate.VERTICES, batch_rate.FRAMES, batch_rate.QUICK_TAKES, batch_rate.LOOP = 300, 4, 2, "pass"
print(json.dumps(batch_rate.run_batches(quick=True)))
"""


def test_batches_are_timed_for_one_worker_and_for_two() -> None:
    done = subprocess.run([sys.executable, "-c", BATCHES], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    one, two = result["rows"]
    assert [one["what"], two["what"]] == [f"batch of an elastic sphere, {n}" for n in ("1 worker", "2 workers")]
    for row in (one, two):
        assert row["takes"] == 2 and row["vertices"] == pytest.approx(300, rel=0.05)
        assert row["takes_per_minute"] == pytest.approx(120.0 / row["seconds"])
    assert result["ratios"]["batch_2_workers_over_1"] == pytest.approx(one["seconds"] / two["seconds"])
    assert result["ratios"]["bare_loop_2_processes_over_1"] > 0.0
    lines = batch_rate.batch_table(result).splitlines()
    assert lines[1].split()[-4:] == ["308", "2", f"{one['seconds']:.1f}", f"{one['takes_per_minute']:.1f}"]
    assert len(lines) == 5 and lines[3] == f"batch_2_workers_over_1: {result['ratios']['batch_2_workers_over_1']:.2f}"
