"""Network interface: inputs and outputs as arrays, whichever engine computes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .model_config import ModelConfig

__all__ = ["HANDLE_OUTPUTS", "SAMPLE_INPUTS", "SURFACE_INPUTS", "Network", "NetworkInput", "NetworkOutput"]

SAMPLE_INPUTS = ("points", "normals", "boxes", "codes", "shell")  # of `shape_tensors.Samples`
SURFACE_INPUTS = (*SAMPLE_INPUTS, "seeds", "piece", "touching")  # of `shape_tensors.Surface`
HANDLE_OUTPUTS = ("handles", "centres", "homes", "parts", "stiffness")  # of `shape_tensors.HandleFeatures`
NetworkInput = Mapping[str, NDArray]
"""What the network reads by these names, the V views of one mesh along the first axis."""
Single = NDArray[np.float32]


@dataclass(frozen=True)
class NetworkOutput:
    """Raw network output for the H handles and M loose parts of each of V views; probabilities as logits."""

    handles: Single  # Float[V,H,D], see `HANDLE_OUTPUTS`
    centres: Single  # Float[V,H,3]
    homes: NDArray[np.int64]  # Int[V,H]
    parts: Single  # Float[V,M,D]
    stiffness: Single  # Float[V,M,1]
    moves: Single  # Float[V,H], from here on see `views.Averaged`
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

    def shape(self, inputs: NetworkInput) -> NetworkOutput:
        """Output for the encoder samples of a mesh, `SURFACE_INPUTS`."""

    def weights(self, output: NetworkOutput, inputs: NetworkInput) -> Single:
        """To which handles points belong, `SAMPLE_INPUTS`: Float[Q,H], the mean of the views; rows sum to one."""
