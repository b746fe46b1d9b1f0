"""`python -m backend train --config joints/tiny`: from the stock to the end, stopped and resumed."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from backend.data.families.jointed_families import JOINTED
from backend.data.source import Family, Source
from backend.errors import UserError
from backend.learned.infer.joint_network.torch_engine import load_joint_network
from backend.learned.train.checkpoint import load_checkpoint
from backend.learned.train.joint_network.joint_train_command import train_joint_network
from backend.learned.train.joint_network.joint_training import COLUMNS, train_joints
from backend.learned.train.joint_network.joint_training_config import JOINT_CONFIGS
from backend.learned.train.joint_network.objects import still_mesh
from backend.learned.train.joint_network.sources import true_shapes
from backend.learned.train.joint_network.stock import make_stock, read_stock, simulated_shape
from backend.learned.train.train_command import add_options
from backend.learned.train.training_config import OF_JOINTS
from tests.backend.evaluate.objects import chest

TINY = JOINT_CONFIGS["joints/tiny"]
LAST = TINY.training.pretraining + TINY.training.steps


def options(*words: str):
    import argparse

    parser = argparse.ArgumentParser()
    add_options(parser)
    return parser.parse_args(words)


def steps(folder: Path) -> list[int]:
    with (folder / "loss.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert set(rows[0]) == set(COLUMNS)
    assert np.isfinite([float(value) for row in rows for value in row.values()]).all()
    return [int(row["step"]) for row in rows]


def test_every_configuration_is_named_by_the_command() -> None:
    assert set(OF_JOINTS) == set(JOINT_CONFIGS)


@pytest.mark.long
def test_a_run_goes_from_simulated_to_true_joints_and_is_resumed(tmp_path: Path) -> None:
    for number in range(6):
        chest(tmp_path / "data" / f"chest_{number}")
    folder = tmp_path / "run"
    words = ("--config", "joints/tiny", "--data", str(tmp_path / "data"), "-o", str(folder))
    train_joint_network(options(*words, "--minutes", "0.0001"))  # one step
    assert len(list((folder / "stock").glob("*.npz"))) == TINY.training.stock
    assert load_checkpoint(folder / "checkpoint.pt")["step"] == 1
    output = train_joint_network(options(*words))
    assert output == f"Step {LAST}: {folder / 'model.safetensors'}"
    assert steps(folder) == [1, *range(5, LAST + 1, 5)]
    assert load_joint_network(folder / "model.safetensors").config == TINY.model


def test_without_pretraining_nothing_is_simulated(tmp_path: Path) -> None:
    short = replace(TINY, training=replace(TINY.training, pretraining=0, steps=5))
    source = Source({"door": Family(JOINTED["door"].make, 1.0)})
    true = true_shapes(source)

    def never(_rng: np.random.Generator) -> None:
        raise AssertionError("a simulated shape was asked for")

    assert train_joints(short, never, true, tmp_path) == 5


def test_options_of_the_state_space_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="state space alone"):
        train_joint_network(options("--config", "joints/tiny", "--cooldown", "5"))


def test_the_stock_is_read_as_it_was_written(tmp_path: Path) -> None:
    make_stock([], tmp_path, 2)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    make_stock([], tmp_path, 2)  # nothing is missing
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    shape = read_stock(tmp_path)(np.random.default_rng(0))
    count = len(shape.cloud)
    assert shape.name.startswith("stock_") and count > 1
    assert set(shape.part.tolist()) == set(range(count))  # each part has a way to move, or is fixed
    assert set(shape.candidates.kind.tolist()) <= {1, 2} and len(shape.candidates) > 0


def test_what_simulation_lets_through_is_what_a_drawer_can_do() -> None:
    rng = np.random.default_rng(3)
    mesh = still_mesh(JOINTED["drawer_cabinet"].make(rng))
    shape = simulated_shape(mesh.vertices, mesh.triangles, mesh.part, rng, "drawers")
    for part in np.flatnonzero(mesh.kind == 2):
        own = shape.part == part
        slides = own & (shape.kind == 2)
        assert slides.any() and (np.abs(shape.axis[slides] @ mesh.axis[part]) > 0.99).any()
