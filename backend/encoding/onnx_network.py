"""The network on ONNX Runtime: graphs without weights, which are taken from the file that PyTorch reads too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from .graph_file import Graph, Graphs
from .network import HANDLES, OF_SAMPLES, OF_SURFACE, Said, Seen
from .weight_file import Weights, unusable_weights

__all__ = ["OnnxNetwork"]

QUIET = 4  # of what the runtime logs: it would speak of every node that it has folded


class OnnxNetwork:
    """A trained network by the graphs that `model.exporting` writes. Raises UserError."""

    engine = "onnx"

    def __init__(self, weights: Weights, path: Path) -> None:
        """`path` of the graphs."""
        self.config = weights.config
        try:
            graphs = Graphs.read(path)
            if graphs.sizes != weights.sizes:
                raise ValueError("the graphs are of another network")
            self._shape, self._points = (_session(graph, weights) for graph in (graphs.shape, graphs.points))
        except Exception as error:
            raise unusable_weights(path, error) from error

    def shape(self, seen: Seen) -> Said:
        outputs = [f"said_{name}" for name in Said.names()]
        return Said(*self._shape.run(outputs, _contiguous({name: seen[name] for name in OF_SURFACE})))

    def weights(self, said: Said, seen: Seen) -> NDArray[np.float32]:
        known = {name: getattr(said, name) for name in HANDLES}
        return self._points.run(["weights"], _contiguous(known | {name: seen[name] for name in OF_SAMPLES}))[0]


def _contiguous(given: dict[str, NDArray]) -> dict[str, NDArray]:
    return {name: np.ascontiguousarray(array) for name, array in given.items()}


def _session(graph: Graph, weights: Weights) -> onnxruntime.InferenceSession:
    onnxruntime.disable_telemetry_events()  # which Windows collects
    options = onnxruntime.SessionOptions()
    options.log_severity_level = QUIET
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(weights.arrays[name]) for name in graph.weights]
    options.add_external_initializers(list(graph.weights), values)
    return onnxruntime.InferenceSession(graph.model, options, providers=["CPUExecutionProvider"])
