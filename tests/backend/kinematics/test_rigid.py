"""The rigid provider: derivatives of the rotation map everywhere, also near zero and near half a turn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from backend.kinematics.base import ReferenceFrame
from backend.kinematics.rigid import RigidKinematics
from tests.backend.differences import numerical_derivative

KINEMATICS = RigidKinematics(ReferenceFrame(np.array([1.0, -2.0, 0.5]), 1.7))
AXIS = np.array([0.48, -0.6, 0.64])
ANGLES = [0.0, 1e-8, 9e-6, 1.1e-5, 1e-3, 0.3, 2.0, np.pi - 1e-3, np.pi - 1e-9, np.pi, np.pi + 0.4, 6.0]


def _at(angle: float) -> np.ndarray:
    return np.concatenate([[0.2, -0.1, 3.0], angle * AXIS])


@pytest.mark.parametrize("angle", ANGLES)
def test_jacobian_by_differences(angle: float) -> None:
    q = _at(angle)
    slope = numerical_derivative(KINEMATICS.handles, q, 1e-5).reshape(12, 6)
    assert np.abs(KINEMATICS.jacobian(q) - slope).max() < 2e-9


@pytest.mark.parametrize("angle", ANGLES)
def test_push_and_pull_are_the_jacobian_and_its_transpose(angle: float) -> None:
    random = np.random.default_rng(0)
    q, rate, force = _at(angle), random.normal(size=6), random.normal(size=(4, 3))
    jacobian = KINEMATICS.jacobian(q)
    assert np.allclose(KINEMATICS.push(q, rate).ravel(), jacobian @ rate)
    assert np.allclose(KINEMATICS.pull(q, force), jacobian.T @ force.ravel())


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("speed", [0.1, 1.0, 30.0])
def test_acceleration_is_the_second_derivative_along_the_rate(angle: float, speed: float) -> None:
    q = _at(angle)
    rate = speed * np.random.default_rng(1).normal(size=6)
    step = 1e-3 / speed
    sides = [KINEMATICS.handles(q + sign * step * rate) for sign in (-1.0, 0.0, 1.0)]
    second = (sides[0] - 2.0 * sides[1] + sides[2]) / step**2
    assert np.abs(KINEMATICS.acceleration(q, rate) - second).max() < 2e-6 * speed**2 * 6


def test_a_spin_at_rest_accelerates_towards_its_axis() -> None:
    """At the rest pose D2a[v, v] is the centripetal acceleration w x (w x r): closed form, without differences."""
    spin = np.array([1.0, 2.0, -0.5])
    rate = np.concatenate([np.zeros(3), spin])
    rest = KINEMATICS.handles(KINEMATICS.rest())[:3]
    expected = np.cross(spin, np.cross(spin, rest))
    assert np.allclose(KINEMATICS.acceleration(KINEMATICS.rest(), rate)[:3], expected, atol=1e-8)
    assert not KINEMATICS.acceleration(KINEMATICS.rest(), rate)[3].any()


@pytest.mark.parametrize("angle", [*ANGLES, 40.0])
def test_canonical_is_the_same_shape_with_less_than_half_a_turn(angle: float) -> None:
    q = _at(angle)
    canonical = KINEMATICS.canonical(q)
    assert np.allclose(KINEMATICS.handles(canonical), KINEMATICS.handles(q), atol=1e-12)
    assert np.linalg.norm(canonical[3:]) <= np.pi + 1e-12


def test_handles_rotate_about_the_centre_of_mass() -> None:
    q = _at(1.3)
    points = np.random.default_rng(3).normal(size=(5, 3))
    transform = KINEMATICS.frame.world_handles(KINEMATICS.handles(q))[0]
    centre = KINEMATICS.frame.centre
    expected = Rotation.from_rotvec(q[3:]).apply(points - centre) + centre + q[:3]
    assert np.allclose(points @ transform[:, :3].T + transform[:, 3], expected)
