"""Where PyTorch computes the network, if somebody asks for PyTorch: the variable NEUROK_DEVICE of the process."""

from __future__ import annotations

import os

from ...errors import UserError

__all__ = ["DEVICES", "DEVICE_VARIABLE", "asked_device"]

DEVICE_VARIABLE = "NEUROK_DEVICE"
DEVICES = ("cpu", "cuda", "mps")
"""The processor, a graphics card by CUDA (or ROCm, which PyTorch calls the same), one of Apple's by Metal."""


def asked_device() -> str | None:
    """One of DEVICES; None where nobody asks, and the embedded engine comes first. Raises UserError."""
    asked = os.environ.get(DEVICE_VARIABLE, "")
    if asked and asked not in DEVICES:
        known = ", ".join(DEVICES)
        raise UserError("bad_device.unknown", device=asked, known=known)
    return asked or None
