"""Deformations of space: volumes, lengths and feet against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from backend.data.organic_shapes import block
from backend.data.solids import Bend, Lattice, Shear, Squash, Swell, Twist, posed

POINTS, TRIANGLES = block((0.4, 0.4, 1.0), (12, 12, 30))
POINTS = POINTS + np.array([0.0, 0.0, 0.5])


def volume(places):
    a, b, c = (places[TRIANGLES[:, corner]] for corner in range(3))
    return float(np.einsum("fi,fi->", a, np.cross(b, c))) / 6.0


@pytest.mark.parametrize(
    "step",
    [Squash(0.6, 0.0, 0.3), Squash(0.6, 0.0, 0.0), Twist(1.5, 0.0), Bend(1.8, 0.7, 0.0), Shear(0.5, 1.0, 0.0, 2.0)],
)
@pytest.mark.parametrize("value", [-1.0, 0.5, 1.0])
def test_volume_is_kept(step, value):
    moved = step(POINTS[None], np.array([value]))[0]
    assert np.abs(moved - POINTS).max() > 0.03
    assert volume(moved) == pytest.approx(volume(POINTS), rel=0.01)


@pytest.mark.parametrize(
    "step", [Squash(0.6, 0.0, 0.3), Twist(1.5, 0.0), Bend(1.8, 0.7, 0.0), Shear(0.5, 1.0, 0.0, 2.0)]
)
def test_the_foot_stands_still_and_zero_is_the_rest(step):
    values = np.array([-1.0, 0.3, 1.0])
    moved = step(np.repeat(POINTS[None], 3, axis=0), values)
    foot = POINTS[:, 2] < 1e-9
    np.testing.assert_allclose(moved[:, foot], np.repeat(POINTS[None, foot], 3, axis=0), atol=1e-12)
    np.testing.assert_allclose(step(POINTS[None], np.zeros(1))[0], POINTS, atol=1e-12)


def test_a_bent_axis_is_an_arc():
    axis = np.zeros((1, 11, 3))
    axis[0, :, 2] = np.linspace(0.0, 1.0, 11)
    moved = Bend(1.4, 0.0, 0.0)(axis, np.ones(1))[0]
    angle = 1.4 * axis[0, :, 2]
    np.testing.assert_allclose(moved[:, 0], (1.0 - np.cos(angle)) / 1.4, atol=1e-12)
    np.testing.assert_allclose(moved[:, 2], np.sin(angle) / 1.4, atol=1e-12)


def test_squash_makes_a_bar_as_much_thinner_as_it_is_longer():
    moved = Squash(0.5, 0.0, 0.0)(POINTS[None], np.ones(1))[0]
    assert np.ptp(moved[:, 2]) == pytest.approx(np.exp(0.5))
    assert np.ptp(moved[:, 0]) == pytest.approx(0.4 * np.exp(-0.25))


def test_twist_turns_the_top():
    moved = Twist(0.5 * np.pi, 0.0)(np.array([[[0.3, 0.0, 1.0]]]), np.ones(1))[0, 0]
    np.testing.assert_allclose(moved, [0.0, 0.3, 1.0], atol=1e-12)


def test_lattices_and_dents_are_smooth_and_local():
    moves = np.zeros((3, 3, 3, 3))
    moves[2, :, 2] = [0.2, 0.0, 0.0]
    lattice = Lattice(POINTS.min(axis=0), np.ptp(POINTS, axis=0), moves.reshape(27, 3))
    moved = lattice(POINTS[None], np.ones(1))[0] - POINTS
    assert moved[:, 0].max() == pytest.approx(0.2) and np.abs(moved[:, 1:]).max() == 0.0
    assert np.abs(moved[POINTS[:, 2] < 1e-9]).max() == 0.0
    dent = Swell(np.array([0.2, 0.0, 0.5]), np.array([1.0, 0.0, 0.0]), 0.15, 0.1, 0.0)
    moved = dent(POINTS[None], np.ones(1))[0] - POINTS
    assert 0.09 < moved[:, 0].max() <= 0.1 + 1e-12
    assert np.abs(moved[POINTS[:, 2] > 0.95]).max() < 0.002


def test_several_steps_together_go_less_far_each():
    values = np.ones((1, 2))
    both = posed(POINTS, [Twist(1.0, 0.0), Twist(1.0, 0.0)], values)[0]
    one = posed(POINTS, [Twist(2.0 * 2.0**-0.4, 0.0)], np.ones((1, 1)))[0]
    np.testing.assert_allclose(both, one, atol=1e-12)
