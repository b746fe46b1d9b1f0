"""The joint network on PyTorch, as a module that `joint_graph_export` also makes the ONNX graph from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ..torch_weights import network_of
from ..weight_file import read_weights_of
from .joint_config import JointNetworkConfig
from .joint_inputs import JOINT_INPUTS
from .joint_model import JointNetwork, JointPrediction

__all__ = ["JointModule", "TorchJointEngine", "load_joint_network"]


class JointModule(nn.Module):
    """Inputs of the joint network to a tuple of its outputs."""

    def __init__(self, model: JointNetwork) -> None:
        super().__init__()
        self.model = model

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        prediction = self.model(*inputs)
        return tuple(getattr(prediction, name) for name in JointPrediction.names())


class TorchJointEngine:
    """A trained network in single precision."""

    engine = "torch"

    def __init__(self, weights: Path) -> None:
        model = load_joint_network(weights)
        self.config, self._module = model.config, JointModule(model)

    @torch.inference_mode()
    def predict(self, inputs: Mapping[str, NDArray]) -> dict[str, NDArray]:
        given = (torch.from_numpy(np.ascontiguousarray(inputs[name])) for name in JOINT_INPUTS)
        return dict(zip(JointPrediction.names(), (each.numpy() for each in self._module(*given)), strict=True))


def load_joint_network(path: Path) -> JointNetwork:
    """The trained network in single precision, ready to judge. Raises UserError."""
    return network_of(JointNetwork, read_weights_of(JointNetworkConfig, path), path)
