"""The network's promises by construction: rest, weights, independence of order and of what codes happen to be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from backend.data.example import example_at
from backend.data.families import FAMILIES
from backend.data.source import Source
from backend.learned.infer.model_config import ModelConfig
from backend.learned.infer.shape_tensors import Context, Surface
from backend.learned.infer.surface_features import surface_features
from backend.learned.train.batches import surface_of
from backend.learned.train.training_config import CONFIGS
from backend.learned.train.training_model import TrainingModel

TINY = CONFIGS["tiny"].model
QUERIES = 40


def surface(config: ModelConfig, family: str = "lidded_box", index: int = 0) -> Surface:
    """Samples of one object, as training sees them without augmentation."""
    source = Source({family: FAMILIES[family]})
    example = example_at(source, 5, index, points=config.points + QUERIES, states=1, augment=False)
    about = surface_features(example.points, example.shell, example.slot, config, np.random.default_rng(index))
    return surface_of([{"points": example.points, "normals": example.normals, **about}])


def parts(model: TrainingModel, whole: Surface) -> tuple[Context, Tensor, Surface]:
    """Context of the shape, and the queries with their features."""
    count = model.config.points
    context, asked = model.encode(whole.take(slice(0, count))), whole.take(slice(count, None))
    return context, model.query_features(context, asked), asked


def twists(model: TrainingModel, context: Context) -> Tensor:
    """(B,H,H,6), of a shape of which nothing more is known."""
    return model.decoder.twists(context, model.decoder.predicted(context))


def new_model(**changes: object) -> TrainingModel:
    torch.manual_seed(0)
    return TrainingModel(replace(TINY, **changes)).eval()


@pytest.mark.parametrize("decoder", ["screws", "affine", "handles", "point"])
@torch.no_grad()
def test_nothing_moves_at_zero_and_something_does_elsewhere(decoder: str) -> None:
    model = new_model(decoder=decoder, posterior="encoder")
    context, features, asked = parts(model, surface(model.config))
    z = torch.randn(1, 3, TINY.handles)
    z[:, 0] = 0.0
    moves = model.decoder(context, features, asked, z)
    assert moves.shape == (1, 3, QUERIES, 3)
    assert moves[:, 0].abs().max() < 1e-6
    assert moves[:, 1:].norm(dim=-1).max() > 1e-3


@torch.no_grad()
def test_weights_are_a_partition_of_one() -> None:
    model = new_model()
    weights = model.decoder.skin_weights(*parts(model, surface(model.config)))
    assert weights.shape == (1, QUERIES, TINY.handles)
    assert weights.min() >= 0.0
    assert (weights.sum(-1) - 1.0).abs().max() < 1e-5


@torch.no_grad()
def test_a_part_that_is_wholly_stiff_has_one_row_of_weights() -> None:
    model = new_model()
    samples = surface(model.config)
    soft = model.decoder.skin_weights(*parts(model, samples))
    model.shape.stiff.bias.fill_(100.0)
    context, features, asked = parts(model, samples)
    weights = model.decoder.skin_weights(context, features, asked)
    for shell in asked.shell.unique():
        own = asked.shell[0] == shell
        assert (weights[0, own] - weights[0, own][:1]).abs().max() < 1e-6
        if own.sum() > 3:
            assert (soft[0, own] - soft[0, own][:1]).abs().max() > 1e-3


@torch.no_grad()
def test_handles_of_a_stiff_part_carry_each_other_until_more_is_known() -> None:
    """... and those of what bends carry no other."""
    model = new_model()
    for layer in (model.decoder.carried, model.decoder.carrier, model.decoder.beside[-1]):
        layer.weight.zero_()
        layer.bias.zero_()
    samples = surface(model.config)
    for stiff in (True, False):
        model.shape.stiff.bias.fill_(100.0 if stiff else -100.0)
        context = parts(model, samples)[0]
        homes, others = context.homes[0], ~torch.eye(TINY.handles, dtype=torch.bool)
        same = (homes[:, None] == homes)[others]
        assert same.any()
        assert torch.equal((model.decoder.carries(context)[0] > 0.0)[others], same if stiff else torch.zeros_like(same))


@torch.no_grad()
def test_the_order_of_the_samples_does_not_matter() -> None:
    model = new_model()
    whole = surface(model.config)
    count = model.config.points
    order = torch.cat([torch.randperm(count), torch.arange(count, count + QUERIES)])
    place = order[:count].argsort()
    mixed = replace(
        whole,
        **{name: getattr(whole, name)[:, order] for name in ("points", "normals", "boxes", "codes", "shell")},
        seeds=place[whole.seeds],
        piece=whole.piece[:, order[:count]],
        touching=place[whole.touching],
    )
    one, other = (twists(model, parts(model, each)[0]) for each in (whole, mixed))
    assert (one - other).abs().max() < 1e-4 * one.abs().max()
    first, second = (model.decoder.skin_weights(*parts(model, each)) for each in (whole, mixed))
    assert (first - second).abs().max() < 1e-4


@torch.no_grad()
def test_a_number_of_z_has_the_mean_of_its_own_mode() -> None:
    """Handles in another order may number z otherwise; a motion and where its z lies by nature stay together."""
    model = new_model()
    model.shape.prior.weight.normal_()
    whole = surface(model.config)
    order = torch.randperm(TINY.handles)
    mixed = replace(
        whole,
        seeds=whole.seeds[:, order],
        piece=order.argsort()[whole.piece],
        touching=whole.touching[:, order][:, :, order],
    )
    found = []
    for each in (whole, mixed):
        context = parts(model, each)[0]
        by_mean = context.prior_mean[0].argsort()
        size = twists(model, context)[0].norm(dim=(0, 2))
        found.append(torch.stack([context.prior_mean[0], size])[:, by_mean])
    assert (found[0] - found[1]).abs().max() < 1e-3 * found[0].abs().max()
    assert found[0][1].std() > 1e-2 * found[0][1].mean()


@torch.no_grad()
def test_every_part_of_some_size_gets_a_handle() -> None:
    config = CONFIGS["base"].model
    for index in range(5):
        whole = surface(config, "drawer_cabinet", index)
        shell = whole.shell[0, : config.points]
        large = [int(each) for each in shell.unique() if (shell == each).sum() > 0.08 * config.points]
        assert set(large) <= set(shell[whole.seeds[0]].tolist())


@torch.no_grad()
def test_free_twists_of_the_first_step_point_every_way() -> None:
    """Where all modes begin alike, training has to part them first and may never do so. Joints are taught choices.

    Only where an encoder tells z: where it is fitted, what bends is told beside.
    """
    assert new_model().decoder.free is None and new_model(posterior="encoder").decoder.bends is None
    torch.manual_seed(0)
    model = TrainingModel(replace(CONFIGS["base"].model, posterior="encoder")).eval()
    context = parts(model, surface(model.config))[0]
    free = model.decoder.free_twists(context)[0]
    for flat in (free.flatten(1), free.transpose(0, 1).flatten(1)):
        size = torch.linalg.svdvals(flat)
        assert size[8] > 0.15 * size[0]


def test_an_ablation_without_parts_or_slots_sees_one_of_each() -> None:
    """A drawer cabinet told apart into loose parts, and the same as one shell of one material."""
    for sees in (True, False):
        seen = surface(replace(TINY, sees_parts=sees), "drawer_cabinet")
        assert (seen.shell.unique().numel() > 1) == sees
        assert bool(seen.codes.any()) == sees
        # The box of the own part is that of the whole, wherever a point is.
        assert bool((seen.boxes != seen.boxes[:, :1]).any()) == sees


@torch.no_grad()
def test_an_ablation_without_pairs_does_not_know_where_pieces_touch() -> None:
    """Which points of two pieces are nearest to each other is told by nothing but what pairs know."""
    for sees in (True, False):
        model = new_model(sees_pairs=sees)
        seen = surface(model.config).take(slice(0, TINY.points))
        elsewhere = replace(seen, touching=seen.touching.roll(1, dims=1))
        handles = [model.encode(each).handles for each in (seen, elsewhere)]
        assert bool((handles[0] - handles[1]).abs().max() > 1e-4) == sees
