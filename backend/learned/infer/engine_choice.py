"""Engines that are installed, found without importing them, as PyTorch takes seconds."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

from ...errors import UserError
from .device import requested_device

__all__ = ["WEIGHTS", "graphs_beside", "learned_engine", "opened_engine"]

T = TypeVar("T")

WEIGHTS = Path(__file__).resolve().parents[2] / "weights" / "state_space.safetensors"


def graphs_beside(weights: Path) -> Path:
    """Where the graphs for ONNX Runtime are that `python -m backend export` makes of a file of weights."""
    return weights.with_name(f"{weights.stem}.graphs.npz")


def learned_engine() -> str | None:
    """ "onnx" where ONNX Runtime and graphs are there and no device is requested, "torch" where PyTorch is, else None.

    Raises UserError.
    """
    device_asked = requested_device() is not None
    if not device_asked and graphs_beside(WEIGHTS).exists() and find_spec("onnxruntime") is not None:
        return "onnx"
    return "torch" if all(find_spec(name) is not None for name in ("torch", "safetensors")) else None


def opened_engine(graphs: Path | None, onnx: Callable[[Path], T], torch: Callable[[], T]) -> T:
    """What `onnx` makes of the graphs where they are there and ONNX Runtime starts, else what `torch` makes.

    Both import their libraries themselves. Raises UserError.
    """
    broken = None
    if graphs is not None and graphs.exists():
        try:
            return onnx(graphs)
        except ModuleNotFoundError as missing:
            if missing.name != "onnxruntime":
                raise
        except ImportError as error:  # it is there, but the system lacks a library that it needs
            broken = error
    try:
        return torch()
    except ModuleNotFoundError as missing:
        if missing.name not in ("torch", "safetensors"):
            raise
        if broken is not None:
            raise UserError("no_engine.onnx", reason=broken) from broken
        raise UserError("no_engine.missing") from None
