"""`python -m backend evaluate ablate` on tiny runs that are trained here, and what it refuses to compare."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.spatial import cKDTree
from torch import Tensor

from backend.__main__ import main
from backend.data.families import FAMILIES
from backend.data.source import Source
from backend.errors import UserError
from backend.evaluate import ablate, decoder_cost, decoder_errors
from backend.evaluate.ablate import find_runs
from backend.evaluate.decoder_errors import HELD_OUT_SEED, STATES, errors_of, procedural_trials, real_trial, row_of
from backend.evaluate.subject import chosen_items, read_subject
from backend.learned.infer.encode import encode_mesh
from backend.learned.infer.shape_tensors import Context
from backend.learned.train.training import train
from backend.learned.train.training_config import ABLATIONS, CONFIGS, Config
from backend.learned.train.training_model import load_training_model

from .objects import chest, swinging_bar, write_sequence

TINY = CONFIGS["tiny"]
RUNS = {"screws": "screws", "encoder_affine": "affine", "encoder_handles": "handles", "paper": "point"}
SAMPLES = 600


def last_seconds(folder: Path, seconds: float) -> None:
    """As if a run had taken so long."""
    path = folder / "loss.csv"
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    rows[-1]["seconds"] = str(seconds)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs on laptops, all of which claim to have taken a minute."""
    folder = tmp_path_factory.mktemp("runs")
    source = Source({"laptop": FAMILIES["laptop"]})
    for name, decoder in RUNS.items():
        posterior = "fit" if decoder == "screws" else "encoder"
        model = replace(TINY.model, decoder=decoder, posterior=posterior)
        if name == "paper":
            model = replace(model, tokens="learned", latents=3)
        train(Config(model, replace(TINY.training, steps=20)), source, folder / "ablate" / name)
        last_seconds(folder / "ablate" / name, 60.0)
    return folder


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("real")
    chest(folder / "chest")
    write_sequence(folder / "bar.npz", *swinging_bar())
    return folder


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ablate, "PROCEDURAL", 2)
    monkeypatch.setattr(decoder_cost, "SECONDS", 0.01)


@pytest.fixture(scope="module")
def found(runs: Path, data: Path) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ablate, "PROCEDURAL", 2)
        patch.setattr(decoder_cost, "SECONDS", 0.01)
        return ablate.ablation(runs, chosen_items(data, False, None))


@pytest.mark.long
def test_every_run_has_errors_on_both_kinds_of_objects(found: dict[str, Any]) -> None:
    assert found["objects"] == {"procedural": 2, "real": 2} and found["seconds"] == 60.0
    assert list(found["rows"]) == ["identity", *RUNS]
    for data in ("procedural", "real"):
        still = found["rows"]["identity"][data]
        assert still["full"]["ratio"] == pytest.approx(1.0) and still["full"]["cd_l1"] > 0.001
        for name in RUNS:
            full = found["rows"][name][data]["full"]
            assert np.isfinite(list(full.values())).all() and full["cd_l1"] > 0.0
            assert full["cd_l1_sum"] == pytest.approx(2.0 * full["cd_l1"])
        for name in RUNS:
            assert ("encoded" in found["rows"][name][data]) == (name != "screws")
        # Handles can follow a good deal of any motion, however little the network knows.
        assert found["rows"]["screws"][data]["full"]["ratio"] < 0.95
    for name, decoder in RUNS.items():
        row = found["rows"][name]
        assert (row["steps"], row["decoder"]) == (20, decoder) and row["parameters"] > 1000


@pytest.mark.long
def test_costs_are_those_of_twelve_thousand_points(found: dict[str, Any]) -> None:
    costs = {name: found["rows"][name]["cost"] for name in RUNS}
    for name, cost in costs.items():
        assert 0.0 < cost["torch"]["decode"] < cost["torch"]["jacobian"]
        assert (cost["numpy"] is None) == (name in ("encoder_handles", "paper"))
    assert costs["paper"]["torch"]["decode"] > 3.0 * costs["screws"]["numpy"]["decode"]
    assert costs["encoder_affine"]["numpy"]["jacobian"] == 0.0 < costs["screws"]["numpy"]["handle_jacobian"]


@pytest.mark.long
def test_what_the_reduction_costs_is_measured_on_the_screws(found: dict[str, Any], runs: Path, data: Path) -> None:
    """Against as many numbers as the network has for each object: joints that it found, axes of what bends."""
    reduction = found["reduction"]
    assert list(reduction["rows"]) == ["learned", "latents"]
    weights, latents = runs / "ablate" / "screws" / "model.safetensors", []
    for item in chosen_items(data, False, None):
        subject = read_subject(item, STATES)
        latents.append(encode_mesh(subject.vertices, subject.triangles, weights_file=weights).latent_count)
    assert reduction["coordinates"]["latents"] == np.median(latents)
    assert 1 <= reduction["coordinates"]["learned"] <= reduction["coordinates"]["latents"]


