"""What a small network learns in half a minute: how boxes open, and that other samples of a shape tell the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from backend.data.families import FAMILIES
from backend.data.source import Source
from backend.kinematics.learned import decode_states
from backend.kinematics.state_space import StateSpace
from backend.learned.infer.encode import encodings
from backend.learned.train.batches import example_batches
from backend.learned.train.losses import Objective
from backend.learned.train.training import train
from backend.learned.train.training_config import CONFIGS, Config
from backend.learned.train.training_model import TrainingModel, load_training_model

TINY = CONFIGS["tiny"]


LEARNER = Config(
    replace(TINY.model, width=48, heads=4, blocks=3, points=128),
    replace(
        TINY.training,
        **{"steps": 360, "rate": 3e-3, "warmup": 10, "ema_decay": 0.98, "augment": False},
        **{"objects": 4, "states": 4, "queries": 96, "sparse_points": 12, "save_every": 1000, "log_every": 10},
    ),
)


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small network that has seen a thousand boxes with lids and flaps."""
    folder = tmp_path_factory.mktemp("learned")
    train(LEARNER, Source({"lidded_box": FAMILIES["lidded_box"]}), folder)
    return folder


def errors(model: TrainingModel) -> tuple[float, float]:
    """Of boxes that it has not seen, relative to their motion: with z from all points, and from a dozen."""
    others = replace(LEARNER, training=replace(LEARNER.training, seed=5, objects=32))
    surface, moves, supervision = next(example_batches(Source({"lidded_box": FAMILIES["lidded_box"]}), others, 0))
    torch.manual_seed(0)
    with torch.no_grad():
        told = Objective(model, replace(LEARNER.training, fitted_objects=32))(surface, moves, supervision)
    return float(told["error"]), float(told["sparse"])


@pytest.mark.long
def test_it_learns_how_boxes_open(learned: Path) -> None:
    """Of a family, and for boxes that were not in training: the errors fall to less than half."""
    torch.manual_seed(LEARNER.training.seed)
    before, after = errors(TrainingModel(LEARNER.model)), errors(load_training_model(learned / "model.safetensors"))
    assert after[0] < 0.45 * before[0]
    assert after[1] < 0.5 * before[1]
    assert after[0] < 0.4


@pytest.mark.long
def test_other_samples_of_a_surface_tell_of_the_same_motion(tmp_path: Path) -> None:
    """Two encodings of a mesh have other handles; what small z move in one, small z of the other can move as well.

    A mesh is encoded as it looks from four sides: the network must have seen things turned, laptops in half a minute.
    """
    seen_twice = Config(LEARNER.model, replace(LEARNER.training, steps=400, uses=2))
    train(seen_twice, Source({"laptop": FAMILIES["laptop"]}), tmp_path)
    unknown = []
    for seed in range(9):
        thing = FAMILIES["laptop"].make(np.random.default_rng(seed))
        weights = tmp_path / "model.safetensors"
        spaces = encodings(thing.vertices, thing.triangles, thing.slot, weights_file=weights, seeds=(0, 1))
        one, other = (motions(space, thing.vertices) for space in spaces)
        missed = one - other @ np.linalg.lstsq(other, one, rcond=1e-3)[0]
        unknown.append((missed**2).sum() / (one**2).sum())
    assert np.median(unknown) < 0.1


def motions(space: StateSpace, vertices: np.ndarray) -> np.ndarray:
    """d x / d z at rest by differences, Float[3V,K]."""
    step = 1e-4
    return (decode_states(space, vertices, step * np.eye(space.latent_count)) - vertices).reshape(
        space.latent_count, -1
    ).T / step
