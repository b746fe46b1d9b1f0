"""Training loop: bfloat16, cosine schedule, moving average of the weights, checkpoints, one or many processes."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.parallel import DistributedDataParallel
from tqdm import tqdm

from ...data.example import Source
from ...errors import UserError
from ..infer.shape_tensors import Surface
from .batches import example_batches
from .losses import Objective
from .running import Log, Run, checkpoint_in
from .schedule import learning_rate
from .supervision import AUXILIARY_LOSSES, Supervision
from .training_config import Config
from .training_model import TrainedModel, load_training_model, make_training_model

__all__ = ["train"]

COLUMNS = ("step", "seconds", "rate", "total", "error", "sparse", "nats", "active", *AUXILIARY_LOSSES)


@contextlib.contextmanager
def _processes() -> Iterator[tuple[int, int]]:
    """(rank, count) of this process; torchrun sets the environment when there are several."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1:
        yield 0, 1
        return
    torch.distributed.init_process_group("gloo")
    try:
        yield torch.distributed.get_rank(), count
    finally:
        torch.distributed.destroy_process_group()


def _begun(start: Path, config: Config) -> TrainedModel:
    """The network of a file of weights, to be trained on. Raises UserError."""
    model = load_training_model(start)
    if model.config != config.model:
        raise UserError("other_sizes.weights", file=start.name)
    return model.train().requires_grad_(True)


class _Run(Run):
    """One training run of the state space's network."""

    kept = ("step", "cooling")

    def __init__(self, config: Config, folder: Path, rank: int, world: int, start: Path | None = None) -> None:
        torch.manual_seed(config.training.seed)
        resumed = checkpoint_in(folder).exists()
        super().__init__(
            make_training_model(config.model) if resumed or start is None else _begun(start, config), config, folder
        )
        self.cooling: list[int] | None = None  # first and last step of an early end
        if resumed:
            self.resume()
        # The posterior's noise must differ between processes and not repeat after a resumption.
        torch.manual_seed(config.training.seed + 7919 * self.step + rank)
        self.plain = Objective(self.model, config.training)
        self.objective = DistributedDataParallel(self.plain) if world > 1 else self.plain

    @property
    def last(self) -> int:
        return self.cooling[1] if self.cooling else self.config.training.steps

    @property
    def rate(self) -> float:
        training = self.config.training
        rate = learning_rate(self.step, training)
        if self.cooling:
            first, last = self.cooling
            rate = max(rate * (last - self.step) / (last - first), training.rate * training.final_rate)
        return rate

    def advance(self, surface: Surface, moves: Tensor, supervision: Supervision) -> dict[str, float]:
        """One step; what there is to log of it."""
        training = self.config.training
        self.begin_step()
        along = min(self.step / training.steps, 1.0)
        self.plain.kl_weight = training.kl_weight ** (1.0 - along) * training.final_kl_weight**along
        with torch.autocast("cpu", torch.bfloat16):
            losses = self.objective(surface, moves, supervision)
        losses["total"].backward()
        self.end_step()
        return {name: float(value.detach()) for name, value in losses.items()}


def train(
    config: Config,
    source: Source,
    folder: Path,
    minutes: float | None = None,
    cooldown: int | None = None,
    start: Path | None = None,
) -> int:
    """Trains to the last step, or for so many minutes, from the checkpoint in `folder` on if there is one.

    `start`: weights to begin with where there is none. `cooldown`: end in so many steps, the rate falling on the way;
    once begun it goes on when the run is resumed.

    Leaves checkpoint.pt, model.safetensors (the moving average) and loss.csv there; returns the step reached.
    """
    folder.mkdir(parents=True, exist_ok=True)
    training = config.training
    with _processes() as (rank, world):
        run = _Run(config, folder, rank, world, start)
        if cooldown and not run.cooling:
            run.cooling = [run.step, run.step + cooldown]
        batches = example_batches(source, config, run.step, rank, world)
        log = Log(folder / "loss.csv", run.step, COLUMNS) if rank == 0 else None
        bar = tqdm(total=run.last, initial=run.step, unit="step", disable=rank != 0, mininterval=5.0)
        begin = time.monotonic()
        while run.step < run.last:
            losses = run.advance(*next(batches))
            bar.update()
            seconds = time.monotonic() - begin
            over = torch.tensor(float(minutes is not None and seconds > 60.0 * minutes))
            if world > 1:
                torch.distributed.broadcast(over, 0)  # one clock decides for all
            if log:
                log.add(losses)
            if log and (run.step % training.log_every == 0 or over or run.step == run.last):
                means = log.write(run.step, seconds, run.rate)
                bar.set_postfix({name: f"{value:.3g}" for name, value in means.items()})
            if rank == 0 and (run.step % training.save_every == 0 or over or run.step == run.last):
                run.save()
            if over:
                break
        bar.close()
        if log:
            log.close()
    return run.step
