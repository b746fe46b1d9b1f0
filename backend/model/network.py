"""The conditional variational auto-encoder: what a static shape may do, and what a motion says of its z.

Trained together on pairs of states of one object:

    ShapeEncoder        M0 -> handle tokens, mode tokens, point features; the prior p(z | M0) = N(mean, I)
    a decoder           (tokens, z) -> motion, see `decoders`
    DeformationEncoder  (M0, motion) -> q(z | motion, M0) = N(mean, diag(variance)); screws do without, see `fitting`

Differences from the usual Perceiver, each for a reason. Handle tokens start at points spread over the surface instead
of at learned constants: a handle then belongs to a place, whatever the object, and its modes with it. Modes that were
learned tokens had to find and share out the parts of each object first, and after a thousand steps had not. Points also
read the mean of their loose part, so that parts stay apart where they touch.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from .config import ModelConfig
from .decoders import make_decoder

__all__ = ["Context", "StateSpaceModel", "Surface"]


@dataclass(frozen=True)
class Surface:
    """Surface samples of a batch of objects, normalised frame. The encoder sees the first `points` of the N."""

    points: Tensor  # (B,N,3)
    normals: Tensor  # (B,N,3)
    boxes: Tensor  # (B,N,12): lower and upper corner of the sample's loose part, then of its material slot
    codes: Tensor  # (B,N,2C): random codes of loose part and material slot
    shell: Tensor  # (B,N) int64: loose part, below `shells`
    seeds: Tensor  # (B,H) int64: encoder points at which handles start

    def take(self, part: slice) -> Surface:
        """The same batch with some of the samples."""
        return Surface(
            self.points[:, part],
            self.normals[:, part],
            self.boxes[:, part],
            self.codes[:, part],
            self.shell[:, part],
            self.seeds,
        )


@dataclass(frozen=True)
class Context:
    """What is known of a batch of shapes, before anything moves."""

    points: Tensor  # (B,P,D) features of encoder points
    handles: Tensor  # (B,H,D)
    modes: Tensor  # (B,K,D)
    owners: Tensor  # (B,K) the handle of each mode
    centres: Tensor  # (B,H,3) where handles start
    share: Tensor  # (B,H,H) what each handle takes from which: only itself, or the mean of its part where that is stiff
    homes: Tensor  # (B,H) the loose part on which they start
    boxes: Tensor  # (B,H,2,3) middle and half the sides of the box of that part
    parts: Tensor  # (B,M,D) mean features of loose parts
    stiff: Tensor  # (B,M,1) from 0 to 1: how far a loose part moves as one body
    prior_mean: Tensor  # (B,K)


class Attention(nn.Module):
    """Multi-head attention of `x` over a context, pre-normalised."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm, self.norm_context = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query = nn.Linear(width, width, bias=False)
        self.key_value = nn.Linear(width, 2 * width, bias=False)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor, context: Tensor) -> Tensor:
        def split(tensor: Tensor) -> Tensor:
            return tensor.unflatten(-1, (self.heads, -1)).transpose(1, 2)

        key, value = self.key_value(self.norm_context(context)).chunk(2, -1)
        query = split(self.query(self.norm(x)))
        # Written out: on CPUs the fused kernel's backward pass takes four times as long.
        likeness = (query @ split(key).transpose(-1, -2)) * query.shape[-1] ** -0.5
        mixed = likeness.softmax(-1).to(query.dtype) @ split(value)
        return self.out(mixed.transpose(1, 2).flatten(2))


class Block(nn.Module):
    """Attention and a perceptron, both residual; self-attention where no context is given."""

    def __init__(self, width: int, heads: int, expansion: int = 2) -> None:
        super().__init__()
        self.attention = Attention(width, heads)
        hidden = expansion * width
        self.perceptron = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, hidden), nn.GELU(approximate="tanh"), nn.Linear(hidden, width)
        )

    def forward(self, x: Tensor, context: Tensor | None = None) -> Tensor:
        x = x + self.attention(x, x if context is None else context)
        return x + self.perceptron(x)


def perceptron(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, hidden), nn.GELU(approximate="tanh"), nn.Linear(hidden, outputs))


class PartPool(nn.Module):
    """Adds to each point what the mean of its loose part says."""

    def __init__(self, width: int, shells: int) -> None:
        super().__init__()
        self.shells = shells
        self.mix = nn.Sequential(nn.LayerNorm(width), perceptron(width, width, width))

    def means(self, x: Tensor, shell: Tensor) -> Tensor:
        """(B,P,D), (B,P) -> (B,M,D); parts without points are zero."""
        member = functional.one_hot(shell, self.shells).to(x.dtype)
        share = member / member.sum(1, keepdim=True).clamp(min=1.0)
        return share.transpose(1, 2) @ x

    def forward(self, x: Tensor, shell: Tensor) -> Tensor:
        means = self.mix(self.means(x, shell))
        return x + means.gather(1, shell[..., None].expand(-1, -1, x.shape[-1]))


