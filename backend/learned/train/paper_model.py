"""NeuROK as its paper states it: three transformers that meet in the numbers of K learned tokens.

    PriorEncoder        points of M0 -> K tokens; their numbers, in a row, are the mean of p(z | M0) = N(mean, I)
    MotionEncoder       points and where these went -> 2K tokens: mean and log variance of q(z | motion, M0)
    PaperDecoder        z as K tokens, read by each point: a unit dual quaternion of its own

What the paper leaves open (sizes, order of the blocks, optimiser) is as in our own network. Points have a position
and nothing else. That z = mean is no rest shape, and that each point may move as it likes, is the paper's.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ..infer.blocks import Block, perceptron
from ..infer.model_config import ModelConfig
from ..infer.shape_tensors import Samples, Surface
from .decoders import Moves
from .token_decoders import TokenReader, dual_quaternion_motion
from .torch_screws import rotate

__all__ = ["PaperDecoder", "PaperModel", "ShapeTokens"]

FIRST_LOG_VARIANCE = -5.0
LOG_VARIANCES = (-12.0, 2.0)


@dataclass(frozen=True)
class ShapeTokens:
    """What is known of a batch of shapes before anything moves."""

    points: Tensor  # (B,P,D) embedded points
    prior_mean: Tensor  # (B,K latents)


class PositionEmbedding(nn.Module):
    """Sines and cosines of positions, as in 3DShape2VecSet, projected to the width."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.register_buffer("bands", torch.pi * 2.0 ** torch.arange(config.frequencies), persistent=False)
        self.project = perceptron(3 * (1 + 2 * config.frequencies), config.width, config.width)

    def forward(self, points: Tensor) -> Tensor:
        angle = (points[..., None] * self.bands).flatten(-2)
        return self.project(torch.cat([points, angle.sin(), angle.cos()], -1))


class Perceiver(nn.Module):
    """Learned tokens that look at points and at each other by turns."""

    def __init__(self, config: ModelConfig, tokens: int, pairs: int) -> None:
        super().__init__()
        self.tokens = nn.Parameter(torch.randn(tokens, config.width) * 0.5)
        self.looks = nn.ModuleList(Block(config.width, config.heads) for _ in range(pairs))
        self.mixes = nn.ModuleList(Block(config.width, config.heads) for _ in range(pairs))
        self.norm = nn.LayerNorm(config.width)

    def forward(self, points: Tensor) -> Tensor:
        """Points (B,P,D) -> tokens (B,K,D)."""
        tokens = self.tokens.expand(len(points), -1, -1)
        for look, mix in zip(self.looks, self.mixes, strict=True):
            tokens = mix(look(tokens, points))
        return self.norm(tokens)


class PriorEncoder(nn.Module):
    """M0 to the mean of the prior, whose variance is one."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.perceiver = Perceiver(config, config.handles, (config.blocks + 1) // 2)
        self.mean = nn.Linear(config.width, config.latents)

    def forward(self, points: Tensor) -> Tensor:
        return self.mean(self.perceiver(points)).flatten(1).float()


class MotionEncoder(nn.Module):
    """The variational deformation encoder: of 2K tokens one half gives means, the other variances."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.motion = perceptron(3, config.width, config.width)
        self.perceiver = Perceiver(config, 2 * config.handles, config.posterior_blocks)
        self.mean, self.log_variance = (nn.Linear(config.width, config.latents) for _ in range(2))

    def forward(self, context: ShapeTokens, moves: Tensor) -> tuple[Tensor, Tensor]:
        """Moves (B,S,P,3) of the encoder points: mean and log variance of z, (B,S,K latents) each."""
        batch, states = moves.shape[:2]
        points = (context.points[:, None] + self.motion(moves)).flatten(0, 1)
        means, variances = self.perceiver(points).chunk(2, 1)
        mean, log_variance = (
            layer(tokens).flatten(1).float().unflatten(0, (batch, states))
            for layer, tokens in ((self.mean, means), (self.log_variance, variances))
        )
        return mean + context.prior_mean[:, None], (log_variance + FIRST_LOG_VARIANCE).clamp(*LOG_VARIANCES)


class PaperDecoder(nn.Module):
    """z as K tokens, read by each point."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.tokens = nn.Parameter(torch.randn(config.handles, config.width) * 0.5)  # which of the K one is
        self.reader = TokenReader(config, 8)

    def bound(self, context: ShapeTokens, features: Tensor, surface: Surface) -> Moves:
        """z (B,S,K latents) -> moves (B,S,Q,3) of these points."""
        points = surface.points[:, None]

        def moves(z: Tensor) -> Tensor:
            numbers = self.reader(self.tokens.expand(len(z), -1, -1), features, z)
            with torch.autocast("cpu", enabled=False):
                turn, move = dual_quaternion_motion(numbers)
                return rotate(turn, points.expand_as(move)) + move - points

        return moves

    def forward(self, context: ShapeTokens, features: Tensor, surface: Surface, z: Tensor) -> Tensor:
        return self.bound(context, features, surface)(z)


class PaperModel(nn.Module):
    """The whole, with the interface of `training_model.TrainingModel`."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.features = PositionEmbedding(config)
        self.prior = PriorEncoder(config)
        self.deformation = MotionEncoder(config)
        self.decoder = PaperDecoder(config)

    def encode(self, surface: Surface) -> ShapeTokens:
        """`surface` holds the encoder points alone."""
        points = self.features(surface.points)
        return ShapeTokens(points, self.prior(points))

    def query_features(self, context: ShapeTokens, surface: Samples) -> Tensor:
        """Features (B,Q,D) of any points."""
        return self.features(surface.points)
