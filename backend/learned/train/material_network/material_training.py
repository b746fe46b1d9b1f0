"""Training loop of the network of materials, and the calibration of its probabilities."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional
from tqdm import tqdm

from ..running import Log, Run, checkpoint_in
from ..schedule import learning_rate
from .material_batches import Batch, Hidden, as_inputs
from .material_examples import ExampleArrays
from .material_model import MaterialNetwork
from .material_training_config import MaterialConfig, MaterialTrainingConfig

__all__ = ["MaterialRun", "best_temperature", "logits_of", "train_materials"]

LOSSES = ("material", "thin", "size")


class MaterialRun(Run):
    """One training run of the network of materials."""

    def __init__(self, config: MaterialConfig, folder: Path) -> None:
        torch.manual_seed(config.training.seed)
        super().__init__(MaterialNetwork(config.model, config.training.dropout), config, folder)
        if checkpoint_in(folder).exists():
            self.resume()

    @property
    def rate(self) -> float:
        return learning_rate(self.step, self.config.training)

    def advance(self, batch: Batch) -> dict[str, float]:
        """One step; what there is to log of it."""
        self.begin_step()
        terms = _losses(self.model(*batch.inputs), batch, self.config.training)
        total = torch.stack(list(terms.values())).sum()
        total.backward()
        self.end_step()
        return {"total": float(total.detach()), **{name: float(value.detach()) for name, value in terms.items()}}


def _losses(outputs: torch.Tensor, batch: Batch, training: MaterialTrainingConfig) -> dict[str, torch.Tensor]:
    count = batch.shares.shape[1]
    target = (1.0 - training.smoothing) * batch.shares + training.smoothing / count
    thin, sized = ~batch.thin.isnan(), ~batch.size.isnan()
    spread = outputs[sized, count + 2].clamp(-4.0, 3.0)
    miss = batch.size[sized] - outputs[sized, count + 1]
    return {
        "material": functional.cross_entropy(outputs[:, :count], target),
        "thin": training.thin_weight
        * functional.binary_cross_entropy_with_logits(outputs[thin, count], batch.thin[thin]),
        "size": training.size_weight * (0.5 * (miss * torch.exp(-spread)) ** 2 + spread).mean(),
    }


def train_materials(
    config: MaterialConfig, stream: Iterator[Batch], run: MaterialRun, minutes: float | None = None
) -> bool:
    """Trains to the last step, or for so many minutes, from where `run` is on; whether it came to the end.

    Leaves checkpoint.pt, model.safetensors (the moving average) and loss.csv in the folder of the run.
    """
    run.folder.mkdir(parents=True, exist_ok=True)
    training, begin = config.training, time.monotonic()
    log = Log(run.folder / "loss.csv", run.step, ("step", "seconds", "rate", "total", *LOSSES))
    with tqdm(total=training.steps, initial=run.step, unit="step", mininterval=5.0) as bar:
        while run.step < training.steps:
            log.add(run.advance(next(stream)))
            bar.update()
            seconds = time.monotonic() - begin
            over = run.step == training.steps or (minutes is not None and seconds > 60.0 * minutes)
            if run.step % training.log_every == 0 or over:
                log.write(run.step, seconds, run.rate)
            if run.step % training.save_every == 0 or over:
                run.save()
            if over:
                break
    log.close()
    return run.step == training.steps


@torch.no_grad()
def logits_of(network: MaterialNetwork, examples: ExampleArrays, seen: Hidden) -> NDArray[np.float64]:
    """Logits of the materials of all examples, Float[N,M]."""
    network.eval()
    inputs = as_inputs(examples, np.arange(len(examples)), seen, examples.shape, examples.look)
    return network(*inputs)[:, : examples.shares.shape[1]].double().numpy()


def best_temperature(logits: NDArray[np.float64], truth: NDArray[np.int64]) -> float:
    """What logits Float[N,M] are divided by for the probabilities of the truth Int[N] to be the most likely."""
    candidates = np.exp(np.linspace(np.log(0.5), np.log(4.0), 100))
    rows = np.arange(len(truth))
    losses = []
    for each in candidates:
        scaled = logits / each
        scaled = scaled - scaled.max(axis=1, keepdims=True)
        losses.append(float((np.log(np.exp(scaled).sum(axis=1)) - scaled[rows, truth]).mean()))
    return float(candidates[int(np.argmin(losses))])