@pytest.mark.long
@pytest.mark.usefixtures("quick")
def test_as_a_table_and_as_json(runs: Path, data: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    alone = tmp_path / "ablate"
    alone.mkdir()
    (alone / "encoder_affine").symlink_to(runs / "ablate" / "encoder_affine")
    words = ["evaluate", "ablate", "--runs", str(tmp_path), "--data", str(data), "--limit", "1"]
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("1.0 minutes each; 2 procedural objects never seen, 1 real")
    assert [line.split()[0] for line in lines[5:]] == ["run", "identity", "encoder_affine"]
    assert main([*words, "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    shown = f"{again['rows']['encoder_affine']['real']['sparse']['cd_l1']:.4f}"
    assert shown in lines[-1]  # the same objects and states each time


@pytest.mark.long
def test_held_out_objects_are_in_no_training_stream(runs: Path) -> None:
    assert HELD_OUT_SEED not in {config.training.seed for config in (*CONFIGS.values(), *ABLATIONS.values())}
    source = Source({"laptop": FAMILIES["laptop"]})
    one, again = (procedural_trials(source, 2, 96, SAMPLES) for _ in range(2))
    for first, second in zip(one, again, strict=True):
        np.testing.assert_array_equal(first.samples.points, second.samples.points)
    assert not np.array_equal(one[0].samples.points, one[1].samples.points)


def test_a_real_object_is_given_by_points_of_its_surface(data: Path) -> None:
    """In every state; one of the three parts stands still."""
    subject = next(read_subject(item, 2) for item in chosen_items(data, False, None) if item.name == "chest")
    trial = real_trial(subject, 96, SAMPLES)
    assert trial.samples.points.shape == (96 + SAMPLES, 3) and trial.shapes.shape == (2, SAMPLES, 3)
    assert np.linalg.norm(trial.samples.normals, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert sorted(np.unique(trial.samples.shell)) == [0, 1, 2]
    for state, shape in zip(subject.states, trial.shapes, strict=True):
        surface = cKDTree(subject.sample(20_000, 9).on(state))
        assert surface.query(shape)[0].max() < 0.1 and surface.query(shape)[0].mean() < 0.02
    moved = [np.abs(trial.samples.moves[:, trial.samples.shell == shell]).max() for shell in range(3)]
    assert sorted(each > 1e-5 for each in moved) == [False, True, True]


@pytest.mark.long
def test_a_perfect_answer_has_no_error_and_half_of_it_half(data: Path, runs: Path) -> None:
    subject = read_subject(chosen_items(data, False, None)[0], 2)
    trial = real_trial(subject, 96, SAMPLES)
    moves = trial.samples.moves[:, -SAMPLES:].astype(np.float64)
    perfect, half = (decoder_errors._judged(trial, factor * moves) for factor in (1.0, 0.5))
    assert row_of([{"full": perfect, "sparse": half}])["full"]["ratio"] < 1e-6
    row = row_of([{"full": half, "sparse": half}])
    assert row["full"]["ratio"] == pytest.approx(0.5, rel=1e-6)
    assert row["full"]["point_error"] == pytest.approx(0.5 * np.linalg.norm(moves, axis=2).mean(), rel=1e-5)


@pytest.mark.long
def test_the_figures_do_not_depend_on_the_random_state_of_torch(runs: Path) -> None:
    model = load_training_model(runs / "ablate" / "screws" / "model.safetensors")
    trial = procedural_trials(Source({"laptop": FAMILIES["laptop"]}), 1, TINY.model.points, SAMPLES)[0]
    torch.manual_seed(1)
    first = errors_of(model, trial)
    torch.manual_seed(2)
    assert errors_of(model, trial) == first


class Told(torch.nn.Module):
    """Stands for a deformation encoder: it says rest, and keeps what it was shown."""

    def forward(self, context: Context, moves: Tensor) -> tuple[Tensor, Tensor]:
        self.moves = moves
        rest = torch.zeros(*moves.shape[:2], context.prior_mean.shape[1])
        return rest, rest


@pytest.mark.long
def test_the_deformation_encoder_is_shown_the_points_that_it_knows(runs: Path) -> None:
    model = load_training_model(runs / "ablate" / "encoder_handles" / "model.safetensors")
    model.deformation = told = Told()
    trial = procedural_trials(Source({"laptop": FAMILIES["laptop"]}), 1, TINY.model.points, SAMPLES)[0]
    errors = errors_of(model, trial)
    np.testing.assert_array_equal(told.moves[0].numpy(), trial.samples.moves[:, : TINY.model.points])
    assert row_of([errors])["encoded"]["ratio"] == pytest.approx(1.0, abs=1e-3)


def fake_run(folder: Path, name: str, seconds: str, weights: bool = True) -> None:
    place = folder / "ablate" / name
    place.mkdir(parents=True)
    (place / "loss.csv").write_text(f"step,seconds\n20,{seconds}\n")
    if weights:
        (place / "model.safetensors").write_bytes(b"")


def test_runs_of_other_length_are_refused(tmp_path: Path) -> None:
    fake_run(tmp_path, "screws", "600")
    fake_run(tmp_path, "encoder", "629")
    assert [run.name for run in find_runs(tmp_path)] == ["screws", "encoder"]
    fake_run(tmp_path, "encoder_point", "650")
    with pytest.raises(UserError) as refused:
        find_runs(tmp_path)
    assert refused.value.code == "unequal_times"
    assert "'screws' for 10.0 minutes and 'encoder_point' for 10.8 minutes" in refused.value.message


def test_what_cannot_be_compared_is_one_sentence(
    tmp_path: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["evaluate", "ablate", "--runs", str(tmp_path), "--data", str(data)]
    assert main(words) == 2
    assert "no runs" in capsys.readouterr().err
    for name, seconds, weights in (("screws", "10", False), ("encoder", "ten", True), ("encoder_point", "10", True)):
        folder = tmp_path / name
        fake_run(folder, name, seconds, weights)
        assert main([*words[:3], str(folder), *words[4:]]) == 2
        told = capsys.readouterr().err.strip()
        assert f"'{name}'" in told and len(told.splitlines()) == 1
