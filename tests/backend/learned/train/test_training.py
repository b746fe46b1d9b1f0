"""`python -m backend train`: to the end, killed and resumed, ended early, on two processes, and what it learns."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from backend.data.families import FAMILIES
from backend.data.source import Source
from backend.errors import UserError
from backend.learned.train.batches import example_batches
from backend.learned.train.checkpoint import load_checkpoint, save_model
from backend.learned.train.training import COLUMNS, _Run, train
from backend.learned.train.training_config import CONFIGS, Config
from backend.learned.train.training_model import TrainingModel, load_training_model
from tests.backend.command_line import ROOT, backend

TINY = CONFIGS["tiny"]
STEPS, LOGGED = TINY.training.steps, TINY.training.log_every


def rows(folder: Path) -> list[dict[str, float]]:
    with (folder / "loss.csv").open(newline="") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def check_whole(folder: Path) -> None:
    """A run that reached its end: every logged step once, numbers that are numbers, weights that can be used."""
    log = rows(folder)
    assert [row["step"] for row in log] == list(range(LOGGED, STEPS + 1, LOGGED))
    assert np.isfinite([list(row.values()) for row in log]).all()
    assert (np.diff([row["seconds"] for row in log]) > 0.0).all()
    assert load_checkpoint(folder / "checkpoint.pt")["step"] == STEPS
    assert load_training_model(folder / "model.safetensors").config == TINY.model
    assert not list(folder.glob("*.unfinished"))


def processes_of(folder: Path) -> list[int]:
    """Processes whose command line names the folder: the run and those that make its examples."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes()
            state = (place / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if str(folder).encode() in words and state != "Z":
            found.append(int(place.name))
    return found


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_run_that_is_killed_goes_on_from_its_checkpoint_and_leaves_no_process(tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    command = [sys.executable, "-m", "backend", "train", "--config", "tiny", "-o", str(folder)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    while not (folder / "checkpoint.pt").exists():
        assert process.poll() is None
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    reached = load_checkpoint(folder / "checkpoint.pt")["step"]
    assert 0 < reached < STEPS
    for _ in range(900):
        if not processes_of(folder):
            break
        time.sleep(0.1)
    else:
        pytest.fail("what made its examples outlived it")
    done = backend("train", "--config", "tiny", "-o", folder)
    assert done.returncode == 0, done.stderr
    assert f"Step {STEPS}" in done.stdout
    check_whole(folder)
    again = backend("train", "--config", "tiny", "-o", folder)  # nothing is left to do
    assert again.returncode == 0 and f"Step {STEPS}" in again.stdout
    check_whole(folder)


@pytest.mark.long
def test_two_processes_train_one_network(tmp_path: Path) -> None:
    folder = tmp_path / "two"
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    command += ["-m", "tests.backend.learned.train.replicas", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    check_whole(folder)
    one, other = (torch.load(folder / f"rank{rank}.pt", weights_only=True) for rank in (0, 1))
    before = TrainingModel(TINY.model).state_dict()
    for name, weights in one.items():
        assert torch.equal(weights, other[name]), name
        assert weights.shape == before[name].shape


def numbers(folder: Path) -> list[dict[str, float]]:
    """The log without what the clock says."""
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows(folder)]


def test_the_same_seed_gives_the_same_numbers_and_another_others(tmp_path: Path) -> None:
    source = Source({"lidded_box": FAMILIES["lidded_box"]})
    short = replace(TINY.training, steps=6, log_every=1)
    for name, training in (("one", short), ("again", short), ("other", replace(short, seed=short.seed + 1))):
        train(Config(TINY.model, training), source, tmp_path / name)
    one, again, other = (numbers(tmp_path / name) for name in ("one", "again", "other"))
    assert one == again
    assert all(mine["total"] != theirs["total"] for mine, theirs in zip(one, other, strict=True))


def test_lines_after_the_checkpoint_are_written_once(tmp_path: Path) -> None:
    """A run that is killed between two checkpoints has logged steps that it will do again."""
    source = Source({"lidded_box": FAMILIES["lidded_box"]})
    training = replace(TINY.training, steps=4, log_every=1, save_every=2)
    train(Config(TINY.model, training), source, tmp_path)
    whole = rows(tmp_path)
    with (tmp_path / "loss.csv").open("a", newline="") as file:
        for step in (5, 6):
            file.write(",".join([str(step), str(10**6 + step), *["1"] * (len(COLUMNS) - 2)]) + "\r\n")
    train(Config(TINY.model, replace(training, steps=6)), source, tmp_path)
    log = rows(tmp_path)
    assert [row["step"] for row in log] == [1, 2, 3, 4, 5, 6]
    assert log[:4] == whole
    assert log[4]["seconds"] < 10**6 and (np.diff([row["seconds"] for row in log]) > 0.0).all()


def test_a_resumed_run_goes_on_with_its_own_optimiser_and_average(tmp_path: Path) -> None:
    """What comes back from disk is what was there, to the last bit."""
    source = Source({"lidded_box": FAMILIES["lidded_box"]})
    config = Config(TINY.model, replace(TINY.training, steps=3))
    train(config, source, tmp_path)
    run, state = _Run(config, tmp_path, 0, 1), load_checkpoint(tmp_path / "checkpoint.pt")
    assert run.step == 3
    for name, weights in run.model.state_dict().items():
        assert torch.equal(weights, state["model"][name])
    for name, weights in run.average.state_dict().items():
        assert torch.equal(weights, state["average"][name])
    for optimizer, saved in zip(run.optimizers, state["optimizers"], strict=True):
        moments = optimizer.state_dict()["state"]
        assert saved["state"]
        for number, of_weights in saved["state"].items():
            for name, value in of_weights.items():
                assert torch.equal(value, moments[number][name])
    shipped = load_training_model(tmp_path / "model.safetensors").state_dict()
    for name, weights in run.average.state_dict().items():
        assert torch.equal(shipped[name], weights.half().float())


def test_processes_and_steps_see_examples_of_their_own_and_the_same_each_time() -> None:
    source = Source({"lidded_box": FAMILIES["lidded_box"]})

    def points(first: int, rank: int, world: int) -> list[bytes]:
        batches = example_batches(source, TINY, first, rank, world)
        return [surface.points.numpy().tobytes() for surface, _, _ in (next(batches) for _ in range(2))]

    one, resumed = points(0, 0, 1), points(1, 0, 1)
    assert one[1] == resumed[0] and one[0] != one[1]
    several = [*points(0, 0, 2), *points(0, 1, 2)]
    assert len(set(several)) == 4


def test_a_run_that_is_told_to_end_ends_with_the_lowest_rate(tmp_path: Path) -> None:
    source = Source({"laptop": FAMILIES["laptop"]})
    long = Config(TINY.model, replace(TINY.training, steps=10_000))
    assert train(long, source, tmp_path, minutes=1e-9) == 1
    assert train(long, source, tmp_path, cooldown=20) == 21
    rates = [row["rate"] for row in rows(tmp_path) if row["step"] > 1.0]
    assert (np.diff(rates) < 0.0).all()
    assert rates[-1] < 0.1 * TINY.training.rate


def test_an_end_that_has_begun_goes_on_after_an_interruption(tmp_path: Path) -> None:
    source = Source({"laptop": FAMILIES["laptop"]})
    long = Config(TINY.model, replace(TINY.training, steps=10_000, log_every=1, warmup=1))
    assert train(long, source, tmp_path, minutes=1e-9, cooldown=6) == 1
    assert train(long, source, tmp_path) == 6
    assert train(long, source, tmp_path, cooldown=50) == 6  # it has ended
    rates = [row["rate"] for row in rows(tmp_path)]
    assert len(rates) == 6 and (np.diff(rates) < 0.0).all()


def test_weights_of_another_run_are_trained_on_and_a_checkpoint_goes_first(tmp_path: Path) -> None:
    begun = _Run(TINY, tmp_path / "none", 0, 1)
    with torch.no_grad():
        for weight in begun.model.parameters():
            weight.add_(0.01)
    file = tmp_path / "known.safetensors"
    save_model(file, TINY.model, begun.model.state_dict(), {})
    folder = tmp_path / "run"
    folder.mkdir()
    known = _Run(TINY, folder, 0, 1, file)
    for name, weight in known.model.state_dict().items():
        np.testing.assert_allclose(weight, begun.model.state_dict()[name], rtol=1e-3, atol=1e-6)  # float16 on disk
        np.testing.assert_array_equal(weight, known.average.state_dict()[name])
    assert all(weight.requires_grad for weight in known.model.parameters())
    known.step = 7
    known.save()
    assert _Run(TINY, folder, 0, 1, file).step == 7
    with pytest.raises(UserError, match="other sizes"):
        _Run(CONFIGS["small"], tmp_path / "other", 0, 1, file)


def test_a_torn_last_line_of_the_log_is_left_out(tmp_path: Path) -> None:
    source = Source({"lidded_box": FAMILIES["lidded_box"]})
    training = replace(TINY.training, steps=2, log_every=1)
    train(Config(TINY.model, training), source, tmp_path)
    with (tmp_path / "loss.csv").open("a", newline="") as file:
        file.write("2")  # of 25
    train(Config(TINY.model, replace(training, steps=3)), source, tmp_path)
    assert [row["step"] for row in rows(tmp_path)] == [1, 2, 3]


def test_a_checkpoint_that_cannot_be_used_is_told_and_kept(tmp_path: Path) -> None:
    source, path = Source({"lidded_box": FAMILIES["lidded_box"]}), tmp_path / "checkpoint.pt"
    short = replace(TINY.training, steps=1)
    train(Config(replace(TINY.model, width=48), short), source, tmp_path)
    whole = path.read_bytes()
    for content in (whole, whole[:-1000], b"", b"nonsense" * 50):
        path.write_bytes(content)
        with pytest.raises(UserError) as refused:
            train(Config(TINY.model, short), source, tmp_path)
        assert refused.value.code == "bad_checkpoint" and str(path) in refused.value.message
        assert path.read_bytes() == content


@pytest.mark.parametrize("name", ["moves", "points"])
@pytest.mark.parametrize("posterior", ["fit", "encoder"])
def test_an_example_without_numbers_changes_nothing(name: str, posterior: str, tmp_path: Path) -> None:
    config = Config(replace(TINY.model, posterior=posterior), TINY.training)
    run = _Run(config, tmp_path, 0, 1)
    surface, moves, supervision = next(example_batches(Source({"lidded_box": FAMILIES["lidded_box"]}), config, 0))
    run.advance(surface, moves, supervision)
    before = {key: value.clone() for key, value in run.model.state_dict().items()}
    (moves if name == "moves" else surface.points)[0] = torch.nan
    run.advance(surface, moves, supervision)
    assert run.step == 2
    for key, value in run.model.state_dict().items():
        assert torch.equal(value, before[key]), key
    assert all(value.isfinite().all() for value in run.average.state_dict().values())


def test_ablations_train_with_every_decoder(tmp_path: Path) -> None:
    source = Source({"laptop": FAMILIES["laptop"]})
    training = replace(TINY.training, steps=3)
    decoders = [{"decoder": decoder} for decoder in ("screws", "affine", "handles", "point")]
    for change in (*decoders, {"decoder": "point", "tokens": "learned", "latents": 3}):
        model = replace(TINY.model, posterior="encoder", **change)
        folder = tmp_path / "-".join(map(str, change.values()))
        assert train(Config(model, training), source, folder) == 3
        assert load_training_model(folder / "model.safetensors").config == model


def test_bad_options_are_one_sentence(tmp_path: Path) -> None:
    for words in (["--minutes", "0"], ["--cooldown", "-3"]):
        done = backend("train", "--config", "tiny", "-o", tmp_path / "none", *words)
        assert done.returncode == 2 and len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert not (tmp_path / "none").exists()


def test_the_base_network_ships_in_less_than_twenty_megabytes() -> None:
    with torch.device("meta"):
        model = TrainingModel(CONFIGS["base"].model)
    assert 2 * sum(weights.numel() for weights in model.state_dict().values()) < 20e6
