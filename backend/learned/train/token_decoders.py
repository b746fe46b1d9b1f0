"""Decoders in which tokens that carry z are read: by each point, as the paper has it, or by the handles alone."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..infer.blocks import Block
from ..infer.model_config import ModelConfig
from ..infer.screw_heads import SkinWeights
from ..infer.shape_tensors import Context, Surface
from .decoders import Decoder, Moves
from .latent_fitting import moves_of, skin_basis
from .torch_screws import compose, cross, exponential, rotate, rotation_matrix

__all__ = ["HandleDecoder", "PointDecoder", "TokenReader", "about_places", "dual_quaternion_motion"]

FIRST_SHARE = 0.1  # of what the last layer gives, at the start
READERS = 2  # cross-attention blocks


class TokenReader(nn.Module):
    """Tokens with z added, mixed by self-attention, and read by queries through cross-attention."""

    def __init__(self, config: ModelConfig, outputs: int) -> None:
        super().__init__()
        width = config.width
        self.lift = nn.Linear(config.latents, width)
        self.block = Block(width, config.heads)
        self.blocks = nn.ModuleList(Block(width, config.heads) for _ in range(READERS))
        self.out = nn.Linear(width, outputs)
        with torch.no_grad():
            self.out.weight.mul_(FIRST_SHARE)

    def forward(self, tokens: Tensor, queries: Tensor, z: Tensor) -> Tensor:
        """Tokens (B,K,D), queries (B,Q,D) and z (B,S,K latents): outputs (B,S,Q,.)."""
        batch, states, count = *z.shape[:2], tokens.shape[1]
        lifted = self.lift(z.unflatten(-1, (count, -1)))
        mixed = self.block((tokens[:, None] + lifted).flatten(0, 1))
        x = queries[:, None].expand(-1, states, -1, -1).flatten(0, 1)
        for block in self.blocks:
            x = block(x, mixed)
        return self.out(x).float().unflatten(0, (batch, states))


class PointDecoder(Decoder):
    """The paper's on our handles: each point reads the tokens and gets a unit dual quaternion of its own."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.reader = TokenReader(config, 6)

    def motion(self, context: Context, features: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
        """Quaternions and translations (B,S,Q,.) of z (B,S,K)."""
        return exponential(self.reader(context.handles, features, z))

    def bound(self, context: Context, features: Tensor, surface: Surface) -> Moves:
        # What rest would be moved by is taken back from every state.
        rotation, translation = self.motion(context, features, torch.zeros_like(context.prior_mean)[:, None])
        with torch.autocast("cpu", enabled=False):
            unturned = rotation * torch.tensor([1.0, -1.0, -1.0, -1.0])
            nothing = torch.ones_like(unturned) * torch.eye(4)[0]
            taken_back = compose((unturned, torch.zeros_like(translation)), (nothing, -translation))
            points = surface.points[:, None]

        def moves(z: Tensor) -> Tensor:
            motion = self.motion(context, features, z)
            with torch.autocast("cpu", enabled=False):
                inner = (taken_back[0].expand_as(motion[0]), taken_back[1].expand_as(motion[1]))
                turn, move = compose(motion, inner)
                return (rotation_matrix(turn) @ points[..., None])[..., 0] + move - points

        return moves


class HandleDecoder(Decoder):
    """Only the centres of the handles read the tokens, and points are skinned to the handles.

        A_h(z) = T_c exp(xi_h(z) - xi_h(0)) T_c^-1,   c the centre of the handle

    Rest is exact. Moves are linear in the handles' matrices, so that masses are constant in handle space, and the
    derivatives by z are those of H places, however many vertices there are.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.skin_weights = SkinWeights(config)
        self.reader = TokenReader(config, 6)

    def motion(self, context: Context, z: Tensor) -> tuple[Tensor, Tensor]:
        """Quaternions and translations (B,S,H,.) of the handles, about the origin."""
        both = torch.cat([z, torch.zeros_like(z[:, :1])], 1)
        twists = self.reader(context.handles, context.handles, both)
        with torch.autocast("cpu", enabled=False):
            return about_places(exponential(twists[:, :-1] - twists[:, -1:]), context.centres[:, None])

    def bound(self, context: Context, features: Tensor, surface: Surface) -> Moves:
        weights = self.skin_weights(context, features, surface)
        with torch.autocast("cpu", enabled=False):
            basis = skin_basis(weights, surface.points)[:, None]

        def moves(z: Tensor) -> Tensor:
            motion = self.motion(context, z)
            with torch.autocast("cpu", enabled=False):
                return moves_of(motion, basis)

        return moves


def about_places(motion: tuple[Tensor, Tensor], places: Tensor) -> tuple[Tensor, Tensor]:
    """Motions about places (...,3) as motions about the origin: t + c - R c."""
    rotation, translation = motion
    places = places.expand_as(translation)
    return rotation, translation + places - rotate(rotation, places)


def dual_quaternion_motion(numbers: Tensor) -> tuple[Tensor, Tensor]:
    """Rotations and translations of the unit dual quaternions nearest to 1 + numbers (...,8).

    The real part is normalised; of the dual part what is across the real one counts: t = 2 vec(dual real*).
    """
    real, dual = (numbers + torch.eye(8)[0]).split(4, -1)
    length = real.norm(dim=-1, keepdim=True).clamp(min=1e-6)
    real, dual = functional.normalize(real, dim=-1), dual / length
    (w, v), (e, d) = (real[..., :1], real[..., 1:]), (dual[..., :1], dual[..., 1:])
    return real, 2.0 * (w * d - e * v + cross(v, d))
