"""Drags: derivatives of springs and bounded multipliers, and the Hessian of the whole energy of a pose."""

from __future__ import annotations

import numpy as np
import pytest

from backend.dynamics.coordinate_energies import RestSpring
from backend.dynamics.drags import DragEnergy
from backend.dynamics.energies import LinearPotential
from backend.dynamics.pose_energy import PoseEnergy
from tests.backend.differences import numerical_derivative
from tests.backend.dynamics.mechanisms import RandomDecoder

STIFFNESS, LIMIT = np.array([30.0, 500.0, 80.0]), np.array([20.0, 40.0, np.inf])


def _pulls() -> tuple[DragEnergy, np.ndarray]:
    """Three points far enough away for the limits of the first two to count."""
    random = np.random.default_rng(0)
    pulls = DragEnergy(STIFFNESS, LIMIT, np.array([False, True, False]))
    pulls.targets = random.normal(size=(3, 3))
    positions = random.normal(size=(3, 3))
    assert pulls.limit(positions)
    pulls.tighten(positions, np.eye(3))
    return pulls, positions


def test_gradient_is_that_of_the_value_and_bounded() -> None:
    pulls, positions = _pulls()
    slope = pulls.gradient(positions)
    assert np.allclose(slope, numerical_derivative(pulls.value, positions), atol=1e-6)
    length = np.linalg.norm(slope, axis=1)
    assert length[:2] == pytest.approx(LIMIT[:2])
    assert length[2] == pytest.approx(80.0 * np.linalg.norm(positions[2] - pulls.targets[2]))


def test_curvature_is_exact_within_the_limits_and_across_beyond() -> None:
    """Along a limited pull a tenth of the stiffness that its length would suggest is kept, and nothing is lost."""
    pulls, positions = _pulls()
    exact = numerical_derivative(pulls.gradient, positions)
    blocks = pulls.curvature(positions)
    for point in range(3):
        away = positions[point] - pulls.targets[point] + pulls.multipliers[point] / STIFFNESS[point]
        along = away / np.linalg.norm(away)
        across = np.eye(3) - np.outer(along, along)
        assert np.allclose(across @ blocks[point] @ across, across @ exact[point, :, point] @ across, atol=1e-5)
        left_out = along @ (blocks[point] - exact[point, :, point]) @ along
        assert left_out == pytest.approx(
            0.0 if point == 2 else 0.1 * LIMIT[point] / np.linalg.norm(away), rel=1e-5, abs=1e-5
        )


def test_multipliers_stop_at_the_limit() -> None:
    pulls = DragEnergy(np.array([10.0]), np.array([3.0]), np.array([True]))
    pulls.targets, positions = np.zeros((1, 3)), np.array([[0.1, 0.0, 0.0]])
    for _ in range(2):
        pulls.tighten(positions, np.eye(3))
    assert pulls.multipliers[0] == pytest.approx([2.0, 0.0, 0.0])
    assert pulls.shift(positions, np.eye(3)) == pytest.approx(0.1)
    for _ in range(3):
        pulls.limit(positions)
        pulls.tighten(positions, np.eye(3))
    assert pulls.multipliers[0] == pytest.approx([3.0, 0.0, 0.0])
    assert pulls.shift(positions, np.eye(3)) == pytest.approx(0.0)


def test_multipliers_that_nothing_feels_are_dropped() -> None:
    """Two points on one axis that can only move together: what pulls them apart does not count."""
    pulls = DragEnergy(np.full(2, 10.0), np.full(2, np.inf), np.ones(2, dtype=bool))
    pulls.targets = np.array([[-1.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    along = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]) / np.sqrt(2.0)
    positions, felt = np.zeros((2, 3)), np.outer(along, along)
    pulls.tighten(positions, felt)
    assert np.allclose(pulls.multipliers, [[-5.0, 0.0, 0.0], [-5.0, 0.0, 0.0]])
    assert pulls.shift(np.tile([0.5, 0.0, 0.0], (2, 1)), felt) == pytest.approx(0.0)


def test_hessian_of_a_pose_is_that_of_its_slope() -> None:
    """Nonlinear coordinates, an energy of the handles, one of the coordinates, the prior and springs."""
    decoder, random = RandomDecoder(handles=3, dof=6), np.random.default_rng(1)
    force, rows = random.normal(size=(12, 3)), random.normal(size=(2, 12))
    spring = RestSpring(0.7, np.eye(6), np.zeros(6))
    energy = PoseEnergy(decoder, (LinearPotential(force, np.zeros((12, 3))),), (spring,), np.zeros(6))
    energy.prior = np.diag(random.uniform(size=6))
    energy.set_drags(rows, DragEnergy(np.array([3.0, 20.0]), np.full(2, np.inf), np.zeros(2, dtype=bool)))
    energy.drag_energy.targets = random.normal(size=(2, 3))
    q = random.normal(size=6)
    slope = numerical_derivative(lambda at: energy.value(energy.evaluate(at)), q)
    assert np.allclose(energy.evaluate(q).slope, slope, atol=1e-6)
    matrix = numerical_derivative(lambda at: energy.evaluate(at).slope, q)
    assert np.allclose(energy.hessian(energy.evaluate(q)), matrix, atol=1e-5)
