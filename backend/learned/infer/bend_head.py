"""Gaussian rotations between the pieces of what bends: any two turn relative to each other about a pivot.

The motion itself tells how each piece turned (`data.rigid_fit`), so that nothing has to be fitted: training maximises
the likelihood of these rotations,

    -log p(w) = |L^T w|^2 / 2 - sum_i log L_ii,   w the rotation vector between the two pieces, L L^T its precision.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from .blocks import perceptron
from .model_config import ModelConfig
from .shape_tensors import Context

__all__ = ["BendHead", "Bends"]

HIDDEN = 64
FIRST = 1.6  # logarithm of 1 / rad: pieces turn by a fifth of a radian before anything is known
STIFFEST = 4.0  # the same: 1 / e^4 rad is as good as not at all
REACH = 0.3  # normalised units, of the pivot from where two pieces meet


@dataclass(frozen=True)
class Bends:
    """Of each two of H handles, the same both ways round."""

    factor: Tensor  # (B,H,H,3,3) L, 1 / rad, lower triangle
    pivot: Tensor  # (B,H,H,3) normalised: the place that both move alike

    def covariance(self) -> Tensor:
        """(B,H,H,3,3) of the rotation vector between the two, rad^2."""
        # The inverse of a triangle, written out: ONNX has no Cholesky factors.
        first, second, third = self.factor.diagonal(dim1=-2, dim2=-1).unbind(-1)
        one, two, both = self.factor[..., 1, 0], self.factor[..., 2, 1], self.factor[..., 2, 0]
        none = torch.zeros_like(first)
        rows = [
            *(1.0 / first, none, none),
            *(-one / (first * second), 1.0 / second, none),
            *((one * two - second * both) / (first * second * third), -two / (second * third), 1.0 / third),
        ]
        inverse = torch.stack(rows, -1).unflatten(-1, (3, 3))
        return inverse.transpose(-1, -2) @ inverse


class BendHead(nn.Module):
    """`Bends` from the tokens of two handles and what is known of where they lie; symmetric by its form."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.handle = nn.Linear(config.width, 2 * HIDDEN)
        self.between = nn.Linear(config.pairs, HIDDEN)
        self.out = perceptron(HIDDEN, HIDDEN, 9)

    def forward(self, context: Context) -> Bends:
        one, other = self.handle(context.handles).float().chunk(2, -1)
        pairs = context.pairs + context.pairs.transpose(1, 2)
        both = one[:, :, None] + one[:, None] + other[:, :, None] * other[:, None] + self.between(pairs).float()
        stiff, mixed, place = self.out(functional.gelu(both, approximate="tanh")).float().split(3, -1)
        factor = torch.diag_embed((FIRST + stiff).clamp(max=STIFFEST).exp())
        below = torch.tril_indices(3, 3, -1)
        factor[..., below[0], below[1]] = mixed * factor.diagonal(dim1=-2, dim2=-1)[..., below[0]].detach()
        return Bends(factor, context.meets + REACH * place)
