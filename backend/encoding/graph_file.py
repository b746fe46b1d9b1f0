"""The file of the network's graphs, which stands beside that of its weights."""

from __future__ import annotations

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
    """What an encoding asks of a network: of the shape, and of points on it, see `network.Network`."""

    sizes: str  # of the network, as in `weight_file.Weights`
    shape: Graph
    points: Graph

    def write(self, path: Path) -> None:
        with path.open("wb") as file:
            np.savez_compressed(
                file,
                sizes=np.array(self.sizes),
                shape=np.frombuffer(self.shape.model, np.uint8),
                shape_weights=np.array(self.shape.weights),
                points=np.frombuffer(self.points.model, np.uint8),
                points_weights=np.array(self.points.weights),
            )

    @classmethod
    def read(cls, path: Path) -> Graphs:
        with np.load(path) as file:
            shape, points = (
                Graph(file[name].tobytes(), tuple(file[f"{name}_weights"].tolist())) for name in ("shape", "points")
            )
            return cls(str(file["sizes"]), shape, points)
