"""The fit that knows nothing of the decoder, against closed forms and against the fit that is made for screws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from backend.data.example import example_at
from backend.data.families import FAMILIES
from backend.data.source import Source
from backend.evaluate.bound_decoder import BoundDecoder, bound
from backend.evaluate.decoder_errors import Samples
from backend.evaluate.latent_fit import Coordinates, FitSettings, LatentFit
from backend.evaluate.torch_fit import SETTINGS, Moves, columns, fitted_latents
from backend.kinematics.base import ReferenceFrame, skinning_basis
from backend.kinematics.screws import Screws, applied
from backend.kinematics.state_space import StateSpace
from backend.learned.train.latent_fitting import moves_of, skin_basis
from backend.learned.train.torch_screws import screw_motion
from backend.learned.train.training_config import CONFIGS
from backend.learned.train.training_model import TrainingModel

POINTS = 60


def untrained(kind: str, posterior: str, family: str = "lidded_box") -> BoundDecoder:
    """A network that knows nothing yet, at a few points of one object; where z is fitted it is sure that all bends."""
    torch.manual_seed(2)
    config = replace(CONFIGS["tiny"].model, decoder=kind, posterior=posterior)
    model = TrainingModel(config).eval()
    if posterior == "fit":
        with torch.no_grad():
            model.decoder.joint[-1].bias[-2] = -100.0
            model.shape.stiff.bias.fill_(-100.0)
    source = Source({family: FAMILIES[family]})
    example = example_at(source, 3, 0, points=config.points + POINTS, states=1, augment=False)
    return bound(model, Samples.of(example), POINTS)


KINDS = [("screws", "fit"), ("screws", "encoder"), ("affine", "encoder"), ("handles", "encoder"), ("point", "encoder")]


@pytest.mark.parametrize(("kind", "posterior"), KINDS)
@torch.no_grad()
def test_derivatives_are_those_of_finite_differences(kind: str, posterior: str) -> None:
    decoder = untrained(kind, posterior)
    latents, moves = len(decoder.mean), decoder.moves(slice(None))
    z = 0.5 * torch.randn(2, latents)
    found = columns(moves, z)
    assert found.shape == (latents, 2, POINTS, 3)
    step = 1e-2
    for number in range(latents):
        change = torch.zeros_like(z)
        change[:, number] = step
        expected = (moves(z + change) - moves(z - change)) / (2.0 * step)
        assert (found[number] - expected).abs().max() < 2e-3 * max(float(expected.abs().max()), 0.1)
    assert (columns(moves, z, 2) - found).abs().max() < 1e-5


@pytest.mark.parametrize("family", ["lidded_box", "fish"])
@pytest.mark.parametrize(("kind", "posterior"), KINDS)
@torch.no_grad()
def test_what_is_known_of_a_bound_decoder_is_what_it_does(kind: str, posterior: str, family: str) -> None:
    """Nothing at rest; elsewhere what its weights and screws or columns say in NumPy, at any part of its points."""
    decoder = untrained(kind, posterior, family)
    z = torch.randn(3, len(decoder.mean))
    z[0] = 0.0
    moves = decoder.moves(slice(None))(z)
    assert moves.shape == (3, POINTS, 3)
    assert moves[0].abs().max() < 1e-5 < 1e-3 < moves[1:].abs().max()
    torch.testing.assert_close(decoder.moves(slice(10, 17))(z), moves[:, 10:17], atol=1e-5, rtol=1e-4)
    assert (decoder.encoded is not None) == (posterior == "encoder")
    if kind in ("handles", "point"):
        assert decoder.weights is None and decoder.twists is None and decoder.columns is None
        return
    np.testing.assert_allclose(decoder.weights.sum(axis=1), 1.0, atol=1e-5)
    numbers = z.double().numpy()
    if kind == "screws":
        transforms = Screws(decoder.twists).transforms(numbers)
    else:
        transforms = np.eye(4)[:3] + np.einsum("nk,hkij->nhij", numbers, decoder.columns)
    moved = np.einsum(
        "ph,nhij,pj->npi", decoder.weights, transforms, np.column_stack([decoder.points, np.ones(POINTS)])
    )
    np.testing.assert_allclose(moved - decoder.points, moves.numpy(), atol=1e-4)


def twists_and_points() -> tuple[StateSpace, np.ndarray]:
    rng = np.random.default_rng(1)
    twists = np.concatenate([np.zeros((1, 3, 6)), rng.normal(0.0, 0.4, (4, 3, 6))])
    weights = rng.dirichlet(0.3 * np.ones(5), POINTS)
    mean = np.array([0.3, 0.0, -0.2])
    space = StateSpace(twists, weights, mean, np.ones(3), ReferenceFrame(np.zeros(3), 1.0))
    return space, rng.uniform(-1.0, 1.0, (POINTS, 3))


def screw_moves(space: StateSpace, points: np.ndarray) -> Moves:
    """The same in torch."""
    twists = torch.tensor(space.twists, dtype=torch.float32)[None]
    weights, places = (torch.tensor(each, dtype=torch.float32) for each in (space.weights, points))
    basis = skin_basis(weights, places)[None, None]
    return lambda z: moves_of(screw_motion(twists, z[None]), basis)[0]


@torch.no_grad()
def test_derivatives_of_screws_are_the_closed_form() -> None:
    space, points = twists_and_points()
    z = np.array([0.4, -0.7, 1.1])
    product = Screws(space.twists).product(z)
    change = applied(product.spatial, product.transforms).transpose(0, 3, 2, 1).reshape(len(space.twists) * 4, -1)
    expected = (skinning_basis(space.weights, points) @ change).reshape(POINTS, 3, 3)
    found = columns(screw_moves(space, points), torch.tensor(z, dtype=torch.float32)[None])
    np.testing.assert_allclose(found[:, 0].numpy().transpose(1, 2, 0), expected, atol=1e-5)


def test_a_linear_decoder_is_fitted_as_ridge_regression_says() -> None:
    torch.manual_seed(0)
    directions, targets, mean = torch.randn(4, 30, 3), torch.randn(30, 3), torch.tensor([0.5, 0.0, -1.0, 2.0])
    settings = FitSettings(noise=0.5, independent=10, random_starts=2, first_iterations=4, most_iterations=10)

    def moves(z: Tensor) -> Tensor:
        return torch.einsum("nk,kpi->npi", z, directions)

    flat, precision = directions.flatten(1), 10 / (30 * 0.5**2)
    expected = torch.linalg.solve(precision * flat @ flat.T + torch.eye(4), precision * flat @ targets.flatten() + mean)
    assert (fitted_latents(moves, targets, mean, settings) - expected).abs().max() < 1e-4


@pytest.mark.parametrize("seen", [POINTS, 6])
def test_screws_are_fitted_as_well_as_by_their_own_fit(seen: int) -> None:
    """The same objective has the same lowest value, for many points and for few, with noise that cannot be followed."""
    space, points = twists_and_points()
    basis = skinning_basis(space.weights, points)
    own = LatentFit(space, Coordinates.of_all_latents(space), False)
    few = StateSpace(space.twists, space.weights[:seen], space.prior_mean, space.prior_scale, space.frame)
    moves = screw_moves(few, points[:seen])
    rng = np.random.default_rng(5)
    for _ in range(3):
        true = space.prior_mean + rng.standard_normal(3)
        targets = (basis @ own.unplaced(true))[:seen] + rng.normal(0.0, 0.01, (seen, 3))
        pose = own.solve(basis[:seen], targets)
        moved = torch.tensor(targets - points[:seen], dtype=torch.float32)
        mean = torch.tensor(space.prior_mean, dtype=torch.float32)
        z = fitted_latents(moves, moved, mean).double().numpy()
        precision = min(seen, SETTINGS.independent) / (seen * SETTINGS.noise**2)
        missed = (basis @ own.unplaced(z))[:seen] - targets
        value = 0.5 * precision * (missed**2).sum() + 0.5 * ((z - space.prior_mean) ** 2).sum()
        assert value < 1.01 * pose.value + 1e-3
        if seen == POINTS:
            np.testing.assert_allclose(z, true, atol=0.05)
