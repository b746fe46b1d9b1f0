"""File of the ONNX graphs of a network, beside its weight file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

__all__ = ["Graph", "Graphs"]


@dataclass(frozen=True)
class Graph:
    """An ONNX model without the weights of these names."""

    model: bytes
    weights: tuple[str, ...]


@dataclass(frozen=True)
class Graphs:
    """Graphs of a network by name: "shape" and "points" of the state space network, "joints" of the joint network."""

    sizes: str  # of the network, as in `weight_file.Weights`
    graphs: Mapping[str, Graph]

    def write(self, path: Path) -> None:
        arrays = {"sizes": np.array(self.sizes)}
        for name, graph in self.graphs.items():
            arrays |= {name: np.frombuffer(graph.model, np.uint8), f"{name}_weights": np.array(graph.weights)}
        with path.open("wb") as file:
            np.savez_compressed(file, **arrays)

    @classmethod
    def read(cls, path: Path) -> Graphs:
        with np.load(path) as file:
            names = [name.removesuffix("_weights") for name in file.files if name.endswith("_weights")]
            graphs = {name: Graph(file[name].tobytes(), tuple(file[f"{name}_weights"].tolist())) for name in names}
            return cls(str(file["sizes"]), graphs)
