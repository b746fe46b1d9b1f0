"""NeuROK as its paper states it: dual quaternions, tokens, objective, and the active subspace of its decoder."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.spatial.transform import Rotation
from torch import Tensor

from backend.data.families import FAMILIES
from backend.data.source import Source
from backend.learned.train.active_subspace import active_directions
from backend.learned.train.batches import example_batches
from backend.learned.train.losses import Objective
from backend.learned.train.paper_model import PaperModel
from backend.learned.train.token_decoders import about_places, dual_quaternion_motion
from backend.learned.train.torch_screws import rotate
from backend.learned.train.training_config import ABLATIONS, CONFIGS, PAPER_LAMBDA, Config

TINY = CONFIGS["tiny"]
SIZES = replace(TINY.model, tokens="learned", latents=3, decoder="point", posterior="encoder")


def new_model() -> PaperModel:
    torch.manual_seed(0)
    return PaperModel(SIZES)


def batch() -> tuple:
    return next(example_batches(Source({"laptop": FAMILIES["laptop"]}), Config(SIZES, TINY.training), 0))


def test_eight_numbers_are_the_rigid_motion_of_their_dual_quaternion() -> None:
    """r + e t r / 2 by SciPy's rotations and the quaternion product; what is along the real part does not count."""
    rng = np.random.default_rng(0)
    real, move = Rotation.random(6, rng).as_quat(scalar_first=True), rng.standard_normal((6, 3))
    w, v = real[:, :1], real[:, 1:]
    dual = 0.5 * np.concatenate([-(move * v).sum(1, keepdims=True), w * move + np.cross(move, v)], axis=1)
    scale = rng.uniform(0.5, 2.0, (6, 1))
    numbers = scale * np.concatenate([real, dual + 0.3 * real], axis=1) - np.eye(8)[0]
    turn, shift = dual_quaternion_motion(torch.from_numpy(numbers).float())
    points = rng.standard_normal((6, 3))
    found = rotate(turn, torch.from_numpy(points).float()) + shift
    expected = Rotation.from_quat(real, scalar_first=True).apply(points) + move
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_no_numbers_are_no_motion() -> None:
    turn, shift = dual_quaternion_motion(torch.zeros(2, 8))
    assert torch.equal(turn, torch.eye(4)[0].expand(2, 4)) and not shift.any()


def test_a_turn_about_a_place_leaves_it_where_it_is() -> None:
    quaternion = torch.nn.functional.normalize(torch.randn(5, 4), dim=-1)
    places = torch.randn(5, 3)
    turn, shift = about_places((quaternion, torch.zeros(5, 3)), places)
    assert (rotate(turn, places) + shift - places).abs().max() < 1e-5


@torch.no_grad()
def test_the_prior_is_of_the_shape_and_not_of_the_order_of_its_points() -> None:
    surface = batch()[0].take(slice(0, SIZES.points))
    model = new_model()
    mean = model.encode(surface).prior_mean
    assert mean.shape == (len(surface.points), SIZES.handles * SIZES.latents)
    order = torch.randperm(SIZES.points)
    assert (model.encode(surface.take(order)).prior_mean - mean).abs().max() < 1e-4
    assert (mean[0] - mean[1]).abs().max() > 1e-3


def test_the_objective_is_the_squared_error_and_lambda_times_the_mean_divergence() -> None:
    """... of the moves that the decoder gives for the z drawn; the divergence by torch.distributions."""
    surface, moves, supervision = batch()
    paper = ABLATIONS["paper"]
    weight = PAPER_LAMBDA / (SIZES.handles * SIZES.latents)
    training = replace(TINY.training, kl_weight=weight, final_kl_weight=weight, huber_delta=None)
    assert paper.training.kl_weight * paper.model.handles * paper.model.latents == pytest.approx(PAPER_LAMBDA)
    assert paper.training.huber_delta is None
    model = new_model()
    shown: dict[str, Tensor] = {}
    model.decoder.register_forward_hook(lambda _, given, moved: shown.update(z=given[3], moved=moved))
    losses = Objective(model, training)(surface, moves, supervision)
    count = SIZES.points
    with torch.no_grad():
        context = model.encode(surface.take(slice(0, count)))
        mean, log_variance = model.deformation(context, moves[:, :, :count])
        posterior = torch.distributions.Normal(mean, (0.5 * log_variance).exp())
        prior = torch.distributions.Normal(context.prior_mean[:, None], 1.0)
        divergence = torch.distributions.kl_divergence(posterior, prior).mean(-1).mean()
        error = ((shown["moved"] - moves[:, :, count:]) ** 2).sum(-1).mean()
    assert losses["total"].item() == pytest.approx(float(error + PAPER_LAMBDA * divergence), rel=1e-4)
    assert shown["z"].shape == mean.shape


def test_the_active_subspace_has_the_directions_that_move_and_no_others() -> None:
    """Two orthogonal directions of six, one of which moves the points a tenth as far: .01 of the energy."""
    one, other = torch.linalg.qr(torch.randn(6, 2))[0].T
    shapes = torch.linalg.qr(torch.randn(12, 2))[0].T.reshape(2, 4, 3)

    def moves(z: Tensor) -> Tensor:
        return (z @ one)[:, None, None] * shapes[0] + size * (z @ other)[:, None, None] * shapes[1]

    size = 1.0
    found = active_directions(moves, torch.zeros(6))
    assert found.shape == (6, 2)
    assert (found @ (found.T @ one) - one).norm() < 1e-4 and (found @ (found.T @ other) - other).norm() < 1e-4
    size = 0.02
    found = active_directions(moves, torch.zeros(6))
    assert found.shape == (6, 1) and abs(float(found[:, 0] @ one)) > 0.99
