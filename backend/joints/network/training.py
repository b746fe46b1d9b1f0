"""The two runs of the joints' network in one: what simulation lets through, then true joints."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import torch
from torch import nn
from tqdm import tqdm

from ...encoding.weight_file import read_weights_of, unusable_weights
from ...model.checkpoint import load_checkpoint, save_checkpoint, save_model, unusable_checkpoint
from ...model.running import Log, follow, learning_rate, optimizers_of
from .batches import Batch, Drawn, batches
from .config import JointNetworkConfig
from .losses import LOSSES, losses
from .model import JointNetwork
from .training_config import JointConfig

__all__ = ["load_joint_network", "train_joints"]

COLUMNS = ("step", "seconds", "rate", "total", *LOSSES)
# Of what is told most where it counts most: the judge ranks what simulation found.
WEIGHTS = {"kinds": 1.0, "hypotheses": 0.5, "confidence": 0.1, "judged": 1.0, "parents": 0.3}


class _Run:
    """Model, optimisers and moving average, and where they are on disk."""

    def __init__(self, config: JointConfig, folder: Path) -> None:
        self.config, self.folder = config, folder
        torch.manual_seed(config.training.seed)
        self.checkpoint = folder / "checkpoint.pt"
        self.model = JointNetwork(config.model)
        self.optimizers = optimizers_of(self.model, config.training)
        self.average = copy.deepcopy(self.model).requires_grad_(False)
        self.step = 0  # pretraining and fine-tuning together
        if self.checkpoint.exists():
            self._resume()

    def _resume(self) -> None:
        state = load_checkpoint(self.checkpoint)
        try:
            self.model.load_state_dict(state["model"])
            self.average.load_state_dict(state["average"])
            for optimizer, known in zip(self.optimizers, state["optimizers"], strict=True):
                optimizer.load_state_dict(known)
            self.step = state["step"]
        except (KeyError, RuntimeError, ValueError) as error:  # of another network
            raise unusable_checkpoint(self.checkpoint, error) from error

    def save(self) -> None:
        state = {
            "model": self.model.state_dict(),
            "average": self.average.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
            "step": self.step,
        }
        save_checkpoint(self.checkpoint, state)
        about = {"step": self.step, "training": asdict(self.config.training)}
        save_model(self.folder / "model.safetensors", self.config.model, self.average.state_dict(), about)

    @property
    def tuning(self) -> bool:
        return self.step >= self.config.training.pretraining

    @property
    def rate(self) -> float:
        """Fine-tuning has a schedule of its own; pretraining warms up and stays."""
        training = self.config.training
        if self.tuning:
            return learning_rate(self.step - training.pretraining, training)
        return training.rate * min(1.0, (self.step + 1) / training.warmup)

    def advance(self, step: list[Batch]) -> dict[str, float]:
        """One step; what there is to log of it."""
        training = self.config.training
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = self.rate * group["gain"]
        self.model.zero_grad(set_to_none=True)
        whole = sum(len(batch.read[0]) for batch in step)
        logged = dict.fromkeys(("total", *LOSSES), 0.0)
        for batch in step:
            share = len(batch.read[0]) / whole
            with torch.autocast("cpu", torch.bfloat16):
                told = self.model(*batch.read)
            terms = losses(told, batch.truth, *batch.read[8:11])
            total = torch.stack([WEIGHTS[name] * terms[name] for name in LOSSES]).sum()
            (share * total).backward()
            for name, value in {"total": total, **terms}.items():
                logged[name] += share * float(value.detach())
        # One bad example must not end a run of hours.
        if nn.utils.clip_grad_norm_(self.model.parameters(), training.clip).isfinite():
            for optimizer in self.optimizers:
                optimizer.step()
        self.step += 1
        follow(self.average, self.model, self.step, training)
        return logged


def _steps(run: _Run, simulated: Drawn, true: Drawn) -> Iterator[list[Batch]]:
    """The batches of all steps that are left."""
    config, training = run.config.model, run.config.training
    while run.step < training.pretraining + training.steps:
        tuning = run.tuning
        stream = batches(true if tuning else simulated, config, training, run.step)
        while run.tuning == tuning:
            yield next(stream)


def train_joints(config: JointConfig, simulated: Drawn, true: Drawn, folder: Path, minutes: float | None = None) -> int:
    """Trains to the last step, or for so many minutes, from the checkpoint in `folder` on if there is one.

    `simulated` draws shapes whose joints are what simulation lets through, for pretraining; `true` those with true
    ones. Leaves checkpoint.pt, model.safetensors (the moving average) and loss.csv there; returns the step reached.
    """
    folder.mkdir(parents=True, exist_ok=True)
    training = config.training
    last = training.pretraining + training.steps
    run = _Run(config, folder)
    log = Log(folder / "loss.csv", run.step, COLUMNS)
    begin, before = time.monotonic(), log.seconds
    told: list[dict[str, float]] = []
    with tqdm(total=last, initial=run.step, unit="step", mininterval=5.0) as bar:
        for step in _steps(run, simulated, true):
            told.append(run.advance(step))
            bar.update()
            seconds = time.monotonic() - begin
            over = run.step == last or (minutes is not None and seconds > 60.0 * minutes)
            if run.step % training.log_every == 0 or over:
                means = {name: sum(each[name] for each in told) / len(told) for name in told[0]}
                told.clear()
                log.write(step=run.step, seconds=before + seconds, rate=run.rate, **means)
                bar.set_postfix({name: f"{value:.3g}" for name, value in means.items()})
            if run.step % training.save_every == 0 or over:
                run.save()
            if over:
                break
    log.close()
    return run.step


def load_joint_network(path: Path) -> JointNetwork:
    """The trained network in single precision, ready to judge. Raises UserError."""
    weights = read_weights_of(JointNetworkConfig, path)
    try:
        model = JointNetwork(weights.config)
        model.load_state_dict({name: torch.from_numpy(array) for name, array in weights.arrays.items()})
    except Exception as error:
        raise unusable_weights(path, error) from error
    return model.eval()
