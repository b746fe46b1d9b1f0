"""Whether "auto" is told right from wrong, on errors that are known; and the rows of a network that knows nothing."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from backend.__main__ import main
from backend.evaluate.choice import choice_summary
from backend.evaluate.ik import ObjectResult
from backend.evaluate.metrics import ShapeError
from backend.kinematics.confidence import Consistency, confidence_of
from backend.learned.infer.state_space_model import StateSpaceModel
from backend.learned.train.checkpoint import save_model
from backend.learned.train.training_config import CONFIGS

from .objects import chest


def result(name: str, learned: float, elastic: float) -> ObjectResult:
    errors = {
        row: {mode: [ShapeError(value, 2.0 * value, value**2, value)] for mode in ("full", "sparse")}
        for row, value in (("learned", learned), ("elastic", elastic))
    }
    return ObjectResult(name, "things", 1, errors, {}, {})


def measured(stretch: float) -> Consistency:
    return Consistency(stretch, 2.0 * stretch, stretch, 0.1, 0.0, 0.3)


def test_the_share_of_right_choices_and_what_they_cost() -> None:
    sure, unsure = measured(0.0), measured(1.0)
    assert confidence_of(sure) > 0.5 > confidence_of(unsure)
    results = [result("a", 0.1, 0.2), result("b", 0.1, 0.3), result("c", 0.5, 0.2), result("d", 0.6, 0.4)]
    found = {"a": sure, "b": unsure, "c": unsure, "d": sure}
    summary = choice_summary(results, found)
    assert summary["objects"] == 4 and summary["learned_is_better"] == 0.5
    assert summary["right"]["as_shipped"] == 0.5  # a and c
    assert summary["cd_l1"]["as_shipped"] == pytest.approx((0.1 + 0.3 + 0.2 + 0.6) / 4)
    assert summary["cd_l1"]["best"] == pytest.approx((0.1 + 0.1 + 0.2 + 0.4) / 4)
    assert summary["per_object"]["d"]["learned_is_better"] is False


def test_a_measure_that_tells_is_found_from_the_other_objects() -> None:
    """The learned row is better wherever edges stretch little: no object is needed to judge itself."""
    rng = np.random.default_rng(0)
    results, found = [], {}
    for number, stretch in enumerate(rng.uniform(0.0, 0.4, 30)):
        results.append(result(str(number), 0.1, 0.2 if stretch < 0.2 else 0.05))
        others = rng.uniform(0.1, 0.5, 4).tolist()
        found[str(number)] = Consistency(float(stretch), 2.0 * float(stretch), *others)
    summary = choice_summary(results, found)
    assert summary["right"]["calibrated_on_others"] > 0.9
    assert summary["cd_l1"]["calibrated_on_others"] < summary["cd_l1"]["best"] + 0.01


def test_the_rows_of_a_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An untrained one: bad figures, but all of them, and a confidence for the choice."""
    torch.manual_seed(0)
    config = CONFIGS["tiny"].model
    weights = tmp_path / "model.safetensors"
    save_model(weights, config, StateSpaceModel(config).state_dict(), {})
    folder = chest(tmp_path / "chest")
    rows = ["identity", "elastic", "learned", "latents"]
    arguments = ["evaluate", "ik", "--data", folder, "--weights", weights, "--json", "--rows", *rows]
    assert main([str(word) for word in arguments]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found["rows"]) == rows
    sizes = found["sizes"]
    assert list(sizes) == ["learned", "latents"]
    assert 1 <= sizes["learned"]["coordinates_median"] <= sizes["latents"]["coordinates_median"]
    assert sizes["learned"]["active_beyond_freedom_median"] == sizes["learned"]["active_median"] - 2.0
    assert found["auto"]["objects"] == 1 and 0.0 <= found["auto"]["per_object"]["chest"]["confidence"] <= 1.0
    for row in ("learned", "latents"):
        assert 0.0 < found["rows"][row]["full"]["point_error"] < 1.0
