"""Engine selection: ONNX Runtime where graphs are beside the weights, else PyTorch.

PyTorch alone where somebody names a device for it.
"""

from __future__ import annotations

from pathlib import Path

from ...errors import UserError
from .engine_choice import graphs_beside, opened_engine
from .network import Network
from .weight_file import read_weights

__all__ = ["load_network"]


def load_network(path: Path, device: str | None = None) -> Network:
    """The network with the weights of a file, on one of `device.DEVICES` by PyTorch. Raises UserError."""
    weights = read_weights(path)
    if weights.config.decoder != "screws" or weights.config.posterior != "fit":
        raise UserError("no_screws.ablation", file=path.name)

    def onnx(graphs: Path) -> Network:
        from .onnx_network import OnnxNetwork

        return OnnxNetwork(weights, graphs)

    def torch() -> Network:
        from .devices import opened_device
        from .torch_network import TorchNetwork
        from .torch_weights import load_model

        return TorchNetwork(load_model(path), opened_device(device or "cpu"))

    graphs = graphs_beside(path) if device is None else None
    return opened_engine(graphs, onnx, torch)
