"""Sizes of the joint network, as its weight file stores them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["JointNetworkConfig"]


@dataclass(frozen=True)
class JointNetworkConfig:
    """Sizes of the network. Each part is one token; the whole shape is several."""

    width: int = 144
    heads: int = 6
    shape_tokens: int = 24
    point_width: int = 80  # of the features of single points
    queries: int = 4  # learned ones that look at the points of each part
    pairs: int = 16  # width of what is known of two parts
    blocks: int = 4  # blocks in which parts attend to each other and to the shape
    hypotheses: int = 4  # joints that are proposed for each part
    own: int = 96  # points of each part that are inputs
    near: int = 32  # points of other parts nearest to it that are inputs
    whole: int = 320  # points of the whole shape that are inputs
    frequencies: int = 4  # of the sine embedding of positions, per axis
