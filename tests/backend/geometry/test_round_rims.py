"""Rims of wheels: where a part is a regular polygon about its axis, points of the circle; elsewhere none."""

from __future__ import annotations

import numpy as np
import pytest

from backend.data.shapes import box, cylinder, joined, moved
from backend.geometry.round_rims import rim_points

Z = np.array([0.0, 0.0, 1.0])
SAGITTA = 1e-4


def _rims(vertices, origin=(0.0, 0.0, 0.0)):
    return rim_points(np.asarray(vertices, dtype=np.float64), Z, np.array(origin), SAGITTA)


@pytest.mark.parametrize("segments", [8, 16, 40])
def test_a_cylinder_has_two_rims_as_round_as_was_asked(segments: int) -> None:
    vertices, _ = cylinder(0.2, -0.05, 0.05, segments)
    places, points = _rims(vertices)
    assert np.abs(np.linalg.norm(points[:, :2], axis=1) - 0.2).max() < 1e-12
    assert sorted(set(np.round(points[:, 2], 9))) == [-0.05, 0.05]
    assert np.abs(vertices[places, 2] - points[:, 2]).max() < 1e-12
    upper = points[points[:, 2] > 0.0]
    chord = np.linalg.norm(np.diff(upper, axis=0), axis=1).max()
    assert 0.2 - np.sqrt(0.04 - 0.25 * chord**2) <= SAGITTA


def test_what_is_no_wheel_has_no_rim() -> None:
    """A box, a hexagon, and a wheel about another axis than its own."""
    wheel = cylinder(0.2, -0.05, 0.05, 16)[0]
    for vertices, origin in (
        (box([-0.1, -0.1, -0.1], [0.1, 0.1, 0.1])[0], (0.0, 0.0, 0.0)),
        (cylinder(0.2, -0.05, 0.05, 6)[0], (0.0, 0.0, 0.0)),
        (wheel, (0.05, 0.0, 0.0)),
    ):
        assert len(_rims(vertices, origin)[1]) == 0


def test_hubs_and_grooves_do_not_roll() -> None:
    tyre, hub = cylinder(0.2, -0.05, 0.05, 16), moved(cylinder(0.05, -0.04, 0.04, 16), [0.0, 0.0, 0.0])
    _, points = _rims(joined(tyre, hub)[0])
    assert np.linalg.norm(points[:, :2], axis=1).min() > 0.19
