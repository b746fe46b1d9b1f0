"""The pool of simulated takes: physics that can be told from noise, files that read back, the same bytes again."""

from __future__ import annotations

import json

import numpy as np
import pytest

from backend.__main__ import main
from backend.data import simulated
from backend.data.families.soft_solids import jelly
from backend.data.real import find_items, read_object, real_families
from backend.data.samples import make_samples
from backend.data.simulated import make_pool, random_conditions, simulated_take
from backend.dynamics.conditions import read_conditions


def test_conditions_can_be_read_and_vary():
    vertices = jelly(np.random.default_rng(0)).vertices
    held = []
    for seed in range(12):
        value = random_conditions(np.random.default_rng(seed), vertices)
        json.dumps(value)
        conditions = read_conditions(value)
        assert 1 <= len(conditions.pokes) <= 4 and conditions.handles <= 20
        held.append(str(type(conditions.anchor)))
    assert len(set(held)) > 1


def unit_jelly():
    thing = jelly(np.random.default_rng(1))
    low, high = thing.vertices.min(axis=0), thing.vertices.max(axis=0)
    return (thing.vertices - 0.5 * (low + high)) / (high - low).max(), thing.triangles


def test_a_take_starts_at_rest_and_moves_the_more_the_harder_it_is_pushed():
    vertices, triangles = unit_jelly()
    conditions = random_conditions(np.random.default_rng(5), vertices)
    first, again, harder = (simulated_take(vertices, triangles, conditions, by) for by in (0.1, 0.1, 0.3))
    assert first.tobytes() == again.tobytes() and np.isfinite(first).all()
    assert np.ptp(first[0], axis=0).max() == pytest.approx(1.0, abs=1e-6)
    moved, more = (np.linalg.norm(frames[1:] - frames[0], axis=2).max() for frames in (first, harder))
    assert moved > 0.0005 and more > 2.0 * moved


def test_what_does_not_move_or_tears_is_told():
    vertices, triangles = unit_jelly()
    rest = vertices.astype(np.float32)
    turned = rest[:, [1, 0, 2]] * np.array([-1, 1, 1], dtype=np.float32)
    bent = rest + np.float32(0.4) * rest[:, 2:] ** 2 * np.array([1, 0, 0], dtype=np.float32)
    torn = rest * np.array([1, 1, 3], dtype=np.float32)
    verdicts = [simulated._too_much(np.stack([rest, each]), triangles) for each in (rest, turned, bent, torn)]
    assert verdicts == [-1, -1, 0, 1]


def test_a_pool_reads_back_goes_on_and_is_reproducible(tmp_path, monkeypatch):
    monkeypatch.setattr(simulated, "_SOFT_FAMILIES", ("jelly",))
    one, other = tmp_path / "one", tmp_path / "other"
    paths = make_pool(one, 2, seed=3)
    assert [path.name for path in paths] == ["take_3_0000.npz", "take_3_0001.npz"]
    make_pool(other, 1, seed=3)
    begun = (other / "take_3_0000.npz").stat().st_mtime_ns
    make_pool(other, 2, seed=3)
    assert (other / "take_3_0000.npz").stat().st_mtime_ns == begun
    for path in [*paths, one / "MANIFEST.json"]:
        assert path.read_bytes() == (other / path.name).read_bytes()
    items = find_items(one)
    assert [item.category for item in items] == ["simulated"] * 2
    assert not any(item.kept_aside for item in items)
    thing = read_object(items[0])
    states = thing.states(np.random.default_rng(0), 4)
    assert np.isfinite(states).all() and len(real_families(one, 0.1)) == 2


def test_pools_that_cannot_be_made_say_why(tmp_path, capsys):
    taken = tmp_path / "file"
    taken.write_text("here")
    assert main(["data", "pool", "--out", str(taken), "--count", "1"]) == 2
    assert "cannot be made" in capsys.readouterr().err
    assert main(["data", "pool", "--out", str(tmp_path / "new"), "--count", "0"]) == 2
    assert main(["data", "pool", "--out", str(tmp_path / "new"), "--data", str(tmp_path / "none")]) == 2
    assert not (tmp_path / "new").exists()


def test_samples_are_kept_aside_read_back_and_are_reproducible(tmp_path, capsys):
    one, other = tmp_path / "one", tmp_path / "other"
    assert main(["data", "samples", "--out", str(one), "--count", "4", "--seed", "5"]) == 0
    assert "4 objects" in capsys.readouterr().out
    for path in make_samples(other, 4, 5):
        assert path.read_bytes() == (one / path.name).read_bytes()
    items = find_items(one)
    assert len(items) == 4 and all(item.kept_aside and not item.research_only for item in items)
    for item in items:
        thing = read_object(item)
        states = thing.states(np.random.default_rng(0), 5)
        assert np.abs(states - thing.vertices).max(axis=(1, 2)).min() > 0.0
    assert main(["data", "samples", "--out", str(tmp_path / "new"), "--count", "0"]) == 2
    assert "at least one" in capsys.readouterr().err
