"""The network of joints on PyTorch: what `exporting` makes the graph of the other engine from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ..checkpoint import network_of
from ..weight_file import read_weights_of
from .config import JointNetworkConfig
from .model import JointNetwork, JointsTold
from .network_input import READ

__all__ = ["Reader", "TorchJointEngine", "load_joint_network"]


class Reader(nn.Module):
    """What is read, to a tuple of what is told."""

    def __init__(self, model: JointNetwork) -> None:
        super().__init__()
        self.model = model

    def forward(self, *read: Tensor) -> tuple[Tensor, ...]:
        told = self.model(*read)
        return tuple(getattr(told, name) for name in JointsTold.names())


class TorchJointEngine:
    """A trained network in single precision."""

    engine = "torch"

    def __init__(self, weights: Path) -> None:
        model = load_joint_network(weights)
        self.config, self._reader = model.config, Reader(model)

    @torch.inference_mode()
    def told(self, read: Mapping[str, NDArray]) -> dict[str, NDArray]:
        given = (torch.from_numpy(np.ascontiguousarray(read[name])) for name in READ)
        return dict(zip(JointsTold.names(), (each.numpy() for each in self._reader(*given)), strict=True))


def load_joint_network(path: Path) -> JointNetwork:
    """The trained network in single precision, ready to judge. Raises UserError."""
    return network_of(JointNetwork, read_weights_of(JointNetworkConfig, path), path)
