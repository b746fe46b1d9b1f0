"""PyTorch device that the environment variable NEUROK_DEVICE requests."""

from __future__ import annotations

import os

from ...errors import UserError

__all__ = ["DEVICES", "DEVICE_VARIABLE", "requested_device"]

DEVICE_VARIABLE = "NEUROK_DEVICE"
DEVICES = ("cpu", "cuda", "mps")
"""The processor, a graphics card by CUDA (or ROCm, which PyTorch calls the same), one of Apple's by Metal."""


def requested_device() -> str | None:
    """One of DEVICES; None where none is requested: then the embedded engine comes first. Raises UserError."""
    name = os.environ.get(DEVICE_VARIABLE, "")
    if name and name not in DEVICES:
        known = ", ".join(DEVICES)
        raise UserError("bad_device.unknown", device=name, known=known)
    return name or None
