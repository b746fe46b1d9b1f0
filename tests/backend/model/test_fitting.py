"""Finding z by the decoder itself: planted values are found, the prior decides the rest, gradients pass."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from backend.kinematics.base import Array
from backend.kinematics.state_space import StateSpace
from backend.model.fitting import fit, fitted, moves_of, rest_jacobian, skin_basis
from backend.model.screws import screw_motion
from tests.backend.differences import numerical_derivative
from tests.backend.kinematics.spaces import chain, drawer, random_space

WEIGHT = 1e-5


def parts_of(vertices: Array, space: StateSpace) -> tuple[Tensor, Tensor]:
    """Twists (1,H,K,6) and basis (1,1,V,4H) of a state space, in the normalised frame."""
    points = torch.tensor(space.frame.to_reference(vertices), dtype=torch.float32)
    basis = skin_basis(torch.tensor(space.weights, dtype=torch.float32), points)
    return torch.tensor(space.twists, dtype=torch.float32)[None], basis[None, None]


def moves(twists: Tensor, basis: Tensor, z: Tensor) -> Tensor:
    return moves_of(screw_motion(twists, z), basis)


def test_jacobian_at_rest_by_differences() -> None:
    twists, basis = parts_of(*random_space(4, 3, vertices=20))

    def at(z: Array) -> Array:
        found = moves(twists.double(), basis.double(), torch.tensor(z)[None, None])
        return found[0, 0].numpy()

    expected = numerical_derivative(at, np.zeros(3), 1e-3)
    np.testing.assert_allclose(rest_jacobian(twists, basis[:, 0])[0].numpy(), expected, atol=1e-4)


def test_finds_the_joint_values_that_made_the_moves() -> None:
    """Three bars that hang from each other, turned by up to a radian and a half each."""
    (vertices, _), space = chain([0.5, 0.3, 0.7])
    twists, basis = parts_of(vertices, space)
    z = torch.tensor([[[0.7, -1.2, 0.9], [1.5, 0.2, -1.0], [0.0, 0.0, 0.0]]])
    found = fit(twists, basis, moves(twists, basis, z), torch.zeros(1, 3), WEIGHT)
    assert (found.z - z).abs().max() < 2e-3


def test_the_prior_takes_its_part_as_the_closed_form_says() -> None:
    """One slide of the share s of the points by d: (2 s d^2 z + w m) / (2 s d^2 + w) for points that moved by z d."""
    (vertices, _), space = drawer()
    twists, basis = parts_of(vertices, space)
    mean, weight, true = 0.4, 0.3, 0.25
    found = fit(twists, basis, moves(twists, basis, torch.full((1, 1, 1), true)), torch.full((1, 1), mean), weight)
    share = space.weights[:, 1].mean()
    stiffness = 2.0 * share * float((space.twists[1, 0, 3:] ** 2).sum())
    assert abs(float(found.z) - (stiffness * true + weight * mean) / (stiffness + weight)) < 1e-5


def test_what_no_point_shows_has_the_value_of_the_prior() -> None:
    (vertices, _), space = chain([0.5, 0.5])
    twists, basis = parts_of(vertices, space)
    upper = basis[:, :, :16]  # the base and the first bar
    z = torch.tensor([[[0.6, 1.0]]])
    found = fit(twists, upper, moves(twists, upper, z), torch.tensor([[0.0, -0.3]]), WEIGHT)
    assert (found.z - torch.tensor([0.6, -0.3])).abs().max() < 1e-3


def test_the_gradient_of_a_fit_is_that_of_fitting_again() -> None:
    """d z* / d twists, by fitting with changed twists."""
    (vertices, _), space = chain([0.5, 0.4])
    twists, basis = parts_of(vertices, space)
    twists, basis = twists.double(), basis.double()
    mean = torch.tensor([[0.1, -0.2]]).double()
    shown = moves(twists, basis, torch.tensor([[[0.4, -0.3]]]).double())
    way = 0.1 * torch.tensor(np.random.default_rng(0).normal(size=twists.shape)) * (twists != 0.0).any(-1, keepdim=True)

    def again(share: Array) -> Array:
        return fit(twists + float(share[0]) * way, basis, shown, mean, WEIGHT).z[0, 0].numpy()

    expected = numerical_derivative(again, np.zeros(1), 1e-3)[:, 0]
    share = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    changed = twists + share * way
    found = fit(changed.detach(), basis, shown, mean, WEIGHT)
    z = fitted(found, moves(changed, basis, found.z), shown, mean, WEIGHT)
    assert torch.equal(z, found.z)
    gradient = [float(torch.autograd.grad(z[0, 0, latent], share, retain_graph=True)[0]) for latent in range(2)]
    assert np.abs(expected).max() > 1e-2
    np.testing.assert_allclose(gradient, expected, rtol=0.02, atol=1e-3)
