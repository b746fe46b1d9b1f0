"""The network of materials in PyTorch; `material_network` computes the same in NumPy."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from ...infer.material_network.material_config import MaterialNetworkConfig
from ...infer.material_network.piece_features import FIELDS, LOOKS, SHAPES

__all__ = ["MaterialNetwork"]


class MaterialNetwork(nn.Module):
    """Outputs: logits of the materials, of being thin, size (log10 of metres) and the logarithm of its spread.

    Being thin is a lesson alone: what is seen of a shape says it better.
    """

    def __init__(self, config: MaterialNetworkConfig, dropout: float = 0.0) -> None:
        super().__init__()
        known = len(FIELDS)
        inputs = known * (config.width + len(config.materials) + 1) + 1 + SHAPES + LOOKS
        self.gram_tokens = nn.Parameter(0.3 * torch.randn(config.buckets, config.width))
        self.first = nn.Linear(inputs, config.hidden)
        self.second = nn.Linear(config.hidden, config.inner)
        self.last = nn.Linear(config.inner, len(config.materials) + 3)
        self.trust = nn.Parameter(torch.full((known,), 3.0))  # in what the words of each field tell
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("temperature", torch.ones(1))

    def forward(
        self,
        grams: torch.Tensor,
        offsets: torch.Tensor,
        named: torch.Tensor,
        told: torch.Tensor,
        shaped: torch.Tensor,
        shape: torch.Tensor,
        look: torch.Tensor,
    ) -> torch.Tensor:
        """Bags of n-grams, FIELDS of each of B pieces in turn: `grams` Int[n], `offsets` Int[3B]; `named` Float[B,3].

        `told` Float[B,3,M], `shaped` Float[B,1], `shape` Float[B,SHAPES], `look` Float[B,LOOKS]; Float[B,M+3].
        """
        count = len(shape)
        sums = functional.embedding_bag(grams, self.gram_tokens, offsets, mode="sum")
        lengths = torch.diff(offsets, append=torch.tensor([len(grams)])).clamp(min=1)
        names = (sums / lengths.sqrt()[:, None]).reshape(count, -1)
        values = torch.cat([names, told.reshape(count, -1), named, shaped, shape, look], dim=1)
        for layer in (self.first, self.second):
            values = self.dropout(functional.gelu(layer(values)))
        outputs = self.last(values)
        said = torch.einsum("f,bfm->bm", self.trust, told)
        return torch.cat([outputs[:, : said.shape[1]] + said, outputs[:, said.shape[1] :]], dim=1)
