"""Four sides of one mesh: what is said of each, turned back, is said of the mesh; and a turn of it changes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from backend.kinematics.base import Array
from backend.kinematics.learned import decode_states
from backend.learned.infer import rotation_averaging
from backend.learned.infer.bend_head import Bends
from backend.learned.infer.encode import encode_mesh
from backend.learned.infer.joint_kinds import KINDS
from backend.learned.infer.network import SURFACE_INPUTS
from backend.learned.infer.rotation_averaging import TURNS, averaged_output, rotated_inputs
from backend.learned.infer.screw_heads import Heads
from backend.learned.infer.shape_tensors import Context, Surface
from backend.learned.infer.surface_features import part_boxes
from backend.learned.infer.torch_network import TorchNetwork
from backend.learned.train.checkpoint import save_model
from backend.learned.train.training_config import CONFIGS
from backend.learned.train.training_model import TrainingModel
from tests.backend.learned.train.test_network import surface
from tests.backend.shapes import Arrays, box, joined

TINY = CONFIGS["tiny"].model


def test_turns_are_the_four_quarters_beginning_with_none() -> None:
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    for number, turn in enumerate(TURNS):
        np.testing.assert_array_equal(turn, np.linalg.matrix_power(quarter, number))


def seen_by(surface: Surface) -> dict[str, np.ndarray]:
    """Of the first object."""
    return {name: getattr(surface, name)[0].numpy() for name in SURFACE_INPUTS}


def test_a_turned_surface_has_the_boxes_of_its_turned_parts() -> None:
    before = seen_by(surface(TINY))
    rotation_averaging = rotated_inputs(before)
    for number, turn in enumerate(TURNS):
        after = {name: values[number] for name, values in rotation_averaging.items()}
        for name in ("points", "normals"):
            np.testing.assert_array_equal(after[name], before[name] @ turn.T.astype(np.float32))
        expected = part_boxes(after["points"], after["shell"])[after["shell"]]
        np.testing.assert_array_equal(after["boxes"][:, :6], expected)
        for name in ("codes", "shell", "seeds", "piece", "touching"):
            np.testing.assert_array_equal(after[name], before[name])
        assert {name: array.dtype for name, array in after.items()} == {
            name: array.dtype for name, array in before.items()
        }


def turned_screws(screws: Tensor, turn: Array) -> Tensor:
    return (screws.unflatten(-1, (2, 3)) @ torch.tensor(turn.T, dtype=torch.float32)).flatten(-2)


def turned_heads(heads: Heads, turn: Array) -> Heads:
    """What a network that knows of turns would say of the turned mesh: all of it found by trying."""
    matrix = torch.tensor(turn, dtype=torch.float32)
    kinds = torch.empty_like(heads.kinds)
    every = torch.from_numpy(KINDS).float()
    for number, kind in enumerate(every):
        kinds[..., (every - turned_screws(kind, turn)).abs().sum(-1).argmin()] = heads.kinds[..., number]
    places = torch.empty_like(heads.places)
    for axis in range(3):
        for side in (-1, 0, 1):
            now = (matrix @ (side * torch.eye(3)[axis])).round().int()
            new_axis = int((matrix @ torch.eye(3)[axis]).abs().argmax())
            places[..., new_axis, 1 + now[new_axis]] = heads.places[..., axis, 1 + side]
    return replace(
        heads, kinds=kinds, direction=turned_screws(heads.direction, turn), places=places, place=heads.place @ matrix.T
    )


def random_heads(count: int) -> Heads:
    torch.manual_seed(3)
    shapes = {
        "kinds": (12,),
        "direction": (6,),
        "places": (3, 3),
        "place": (3,),
        "size": (),
        "moves": (),
        "firm": (),
        "balls": (),
    }
    return Heads(**{name: torch.randn(1, count, *shape) for name, shape in shapes.items()})


def turned_bends(bends: Bends, turn: Array) -> Bends:
    """The same rotations and places, seen from another side."""
    matrix = torch.tensor(turn, dtype=torch.float32)
    precision = matrix @ bends.factor @ bends.factor.transpose(-1, -2) @ matrix.T
    return Bends(torch.linalg.cholesky(precision), bends.pivot @ matrix.T)


def random_bends(count: int) -> Bends:
    torch.manual_seed(4)
    factor = torch.randn(1, count, count, 3, 3).tril(-1) + torch.diag_embed(1.0 + torch.rand(1, count, count, 3))
    return Bends(factor, torch.randn(1, count, count, 3))


def together(output: Sequence[Any]) -> Any:
    """One after the other along the first axis."""
    names = [field.name for field in fields(output[0])]
    return type(output[0])(**{name: torch.cat([getattr(each, name) for each in output]) for name in names})


@pytest.fixture
def model() -> TrainingModel:
    torch.manual_seed(0)
    return TrainingModel(TINY).eval()


def all_sides() -> dict[str, np.ndarray]:
    """Of what the encoder sees."""
    return rotated_inputs(seen_by(surface(TINY).take(slice(0, TINY.points))))


@torch.no_grad()
def context_of(model: TrainingModel) -> Context:
    seen = Surface(**{name: torch.from_numpy(values) for name, values in all_sides().items()})
    return model.shape(model.features(seen), seen)


@torch.no_grad()
@pytest.mark.parametrize("turn", TURNS)
def test_turned_words_mean_turned_joints(turn: Array, model: TrainingModel) -> None:
    """What the next test takes for granted."""
    context, heads = context_of(model), random_heads(TINY.handles)
    low, size = torch.randn(1, TINY.handles, 3), torch.rand(1, TINY.handles, 3)
    boxes = torch.stack([low, low + size], -2)
    found = []
    for output, around in (
        (heads, boxes),
        (turned_heads(heads, turn), (boxes @ torch.tensor(turn.T, dtype=torch.float32)).sort(-2)[0]),
    ):
        found.append(model.decoder.joints(output, model.decoder.carries(context), around).screws)
    torch.testing.assert_close(found[1], turned_screws(found[0], turn), atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_what_is_said_of_each_side_is_turned_back(model: TrainingModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """A network that says the same of all sides is told as if there were one."""
    context, heads, bends = context_of(model), random_heads(TINY.handles), random_bends(TINY.handles)
    output = [turned_heads(heads, turn) for turn in TURNS]
    bent = [turned_bends(bends, turn) for turn in TURNS]
    monkeypatch.setattr(model.decoder, "heads", lambda _context: together(output))
    monkeypatch.setattr(model.decoder.bends, "forward", lambda _context: together(bent))
    told = averaged_output(TorchNetwork(model).shape(all_sides()))
    for name in ("moves", "firm", "balls", "size", "direction", "place"):
        np.testing.assert_allclose(getattr(told, name), getattr(heads, name)[0].numpy(), atol=1e-6, err_msg=name)
    for name in ("kinds", "places"):
        expected = getattr(heads, name)[0].log_softmax(-1).numpy()
        np.testing.assert_allclose(getattr(told, name), expected, atol=1e-6, err_msg=name)
    np.testing.assert_array_equal(told.homes, context.homes[0].numpy())
    np.testing.assert_allclose(told.means, context.prior_mean.mean(0).numpy(), atol=1e-6)
    np.testing.assert_allclose(told.carries, model.decoder.carries(context).mean(0).numpy(), atol=1e-5)
    factor = bends.factor[0].double().numpy()
    np.testing.assert_allclose(told.turning, np.linalg.inv(factor @ factor.swapaxes(-1, -2)), atol=1e-5)
    np.testing.assert_allclose(told.pivots, bends.pivot[0].numpy(), atol=1e-6)
    np.testing.assert_allclose(told.stiff_parts, context.stiffness[..., 0].mean(0).numpy(), atol=1e-6)
    np.testing.assert_array_equal(told.stiff, told.stiff_parts[told.homes])
    for field in fields(told):
        assert getattr(told, field.name).shape[0] == (TINY.shells if field.name == "stiff_parts" else TINY.handles)


@pytest.mark.parametrize("turn", TURNS)
def test_kinds_go_back_to_what_they_were(turn: Array) -> None:
    back = rotation_averaging._kinds_back(turn)
    for number, was in enumerate(back):
        found = turned_screws(torch.from_numpy(KINDS[was]).float(), turn).numpy()
        np.testing.assert_array_equal(found + 0.0, KINDS[number] + 0.0)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A network that knows nothing, but is sure of it: all that it sees is of rigid bodies with joints."""
    torch.manual_seed(1)
    model = TrainingModel(TINY)
    with torch.no_grad():
        model.decoder.joint[-1].weight.mul_(5.0)
        model.decoder.joint[-1].bias[-3:] = torch.tensor([100.0, 100.0, -100.0])  # moves, firm, balls
        model.shape.stiff.bias.fill_(100.0)
    path = tmp_path_factory.mktemp("weights") / "tiny.safetensors"
    save_model(path, TINY, model.state_dict(), {"step": 0})
    yield path


