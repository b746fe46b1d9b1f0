"""Sizes of the state space network, as its weight file stores them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["ModelConfig"]

DecoderKind = Literal["screws", "affine", "handles", "point"]
PosteriorKind = Literal["fit", "encoder"]
TokenKind = Literal["pieces", "learned"]


@dataclass(frozen=True)
class ModelConfig:
    """Sizes of the network. A handle is a token that moves as one body, and has one number of z for its joint.

    Learned tokens, as the paper has them, belong to no place, and have `latents` numbers of z each.
    """

    width: int = 192
    heads: int = 6
    handles: int = 32
    registers: int = 8  # learned tokens that belong to no place
    points: int = 512  # surface samples of the encoder
    point_width: int = 96  # of the features of single points
    pairs: int = 32  # width of what is known of two handles
    blocks: int = 8  # self-attention blocks of the tokens
    posterior_blocks: int = 2  # of the deformation encoder, where there is one
    frequencies: int = 6  # of the sine embedding of positions, per axis
    codes: int = 8  # length of the random code of a loose part, and of a material slot
    shells: int = 64  # most loose parts whose features are pooled
    decoder: DecoderKind = "screws"
    posterior: PosteriorKind = "fit"  # z of a motion: by fitting the decoder, or by a deformation encoder
    tokens: TokenKind = "pieces"  # what the prior encoder's tokens are: handles on the surface, or learned
    latents: int = 1  # numbers of z of a learned token
    sees_parts: bool = True  # loose parts and material slots are distinguished
    sees_pairs: bool = True  # pieces know where they lie to each other and where they touch
