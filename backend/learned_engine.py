"""Which engine the learned provider has: told without importing one, for PyTorch takes seconds."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from .device import asked_device

__all__ = ["WEIGHTS", "graphs_beside", "learned_engine"]

WEIGHTS = Path(__file__).resolve().parent / "weights" / "state_space.safetensors"


def graphs_beside(weights: Path) -> Path:
    """Where the graphs for ONNX Runtime are that `python -m backend export` makes of a file of weights."""
    return weights.with_name(f"{weights.stem}.graphs.npz")


def learned_engine() -> str | None:
    """ "onnx" where ONNX Runtime and graphs are there and no device is asked for, "torch" where PyTorch is, else None.

    Raises UserError.
    """
    device_asked = asked_device() is not None
    if not device_asked and graphs_beside(WEIGHTS).exists() and find_spec("onnxruntime") is not None:
        return "onnx"
    return "torch" if all(find_spec(name) is not None for name in ("torch", "safetensors")) else None
