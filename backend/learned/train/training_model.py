"""Conditional variational autoencoder in training: the state space network with a decoder from z to motion.

    StateSpaceModel     M0 -> handle tokens, point features; the prior p(z | M0) = N(mean, I), a number for each handle
    a decoder           (tokens, z) -> motion, see `decoders`
    DeformationEncoder  (M0, motion) -> q(z | motion, M0) = N(mean, diag(variance)); screws do without, see
                        `latent_fitting`

Trained together on pairs of states of one object.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from ..infer.blocks import Block, perceptron
from ..infer.model_config import ModelConfig
from ..infer.shape_tensors import Context, Surface
from ..infer.state_space_model import StateSpaceModel
from ..infer.torch_weights import network_of
from ..infer.weight_file import read_weights
from .decoders import AffineDecoder, Decoder, ScrewDecoder
from .paper_model import PaperModel
from .token_decoders import HandleDecoder, PointDecoder

__all__ = ["DeformationEncoder", "TrainedModel", "TrainingModel", "load_training_model", "make_training_model"]

DECODERS: dict[str, type[Decoder]] = {
    "screws": ScrewDecoder,
    "affine": AffineDecoder,
    "handles": HandleDecoder,
    "point": PointDecoder,
}


class DeformationEncoder(nn.Module):
    """The variational encoder: handle tokens look at the points and where these went."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width = config.width
        self.motion = perceptron(10, width, width)
        self.static = nn.Linear(config.point_width, width)
        self.cross_blocks = nn.ModuleList(Block(width, config.heads) for _ in range(config.posterior_blocks))
        self.self_blocks = nn.ModuleList(Block(width, config.heads) for _ in range(config.posterior_blocks))
        self.last_norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, 2)

    def forward(self, context: Context, moves: Tensor) -> tuple[Tensor, Tensor]:
        """Moves (B,S,P,3) of the encoder points: mean and log variance of z, (B,S,K) each."""
        batch, states = moves.shape[:2]
        length = moves.norm(dim=-1, keepdim=True)
        points = torch.cat([moves, 4.0 * moves, moves / (length + 1e-3), length], -1)
        static = self.static(context.points)[:, None]
        points = (self.motion(points) + static).flatten(0, 1)
        tokens = context.handles[:, None].expand(-1, states, -1, -1).flatten(0, 1)
        for cross_blocks, self_blocks in zip(self.cross_blocks, self.self_blocks, strict=True):
            tokens = self_blocks(cross_blocks(tokens, points))
        mean, log_variance = self.out(self.last_norm(tokens)).float().unflatten(0, (batch, states)).unbind(-1)
        return mean + context.prior_mean[:, None], (log_variance - 5.0).clamp(-12.0, 2.0)


class TrainingModel(StateSpaceModel):
    """The network with everything that is trained."""

    decoder: Decoder

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config, lambda sizes: DECODERS[sizes.decoder](sizes))
        self.deformation = DeformationEncoder(config) if config.posterior == "encoder" else None

    def encode(self, surface: Surface) -> Context:
        """`surface` holds the encoder points alone."""
        return self.decoder.ordered(self.shape(self.features(surface), surface))


TrainedModel = TrainingModel | PaperModel


def make_training_model(config: ModelConfig) -> TrainedModel:
    """The network that a configuration names, untrained."""
    return PaperModel(config) if config.tokens == "learned" else TrainingModel(config)


def load_training_model(path: Path) -> TrainedModel:
    """The trained network in float32 with its decoder, in evaluation mode. Raises UserError."""
    return network_of(make_training_model, read_weights(path), path)
