"""The network of materials: what it sees, that NumPy and PyTorch say the same, and a training run in small."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from backend.data.named_parts import named_parts
from backend.data.named_things.things import random_thing
from backend.errors import UserError
from backend.learned.infer.material_network.material_config import MaterialNetworkConfig
from backend.learned.infer.material_network.material_network import MATERIAL_WEIGHTS, predicted_materials
from backend.learned.infer.material_network.piece_features import LOOKS, SHAPES, name_grams, piece_features
from backend.learned.infer.weight_file import read_weights_of
from backend.learned.train.material_network.material_batches import Hidden, as_inputs, batches
from backend.learned.train.material_network.material_examples import from_things, read_examples
from backend.learned.train.material_network.material_model import MaterialNetwork
from backend.learned.train.material_network.material_train_command import kept_aside, train_material_network
from backend.learned.train.material_network.material_training import best_temperature
from backend.learned.train.material_network.material_training_config import MATERIAL_CONFIGS
from backend.materials.clues import Clues, PieceShape, Shader

TINY = MATERIAL_CONFIGS["materials/tiny"]
THING = random_thing(np.random.default_rng(4))
BLOCK = PieceShape((1.0, 1.0, 1.0), (0.5, 0.5, 0.5), 1.0, 1.0, 0.1, 0.0)


def part(repository: str, number: int, material: str) -> dict:
    return {
        "repo": repository, "object": f"Thing {number}", "part": f"Old_{material}_{number}", "material_word": material,
        "material_name": material.capitalize(), "material": material, "metallic": 0.4, "roughness": None,
        "transmission": 0.0, "alpha_mode": "OPAQUE", "base_colour": [0.1 * (number % 9), 0.2, 0.3, 1.0],
        "textured": number % 5 == 0, "size_rel": [1.0, 0.5, 0.2], "diag_rel": 0.9, "centre_rel": [0.5, 0.5, 0.5],
        "thinness": 0.01, "surface_share": 0.5, "parts_in_object": 2,
    }  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with named parts of three repositories, one of them large."""
    folder = tmp_path_factory.mktemp("data") / "materials"
    folder.mkdir()
    rows = [part("a/large", number, ("wood", "metal", "glass")[number % 3]) for number in range(210)]
    rows += [part(name, number, "stone") for name in ("b/small", "c/small") for number in range(8)]
    (folder / "named_parts.json").write_text(json.dumps({"parts": rows}))
    priors = {"chair": {"chair_leg": {"wood": 0.5, "metal": 0.5}}}
    (folder / "part_materials.json").write_text(json.dumps({"fine": priors}))
    return folder.parent


def test_features_have_their_sizes_and_do_not_depend_on_sides():
    clues = Clues(replace(BLOCK, centre=(0.2, 0.7, 0.5)), "Leg", "Dark Wood", shader=Shader(colour=(0.2, 0.1, 0.05)))
    features = piece_features(clues, "Chair", 512)
    assert features.shape.shape == (SHAPES,) and features.look.shape == (LOOKS,)
    mirrored = replace(clues, shape=replace(clues.shape, centre=(0.8, 0.3, 0.5)))
    np.testing.assert_allclose(piece_features(mirrored, "Chair", 512).shape, features.shape, atol=1e-6)
    assert np.isfinite(piece_features(Clues(replace(BLOCK, area=0.0, thinness=0.0)), "", 512).shape).all()


def test_words_share_n_grams_and_numbers_say_nothing():
    assert set(name_grams("Chair", 4096)) == set(name_grams("chair_01.002", 4096))
    assert len(set(name_grams("stone", 4096)) & set(name_grams("stones", 4096))) > 4
    assert not len(name_grams("", 4096))


def test_a_part_is_silent_without_the_word_that_tells(data: Path):
    wooden = next(each for each in named_parts(data) if each.material == "wood")
    silent = wooden.silent()
    assert silent.clues.node == "old" and silent.clues.material == "" and silent.object == "thing"


def test_numpy_and_torch_say_the_same(tmp_path: Path):
    from dataclasses import asdict

    from backend.learned.train.checkpoint import save_model

    torch.manual_seed(1)
    network = MaterialNetwork(TINY.model).eval().half().float()  # as it is stored
    save_model(tmp_path / "net.safetensors", TINY.model, network.state_dict(), {})
    assert asdict(read_weights_of(MaterialNetworkConfig, tmp_path / "net.safetensors").config) == asdict(TINY.model)
    examples = from_things([THING], TINY.model)
    count = len(examples)
    every = Hidden(np.tile(np.arange(3), (count, 1)), np.ones(count, dtype=bool), np.ones(count, dtype=bool))
    with torch.no_grad():
        logits = network(*as_inputs(examples, np.arange(count), every, examples.shape, examples.look))
    found = predicted_materials([piece.clues for piece in THING.pieces], THING.name, tmp_path / "net.safetensors")
    expected = torch.softmax(logits[:, : len(TINY.model.materials)], dim=1).numpy()
    np.testing.assert_allclose(found.probabilities, expected, atol=1e-5)
    sizes = np.average(logits[:, -2].numpy(), weights=np.exp(-2.0 * logits[:, -1].numpy()))
    assert found.size == pytest.approx(float(sizes), abs=1e-5)


def test_a_batch_is_the_same_for_the_same_step(data: Path):
    real, priors, things, names = read_examples([data], 20, 1, TINY.model)
    assert names == ("a/large", "b/small", "c/small") and len(priors) == 1 and not priors.shaped.any()
    first, again = (next(batches(real, priors, things, TINY.training, 7)) for _ in range(2))
    assert all(torch.equal(one, other) for one, other in zip(first.inputs, again.inputs, strict=True))
    assert first.shares.sum(dim=1).allclose(torch.ones(len(first.shares)))


def test_each_large_repository_is_kept_aside_once_and_the_small_ones_together(data: Path):
    real, _, _, names = read_examples([data], 5, 1, TINY.model)
    folds = kept_aside(real, names)
    assert {name: int(aside.sum()) for name, aside in folds.items()} == {"a+large": 210, "others": 16}
    assert (sum(aside.astype(int) for aside in folds.values()) == 1).all()


def test_training_leaves_nets_that_can_be_used_and_goes_on_where_it_stopped(data: Path, tmp_path: Path):
    options = Namespace(config="materials/tiny", output=tmp_path, data=[data], minutes=1e-9, start=None, cooldown=None)
    assert train_material_network(options).startswith("Step 1:")
    options.minutes = None
    assert train_material_network(options).startswith("Step 30:")
    for name in ("without_a+large/model.safetensors", "without_others/model.safetensors", "model.safetensors"):
        found = predicted_materials([Clues(BLOCK, material="Wood")], "box", tmp_path / name)
        assert found.probabilities.sum() == pytest.approx(1.0)
    with pytest.raises(UserError, match="named parts, and none"):
        train_material_network(Namespace(**{**vars(options), "data": []}))
    with pytest.raises(UserError, match=r"no named_parts\.json"):
        train_material_network(Namespace(**{**vars(options), "data": [tmp_path]}))


def test_the_temperature_makes_probabilities_true():
    rng = np.random.default_rng(0)
    logits = rng.normal(0.0, 1.0, (4000, 5))
    likelihood = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    truth = np.array([rng.choice(5, p=row) for row in likelihood])
    assert best_temperature(3.0 * logits, truth) == pytest.approx(3.0, rel=0.1)


def test_shipped_weights_are_small():
    assert MATERIAL_WEIGHTS.stat().st_size < 2_000_000