def four_boxes() -> Arrays:
    """Of which one stands still."""
    return joined(
        box((2.0, 1.0, 0.3)),
        box((0.3, 1.0, 1.5), (0.8, 0.0, 1.0)),
        box((0.2, 0.3, 0.2), (-0.7, 0.6, 0.3)),
        box((0.4, 0.3, 1.2), (-0.5, -0.3, 0.9)),
    )


@pytest.mark.parametrize("turn", TURNS[1:])
def test_a_mesh_turned_by_a_quarter_moves_as_the_mesh_does(turn: Array, weights: Path) -> None:
    vertices, triangles = four_boxes()
    spaces = [encode_mesh(each, triangles, weights_file=weights) for each in (vertices, vertices @ turn.T)]
    assert spaces[0].latent_count == spaces[1].latent_count == 3
    z = np.random.default_rng(0).normal(size=(4, 3))
    shapes, others = (
        decode_states(space, each, z) for space, each in zip(spaces, (vertices, vertices @ turn.T), strict=True)
    )
    assert np.abs(shapes - vertices).max() > 0.3
    np.testing.assert_allclose(others, shapes @ turn.T, atol=1e-3)
    np.testing.assert_allclose(spaces[1].prior_mean, spaces[0].prior_mean, atol=1e-4)
    assert len(spaces[0].choices) == len(spaces[1].choices) > 0
    for choice, other in zip(spaces[0].choices, spaces[1].choices, strict=True):
        assert other.latent == choice.latent and other.nats == pytest.approx(choice.nats, abs=1e-3)
        expected = turned_screws(torch.tensor(choice.twists, dtype=torch.float32), turn)
        np.testing.assert_allclose(other.twists, expected.numpy(), atol=1e-3)
