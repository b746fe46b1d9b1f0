"""Training run: learning rate, optimisers, exponential moving average, checkpoints and the log of losses."""

from __future__ import annotations

import copy
import csv
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import nn

from .checkpoint import load_checkpoint, save_checkpoint, save_model, unusable_checkpoint
from .schedule import ScheduleConfig

__all__ = ["Log", "Run", "checkpoint_in"]


def _optimizers_of(model: nn.Module, training: ScheduleConfig) -> list[torch.optim.Optimizer]:
    """Muon for the matrices, AdamW for vectors and tokens, and for lone numbers, which are of order one, faster.

    Muon's steps are scaled to the RMS of AdamW's, so that one rate serves both.
    """
    matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and "tokens" not in name]
    numbers = [p for p in model.parameters() if p.ndim == 0]
    chosen = {id(p) for p in (*matrices, *numbers)}
    others = [p for p in model.parameters() if id(p) not in chosen]
    muon = torch.optim.Muon(
        [{"params": matrices, "gain": 1.0}],
        lr=training.rate,
        weight_decay=training.weight_decay,
        adjust_lr_fn="match_rms_adamw",
    )
    groups = [{"params": others, "gain": 1.0}, {"params": numbers, "gain": 10.0}]
    return [muon, torch.optim.AdamW(groups, lr=training.rate, betas=(0.9, 0.98), weight_decay=0.0, fused=True)]


def checkpoint_in(folder: Path) -> Path:
    """Where a run in this folder keeps what it goes on from."""
    return folder / "checkpoint.pt"


class Run:
    """A network in training: optimisers, moving average and steps, and where they are on disk.

    Subclasses define one step and, as `rate`, the learning rate.
    """

    kept: ClassVar[tuple[str, ...]] = ("step",)
    """Attributes that a checkpoint has besides the weights."""

    def __init__(self, model: nn.Module, config: Any, folder: Path) -> None:
        """`config` has the sizes of the network as `model` and a `ScheduleConfig` as `training`, dataclasses both."""
        self.model, self.config, self.folder = model, config, folder
        self.optimizers = _optimizers_of(model, config.training)
        self.average = copy.deepcopy(model).requires_grad_(False)
        self.step = 0

    @property
    def rate(self) -> float:
        raise NotImplementedError

    def resume(self) -> None:
        """Goes on from the checkpoint. Raises UserError."""
        path = checkpoint_in(self.folder)
        state = load_checkpoint(path)
        try:
            self.model.load_state_dict(state["model"])
            self.average.load_state_dict(state["average"])
            for optimizer, known in zip(self.optimizers, state["optimizers"], strict=True):
                optimizer.load_state_dict(known)
            for name in self.kept:
                setattr(self, name, state[name])
        except (KeyError, RuntimeError, ValueError) as error:  # of another network
            raise unusable_checkpoint(path, error) from error

    def save(self) -> None:
        """The checkpoint, and the moving average as weights to use."""
        state = {
            "model": self.model.state_dict(),
            "average": self.average.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
            **{name: getattr(self, name) for name in self.kept},
        }
        save_checkpoint(checkpoint_in(self.folder), state)
        about = {"step": self.step, "training": asdict(self.config.training)}
        save_model(self.folder / "model.safetensors", self.config.model, self.average.state_dict(), about)

    def begin_step(self) -> None:
        """Sets the rate, before gradients are added up."""
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = self.rate * group["gain"]
        self.model.zero_grad(set_to_none=True)

    def end_step(self) -> None:
        """Moves the weights along the gradients, and the average after them."""
        # One bad example must not end a run of hours: the norm is the same in all processes, and so is what they do.
        if nn.utils.clip_grad_norm_(self.model.parameters(), self.config.training.max_gradient_norm).isfinite():
            for optimizer in self.optimizers:
                optimizer.step()
        self.step += 1
        self._follow()

    @torch.no_grad()
    def _follow(self) -> None:
        # A young average follows faster, or it would remember the random start.
        keep = min(self.config.training.ema_decay, (1.0 + self.step) / (10.0 + self.step))
        torch._foreach_lerp_(list(self.average.parameters()), list(self.model.parameters()), 1.0 - keep)


def _whole(row: dict[str, str | None]) -> bool:
    """Whether a line of the log has all its values: the last one may have been torn."""
    return None not in row.values() and None not in row


class Log:
    """loss.csv of a run. Lines after the checkpoint, left by a run that was killed, are dropped at resumption."""

    def __init__(self, path: Path, first: int, columns: Sequence[str]) -> None:
        kept = []
        if path.exists():
            with path.open(newline="") as file:
                kept = [row for row in csv.DictReader(file) if _whole(row) and int(row["step"]) <= first]
        self._file = path.open("w", newline="")
        self._writer = csv.DictWriter(self._file, columns)
        self._writer.writeheader()
        self._writer.writerows(kept)
        self._before = float(kept[-1]["seconds"]) if kept else 0.0
        self._losses: list[dict[str, float]] = []
        self._file.flush()

    def add(self, losses: dict[str, float]) -> None:
        """Adds the losses of one step."""
        self._losses.append(losses)

    def write(self, step: int, seconds: float, rate: float) -> dict[str, float]:
        """A line with the means of what was added since the last; `seconds` since this run was begun or resumed."""
        means = {name: sum(each[name] for each in self._losses) / len(self._losses) for name in self._losses[0]}
        self._losses.clear()
        row = {"step": step, "seconds": self._before + seconds, "rate": rate, **means}
        self._writer.writerow({name: f"{value:.6g}" for name, value in row.items()})
        self._file.flush()
        return means

    def close(self) -> None:
        self._file.close()
