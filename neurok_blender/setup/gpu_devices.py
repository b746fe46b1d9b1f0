"""Devices that PyTorch can compute on here, and the size of its download. Looks at files only."""

from __future__ import annotations

import os
import platform
import sys
from enum import StrEnum
from pathlib import Path

from bpy.app.translations import pgettext_iface as iface_

__all__ = ["REQUIREMENTS", "TORCH", "Device", "best_device", "hint", "megabytes", "obstacle"]

TORCH = "2.13.0"
REQUIREMENTS = (
    f"torch=={TORCH}",
    "safetensors==0.8.0",
    # All that the backend imports: where Blender's own Python lacks SciPy and Numba, this brings them too.
    "numpy>=1.26,<3",
    "scipy>=1.11,<2",
    "numba>=0.62,<1",
)

# What has to be fetched, about: PyTorch, what it needs itself, NumPy, SciPy and Numba.
SMALL_MEGABYTES = 360
CUDA_MEGABYTES = 3000
UNPACKED = 4.5  # the packages as files, and for a while what was downloaded as well
NVIDIA = {"linux": "/proc/driver/nvidia/version", "win32": "System32/nvcuda.dll"}
AMD = "/dev/kfd"  # PyTorch for ROCm calls its device cuda


class Device(StrEnum):
    """As PyTorch calls them."""

    CPU = "cpu"
    CUDA = "cuda"
    MPS = "mps"


def obstacle(device: Device) -> str:
    """Why PyTorch cannot compute on the device here, a sentence for the artist; empty where it can."""
    if device is Device.MPS and (sys.platform != "darwin" or platform.machine() != "arm64"):
        return iface_("MPS: only Macs with Apple's own processors have it.")
    if device is Device.CUDA:
        if sys.platform == "darwin":
            return iface_("CUDA: Macs do not have it.")
        driver = Path(os.environ.get("SYSTEMROOT", "C:/Windows") if sys.platform == "win32" else "/")
        if not (driver / NVIDIA.get(sys.platform, NVIDIA["linux"]).lstrip("/")).exists() and not Path(AMD).exists():
            return iface_("CUDA: no driver of a graphics card that has it was found.")
    return ""


def best_device() -> Device:
    return next(device for device in (Device.CUDA, Device.MPS, Device.CPU) if not obstacle(device))


def megabytes(device: Device, index: str) -> int:
    """How much is to be downloaded, about. The usual index has PyTorch for Linux with CUDA alone."""
    with_cuda = device is Device.CUDA if index or sys.platform != "linux" else platform.machine() == "x86_64"
    return CUDA_MEGABYTES if with_cuda else SMALL_MEGABYTES


def hint(device: Device, index: str) -> str:
    """A note on the download, a sentence for the artist; empty where there is nothing to note."""
    if index:
        return ""
    if device is Device.CUDA and sys.platform == "win32":
        return iface_(
            "The usual package index has PyTorch for Windows without CUDA: "
            "enter one that has it, or take a folder of wheels."
        )
    if device is Device.CUDA and not Path(NVIDIA["linux"]).exists():
        return iface_("For graphics cards of AMD enter a package index with PyTorch for ROCm.")
    if device is Device.CPU and sys.platform == "linux":
        return iface_(
            "The usual package index has PyTorch for Linux with CUDA; one of builds for the CPU needs a tenth of it."
        )
    return ""
