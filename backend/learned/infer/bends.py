"""How what bends turns: any two pieces of a surface relative to each other, by a Gaussian rotation about a pivot.

The motion itself tells how each piece turned (`data.rigid_fit`), so that nothing has to be fitted: the network is
taught the likelihood of what it sees,

    -log p(w) = |L^T w|^2 / 2 - sum_i log L_ii,   w the rotation vector between the two pieces, L L^T its precision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from .config import ModelConfig
from .latent_fitting import moves_of, skin_basis
from .torch_screws import cross, rotation_matrix

if TYPE_CHECKING:
    from .state_space_model import Context

__all__ = ["BEND_LESSONS", "BendHead", "Bends", "Turns", "bend_lessons"]

BEND_LESSONS = ("turning", "pivots", "skin")
HIDDEN = 64
NOISE = 0.02  # rad: what a rotation is known to, read off a few points
FIRST = 1.6  # logarithm of 1 / rad: pieces turn by a fifth of a radian before anything is known
STIFFEST = 4.0  # the same: 1 / e^4 rad is as good as not at all
REACH = 0.3  # normalised units, of the pivot from where two pieces meet
NEAR = 0.2  # normalised units between pieces that turn about each other
FAR_COUNTS = 0.2  # how much pairs that are farther apart count
PIVOT_COUNTS = 5.0
LEAST_MOTION = 1e-3  # normalised units


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


@dataclass(frozen=True)
class Turns:
    """What the motion shows of the pieces of H handles in S states."""

    quaternions: Tensor  # (B,S,H,4) real part first
    shifts: Tensor  # (B,S,H,3): a piece goes to R x + shift

    def in_order(self, order: Tensor) -> Turns:
        def ordered(values: Tensor) -> Tensor:
            index = order[:, None, :, None].expand(-1, values.shape[1], -1, values.shape[3])
            return values.gather(2, index)

        return Turns(ordered(self.quaternions), ordered(self.shifts))


class BendHead(nn.Module):
    """`Bends` from the tokens of two handles and what is known of where they lie; symmetric by its form."""

    def __init__(self, config: ModelConfig, make_perceptron: Callable[[int, int, int], nn.Module]) -> None:
        super().__init__()
        self.handle = nn.Linear(config.width, 2 * HIDDEN)
        self.between = nn.Linear(config.pairs, HIDDEN)
        self.out = make_perceptron(HIDDEN, HIDDEN, 9)

    def forward(self, context: Context) -> Bends:
        one, other = self.handle(context.handles).float().chunk(2, -1)
        pairs = context.pairs + context.pairs.transpose(1, 2)
        both = one[:, :, None] + one[:, None] + other[:, :, None] * other[:, None] + self.between(pairs).float()
        stiff, mixed, place = self.out(functional.gelu(both, approximate="tanh")).float().split(3, -1)
        factor = torch.diag_embed((FIRST + stiff).clamp(max=STIFFEST).exp())
        below = torch.tril_indices(3, 3, -1)
        factor[..., below[0], below[1]] = mixed * factor.diagonal(dim1=-2, dim2=-1)[..., below[0]].detach()
        return Bends(factor, context.meets + REACH * place)


def _between(quaternions: Tensor) -> Tensor:
    """Rotation vectors (B,S,H,H,3) from the first to the second handle, angles up to pi."""
    real, vector = quaternions[..., :1], quaternions[..., 1:]
    cosine = (quaternions[:, :, :, None] * quaternions[:, :, None]).sum(-1, keepdim=True)
    turned = real[:, :, :, None] * vector[:, :, None] - real[:, :, None] * vector[:, :, :, None]
    wide = torch.broadcast_tensors(vector[:, :, :, None], vector[:, :, None])
    sine = turned - cross(*wide)
    length = sine.norm(dim=-1, keepdim=True)
    angle = 2.0 * torch.atan2(length, cosine.abs())
    return torch.where(cosine < 0.0, -1.0, 1.0) * sine * (angle / length.clamp(min=1e-9))


def _drift(turns: Turns, pivot: Tensor) -> Tensor:
    """How far apart the motions of two pieces take the pivot (B,H,H,3), RMS over states, (B,H,H)."""
    turn = rotation_matrix(turns.quaternions)  # (B,S,H,3,3)
    turned = torch.einsum("bshij,bhgj->bshgi", turn, pivot) - torch.einsum("bsgij,bhgj->bshgi", turn, pivot)
    apart = turned + turns.shifts[:, :, :, None] - turns.shifts[:, :, None]
    return ((apart**2).sum(-1).mean(1) + LEAST_MOTION**2).sqrt()


def _mean(values: Tensor, counts: Tensor) -> Tensor:
    """The mean of what counts in each object, over the objects where something does."""
    count = counts.flatten(1).sum(1)
    each = (values * counts).flatten(1).sum(1) / count.clamp(min=1.0)
    return each.sum() / (count > 0.0).sum().clamp(min=1)


def bend_lessons(
    bends: Bends, turns: Turns, turned: Tensor, gaps: Tensor, weights: Tensor, points: Tensor, moves: Tensor
) -> dict[str, Tensor]:
    """How far the network is from what the motion of the objects `turned` (B,) tells. See `BEND_LESSONS`.

    gaps (B,H,H) between pieces, weights (B,Q,H) of points (B,Q,3) with their moves (B,S,Q,3); handles in one order.
    """
    count = gaps.shape[1]
    known = turned[:, None, None] & ~torch.eye(count, dtype=torch.bool)
    near = known & (gaps < NEAR)
    seen = _between(turns.quaternions)
    moment = torch.einsum("bshgi,bshgj->bhgij", seen, seen) / seen.shape[1] + NOISE**2 * torch.eye(3)
    square = torch.einsum("bhgji,bhgjk,bhgki->bhg", bends.factor, moment, bends.factor)
    turning = 0.5 * square - bends.factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    foretold = moves_of((turns.quaternions, turns.shifts), skin_basis(weights, points)[:, None])
    missed = (((foretold - moves) ** 2).sum(-1).mean((1, 2)) + LEAST_MOTION**2).sqrt()
    motion = ((moves**2).sum(-1).mean((1, 2)) + LEAST_MOTION**2).sqrt()
    return {
        "turning": _mean(turning / 3.0, near + FAR_COUNTS * (known & ~near)),
        "pivots": _mean(PIVOT_COUNTS * _drift(turns, bends.pivot), near.float()),
        "skin": (missed / motion * turned).sum() / turned.sum().clamp(min=1),
    }
