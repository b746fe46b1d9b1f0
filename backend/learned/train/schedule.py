"""Learning rate schedule: linear warm-up, then half a cosine; and what every training configuration has beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["ScheduleConfig", "learning_rate"]


@dataclass(frozen=True)
class ScheduleConfig:
    """Hyperparameters of the optimisers, of the moving average and of what is written."""

    steps: int = 30_000
    rate: float = 1.5e-3
    warmup: int = 500
    final_rate: float = 0.02  # of `rate`, where the cosine ends
    weight_decay: float = 0.02
    max_gradient_norm: float = 1.0
    ema_decay: float = 0.999  # of the exponential moving average of the weights
    augment: bool = True
    save_every: int = 500
    log_every: int = 20


def learning_rate(step: int, training: ScheduleConfig) -> float:
    """Linear warm-up, then half a cosine down to `final_rate`."""
    if step < training.warmup:
        return training.rate * (step + 1) / training.warmup
    along = (step - training.warmup) / max(training.steps - training.warmup, 1)
    floor = training.final_rate
    return training.rate * (floor + (1.0 - floor) * 0.5 * (1.0 + math.cos(math.pi * min(along, 1.0))))
