"""Auxiliary losses of what bends: likelihood of the rotations between pieces, drift of pivots, error of skinning."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ..infer.bend_head import Bends
from .latent_fitting import moves_of, skin_basis
from .torch_screws import cross, rotation_matrix

__all__ = ["BEND_LOSSES", "Turns", "bend_losses"]

BEND_LOSSES = ("turning", "pivots", "skin")
NOISE = 0.02  # rad: what a rotation is known to, read off a few points
NEAR = 0.2  # normalised units between pieces that turn about each other
FAR_COUNTS = 0.2  # how much pairs that are farther apart count
PIVOT_COUNTS = 5.0
LEAST_MOTION = 1e-3  # normalised units


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


def bend_losses(
    bends: Bends, turns: Turns, turned: Tensor, gaps: Tensor, weights: Tensor, points: Tensor, moves: Tensor
) -> dict[str, Tensor]:
    """Losses against the observed rotations of the pieces of the objects `turned` (B,), see `BEND_LOSSES`.

    gaps (B,H,H) between pieces, weights (B,Q,H) of points (B,Q,3) with their moves (B,S,Q,3); handles in one order.
    """
    count = gaps.shape[1]
    known = turned[:, None, None] & ~torch.eye(count, dtype=torch.bool)
    near = known & (gaps < NEAR)
    between = _between(turns.quaternions)
    moment = torch.einsum("bshgi,bshgj->bhgij", between, between) / between.shape[1] + NOISE**2 * torch.eye(3)
    square = torch.einsum("bhgji,bhgjk,bhgki->bhg", bends.factor, moment, bends.factor)
    turning = 0.5 * square - bends.factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    predicted = moves_of((turns.quaternions, turns.shifts), skin_basis(weights, points)[:, None])
    missed = (((predicted - moves) ** 2).sum(-1).mean((1, 2)) + LEAST_MOTION**2).sqrt()
    motion = ((moves**2).sum(-1).mean((1, 2)) + LEAST_MOTION**2).sqrt()
    return {
        "turning": _mean(turning / 3.0, near + FAR_COUNTS * (known & ~near)),
        "pivots": _mean(PIVOT_COUNTS * _drift(turns, bends.pivot), near.float()),
        "skin": (missed / motion * turned).sum() / turned.sum().clamp(min=1),
    }
