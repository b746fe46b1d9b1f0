"""What is read off paths, against paths whose figures are known; and the scenes both codes are given."""

from __future__ import annotations

import numpy as np
import pytest

from tests.compare.measures import bounce, extrapolated, path_difference, swing
from tests.compare.scenes import BAR, CUBE, boundary, centroid, five_tetrahedra, surface
from tests.compare.swing import euler_bernoulli, timoshenko


def test_swing_finds_period_decay_sag_and_amplitude() -> None:
    time = np.linspace(0.0, 2.0, 201)
    height = -0.09 + np.exp(-1.5 * time) * 0.09 * np.cos(2.0 * np.pi * time / 0.487)
    found = swing(time, height, guess=0.5)
    assert [found.period, found.decay, found.sag, found.amplitude] == pytest.approx([0.487, 1.5, -0.09, 0.09], rel=1e-6)
    assert found.lowest == pytest.approx(height.min(), rel=1e-3)


def test_bounce_finds_the_depth_and_the_next_apex() -> None:
    """A ball that falls 0.3 m, loses half of its speed in no time, and flies up again."""
    fall, gravity = np.sqrt(2.0 * 0.3 / 9.81), 9.81
    time = np.linspace(0.0, 0.6, 1_201)
    up = 0.5 * gravity * fall
    later = np.maximum(time - fall, 0.0)
    height = np.where(time < fall, 0.5 - 0.5 * gravity * time**2, 0.2 + up * later - 0.5 * gravity * later**2)
    found = bounce(time, height, lowest=height - 0.2)
    assert found.deepest_time == pytest.approx(fall, abs=1e-3)
    assert found.deepest == pytest.approx(0.2, abs=1e-3)
    assert found.apex == pytest.approx(0.2 + 0.3 / 4.0, abs=1e-4)
    assert found.apex_time == pytest.approx(fall + up / gravity, abs=1e-3)


def test_path_difference_is_a_root_mean_square_distance() -> None:
    time = np.linspace(0.0, 1.0, 101)
    path = np.stack([np.cos(time), np.sin(time), time], axis=1)
    other = np.linspace(0.0, 1.0, 41)
    shifted = np.stack([np.cos(other) + 0.03, np.sin(other), other - 0.04], axis=1)
    assert path_difference(time, path, other, shifted, scale=0.5, until=0.7) == pytest.approx(0.1, rel=1e-5)


@pytest.mark.parametrize("order", [1.0, 2.0, 3.5])
def test_extrapolation_finds_limit_and_order(order: float) -> None:
    sizes = [1.0 / 4.0, 1.0 / 8.0, 1.0 / 12.0]
    found = extrapolated(sizes, [0.5 - 0.2 * size**order for size in sizes])
    assert found == pytest.approx((0.5, order))


@pytest.mark.parametrize("block", [BAR, CUBE])
def test_both_codes_get_the_same_closed_block(block) -> None:
    points, tetrahedra = five_tetrahedra(block, 4)
    corners = points[tetrahedra]
    volumes = np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6.0
    assert volumes.min() > 0.0
    assert volumes.sum() == pytest.approx(np.prod(block.size))
    middle = np.array(block.size) / 2.0 + [0.0, 0.0, block.lift]
    assert centroid(points, boundary(block, 4)) == pytest.approx(middle)
    vertices, triangles = surface(block, 4)
    assert centroid(vertices, triangles) == pytest.approx(middle)
    sides = np.sort(np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    assert (np.unique(sides, axis=0, return_counts=True)[1] == 2).all()
    # The boundary of the tetrahedra has as many corners: faces inside fit together.
    faces = np.sort(np.vstack([np.delete(tetrahedra, corner, axis=1) for corner in range(4)]), axis=1)
    kinds, count = np.unique(faces, axis=0, return_counts=True)
    assert count.max() == 2
    assert len(np.unique(kinds[count == 1])) == len(vertices)


def test_beam_formulas() -> None:
    """A slender bar swings as Euler and Bernoulli say; a stout one is slower by shear and turning sections."""
    slender = BAR.__class__((20.0, 0.2, 0.2), 4.0e6, 0.3, 1000.0, 1.0, 1.0)
    assert timoshenko(slender)["period"] == pytest.approx(euler_bernoulli(slender)["period"], rel=1e-3)
    assert timoshenko(slender)["sag"] == pytest.approx(euler_bernoulli(slender)["sag"], rel=1e-3)
    assert timoshenko(BAR)["period"] > 1.02 * euler_bernoulli(BAR)["period"]
