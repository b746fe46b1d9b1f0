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
from backend.model.batches import example_batches
from backend.model.checkpoint import load_checkpoint, load_model
from backend.model.config import CONFIGS, Config
from backend.model.training import train
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
    assert load_model(folder / "model.safetensors").config == TINY.model
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


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_run_that_is_killed_goes_on_from_its_checkpoint_and_leaves_no_process(tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    command = [sys.executable, "-m", "backend", "train", "--config", "tiny", "-o", str(folder)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    begin = time.monotonic()
    while not (folder / "checkpoint.pt").exists():
        assert process.poll() is None and time.monotonic() - begin < 60.0
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    reached = load_checkpoint(folder / "checkpoint.pt")["step"]
    assert 0 < reached < STEPS
    while processes_of(folder):
        assert time.monotonic() - begin < 90.0, "what made its examples outlived it"
        time.sleep(0.1)
    done = backend("train", "--config", "tiny", "-o", folder)
    assert done.returncode == 0, done.stderr
    assert f"Step {STEPS}" in done.stdout
    check_whole(folder)
    again = backend("train", "--config", "tiny", "-o", folder)  # nothing is left to do
    assert again.returncode == 0 and f"Step {STEPS}" in again.stdout
    check_whole(folder)


def test_two_processes_train_one_network(tmp_path: Path) -> None:
    folder = tmp_path / "two"
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    command += ["-m", "backend", "train", "--config", "tiny", "-o", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    check_whole(folder)


def test_processes_and_steps_see_examples_of_their_own_and_the_same_each_time() -> None:
    source = Source({"lidded_box": FAMILIES["lidded_box"]})

    def points(first: int, rank: int, world: int) -> list[bytes]:
        batches = example_batches(source, TINY, first, rank, world)
        return [surface.points.numpy().tobytes() for surface, _ in (next(batches) for _ in range(2))]

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


def test_it_learns_what_a_laptop_does(tmp_path: Path) -> None:
    """From one object again and again, the hinge is found: the error of the motion falls to less than half."""
    laptop = FAMILIES["laptop"].make(np.random.default_rng(3))
    source = Source({"laptop": replace(FAMILIES["laptop"], make=lambda _: laptop)})
    training = replace(TINY.training, steps=150, rate=3e-3, augment=False)
    train(Config(TINY.model, training), source, tmp_path)
    log = rows(tmp_path)
    first, last = (np.mean([row["error"] for row in some]) for some in (log[:2], log[-4:]))
    assert last < 0.5 * first
    assert last < 0.4


def test_ablations_train_with_every_decoder(tmp_path: Path) -> None:
    source = Source({"laptop": FAMILIES["laptop"]})
    training = replace(TINY.training, steps=3)
    for decoder in ("screws", "affine", "point"):
        model = replace(TINY.model, decoder=decoder, posterior="encoder")
        folder = tmp_path / decoder
        assert train(Config(model, training), source, folder) == 3
        assert load_model(folder / "model.safetensors").config.decoder == decoder


def test_bad_options_are_one_sentence(tmp_path: Path) -> None:
    for words in (["--minutes", "0"], ["--cooldown", "-3"]):
        done = backend("train", "--config", "tiny", "-o", tmp_path / "none", *words)
        assert done.returncode == 2 and len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert not (tmp_path / "none").exists()


def test_the_base_network_ships_in_less_than_twenty_megabytes() -> None:
    from backend.model.network import StateSpaceModel

    with torch.device("meta"):
        model = StateSpaceModel(CONFIGS["base"].model)
    assert 2 * sum(weights.numel() for weights in model.state_dict().values()) < 20e6
