"""Files of weights: which are refused and with what remedy, that they are read anew, and that nothing gets lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from backend.errors import UserError
from backend.learned.infer import encode
from backend.learned.infer.encode import encode_mesh
from backend.learned.infer.state_space_model import StateSpaceModel
from backend.learned.infer.torch_weights import load_model
from backend.learned.train.checkpoint import save_model
from backend.learned.train.training_config import CONFIGS
from tests.backend.learned.infer.test_encode import save_sure, two_boxes

TINY = CONFIGS["tiny"].model


def refused(path: Path | None) -> UserError:
    with pytest.raises(UserError) as problem:
        encode_mesh(*two_boxes(), weights_file=path)
    return problem.value


def test_weights_that_are_missing_or_damaged_are_told(tmp_path: Path, bending_weights: Path) -> None:
    """With the remedy of whom it concerns: someone who named the file, or someone who has the add-on."""
    missing = refused(tmp_path / "none.safetensors")
    assert missing.code == "no_weights"
    assert "none.safetensors" in missing.message and "train" in missing.remedy
    damaged = tmp_path / "damaged.safetensors"
    whole = bending_weights.read_bytes()
    for content in (b"", b"nonsense" * 100, whole[:5000], whole[:-100]):
        damaged.write_bytes(content)
        assert refused(damaged).code == "bad_weights"
    assert refused(tmp_path).code == "bad_weights"  # a folder


def test_weights_of_another_network_are_told(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    model = StateSpaceModel(TINY)
    save_model(path, replace(TINY, width=64), model.state_dict(), {})
    assert refused(path).code == "bad_weights"
    affine = replace(TINY, decoder="affine", posterior="encoder")
    save_model(path, affine, StateSpaceModel(affine).state_dict(), {})
    assert refused(path).code == "no_screws"


def test_shipped_weights_that_are_missing_are_a_matter_of_the_add_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encode, "WEIGHTS", tmp_path / "state_space.safetensors")
    missing = refused(None)
    assert missing.code == "no_weights" and "add-on" in missing.remedy


def test_weights_that_are_trained_on_are_read_anew(tmp_path: Path, bending_weights: Path) -> None:
    """Evaluating a run from time to time in one process must not show the first weights for ever."""
    path = tmp_path / "model.safetensors"
    path.write_bytes(bending_weights.read_bytes())
    first = encode_mesh(*two_boxes(), weights_file=path)
    save_sure(path, firm=False, seed=7)
    assert not np.array_equal(first.twists, encode_mesh(*two_boxes(), weights_file=path).twists)


def test_files_keep_the_network(tmp_path: Path) -> None:
    original = StateSpaceModel(TINY)
    save_model(tmp_path / "tiny.safetensors", TINY, original.state_dict(), {"step": 0})
    loaded = load_model(tmp_path / "tiny.safetensors")
    assert loaded.config == TINY
    for (name, before), (again, after) in zip(original.state_dict().items(), loaded.state_dict().items(), strict=True):
        assert name == again
        assert torch.equal(before.half().float(), after), name
