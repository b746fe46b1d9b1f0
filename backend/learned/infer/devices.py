"""PyTorch devices, and their failures as errors with a remedy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from ...errors import UserError

__all__ = ["device_troubles", "opened_device"]

# What a build of PyTorch without a device's kernels raises is an AssertionError.
TROUBLES = (RuntimeError, AssertionError)


def opened_device(name: str) -> torch.device:
    """One of `backend.learned.infer.device.DEVICES`, once it has added two numbers. Raises UserError."""
    try:
        device = torch.device(name)
        if (torch.ones(1, device=device) + 1.0).item() != 2.0:
            raise RuntimeError("it cannot add")
    except TROUBLES as error:
        raise UserError("no_device.torch", device=name.upper(), reason=_first_line(error)) from error
    return device


@contextmanager
def device_troubles(device: torch.device) -> Iterator[None]:
    """What goes wrong on a graphics card is a sentence; on the processor it is a fault of ours, and stays one."""
    try:
        yield
    except TROUBLES as error:
        if device.type == "cpu":
            raise
        if device.type == "cuda":
            torch.cuda.empty_cache()
        name = device.type.upper()
        # Metal has no error of its own for it.
        if isinstance(error, torch.OutOfMemoryError) or "out of memory" in str(error):
            raise UserError("device_failed.memory", device=name) from error
        raise UserError("device_failed.other", device=name, reason=_first_line(error)) from error


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__
