"""Rigid motions in float32 against matrix exponentials in float64, and their gradients against differences."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.linalg import expm
from torch import Tensor

from backend.kinematics.base import Array
from backend.kinematics.screws import Screws, twist_matrices
from backend.learned.train.torch_screws import compose, exponential, ordered_product, rotation_matrix, screw_motion
from tests.backend.differences import numerical_derivative

AXIS = np.array([0.48, -0.6, 0.64])
LINEAR = np.array([0.3, 1.0, -0.7])
ANGLES = [0.0, 1e-6, 1e-4, 2e-4, 1e-3, 0.03, 0.4999, 0.5001, 2.0, np.pi, 7.0]


def matrix_of(twist: Array) -> Array:
    """exp of a twist, Float[4,4]."""
    return expm(np.vstack([twist_matrices(twist), np.zeros(4)]))


def as_matrix(motion: tuple[Tensor, Tensor]) -> Array:
    """(..., 3, 4)."""
    return torch.cat([rotation_matrix(motion[0]), motion[1][..., None]], -1).double().numpy()


@pytest.mark.parametrize("angle", ANGLES)
def test_exponential_has_all_digits_of_float32_at_any_angle(angle: float) -> None:
    twist = np.concatenate([angle * AXIS, LINEAR])
    found = as_matrix(exponential(torch.tensor(twist, dtype=torch.float32)))
    np.testing.assert_allclose(found, matrix_of(twist)[:3], atol=1e-6)


@pytest.mark.parametrize("angle", ANGLES[1:])
def test_its_gradient_loses_no_digits_where_quotients_cancel(angle: float) -> None:
    """d t / d omega, where (theta - sin theta) / theta^3 as it stands would have none left at a milliradian."""
    omega = angle * AXIS

    def translation(at: Array) -> Array:
        return matrix_of(np.concatenate([at, LINEAR]))[:3, 3]

    expected = numerical_derivative(translation, omega, 1e-5)
    linear = torch.tensor(LINEAR, dtype=torch.float32)
    found = torch.autograd.functional.jacobian(
        lambda at: exponential(torch.cat([at, linear]))[1], torch.tensor(omega, dtype=torch.float32)
    )
    np.testing.assert_allclose(found.double().numpy(), expected, atol=3e-5)


@pytest.mark.parametrize("angle", [*ANGLES, 40.0])
def test_exponential_in_double_precision(angle: float) -> None:
    twist = np.concatenate([angle * AXIS, LINEAR])
    rotation, translation = exponential(torch.tensor(twist))
    np.testing.assert_allclose(as_matrix((rotation, translation)), matrix_of(twist)[:3], rtol=0.0, atol=2e-9)
    assert float(rotation.norm()) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("angle", [0.0, 1e-6, 1e-3, 0.3, 0.7, 3.0, 100.0])
def test_gradients_in_double_precision(angle: float) -> None:
    twist = torch.tensor(np.concatenate([angle * AXIS, LINEAR]), requires_grad=True)
    assert torch.autograd.gradcheck(exponential, (twist,), eps=1e-6, atol=1e-7)


def test_gradient_of_a_motion_by_many_screws() -> None:
    rng = np.random.default_rng(4)
    twists = torch.tensor(0.7 * rng.normal(size=(1, 2, 5, 6)), requires_grad=True)
    z = torch.tensor(rng.normal(size=(1, 2, 5)), requires_grad=True)
    assert torch.autograd.gradcheck(screw_motion, (twists, z), eps=1e-6, atol=1e-7)


def test_forty_screws_keep_their_quaternions_unit_and_agree_with_the_provider() -> None:
    rng = np.random.default_rng(5)
    twists, z = 0.5 * rng.normal(size=(3, 40, 6)), rng.normal(size=(2, 40))
    rotation, translation = screw_motion(torch.tensor(twists)[None], torch.tensor(z)[None])
    np.testing.assert_allclose(rotation.norm(dim=-1).numpy(), 1.0, atol=1e-12)
    np.testing.assert_allclose(as_matrix((rotation, translation))[0], Screws(twists).transforms(z), atol=1e-8)


@pytest.mark.parametrize("count", [1, 2, 5, 8, 11])
def test_products_keep_their_order(count: int) -> None:
    twists = np.random.default_rng(count).normal(size=(3, count, 6))
    expected = np.stack([np.linalg.multi_dot([np.eye(4), *(matrix_of(each) for each in own)]) for own in twists])
    found = as_matrix(ordered_product(exponential(torch.tensor(twists, dtype=torch.float32))))
    np.testing.assert_allclose(found, expected[:, :3], atol=2e-5)


def test_compose_does_the_inner_motion_first() -> None:
    outer, inner = np.random.default_rng(1).normal(size=(2, 6))
    motions = [exponential(torch.tensor(each, dtype=torch.float32)) for each in (outer, inner)]
    np.testing.assert_allclose(as_matrix(compose(*motions)), (matrix_of(outer) @ matrix_of(inner))[:3], atol=2e-6)


def test_handles_move_as_in_the_provider() -> None:
    """What is trained is what is simulated: the same twists and z in both."""
    rng = np.random.default_rng(2)
    twists, z = 0.5 * rng.normal(size=(4, 6, 6)), rng.normal(size=(3, 6))
    motion = screw_motion(torch.tensor(twists[None], dtype=torch.float32), torch.tensor(z[None], dtype=torch.float32))
    np.testing.assert_allclose(as_matrix(motion)[0], Screws(twists).transforms(z), atol=1e-5)
