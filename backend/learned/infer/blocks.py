"""Attention blocks and perceptrons that the networks are built of."""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["Block", "perceptron"]

FIRST_SHARE = 0.3  # of what a block adds, at the start


class Attention(nn.Module):
    """Multi-head attention of `x` over a context, pre-normalised; with `pairs` between tokens it reads these too."""

    def __init__(self, width: int, heads: int, pairs: int = 0) -> None:
        super().__init__()
        self.heads = heads
        self.norm, self.norm_context = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query = nn.Linear(width, width, bias=False)
        self.key_value = nn.Linear(width, 2 * width, bias=False)
        self.out = nn.Linear(width + heads * pairs, width)
        self.bias = nn.Linear(pairs, heads, bias=False) if pairs else None

    def forward(self, x: Tensor, context: Tensor, pairs: Tensor | None = None) -> Tensor:
        def split(tensor: Tensor) -> Tensor:
            return tensor.unflatten(-1, (self.heads, -1)).transpose(1, 2)

        key, value = self.key_value(self.norm_context(context)).chunk(2, -1)
        query = split(self.query(self.norm(x)))
        # Written out: on CPUs the fused kernel's backward pass takes four times as long.
        likeness = (query @ split(key).transpose(-1, -2)) * query.shape[-1] ** -0.5
        if self.bias is not None:
            likeness = likeness + self.bias(pairs).permute(0, 3, 1, 2)
        shares = likeness.softmax(-1).to(query.dtype)
        mixed = (shares @ split(value)).transpose(1, 2).flatten(2)
        if self.bias is not None:
            mixed = torch.cat([mixed, (shares.transpose(1, 2) @ pairs).flatten(2)], -1)
        return self.out(mixed)


class Block(nn.Module):
    """Attention and a perceptron, both residual; self-attention where no context is given.

    Both add little at first, so that after many blocks a token still encodes its position.
    """

    def __init__(self, width: int, heads: int, expansion: int = 2, pairs: int = 0) -> None:
        super().__init__()
        self.attention = Attention(width, heads, pairs)
        hidden = expansion * width
        self.perceptron = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, hidden), nn.GELU(approximate="tanh"), nn.Linear(hidden, width)
        )
        with torch.no_grad():
            self.attention.out.weight.mul_(FIRST_SHARE)
            self.perceptron[-1].weight.mul_(FIRST_SHARE)

    def forward(self, x: Tensor, context: Tensor | None = None, pairs: Tensor | None = None) -> Tensor:
        x = x + self.attention(x, x if context is None else context, pairs)
        return x + self.perceptron(x)


def perceptron(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, hidden), nn.GELU(approximate="tanh"), nn.Linear(hidden, outputs))
