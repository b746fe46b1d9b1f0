"""The learned provider with and without a root: rest, derivatives, and joints against forward kinematics."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from backend.dynamics.variational import mass_matrix
from backend.kinematics.base import Array, Kinematics, skinning_basis
from backend.kinematics.learned import LearnedKinematics, decode_states
from backend.kinematics.rooted import RootedKinematics
from backend.kinematics.rotation import RotationMap
from backend.kinematics.state_space import StateSpace
from tests.backend.differences import numerical_derivative
from tests.backend.kinematics.spaces import chain, laptop, random_space

HANDLES, LATENTS, COORDINATES = 5, 7, 4


def plain(space: StateSpace, directions: Array | None = None) -> LearnedKinematics:
    return LearnedKinematics(
        space.twists, space.frame, np.eye(space.latent_count) if directions is None else directions
    )


def rooted(inner: LearnedKinematics, space: StateSpace) -> RootedKinematics:
    return RootedKinematics(inner, np.array([0.2, -0.1, 0.4]), np.tile([0.0, 0.0, 0.0, 1.0], space.handle_count))


@pytest.fixture(params=["anchored", "free"])
def provider(request: pytest.FixtureRequest) -> tuple[Kinematics, Array]:
    """A kinematics and a state far from rest."""
    rng = np.random.default_rng(1)
    _, space = random_space(HANDLES, LATENTS)
    inner = plain(space, rng.normal(size=(LATENTS, COORDINATES)))
    kinematics = inner if request.param == "anchored" else rooted(inner, space)
    return kinematics, rng.normal(size=kinematics.dof)


def test_the_rest_shape_is_the_mesh(provider: tuple[Kinematics, Array]) -> None:
    kinematics, _ = provider
    places, space = random_space(HANDLES, LATENTS)
    basis = skinning_basis(space.weights, space.frame.to_reference(places))
    np.testing.assert_allclose(basis @ kinematics.handles(kinematics.rest()), places, atol=1e-14)


def test_jacobian_push_and_pull(provider: tuple[Kinematics, Array]) -> None:
    kinematics, q = provider
    rng = np.random.default_rng(2)
    rate, force = rng.normal(size=kinematics.dof), rng.normal(size=(4 * HANDLES, 3))
    slope = numerical_derivative(kinematics.handles, q, 1e-5).reshape(-1, kinematics.dof)
    jacobian = kinematics.jacobian(q)
    assert np.abs(jacobian - slope).max() < 1e-8 * np.abs(slope).max()
    np.testing.assert_allclose(kinematics.push(q, rate).ravel(), jacobian @ rate, atol=1e-12)
    np.testing.assert_allclose(kinematics.pull(q, force), jacobian.T @ force.ravel(), atol=1e-12)


def test_acceleration_is_the_second_derivative_along_the_rate(provider: tuple[Kinematics, Array]) -> None:
    kinematics, q = provider
    rate = np.random.default_rng(3).normal(size=kinematics.dof)
    expected = numerical_derivative(lambda at: kinematics.push(at, rate), q, 1e-5) @ rate
    assert np.abs(kinematics.acceleration(q, rate) - expected).max() < 1e-8 * np.abs(expected).max()


def test_curvature_is_the_derivative_of_the_pulled_back_force(provider: tuple[Kinematics, Array]) -> None:
    kinematics, q = provider
    force = np.random.default_rng(6).normal(size=(4 * HANDLES, 3))
    expected = numerical_derivative(lambda at: kinematics.pull(at, force), q, 1e-5)
    found = kinematics.curvature(q, force)
    np.testing.assert_allclose(found, found.T, atol=1e-13 * np.abs(found).max())
    assert np.abs(found - expected).max() < 1e-8 * np.abs(expected).max()


def test_the_mass_matrix_is_symmetric_and_positive(provider: tuple[Kinematics, Array]) -> None:
    kinematics, q = provider
    places, space = random_space(HANDLES, LATENTS)
    basis = skinning_basis(space.weights, space.frame.to_reference(places))
    mass = mass_matrix(kinematics, basis.T @ basis, q, q)
    np.testing.assert_allclose(mass, mass.T, rtol=1e-12, atol=1e-12 * np.abs(mass).max())
    assert np.linalg.eigvalsh(mass).min() > 0.0
    # A second point in between, so that nothing is answered from what is kept.
    kinematics.handles(0.5 * q)
    np.testing.assert_array_equal(mass_matrix(kinematics, basis.T @ basis, q, q), mass)


def test_a_chain_is_forward_kinematics() -> None:
    """Each bar turned by the sum of the angles above it about the end of the bar above."""
    lengths, angles = [0.5, 0.3, 0.7], np.array([0.7, -1.2, 2.0])
    (vertices, _), space = chain(lengths)
    shape = decode_states(space, vertices, angles[None])[0]
    place, turn = np.zeros(3), np.eye(3)
    for bar, (length, angle) in enumerate(zip(lengths, angles, strict=True)):
        turn = turn @ Rotation.from_rotvec([0.0, angle, 0.0]).as_matrix()
        own = slice(8 * (bar + 1), 8 * (bar + 2))
        top = np.array([0.0, 0.0, -sum(lengths[:bar])])
        np.testing.assert_allclose(shape[own], (vertices[own] - top) @ turn.T + place, atol=1e-14)
        place = place + turn @ np.array([0.0, 0.0, -length])
    np.testing.assert_allclose(shape[:8], vertices[:8], atol=1e-15)


def test_one_joint_is_one_rotation_whatever_the_latent_that_does_nothing() -> None:
    (vertices, _), space = laptop()
    shape = decode_states(space, vertices, np.array([[1.1, 0.7]]))[0]
    axis_point = np.array([0.0, 0.1, 0.02])
    turn = Rotation.from_rotvec([1.1, 0.0, 0.0]).as_matrix()
    np.testing.assert_allclose(shape[8:], (vertices[8:] - axis_point) @ turn.T + axis_point, atol=1e-14)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 0.9999999, 1.0000001, 2.0, np.pi, 6.0])
def test_rotation_map_and_its_derivatives(angle: float) -> None:
    axis, rate = np.array([0.48, -0.6, 0.64]), np.array([0.3, 1.0, -0.7])
    turn = RotationMap(angle * axis)
    np.testing.assert_allclose(turn.matrix, Rotation.from_rotvec(angle * axis).as_matrix(), atol=1e-14)

    def line(t: Array) -> Array:
        return RotationMap(angle * axis + t[0] * rate).matrix

    np.testing.assert_allclose(turn.along(rate), numerical_derivative(line, np.zeros(1), 1e-5)[..., 0], atol=1e-9)

    def slope(t: Array) -> Array:
        return RotationMap(angle * axis + t[0] * rate).along(rate)

    np.testing.assert_allclose(
        turn.second_along(rate), numerical_derivative(slope, np.zeros(1), 1e-5)[..., 0], atol=1e-9
    )
