"""The benchmark of growth: its boxes start clear of each other and of the bin, stay in it, and its ratios are right."""

from __future__ import annotations

import numpy as np
import pytest

from backend.bench import growth


def test_boxes_start_clear_of_each_other_and_of_the_bin() -> None:
    for count in growth.COUNTS:
        centres, turns, half = growth.rain(count)
        reach = 0.5 * np.sqrt(3.0) * growth.SIZE  # of a box, whatever its turn
        assert centres.shape == turns.shape == (count, 3)
        assert np.abs(centres[:, :2]).max() + reach < half + 0.06 and centres[:, 2].min() > reach
        apart = np.linalg.norm(centres[:, None] - centres[None], axis=2) + np.eye(count)
        assert apart.min() > 2.0 * reach


def test_a_few_boxes_come_to_rest_in_the_bin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "FRAMES", 60)
    row = growth._ours(3)
    assert row["count"] == 3 and row["deepest"] <= 1e-3 and row["jitter"] <= 0.01


def test_ratios_are_of_each_thing_and_beside_ours() -> None:
    rows = [growth._timed("boxes", 10, [0.01]), growth._timed("boxes", 100, [0.2]), growth._timed("other", 10, [0.03])]
    found = growth._ratios(rows)
    assert found["boxes: cost of each of 100 over that of each of 10"] == pytest.approx(2.0)
    assert found["other over boxes, 10"] == pytest.approx(3.0)
    assert "other over boxes" in growth.growth_table({"rows": rows, "ratios": found})
