"""Training loop of the joint network: pretraining on simulated candidates, then fine-tuning on true joints."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import torch
from tqdm import tqdm

from ...infer.joint_network.joint_model import JointNetwork
from ..running import Log, Run, checkpoint_in
from ..schedule import learning_rate
from .joint_batches import Batch, Drawn, batches
from .joint_losses import LOSSES, losses
from .joint_training_config import JointConfig

__all__ = ["train_joints"]

COLUMNS = ("step", "seconds", "rate", "total", *LOSSES)
# Weights of the losses: scores rank the simulator's candidates and count most.
WEIGHTS = {"kinds": 1.0, "hypotheses": 0.5, "confidence": 0.1, "judged": 1.0, "parents": 0.3}


class _Run(Run):
    """One training run of the joints' network; its steps are those of pretraining and fine-tuning together."""

    def __init__(self, config: JointConfig, folder: Path) -> None:
        torch.manual_seed(config.training.seed)
        super().__init__(JointNetwork(config.model), config, folder)
        if checkpoint_in(folder).exists():
            self.resume()

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
        self.begin_step()
        whole = sum(len(batch.inputs[0]) for batch in step)
        logged = dict.fromkeys(("total", *LOSSES), 0.0)
        for batch in step:
            share = len(batch.inputs[0]) / whole
            with torch.autocast("cpu", torch.bfloat16):
                predicted = self.model(*batch.inputs)
            terms = losses(predicted, batch.truth, *batch.inputs[8:11])
            total = torch.stack([WEIGHTS[name] * terms[name] for name in LOSSES]).sum()
            (share * total).backward()
            for name, value in {"total": total, **terms}.items():
                logged[name] += share * float(value.detach())
        self.end_step()
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
    begin = time.monotonic()
    with tqdm(total=last, initial=run.step, unit="step", mininterval=5.0) as bar:
        for step in _steps(run, simulated, true):
            log.add(run.advance(step))
            bar.update()
            seconds = time.monotonic() - begin
            over = run.step == last or (minutes is not None and seconds > 60.0 * minutes)
            if run.step % training.log_every == 0 or over:
                means = log.write(run.step, seconds, run.rate)
                bar.set_postfix({name: f"{value:.3g}" for name, value in means.items()})
            if run.step % training.save_every == 0 or over:
                run.save()
            if over:
                break
    log.close()
    return run.step
