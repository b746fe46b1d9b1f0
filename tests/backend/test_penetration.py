"""The measure of penetration that other tests rely on, where its answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from backend.bench.penetration import deepest, surface_samples, surfaces_cross
from tests.backend.geometry.shapes import ball, box, sheet


def test_depth_of_a_corner_in_a_box() -> None:
    small = box((0.2, 0.2, 0.2), (0.0, 0.0, 0.55))
    assert deepest(small, box()) == pytest.approx(0.05)
    assert deepest((small[0] + [0.0, 0.0, 0.1], small[1]), box()) == 0.0


def test_depth_between_the_vertices_of_a_face() -> None:
    """A large lid that a ball looks through has no vertex in it."""
    lid = sheet(2, 2, 4.0, 4.0)[0] + [-2.0, -2.0, 0.9], sheet(2, 2)[1]
    assert deepest(lid, ball(20)) == 0.0
    assert deepest(lid, ball(20), spacing=0.05) == pytest.approx(0.1, abs=0.01)
    assert np.all(surface_samples(lid, 0.05)[:, 2] == 0.9)


def test_sheets_that_cross() -> None:
    first = sheet(3, 3)
    upright = first[0][:, [2, 0, 1]] + [0.4, 0.1, -0.3]
    assert surfaces_cross(first, (upright, first[1]))
    assert not surfaces_cross(first, (upright + np.array([0.0, 0.0, 0.31]), first[1]))
    assert not surfaces_cross(first, (first[0] + [0.1, 0.1, 0.01], first[1]))
