"""The network on ONNX Runtime: graphs without weights, which are read from the same file as on PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from .graph_file import Graph, Graphs
from .network import HANDLE_OUTPUTS, SAMPLE_INPUTS, SURFACE_INPUTS, NetworkInput, NetworkOutput
from .weight_file import Weights, unusable_weights

__all__ = ["OnnxNetwork", "contiguous", "sessions_of"]

QUIET = 4  # of what the runtime logs: it would speak of every node that it has folded


class OnnxNetwork:
    """A trained network by the graphs that `graph_export` writes. Raises UserError."""

    engine = "onnx"

    def __init__(self, weights: Weights, path: Path) -> None:
        """`path` of the graphs."""
        self.config = weights.config
        try:
            self._shape, self._points = sessions_of(weights, path, ("shape", "points"))
        except Exception as error:
            raise unusable_weights(path, error) from error

    def shape(self, inputs: NetworkInput) -> NetworkOutput:
        outputs = [f"output_{name}" for name in NetworkOutput.names()]
        return NetworkOutput(*self._shape.run(outputs, contiguous({name: inputs[name] for name in SURFACE_INPUTS})))

    def weights(self, output: NetworkOutput, inputs: NetworkInput) -> NDArray[np.float32]:
        handles = {name: getattr(output, name) for name in HANDLE_OUTPUTS}
        return self._points.run(["weights"], contiguous(handles | {name: inputs[name] for name in SAMPLE_INPUTS}))[0]


def contiguous(given: Mapping[str, NDArray]) -> dict[str, NDArray]:
    """As the runtime takes arrays."""
    return {name: np.ascontiguousarray(array) for name, array in given.items()}


def sessions_of(weights: Weights, path: Path, names: Sequence[str]) -> list[onnxruntime.InferenceSession]:
    """The graphs of these names in a file, with the weights that they were made for. Raises ValueError and others."""
    graphs = Graphs.read(path)
    if graphs.sizes != weights.sizes:
        raise ValueError("the graphs are of another network")
    return [_session(graphs.graphs[name], weights) for name in names]


def _session(graph: Graph, weights: Weights) -> onnxruntime.InferenceSession:
    onnxruntime.disable_telemetry_events()  # which Windows collects
    options = onnxruntime.SessionOptions()
    options.log_severity_level = QUIET
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(weights.arrays[name]) for name in graph.weights]
    options.add_external_initializers(list(graph.weights), values)
    return onnxruntime.InferenceSession(graph.model, options, providers=["CPUExecutionProvider"])
