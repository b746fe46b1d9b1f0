"""Encoder of a static shape: point features, and handle tokens that attend to each other.

Differences from the usual Perceiver, each for a reason. Handle tokens stand for pieces: points spread over the surface,
each with the points nearest to it; a handle then belongs to a place, whatever the object, and its number of z with it.
Learned tokens had to find and share out the parts of each object first, and after a thousand steps had not. Pieces
attend to each other with features of where they lie and touch: hinges are where parts meet. All of the depth is in
these few tokens, so that an example costs a fifth of what it does where hundreds of points attend to each other.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from .blocks import Block, perceptron
from .groups import rows, shares, taken
from .model_config import ModelConfig
from .pairs import PAIR_FEATURES, pair_features, piece_boxes
from .shape_tensors import Context, Samples, Surface

__all__ = ["PointFeatures", "ShapeEncoder"]


class PointFeatures(nn.Module):
    """Position, normal, codes and the box of the own part, embedded. Sines as in 3DShape2VecSet."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.register_buffer("bands", torch.pi * 2.0 ** torch.arange(config.frequencies), persistent=False)
        inputs = 3 * (1 + 2 * config.frequencies) + 3 + 24 + 2 * config.codes
        self.project = nn.Sequential(
            perceptron(inputs, config.point_width, config.point_width), nn.GELU(approximate="tanh")
        )

    def forward(self, surface: Samples) -> Tensor:
        angle = (surface.points[..., None] * self.bands).flatten(2)
        lower_upper = surface.boxes.unflatten(-1, (4, 3))
        relative = (lower_upper - surface.points[..., None, :]).flatten(2)
        parts = (surface.points, angle.sin(), angle.cos(), surface.normals, surface.boxes, relative, surface.codes)
        return self.project(torch.cat(parts, -1))


class ShapeEncoder(nn.Module):
    """The kinematic prior encoder: one static shape to the tokens of its state space."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width, narrow = config.width, config.point_width
        self.shells, self.sees_pairs = config.shells, float(config.sees_pairs)
        self.register_tokens = nn.Parameter(torch.randn(config.registers, width) * 0.5)
        self.begin = nn.Sequential(nn.Linear(2 * narrow + 7, width), nn.LayerNorm(width))
        self.pair = nn.Sequential(perceptron(PAIR_FEATURES, 2 * config.pairs, config.pairs), nn.LayerNorm(config.pairs))
        self.blocks = nn.ModuleList(Block(width, config.heads, pairs=config.pairs) for _ in range(config.blocks))
        self.handle_norm = nn.LayerNorm(width)
        self.common = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width))
        self.point = nn.Linear(narrow, width)
        self.part = Block(width, config.heads)
        self.stiff = nn.Linear(width, 1)
        nn.init.ones_(self.stiff.bias)
        self.prior = nn.Linear(width, 1)
        nn.init.zeros_(self.prior.weight)

    def forward(self, features: Tensor, surface: Surface) -> Context:
        """`features` (B,P,D) of the encoder points of `surface`."""
        count = surface.seeds.shape[1]
        boxes = piece_boxes(surface.points, surface.piece, count)
        centres = taken(surface.points, surface.seeds)
        pairs = self.pair(pair_features(surface, boxes) * self.sees_pairs)
        mine = shares(surface.piece, count, features.dtype)
        many = functional.one_hot(surface.piece, count).float().mean(1)[..., None]
        about = ((boxes - centres[:, :, None]).flatten(2), many.sqrt())
        tokens = self.begin(torch.cat([mine @ features, taken(features, surface.seeds), *about], -1))
        tokens = torch.cat([tokens, self.register_tokens.expand(len(tokens), -1, -1)], 1)
        extra = tokens.shape[1] - count
        padded = functional.pad(pairs, (0, 0, 0, extra, 0, extra))
        for block in self.blocks:
            tokens = block(tokens, pairs=padded)
        # Attention makes what all tokens have in common most of each; apart from it they differ from the start.
        handles = tokens[:, :count]
        common = handles.mean(1, keepdim=True)
        handles = self.handle_norm(handles - common) + self.common(common)
        # The mean of a part over its points, each with the token of its piece.
        of_parts = shares(surface.shell, self.shells, features.dtype)
        in_pieces = of_parts @ functional.one_hot(surface.piece, count).to(features.dtype)
        parts = self.part(self.point(of_parts @ features) + in_pieces @ handles, tokens)
        lower_upper = taken(surface.boxes[..., :6], surface.seeds).unflatten(-1, (2, 3))
        middle_half = torch.stack([lower_upper.mean(-2), 0.5 * (lower_upper[..., 1, :] - lower_upper[..., 0, :])], -2)
        handles = handles.float()
        contact = rows(surface.points, surface.touching)
        return Context(
            points=features,
            handles=handles,
            pairs=pairs.float(),
            meets=0.5 * (contact + contact.transpose(1, 2)),
            gaps=(contact - contact.transpose(1, 2)).norm(dim=-1),
            seeds=torch.arange(count).expand(len(handles), -1),
            centres=centres,
            homes=taken(surface.shell, surface.seeds),
            boxes=middle_half,
            parts=parts,
            stiffness=self.stiff(parts).float(),
            prior_mean=self.prior(handles)[..., 0].float(),
        )
