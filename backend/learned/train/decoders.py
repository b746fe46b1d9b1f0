"""Decoders from z to motion: screws (the default), and affine handles; those that read tokens are in `token_decoders`.

All have a method `bound(context, features, surface)`: features (B,Q,D) of the points of `surface`; what does not
depend on z is done there, once, and the function that it gives takes z (B,S,K) to moves (B,S,Q,3). All give no motion
at z = 0 by construction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..infer.joint_kinds import DIRECTION_OFFSET, KINDS, PLACE_OFFSET, PLACES
from ..infer.model_config import ModelConfig
from ..infer.screw_heads import Heads, ScrewHeads, SkinWeights
from ..infer.shape_tensors import Context, Surface
from .latent_fitting import moves_of, skin_basis
from .torch_screws import cross, screw_motion

__all__ = [
    "AffineDecoder",
    "Decoder",
    "Joints",
    "Moves",
    "ScrewDecoder",
]

RANK = 32  # of the scalar products between handles and modes
FIRST_SIZE = 0.1  # of twists at the start, in units of the shape
_KINDS, _PLACES = (torch.tensor(each, dtype=torch.float32) for each in (KINDS, PLACES))
SOFT_REACH = 0.3  # from a handle of a soft part to where its screws may lie
Moves = Callable[[Tensor], Tensor]


class Decoder(nn.Module):
    """What all have in common."""

    def ordered(self, context: Context) -> Context:
        """The same with its modes in the order in which the decoder applies them."""
        return context

    def bound(self, context: Context, features: Tensor, surface: Surface) -> Moves:
        """The decoder of these objects at these points: z (B,S,K) -> moves (B,S,Q,3)."""
        raise NotImplementedError

    def forward(self, context: Context, features: Tensor, surface: Surface, z: Tensor) -> Tensor:
        return self.bound(context, features, surface)(z)


class HandleModes(nn.Module):
    """One vector for each pair of a moving handle and a number of z, Float (B,H,H,outputs): products of features.

    Sums of the two, as a perceptron would begin with, leave all pairs nearly alike at the start: one direction of
    motion where there should be H.
    """

    def __init__(self, width: int, outputs: int) -> None:
        super().__init__()
        self.outputs = outputs
        self.of_handle = nn.Linear(width, RANK * outputs)
        self.of_mode = nn.Linear(width, RANK * outputs, bias=False)
        for layer in (self.of_handle, self.of_mode):
            nn.init.normal_(layer.weight, std=width**-0.5)

    def forward(self, context: Context) -> Tensor:
        handles = self.of_handle(context.handles).unflatten(-1, (self.outputs, RANK)).float()
        modes = self.of_mode(context.handles).unflatten(-1, (self.outputs, RANK)).float()
        pairs = handles.transpose(1, 2) @ modes.permute(0, 2, 3, 1)  # (B,outputs,H,H)
        return FIRST_SIZE * RANK**-0.5 * pairs.permute(0, 2, 3, 1)


@dataclass(frozen=True)
class Joints:
    """Joints of H handles, before their twists are multiplied; probabilities as logits."""

    moves: Tensor  # (B,H) whether a handle has a joint of its own
    firm: Tensor  # (B,H) whether it is of a rigid body
    carries: Tensor  # (B,H,H) whether the joint of the second moves the first
    kinds: Tensor  # (B,H,12) along which axis of the frame a joint turns or slides, see KINDS
    places: Tensor  # (B,H,3,3) where in the box of what it carries its axis lies, for each direction of PLACES
    screws: Tensor  # (B,H,6) of the joints, about the origin


def _chosen(logits: Tensor, known: Tensor | None) -> Tensor:
    """One-hot rows of the likeliest, or of what is known; as if they were the likelihoods for the gradient.

    What is added to a choice is learned for that choice, not for the mean of several.
    """
    best = logits.detach().argmax(-1)
    if known is not None:
        best = torch.where(known >= 0, known, best)
    likely = logits.softmax(-1)
    return functional.one_hot(best, logits.shape[-1]) + likely - likely.detach()


class ScrewDecoder(ScrewHeads, Decoder):
    """Screw-motion decoder: A_h(z) = exp(z_1 xi_h1) ... exp(z_H xi_hH).

        xi_hk = moves_k carries_hk screw_k

    Rest is exact, a joint is one number, a chain of joints is exact. What moves more comes first in the product, as the
    first joint of a chain does. Only where a deformation encoder finds z, xi_hk has for what bends (1 - firm_h) times a
    free remainder about each handle's own place; else see `bend_head`.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.free = HandleModes(config.width, 6) if config.posterior == "encoder" else None

    def boxes(self, context: Context, carries: Tensor) -> Tensor:
        """Lower and upper corner (B,H,2,3) of what the joint of each handle carries; not differentiated."""
        with torch.no_grad():
            stiff = context.stiff.gather(1, context.homes[..., None])
            middle, half = context.boxes.unbind(-2)
            middle = torch.lerp(context.centres, middle, stiff)
            half = torch.lerp(torch.full_like(half, SOFT_REACH), half, stiff)
            far = torch.where(carries > 0.0, 0.0, torch.inf)
            far = far.masked_fill(torch.eye(far.shape[1], dtype=torch.bool, device=far.device), 0.0)[..., None]
            lower, upper = (middle - half)[:, :, None] + far, (middle + half)[:, :, None] - far
            return torch.stack([lower.amin(1), upper.amax(1)], -2)

    def joints(
        self,
        heads: Heads,
        carries: Tensor,
        boxes: Tensor,
        kinds: Tensor | None = None,
        places: Tensor | None = None,
    ) -> Joints:
        """`boxes` (B,H,2,3) of what the joint of each handle carries.

        `kinds` (B,H) and `places` (B,H,3): those that are known, -1 where none is; else the likeliest.
        """
        direction = _chosen(heads.kinds, kinds) @ _KINDS + DIRECTION_OFFSET * heads.direction
        turn, slide = (direction * heads.size.exp()[..., None]).split(3, -1)
        middle, half = 0.5 * (boxes[..., 0, :] + boxes[..., 1, :]), 0.5 * (boxes[..., 1, :] - boxes[..., 0, :])
        slide = slide * half.amax(-1, keepdim=True)  # small things slide a little
        place = _chosen(heads.places, places) @ _PLACES + PLACE_OFFSET * heads.place
        screws = torch.cat([turn, cross(middle + half * place, turn) + slide], -1)
        return Joints(heads.moves, heads.firm, carries, heads.kinds, heads.places, screws)

    def predicted(self, context: Context) -> Joints:
        """Joints by the prediction alone."""
        carries = self.carries(context)
        return self.joints(self.heads(context), carries, self.boxes(context, carries))

    def ordered(self, context: Context) -> Context:
        with torch.no_grad():
            joints = self.predicted(context)
            moved = joints.carries.sigmoid().sum(1) * joints.moves.sigmoid()
        return context.ordered(moved.argsort(dim=-1, descending=True, stable=True))

    def free_twists(self, context: Context) -> Tensor:
        """(B,H,H,6) about the origin, of what bends."""
        assert self.free is not None
        turn, move = self.free(context).split(3, -1)
        places = context.centres[:, :, None].expand_as(turn)
        return torch.cat([turn, move + cross(places, turn)], -1)

    def twists(self, context: Context, joints: Joints) -> Tensor:
        """(B,H,H,6) about the origin."""
        share = joints.carries.sigmoid() * joints.moves.sigmoid()[:, None]
        twists = share[..., None] * joints.screws[:, None]
        if self.free is None:
            return twists
        return twists + (-joints.firm).sigmoid()[:, :, None, None] * self.free_twists(context)

    def bound(self, context: Context, features: Tensor, surface: Surface) -> Moves:
        weights = self.skin_weights(context, features, surface)
        with torch.autocast("cpu", enabled=False):
            twists = self.twists(context, self.predicted(context))
            basis = skin_basis(weights, surface.points)[:, None]

        def moves(z: Tensor) -> Tensor:
            with torch.autocast("cpu", enabled=False):
                return moves_of(screw_motion(twists, z), basis)

        return moves


class AffineDecoder(Decoder):
    """A_h(z) = I + sum_j z_j B_hj: what is lost without unit dual quaternions."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.skin_weights = SkinWeights(config)
        self.pairs = HandleModes(config.width, 12)

    def columns(self, context: Context) -> Tensor:
        """B_hj (B,H,K,3,4)."""
        numbers = self.pairs(context)
        # About the handle's own place, as the screws' free part is.
        linear, offset = numbers[..., :9].unflatten(-1, (3, 3)), numbers[..., 9:]
        offset = offset - (linear @ context.centres[:, :, None, :, None])[..., 0]
        return torch.cat([linear, offset[..., None]], -1)

    def bound(self, context: Context, features: Tensor, surface: Surface) -> Moves:
        weights = self.skin_weights(context, features, surface)
        with torch.autocast("cpu", enabled=False):
            columns, basis = self.columns(context), skin_basis(weights, surface.points)[:, None]

        def moves(z: Tensor) -> Tensor:
            with torch.autocast("cpu", enabled=False):
                return basis @ torch.einsum("bsk,bhkij->bshji", z, columns).flatten(2, 3)

        return moves
