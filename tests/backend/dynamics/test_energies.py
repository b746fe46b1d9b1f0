"""Energies: derivatives by differences, indifference to rotation, small strains by Hooke's law."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from backend.dynamics.energies import LinearPotential, StableNeoHookean, gravity_potential, lame_parameters
from tests.backend.differences import numerical_derivative

HANDLES = 3
YOUNG, POISSON = 2.0e3, 0.3


def _rest() -> np.ndarray:
    """`a` at rest, Float[4H,3]: the constant handle is the identity, all others are zero."""
    rest = np.zeros((4 * HANDLES, 3))
    rest[:3] = np.eye(3)
    return rest


@pytest.fixture
def energy() -> StableNeoHookean:
    """Seven points whose basis gradients are arbitrary but for the constant handle, which every object has."""
    random = np.random.default_rng(3)
    gradients = random.normal(size=(7, 3, 4 * HANDLES))
    gradients[:, :, :3], gradients[:, :, 3] = np.eye(3), 0.0
    return StableNeoHookean(gradients, random.uniform(0.1, 0.4, 7), YOUNG, POISSON)


def _bent(amount: float, seed: int = 5) -> np.ndarray:
    return _rest() + amount * np.random.default_rng(seed).normal(size=(4 * HANDLES, 3))


@pytest.mark.parametrize("amount", [0.0, 0.05, 0.3, 1.0])  # the last one turns points inside out
def test_neo_hookean_gradient_is_the_slope_of_its_value(energy: StableNeoHookean, amount: float) -> None:
    a = _bent(amount)
    slope = numerical_derivative(energy.value, a)
    assert np.allclose(energy.gradient(a), slope, rtol=1e-6, atol=1e-6 * YOUNG)


@pytest.mark.parametrize("amount", [0.0, 0.05, 0.3, 1.0])
def test_neo_hookean_hessian_is_the_slope_of_its_gradient(energy: StableNeoHookean, amount: float) -> None:
    a = _bent(amount)
    assert amount < 1.0 or energy.volume_ratio(a).min() < 0.0
    slope = numerical_derivative(energy.gradient, a)
    hessian = energy.hessian(a)
    # Crushed points are hundreds of times stiffer than the rest: differences carry that much more rounding.
    assert np.allclose(hessian, slope, rtol=1e-6, atol=1e-6 * max(YOUNG, 1e-3 * np.abs(hessian).max()))
    flat = hessian.reshape(a.size, a.size)
    assert np.allclose(flat, flat.T, atol=1e-9 * max(YOUNG, 1e-3 * np.abs(hessian).max()))


def _dissipation(energy: StableNeoHookean, a: np.ndarray, before: np.ndarray) -> float:
    """mu |E - E0|^2 + lambda/2 tr(E - E0)^2 summed over points, from the deformation alone; `before` is a shape."""
    now, then = (energy.deformation(shape).transpose(2, 0, 1) for shape in (a, before))
    change = 0.5 * (now.transpose(0, 2, 1) @ now - then.transpose(0, 2, 1) @ then)
    mu, lame = lame_parameters(YOUNG, POISSON)
    trace = np.trace(change, axis1=1, axis2=2)
    return float(energy.volume @ (mu * (change**2).sum(axis=(1, 2)) + 0.5 * lame * trace**2))


# Larger amounts crush points, whose elastic forces leave no digits for this difference.
@pytest.mark.parametrize("amount", [0.0, 0.1, 0.2])
def test_viscous_forces_are_derivatives_of_the_dissipation(energy: StableNeoHookean, amount: float) -> None:
    before, a = _bent(amount), _bent(amount, seed=6)
    metric = energy.metric(before)
    slope = numerical_derivative(lambda at: _dissipation(energy, at, before), a)
    force = energy.gradient(a, metric, 1.0) - energy.gradient(a)
    assert np.allclose(force, slope, rtol=1e-6, atol=1e-6 * YOUNG)
    assert np.allclose(energy.gradient(a, metric, 2.5) - energy.gradient(a), 2.5 * force)
    curvature = numerical_derivative(lambda at: energy.gradient(at, metric, 1.0) - energy.gradient(at), a)
    assert np.allclose(energy.hessian(a, metric, 1.0) - energy.hessian(a), curvature, rtol=1e-6, atol=1e-6 * YOUNG)


def test_viscosity_is_rayleigh_damping_at_rest_and_does_not_see_rotation(energy: StableNeoHookean) -> None:
    rest = _rest()
    both = energy.hessian(rest, energy.metric(rest), 1.0)
    assert np.allclose(both, 2.0 * energy.hessian(rest), atol=1e-9 * YOUNG)
    bent = _bent(0.4)
    turned = bent @ Rotation.from_rotvec([0.4, -1.7, 0.9]).as_matrix().T
    assert np.allclose(energy.gradient(turned, energy.metric(bent), 1e3), energy.gradient(turned), atol=1e-8 * YOUNG)


def test_rest_and_every_rotated_shape_cost_nothing(energy: StableNeoHookean) -> None:
    for rotation in Rotation.random(5, random_state=1).as_matrix():
        turned = _rest() @ rotation.T + np.eye(4 * HANDLES)[3][:, None] * [0.3, -2.0, 1.0]
        assert abs(energy.value(turned)) < 1e-12 * YOUNG
        assert np.abs(energy.gradient(turned)).max() < 1e-12 * YOUNG
        assert np.allclose(energy.volume_ratio(turned), 1.0)


def test_a_rotated_deformation_has_the_same_energy_and_the_rotated_derivatives(energy: StableNeoHookean) -> None:
    a = _bent(0.4)
    rotation = Rotation.from_rotvec([0.4, -1.7, 0.9]).as_matrix()
    turned = a @ rotation.T
    assert energy.value(turned) == pytest.approx(energy.value(a), rel=1e-12)
    assert np.allclose(energy.gradient(turned), energy.gradient(a) @ rotation.T, atol=1e-9 * YOUNG)
    expected = np.einsum("ij,bjdl,kl->bidk", rotation, energy.hessian(a), rotation)
    assert np.allclose(energy.hessian(turned), expected, atol=1e-9 * YOUNG)


@pytest.mark.parametrize("poisson", [0.0, 0.3, 0.45])
def test_small_strains_cost_what_hookes_law_says(poisson: float) -> None:
    """One point, one affine handle: F = a[:3].T, and the energy is V (mu |e|^2 + lambda/2 tr(e)^2) for F = 1 + e."""
    gradients = np.concatenate([np.eye(3), np.zeros((3, 1))], axis=1)[None]
    energy = StableNeoHookean(gradients, np.array([0.7]), YOUNG, poisson)
    strain = 1e-5 * np.array([[1.0, 0.4, -0.2], [0.4, -0.6, 0.1], [-0.2, 0.1, 0.9]])
    a = np.vstack([np.eye(3) + strain, np.zeros(3)])
    mu, lame = lame_parameters(YOUNG, poisson)
    hooke = 0.7 * (mu * (strain**2).sum() + 0.5 * lame * np.trace(strain) ** 2)
    assert energy.value(a) == pytest.approx(hooke, rel=1e-4)


def test_lame_parameters_give_back_youngs_modulus_and_poissons_ratio() -> None:
    mu, lame = lame_parameters(YOUNG, POISSON)
    assert mu * (3.0 * lame + 2.0 * mu) / (lame + mu) == pytest.approx(YOUNG)
    assert lame / (2.0 * (lame + mu)) == pytest.approx(POISSON)


def test_an_inverted_point_is_pushed_back() -> None:
    gradients = np.concatenate([np.eye(3), np.zeros((3, 1))], axis=1)[None]
    energy = StableNeoHookean(gradients, np.array([1.0]), YOUNG, POISSON)
    for height in (-0.5, -0.1, 0.1, 0.5, 0.9):  # squashed flat and through: the force along z opens it again
        a = np.vstack([np.diag([1.0, 1.0, height]), np.zeros(3)])
        assert energy.gradient(a)[2, 2] < 0.0


def test_linear_potential_derivatives() -> None:
    random = np.random.default_rng(0)
    force, origin, a = random.normal(size=(3, 8, 3))
    potential = LinearPotential(force, origin)
    assert potential.value(origin) == 0.0
    assert np.allclose(potential.gradient(a), numerical_derivative(potential.value, a), atol=1e-8)
    assert not potential.hessian(a).any()
    assert potential.hessian(a).shape == (8, 3, 8, 3)


def test_gravity_is_mass_times_height() -> None:
    random = np.random.default_rng(1)
    mass, basis = random.uniform(1.0, 2.0, 20), random.normal(size=(20, 8))
    origin, a = random.normal(size=(2, 8, 3))
    rise = (basis @ a - basis @ origin)[:, 2]
    potential = gravity_potential(mass, basis, np.array([0.0, 0.0, -9.81]), origin)
    assert potential.value(a) == pytest.approx(9.81 * float(mass @ rise))
