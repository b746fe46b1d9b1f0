"""The joint network on ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from numpy.typing import NDArray

from ..onnx_network import contiguous, sessions_of
from ..weight_file import Weights, unusable_weights
from .joint_config import JointNetworkConfig
from .joint_inputs import JOINT_INPUTS

__all__ = ["OnnxJointEngine"]


class OnnxJointEngine:
    """A trained network by the graph that `joint_graph_export` writes. Raises UserError."""

    engine = "onnx"

    def __init__(self, weights: Weights[JointNetworkConfig], path: Path) -> None:
        """`path` of the graph."""
        self.config = weights.config
        try:
            (self._session,) = sessions_of(weights, path, ("joints",))
        except Exception as error:
            raise unusable_weights(path, error) from error
        self._names = [output.name for output in self._session.get_outputs()]

    def predict(self, inputs: Mapping[str, NDArray]) -> dict[str, NDArray]:
        found = self._session.run(self._names, contiguous({name: inputs[name] for name in JOINT_INPUTS}))
        return {name.removeprefix("output_"): each for name, each in zip(self._names, found, strict=True)}