class PointFeatures(nn.Module):
    """Position, normal, codes and the box of the own part, embedded. Sines as in 3DShape2VecSet."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.register_buffer("bands", torch.pi * 2.0 ** torch.arange(config.frequencies), persistent=False)
        inputs = 3 * (1 + 2 * config.frequencies) + 3 + 24 + 2 * config.codes
        self.project = perceptron(inputs, 2 * config.width, config.width)

    def forward(self, surface: Surface) -> Tensor:
        angle = (surface.points[..., None] * self.bands).flatten(2)
        lower_upper = surface.boxes.unflatten(-1, (4, 3))
        relative = (lower_upper - surface.points[..., None, :]).flatten(2)
        parts = (surface.points, angle.sin(), angle.cos(), surface.normals, surface.boxes, relative, surface.codes)
        return self.project(torch.cat(parts, -1))


class ShapeEncoder(nn.Module):
    """The kinematic prior encoder: one static shape to the tokens of its state space."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width = config.width
        self.rounds = config.rounds
        self.register_tokens = nn.Parameter(torch.randn(config.registers, width) * 0.5)
        self.kind_tokens = nn.Parameter(torch.randn(config.kinds, width))
        self.of_kind = perceptron(width, width, width)
        self.handle_offset = nn.Parameter(torch.randn(width) * 0.02)
        self.first_pool = PartPool(width, config.shells)
        self.pools = nn.ModuleList(PartPool(width, config.shells) for _ in range(config.rounds))
        self.read = nn.ModuleList(Block(width, config.heads) for _ in range(config.rounds))
        self.think = nn.ModuleList(Block(width, config.heads) for _ in range(config.rounds * config.thinking))
        self.tell = nn.ModuleList(Block(width, config.heads) for _ in range(config.rounds))
        self.handle_norm, self.mode_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.stiff = nn.Linear(width, 1)
        nn.init.ones_(self.stiff.bias)
        self.prior = nn.Linear(width, 1)
        nn.init.zeros_(self.prior.weight)

    def forward(self, features: Tensor, surface: Surface) -> Context:
        """`features` (B,P,D) of the encoder points of `surface`."""
        x = self.first_pool(features, surface.shell)
        width = x.shape[-1]
        handles = x.gather(1, surface.seeds[..., None].expand(-1, -1, width)) + self.handle_offset
        count = handles.shape[1]
        tokens = torch.cat([handles, self.register_tokens.expand(len(x), -1, -1)], 1)
        thinking = len(self.think) // self.rounds
        for turn in range(self.rounds):
            tokens = self.read[turn](tokens, x)
            for block in self.think[turn * thinking : (turn + 1) * thinking]:
                tokens = block(tokens)
            x = self.pools[turn](self.tell[turn](x, tokens), surface.shell)
        centres = surface.points.gather(1, surface.seeds[..., None].expand(-1, -1, 3))
        # What all tokens have in common says nothing of one of them, and attention makes it most of each.
        handles = tokens[:, :count]
        handles = self.handle_norm(handles - handles.mean(1, keepdim=True))
        homes = surface.shell.gather(1, surface.seeds)
        lower_upper = surface.boxes[..., :6].gather(1, surface.seeds[..., None].expand(-1, -1, 6)).unflatten(-1, (2, 3))
        boxes = torch.stack([lower_upper.mean(-2), 0.5 * (lower_upper[..., 1, :] - lower_upper[..., 0, :])], -2)
        parts = self.pools[-1].means(x, surface.shell)
        # The handles of a stiff part become one: the part is then rigid whatever its weights are.
        stiff = self.stiff(parts).float().sigmoid()
        same = (homes[:, :, None] == homes[:, None]).float()
        share = torch.lerp(torch.eye(count), same / same.sum(-1, keepdim=True), stiff.gather(1, homes[..., None]))
        handles = (share @ handles).float()
        modes = self.mode_norm(self.of_kind(handles[:, :, None] + self.kind_tokens).flatten(1, 2)).float()
        return Context(
            points=x,
            handles=handles,
            modes=modes,
            owners=torch.arange(count).repeat_interleave(len(self.kind_tokens)).expand(len(x), -1),
            centres=centres,
            share=share,
            homes=homes,
            boxes=boxes,
            parts=parts,
            stiff=stiff,
            prior_mean=self.prior(modes)[..., 0].float(),
        )


class DeformationEncoder(nn.Module):
    """The variational encoder: mode tokens look at the points and where these went."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width = config.width
        self.motion = perceptron(10, width, width)
        self.norm = nn.LayerNorm(width)
        self.read = nn.ModuleList(Block(width, config.heads) for _ in range(config.posterior_blocks))
        self.think = nn.ModuleList(Block(width, config.heads) for _ in range(config.posterior_blocks))
        self.last_norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, 2)

    def forward(self, context: Context, moves: Tensor) -> tuple[Tensor, Tensor]:
        """Moves (B,S,P,3) of the encoder points: mean and log variance of z, (B,S,K) each."""
        batch, states = moves.shape[:2]
        length = moves.norm(dim=-1, keepdim=True)
        seen = torch.cat([moves, 4.0 * moves, moves / (length + 1e-3), length], -1)
        static = self.norm(context.points)[:, None]
        seen = (self.motion(seen) + static).flatten(0, 1)
        tokens = context.modes[:, None].expand(-1, states, -1, -1).flatten(0, 1)
        for read, think in zip(self.read, self.think, strict=True):
            tokens = think(read(tokens, seen))
        mean, log_variance = self.out(self.last_norm(tokens)).float().unflatten(0, (batch, states)).unbind(-1)
        return mean + context.prior_mean[:, None], (log_variance - 5.0).clamp(-12.0, 2.0)


class StateSpaceModel(nn.Module):
    """Everything that is trained."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.features = PointFeatures(config)
        self.shape = ShapeEncoder(config)
        self.decoder = make_decoder(config, Block, perceptron)
        self.deformation = DeformationEncoder(config) if config.posterior == "encoder" else None

    def encode(self, surface: Surface) -> Context:
        """`surface` holds the encoder points alone."""
        return self.decoder.ordered(self.shape(self.features(surface), surface))

    def query_features(self, context: Context, surface: Surface) -> Tensor:
        """(B,Q,D) features of any points, with what is known of their loose part."""
        index = surface.shell[..., None].expand(-1, -1, context.parts.shape[-1])
        return self.features(surface) + context.parts.gather(1, index)
