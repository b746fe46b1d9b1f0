"""Products of exponentials against matrix exponentials, and their derivatives against complex and real differences."""

import numpy as np
import pytest
from scipy.linalg import expm

from backend.kinematics.screws import Screws, applied, directional_second, twist_matrices

HANDLES, LATENTS = 6, 9


@pytest.fixture
def twists():
    """Random twists with what networks and joints give: handles that stand still, sliders, coordinates left out."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(HANDLES, LATENTS, 6))
    values[0] = 0.0
    values[2, ::2] = 0.0
    values[3, :, :3] = 0.0
    values[4, 1:] = 0.0
    values[:, 5] = 0.0
    return values


@pytest.fixture
def state():
    return np.random.default_rng(4).normal(size=LATENTS)


def square(matrix):
    return np.vstack([matrix, np.zeros(4)])


def explicit(twists, z):
    """The definition, one matrix exponential after the other."""
    result = []
    for own in twists:
        product = np.eye(4)
        for amount, twist in zip(z, own, strict=True):
            product = product @ expm(amount * square(twist_matrices(twist)))
        result.append(product[:3])
    return np.array(result)


def test_the_product_is_that_of_matrix_exponentials(twists, state) -> None:
    screws = Screws(twists)
    np.testing.assert_allclose(screws.product(state).transforms, explicit(twists, state), atol=1e-13)
    several = np.stack([state, 0.1 * state, -state])
    np.testing.assert_allclose(screws.transforms(several)[2], explicit(twists, -state), atol=1e-13)


def test_rest_is_the_identity_bit_by_bit(twists) -> None:
    assert (Screws(twists).transforms(np.zeros(LATENTS)) == np.eye(4)[:3]).all()


def test_small_and_large_angles_meet_where_the_series_ends(twists) -> None:
    turning = twists[1:2, :1]
    rate = np.linalg.norm(turning[0, 0, :3])
    for angle in (1e-9, 1e-3, 0.2999999, 0.3000001, 3.0, 40.0):
        z = np.array([angle / rate])
        np.testing.assert_allclose(Screws(turning).transforms(z), explicit(turning, z), rtol=1e-12, atol=1e-13)


def test_first_derivatives_by_a_complex_step(twists, state) -> None:
    screws = Screws(twists)
    product = screws.product(state)
    for latent in range(LATENTS):
        ahead = state.astype(complex)
        ahead[latent] += 1e-30j
        expected = explicit(twists, ahead).imag / 1e-30
        np.testing.assert_allclose(applied(product.spatial[:, latent], product.transforms), expected, atol=1e-12)


def test_directional_second_derivative_by_a_complex_step_of_the_first(twists, state) -> None:
    screws = Screws(twists)
    rate = np.random.default_rng(5).normal(size=LATENTS)
    # Complex in one direction and a fourth-order difference in the other: nine digits.
    step = 1e-3

    def slope(offset):
        return explicit(twists, state + offset * rate + 1e-30j * rate).imag / 1e-30

    expected = (8.0 * (slope(step) - slope(-step)) - slope(2.0 * step) + slope(-2.0 * step)) / (12.0 * step)
    found = directional_second(screws.product(state), rate)
    assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()


def test_transforms_are_rigid_after_many_factors() -> None:
    rng = np.random.default_rng(6)
    transforms = Screws(rng.normal(size=(4, 48, 6))).transforms(rng.normal(size=48))
    linear = transforms[:, :, :3]
    np.testing.assert_allclose(linear @ linear.transpose(0, 2, 1), np.tile(np.eye(3), (4, 1, 1)), atol=1e-13)
    np.testing.assert_allclose(np.linalg.det(linear), 1.0, atol=1e-13)
