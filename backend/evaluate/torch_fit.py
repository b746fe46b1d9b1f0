"""Latent fitting of any decoder to given points by Levenberg-Marquardt with automatic differentiation.

    min over z   sum_p |move_p(z) - move*_p|^2 n_eff / (2 n s^2) + 1/2 |z - mean|^2,   n_eff = min(n, N)

the objective of `latent_fit`, which is for screws alone and works in NumPy. Here nothing is known of the decoder but
how to run it, so that decoders of every kind are fitted by the same steps: Levenberg-Marquardt from the rest shape,
from the prior's mean and from random states of the prior, all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.func import jvp, vmap

from .latent_fit import FitSettings

__all__ = ["SETTINGS", "Moves", "columns", "fitted_latents"]

Moves = Callable[[Tensor], Tensor]  # z (n,K) -> moves (n,P,3)
# Each step of the per-point decoder costs as much as K runs of it: fewer starts and steps than where steps are cheap.
SETTINGS = FitSettings(random_starts=2, first_iterations=6, most_iterations=14)
_GOING_ON = 2  # of the starts, after the first iterations
_FIRST_DAMPING = 1e-2


def columns(moves: Moves, z: Tensor, at_once: int | None = None) -> Tensor:
    """d moves / d z, (K,n,P,3): forward mode, as there are fewer latents than points; so many of the K `at_once`."""

    def column(direction: Tensor) -> Tensor:
        return jvp(moves, (z,), (direction.expand_as(z),))[1]

    return vmap(column, chunk_size=at_once)(torch.eye(z.shape[-1]))


@dataclass(frozen=True)
class _States:
    """n searches at once."""

    z: Tensor  # (n,K)
    value: Tensor  # (n,1)
    damping: Tensor  # (n,1)

    def best(self, count: int) -> _States:
        chosen = self.value[:, 0].argsort()[:count]
        return _States(self.z[chosen], self.value[chosen], self.damping[chosen])


@torch.no_grad()
def fitted_latents(moves: Moves, targets: Tensor, mean: Tensor, settings: FitSettings = SETTINGS) -> Tensor:
    """z (K) of the best minimum found, for moves (P,3) that the points made and the prior N(mean, I)."""
    count = len(targets)
    precision = min(count, settings.independent) / (count * settings.noise**2)
    draws = torch.randn(settings.random_starts, len(mean), generator=torch.Generator().manual_seed(0))
    start = torch.cat([torch.zeros_like(mean)[None], mean[None], mean + draws])

    def value(z: Tensor) -> Tensor:
        missed = ((moves(z) - targets) ** 2).sum((-1, -2))
        return (0.5 * precision * missed + 0.5 * ((z - mean) ** 2).sum(-1))[:, None]

    def descended(states: _States, steps: int) -> _States:
        for _ in range(steps):
            z = states.z
            jacobian = columns(moves, z).flatten(2).permute(1, 2, 0)  # (n,3P,K)
            residual = (moves(z) - targets).flatten(1)[..., None]
            slope = precision * jacobian.mT @ residual + (z - mean)[..., None]
            matrix = precision * jacobian.mT @ jacobian + torch.eye(z.shape[-1])
            scale = torch.diagonal(matrix, dim1=-2, dim2=-1)
            step = torch.linalg.solve(matrix + torch.diag_embed(states.damping * scale), slope)[..., 0]
            tried = z - step
            reached = value(tried)
            better = reached < states.value
            states = _States(
                torch.where(better, tried, z),
                torch.where(better, reached, states.value),
                torch.where(better, 0.2 * states.damping, 10.0 * states.damping),
            )
        return states

    begun = descended(
        _States(start, value(start), torch.full((len(start), 1), _FIRST_DAMPING)), settings.first_iterations
    )
    return descended(begun.best(_GOING_ON), settings.most_iterations).best(1).z[0]
