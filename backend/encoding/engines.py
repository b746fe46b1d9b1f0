"""A network on the engine that there is: ONNX Runtime where graphs are beside the weights, else PyTorch.

PyTorch alone where somebody names a device for it.
"""

from __future__ import annotations

from pathlib import Path

from ..errors import UserError
from ..learned_engine import graphs_beside
from .network import Network
from .weight_file import read_weights

__all__ = ["load_network"]


def load_network(path: Path, device: str | None = None) -> Network:
    """The network with the weights of a file, on one of `backend.device.DEVICES` by PyTorch. Raises UserError."""
    weights, graphs = read_weights(path), graphs_beside(path)
    if weights.config.decoder != "screws" or weights.config.posterior != "fit":
        raise UserError(
            "no_screws",
            f"The weights '{path.name}' are of an ablation and give no state space.",
            "Name weights of the decoder 'screws' without a deformation encoder.",
        )
    broken = None
    if device is None and graphs.exists():
        try:
            from .onnx_network import OnnxNetwork
        except ModuleNotFoundError as missing:
            if missing.name != "onnxruntime":
                raise
        except ImportError as error:  # it is there, but the system lacks a library that it needs
            broken = error
        else:
            return OnnxNetwork(weights, graphs)
    try:
        from ..model.checkpoint import load_model
        from ..model.devices import opened_device
        from ..model.inference import TorchNetwork
    except ModuleNotFoundError as missing:
        if missing.name not in ("torch", "safetensors"):
            raise
        if broken is not None:
            raise UserError(
                "no_engine",
                f"ONNX Runtime does not start on this system ({broken}).",
                "On Windows, install Microsoft's Visual C++ Redistributable; or choose the provider elastic.",
            ) from broken
        raise UserError(
            "no_engine",
            "The learned provider needs ONNX Runtime or PyTorch, which this Python does not have.",
            "Install the extension's zip for this system again (from its source, run 'python build.py setup'), or "
            "choose the provider elastic.",
        ) from None
    return TorchNetwork(load_model(path), opened_device(device or "cpu"))
