"""Pieces of every training run: the rate, the optimisers, the moving average and the log of what was lost."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import torch
from torch import nn

__all__ = ["Log", "Schedule", "follow", "learning_rate", "optimizers_of"]


class Schedule(Protocol):
    """What a training configuration says of its rate."""

    steps: int
    rate: float
    warmup: int
    final_rate: float
    weight_decay: float
    average: float


def learning_rate(step: int, training: Schedule) -> float:
    """Linear warm-up, then half a cosine down to `final_rate`."""
    if step < training.warmup:
        return training.rate * (step + 1) / training.warmup
    along = (step - training.warmup) / max(training.steps - training.warmup, 1)
    floor = training.final_rate
    return training.rate * (floor + (1.0 - floor) * 0.5 * (1.0 + math.cos(math.pi * min(along, 1.0))))


def optimizers_of(model: nn.Module, training: Schedule) -> list[torch.optim.Optimizer]:
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


@torch.no_grad()
def follow(average: nn.Module, model: nn.Module, step: int, training: Schedule) -> None:
    """Draws the moving average towards the weights after a step."""
    # A young average follows faster, or it would remember the random start.
    keep = min(training.average, (1.0 + step) / (10.0 + step))
    torch._foreach_lerp_(list(average.parameters()), list(model.parameters()), 1.0 - keep)


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
        self.seconds = float(kept[-1]["seconds"]) if kept else 0.0
        self._file.flush()

    def write(self, **row: float) -> None:
        self._writer.writerow({name: f"{value:.6g}" for name, value in row.items()})
        self._file.flush()

    def close(self) -> None:
        self._file.close()
