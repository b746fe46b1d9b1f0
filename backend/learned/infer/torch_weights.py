"""Networks in PyTorch with weights from a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import nn

from .state_space_model import StateSpaceModel
from .weight_file import Weights, read_weights, unusable_weights

__all__ = ["load_model", "network_of"]

Network = TypeVar("Network", bound=nn.Module)


def load_model(path: Path) -> StateSpaceModel:
    """The trained network in float32, ready to encode. Raises UserError."""
    return network_of(StateSpaceModel, read_weights(path), path)


def network_of(kind: Callable[[Any], Network], weights: Weights, path: Path) -> Network:
    """The network of this kind that has these weights, ready to use; they were read from `path`. Raises UserError."""
    try:
        model = kind(weights.config)
        model.load_state_dict({name: torch.from_numpy(array) for name, array in weights.arrays.items()})
    except Exception as error:
        raise unusable_weights(path, error) from error
    return model.eval()
