"""What training makes small."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

__all__ = ["Loss", "loss_of"]


@dataclass(frozen=True)
class Loss:
    """`total` is what is differentiated; the rest is for the log."""

    total: Tensor
    error: Tensor  # RMS of the error over RMS of the motion
    divergence: Tensor  # nats a state
    active: Tensor  # numbers of z that say more than 0.1 nat, mean over objects


def loss_of(foretold: Tensor, moves: Tensor, divergence: Tensor, weight: float, elbow: float) -> Loss:
    """Foretold and true moves (B,S,Q,3), KL (B,S,K).

    The error of a point is Huber's smooth one, 2 c^2 (sqrt(1 + e^2 / c^2) - 1): e^2 below the elbow c, linear above.
    """
    square = ((foretold - moves) ** 2).sum(-1)
    loss = (2.0 * elbow**2 * ((1.0 + square / elbow**2).sqrt() - 1.0)).mean()
    nats = divergence.sum(-1).mean()
    with torch.no_grad():
        error = (square.mean() / (moves**2).sum(-1).mean().clamp(min=1e-12)).sqrt()
        active = (divergence.mean(1) > 0.1).float().sum(-1).mean()
    return Loss(loss + weight * nats, error, nats.detach(), active)
