"""The benchmark of piles: its things are valid and the same at every run, and its measures tell what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from backend.bench import piles
from backend.bench.piles import Thing, measured, pile
from backend.data.shapes import box

CUBE = box([-0.5, -0.5, 0.0], [0.5, 0.5, 1.0])


def _cube(height: float) -> Thing:
    return Thing("rigid", (CUBE[0] + [0.0, 0.0, height], CUBE[1]), "rigid")


def test_piles_are_the_same_at_every_run_and_stand_clear_at_first() -> None:
    kinds = set()
    for number in range(12):
        things, again = pile(number), pile(number)
        assert 2 <= len(things) <= piles.MOST_THINGS
        assert all(np.array_equal(one.mesh[0], two.mesh[0]) for one, two in zip(things, again, strict=True))
        bottoms = [thing.mesh[0][:, 2].min() for thing in things]
        tops = [0.0, *(thing.mesh[0][:, 2].max() for thing in things[:-1])]
        assert all(bottom > top for bottom, top in zip(bottoms, tops, strict=True))
        kinds |= {thing.kind for thing in things}
    assert kinds == {"soft", "rigid", "jointed", "sheet"}


def test_a_pile_of_two_boxes_is_solved_and_comes_to_rest() -> None:
    row = measured([_cube(0.0), _cube(1.05)], 1.5)
    assert row["solved"] and row["things"] == ["rigid", "rigid"]
    assert row["deepest"] <= piles.SUNK and row["jitter"] <= piles.RESTLESS


def test_depth_and_motion_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A box that is drawn a tenth into another one stays there; one that still falls at the end moves."""
    overlapping = [_cube(0.0), Thing("rigid", (0.5 * CUBE[0] + [0.0, 0.0, 0.9], CUBE[1]), "rigid")]
    assert measured(overlapping, 0.25)["deepest"] == pytest.approx(0.1 / 0.5, rel=0.05)
    assert measured([_cube(0.0), _cube(9.0)], 0.5)["jitter"] > 1.0


def test_a_sheet_has_no_inside() -> None:
    assert _cube(0.0).solid and not Thing("sheet", piles._sheet(), "elastic").solid
