"""The network as an encoding sees it: arrays in and arrays out, whichever engine computes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .config import ModelConfig

__all__ = ["HANDLES", "OF_SAMPLES", "OF_SURFACE", "Network", "Said", "Seen"]

OF_SAMPLES = ("points", "normals", "boxes", "codes", "shell")  # of `model.network.Samples`
OF_SURFACE = (*OF_SAMPLES, "seeds", "piece", "touching")  # of `model.network.Surface`
HANDLES = ("handles", "centres", "homes", "parts", "stiffness")  # of `model.network.Known`
Seen = Mapping[str, NDArray]
"""What the network reads by these names, the V views of one mesh along the first axis."""
Single = NDArray[np.float32]


@dataclass(frozen=True)
class Said:
    """What the network says of the H handles and M loose parts of each of V views; logits where a share is meant."""

    handles: Single  # Float[V,H,D], see `HANDLES`
    centres: Single  # Float[V,H,3]
    homes: NDArray[np.int64]  # Int[V,H]
    parts: Single  # Float[V,M,D]
    stiffness: Single  # Float[V,M,1]
    moves: Single  # Float[V,H], from here on see `views.Told`
    firm: Single  # Float[V,H]
    balls: Single  # Float[V,H]
    size: Single  # Float[V,H]
    means: Single  # Float[V,H]
    carries: Single  # Float[V,H,H]
    kinds: Single  # Float[V,H,12]
    direction: Single  # Float[V,H,6]
    places: Single  # Float[V,H,3,3]
    place: Single  # Float[V,H,3]
    turning: Single  # Float[V,H,H,3,3]
    pivots: Single  # Float[V,H,H,3]
    gaps: Single  # Float[V,H,H], how far the pieces of two handles are apart
    pieces: Single  # Float[V,H,2,3], lower and upper corner of each handle's piece
    boxes: Single  # Float[V,H,2,3], middle and half the sides of the box of its loose part

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """In the order in which an engine gives them."""
        return tuple(field.name for field in fields(cls))


class Network(Protocol):
    """A trained network on one of the engines."""

    config: ModelConfig
    engine: str  # "onnx" or "torch"

    def shape(self, seen: Seen) -> Said:
        """What is said of a mesh of which the encoder sees these samples, `OF_SURFACE`."""

    def weights(self, said: Said, seen: Seen) -> Single:
        """To which handles points belong, `OF_SAMPLES`: Float[Q,H], the mean of the views; rows sum to one."""
