"""Point springs: against the sum they stand for, differences, and the swing of a mass on a spring."""

from __future__ import annotations

import numpy as np
import pytest

from backend.dynamics.springs import PointSprings
from backend.dynamics.state import State, Statistics
from backend.dynamics.variational import variational_step
from backend.kinematics.base import Array, ReferenceFrame
from backend.kinematics.rigid import RigidKinematics
from tests.backend.differences import numerical_derivative

_RANDOM = np.random.default_rng(0)


def _springs(count: int, handles: int = 3) -> tuple[PointSprings, Array, Array, Array]:
    rows = _RANDOM.normal(size=(count, 4 * handles))
    rows[:, 5] = 0.0  # a handle row that no point uses
    stiffness = _RANDOM.uniform(0.0, 9.0, count)
    targets = _RANDOM.normal(size=(count, 3))
    return PointSprings(rows, stiffness, targets), rows, stiffness, targets


@pytest.mark.parametrize("count", [1, 5, 200])
def test_it_is_the_sum_over_its_points(count: int) -> None:
    springs, rows, stiffness, targets = _springs(count)
    a = _RANDOM.normal(size=(12, 3))
    for aim in (targets, targets + 1.0):
        away = rows @ a - aim
        assert springs.at(aim).value(a) == pytest.approx(0.5 * stiffness @ (away**2).sum(axis=1))
        assert np.allclose(springs.at(aim).gradient(a), rows.T @ (stiffness[:, None] * away), atol=1e-10)
    assert np.allclose(springs.matrix, rows.T @ (stiffness[:, None] * rows), atol=1e-10)
    assert springs.value(a) == pytest.approx(springs.at(targets).value(a))


@pytest.mark.parametrize("count", [2, 40])
def test_derivatives(count: int) -> None:
    springs = _springs(count)[0]
    a = _RANDOM.normal(size=(12, 3))
    assert np.allclose(springs.gradient(a), numerical_derivative(springs.value, a), atol=1e-6)
    assert np.allclose(springs.hessian(a), numerical_derivative(springs.gradient, a), atol=1e-6)


def test_what_is_met_costs_nothing_far_from_the_origin() -> None:
    """A hundred metres away and with stiff springs, an energy of zero is not drowned in rounding."""
    rows = _RANDOM.normal(size=(50, 8))
    a = 100.0 * _RANDOM.normal(size=(8, 3))
    springs = PointSprings(rows, np.full(50, 1e6), rows @ a)
    assert springs.value(a) < 1e-12 * 1e6 * 100.0**2


def test_a_body_on_a_spring_swings_at_its_frequency_about_a_moved_target() -> None:
    """k = m (2 pi f)^2 at the centre of mass: f hertz, and the new target is the middle of the swing."""
    mass, frequency, step = 2.0, 1.5, 1.0 / 480.0
    kinematics = RigidKinematics(ReferenceFrame(np.array([0.5, 0.0, 1.0]), 1.0))
    moment = mass * np.diag([0.1, 0.2, 0.3, 1.0])
    row = np.array([[0.0, 0.0, 0.0, 1.0]])
    drawn = np.array([[0.5, 0.0, 1.0]])
    offset = np.array([0.02, -0.01, 0.03])
    springs = PointSprings(row, np.array([mass * (2.0 * np.pi * frequency) ** 2]), drawn).at(drawn + offset)
    state, places = State(np.zeros(6), np.zeros(6)), []
    for _ in range(800):
        state = variational_step(kinematics, moment, [springs], state, step, np.zeros((4, 3)), 1e-12, Statistics())
        places.append(state.q[:3])
    swing = 1.0 - np.cos(2.0 * np.pi * frequency * step * np.arange(1, 801))
    assert np.allclose(places, np.outer(swing, offset), atol=2e-3 * np.abs(offset).max())
