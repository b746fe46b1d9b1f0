"""Finding z by the decoder itself: planted values are found, the prior decides the rest, gradients pass."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from backend.kinematics.base import Array
from backend.kinematics.state_space import StateSpace
from backend.learned.train.latent_fitting import _Observed, _Product, fit, fitted, moves_of, rest_jacobian, skin_basis
from backend.learned.train.torch_screws import screw_motion
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


@pytest.mark.parametrize(("modes", "points"), [(6, 20), (6, 7), (11, 20), (16, 7)])
def test_normal_equations_away_from_rest_by_differences(modes: int, points: int) -> None:
    """Through the whole ordered product, at angles of a radian and more; with more points than 4H, and with fewer."""
    twists, basis = parts_of(*random_space(4, modes, vertices=points, seed=3))
    twists, basis = 4.0 * twists.double(), basis.double()
    twists[0, 1, 2, :3] = 0.0  # a slide
    rng = np.random.default_rng(5)
    z = rng.normal(size=(2, modes))
    shown = torch.tensor(rng.normal(size=(1, 2, points, 3)))

    def residual(state: int, changed: Array) -> Array:
        return (shown[0, state] - moves(twists, basis, torch.tensor(changed)[None, None])[0, 0]).numpy().ravel()

    observed = _Observed(basis, shown)
    found = points * observed.normal_equations(_Product(twists).about(torch.tensor(z)[None]))[0].numpy()
    assert observed.rows.shape[-1] == min(points, 16)
    for state in range(2):
        jacobian = np.empty((3 * points, modes))
        for latent in range(modes):
            step = np.zeros(modes)
            step[latent] = 1e-5
            change = residual(state, z[state] - step) - residual(state, z[state] + step)
            jacobian[:, latent] = change / 2e-5
        left = residual(state, z[state])
        np.testing.assert_allclose(found[state, :-1, :-1], jacobian.T @ jacobian, atol=1e-6)
        np.testing.assert_allclose(found[state, :-1, -1], jacobian.T @ left, atol=1e-6)
        np.testing.assert_allclose(
            found[state, -1, -1] + points * float(observed.rest[0, state]), left @ left, rtol=1e-9
        )


def test_random_screws_are_found_from_rest() -> None:
    """Four screws of one body, up to 40 degrees each: where the order matters, but the way from rest is plain."""
    rng = np.random.default_rng(6)
    points = torch.tensor(rng.uniform(-1.0, 1.0, (60, 3)), dtype=torch.float32)
    basis = skin_basis(torch.ones(60, 1), points)[None, None]
    twists = torch.tensor(rng.normal(size=(1, 1, 4, 6)), dtype=torch.float32)
    twists /= twists[..., :3].norm(dim=-1, keepdim=True)
    z = torch.tensor(rng.uniform(-0.7, 0.7, (1, 8, 4)), dtype=torch.float32)
    found = fit(twists, basis, moves(twists, basis, z), torch.zeros(1, 4), 1e-7, iterations=12)
    error = (moves(twists, basis, found.z) - moves(twists, basis, z)).norm(dim=-1)
    assert error.max() < 1e-3
    assert (found.z - z).abs().max() < 5e-3


@pytest.mark.parametrize("degrees", [-170.0, -100.0, 100.0, 170.0])
def test_a_hinge_is_found_however_far_it_turns(degrees: float) -> None:
    (vertices, _), space = chain([0.5])
    twists, basis = parts_of(vertices, space)
    z = torch.full((1, 1, 1), np.radians(degrees), dtype=torch.float32)
    found = fit(twists, basis, moves(twists, basis, z), torch.zeros(1, 1), WEIGHT)
    assert (found.z - z).abs().max() < 2e-3


def test_more_iterations_never_end_worse() -> None:
    """Noise that no z makes, and starts far off: steps that go too far are taken back."""
    twists, basis = parts_of(*random_space(5, 4, vertices=30, seed=1))
    twists = 4.0 * twists
    torch.manual_seed(0)
    shown, mean = 2.0 * torch.randn(1, 40, 30, 3), torch.tensor([[0.3, -0.1, 0.0, 0.5]])
    start = 3.0 * torch.randn(1, 40, 4)

    def value(z: Tensor) -> Tensor:
        far = ((moves(twists, basis, z) - shown) ** 2).sum((-1, -2)) / 30.0
        return far + 0.5 * WEIGHT * ((z - mean[:, None]) ** 2).sum(-1)

    lowest = value(start)
    for iterations in range(1, 8):
        reached = value(fit(twists, basis, shown, mean, WEIGHT, start, iterations).z)
        assert (reached <= lowest * (1.0 + 1e-5)).all()
        lowest = reached


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


def test_each_state_may_be_seen_at_points_of_its_own() -> None:
    (vertices, _), space = chain([0.5, 0.3, 0.7])
    twists, basis = parts_of(vertices, space)
    z = torch.tensor([[[0.7, -1.2, 0.9], [1.1, 0.2, -1.0]]])
    points = torch.tensor([[9, 12, 17, 20, 25, 28], [8, 14, 18, 22, 26, 31]])
    own = basis[:, 0, points]
    shown = moves(twists, own, z)
    found = fit(twists, own, shown, torch.zeros(1, 3), WEIGHT).z
    for state in range(2):
        alone = fit(twists, own[:, state : state + 1], shown[:, state : state + 1], torch.zeros(1, 3), WEIGHT).z
        assert (found[:, state] - alone[:, 0]).abs().max() < 1e-4
    assert (found - z).abs().max() < 5e-3


@pytest.mark.parametrize("points", [10, 30])
@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_an_example_without_numbers_ends_nothing(points: int, wrong: float) -> None:
    """Where one object has a broken network output or broken moves, the others are fitted as if it were not there."""
    twists, basis = parts_of(*random_space(5, 4, vertices=points, seed=2))
    z = torch.tensor([[[0.3, -0.2, 0.4, 0.1]]])
    shown, mean = moves(twists, basis, z), torch.zeros(1, 4)
    alone = fit(twists, basis, shown, mean, WEIGHT).z
    bad_twists, bad_moves = twists.clone(), shown.clone()
    bad_twists[0, 2, 1, 4], bad_moves[0, 0, 3, 1] = wrong, wrong
    all_twists = torch.cat([twists, bad_twists, twists])
    all_moves, all_bases, means = torch.cat([shown, shown, bad_moves]), basis.expand(3, -1, -1, -1), mean.expand(3, -1)
    found = fit(all_twists, all_bases, all_moves, means, WEIGHT)
    assert (found.z[0] - alone[0]).abs().max() < 1e-5
    given = fitted(found, moves(all_twists, all_bases, found.z), all_moves, means, WEIGHT)
    assert torch.isfinite(given[0]).all()
    assert not torch.isfinite(given[1:]).all(-1).any()
