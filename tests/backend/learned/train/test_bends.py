"""What the network says of any two pieces of what bends: alike both ways round, and nothing that cannot be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.spatial.distance import cdist

from backend.learned.infer import bend_head
from backend.learned.infer.shape_tensors import Context
from backend.learned.train.training_config import CONFIGS
from backend.learned.train.training_model import TrainingModel
from tests.backend.learned.train.test_network import surface

TINY = CONFIGS["tiny"].model


@pytest.fixture
def model() -> TrainingModel:
    torch.manual_seed(0)
    return TrainingModel(TINY).eval()


@torch.no_grad()
def context_of(model: TrainingModel) -> Context:
    """Of a network, in which nothing is the same both ways round by chance."""
    context = model.encode(surface(TINY).take(slice(0, TINY.points)))
    return replace(context, pairs=context.pairs + torch.randn_like(context.pairs))


@torch.no_grad()
def test_pieces_are_said_to_meet_in_the_middle_between_their_nearest_points(model: TrainingModel) -> None:
    """... in the order of the handles, by the whole table of distances."""
    whole = surface(TINY)
    context, seen = context_of(model), whole.points[0, : TINY.points].double().numpy()
    pieces = [seen[whole.piece[0].numpy() == int(seed)] for seed in context.seeds[0]]
    assert context.seeds[0].tolist() != sorted(context.seeds[0].tolist())
    for one in range(TINY.handles):
        for other in range(TINY.handles):
            distance = cdist(pieces[one], pieces[other])
            assert float(context.gaps[0, one, other]) == pytest.approx(distance.min(), abs=1e-3)
            mine, its = np.unravel_index(distance.argmin(), distance.shape)
            if (distance < distance.min() + 1e-3).sum() == 1:
                middle = 0.5 * (pieces[one][mine] + pieces[other][its])
                np.testing.assert_allclose(context.meets[0, one, other], middle, atol=1e-6)


@torch.no_grad()
def test_what_is_said_of_two_handles_is_the_same_both_ways_round(model: TrainingModel) -> None:
    head, context = model.decoder.bends, context_of(model)
    head.out[-1].weight.mul_(5.0)
    found = head(context)
    for values in (found.factor, found.pivot, found.covariance()):
        torch.testing.assert_close(values, values.transpose(1, 2), atol=1e-5, rtol=1e-4)
    for values in (found.factor, found.pivot):  # and not the same for all
        assert (values - values[:, :1, 1:2]).abs().max() > 0.1


@torch.no_grad()
def test_what_is_said_of_two_handles_stays_theirs_in_another_order(model: TrainingModel) -> None:
    head, context = model.decoder.bends, context_of(model)
    order = torch.randperm(TINY.handles)
    found, other = head(context), head(context.ordered(order[None]))
    for name in ("factor", "pivot"):
        expected = getattr(found, name)[:, order][:, :, order]
        torch.testing.assert_close(getattr(other, name), expected, atol=1e-5, rtol=1e-4)


@torch.no_grad()
@pytest.mark.parametrize("sure", [1.0, 10.0])
def test_covariances_are_the_inverse_of_precisions_and_no_rotation_has_none(sure: float, model: TrainingModel) -> None:
    model.decoder.bends.out[-1].weight.mul_(sure)
    found = model.decoder.bends(context_of(model))
    factor = found.factor.double()
    assert not factor.triu(1).any()
    covariance = replace(found, factor=factor).covariance()
    torch.testing.assert_close(covariance, covariance.transpose(-1, -2))
    assert torch.linalg.eigvalsh(covariance).min() > 0.0
    one = covariance @ factor @ factor.transpose(-1, -2)
    torch.testing.assert_close(one, torch.eye(3).double().expand_as(one), atol=1e-5, rtol=0.0)
    assert found.factor.diagonal(dim1=-2, dim2=-1).max() <= np.exp(bend_head.STIFFEST) + 1e-3


@torch.no_grad()
def test_at_the_start_all_turn_by_a_fifth_of_a_radian_about_where_they_meet(model: TrainingModel) -> None:
    """... or about that: nearly, with the random weights of the first step, and exactly where these say nothing."""
    context = model.encode(surface(TINY).take(slice(0, TINY.points)))
    found = model.decoder.bends(context)
    assert (found.pivot - context.meets).norm(dim=-1).max() < 0.5
    deviation = torch.linalg.eigvalsh(found.covariance()).sqrt()
    assert deviation.min() > 0.05 and deviation.max() < 0.8 and 0.1 < deviation.median() < 0.4
    for values in model.decoder.bends.out[-1].parameters():
        values.zero_()
    found = model.decoder.bends(context)
    assert torch.equal(found.pivot, context.meets)
    expected = np.exp(-2.0 * bend_head.FIRST) * torch.eye(3)
    torch.testing.assert_close(found.covariance(), expected.expand(1, TINY.handles, TINY.handles, 3, 3))
