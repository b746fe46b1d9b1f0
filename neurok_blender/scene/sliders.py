"""The sliders of an object as the worker has found them, and where they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

__all__ = ["found_sliders", "make_sliders", "set_sliders"]


def found_sliders(header: Mapping[str, Any]) -> dict[str, Any]:
    """The sliders in the worker's answer `coordinates`, with limits as the properties store them."""
    return {**header, **{name: np.float32(header[name]).tolist() for name in ("lower", "upper")}}


def make_sliders(obj: bpy.types.Object, found: Mapping[str, Any]) -> None:
    """Those that the worker has found, where the object has none or others, as after undo."""
    sliders = obj.neurok.coordinates
    if [each.name for each in sliders] != found["names"]:
        sliders.clear()
        for name in found["names"]:
            sliders.add().name = name
    for slider, kind, lower, upper in zip(sliders, found["kinds"], found["lower"], found["upper"], strict=True):
        if (slider.kind, slider.lower, slider.upper) != (kind.upper(), lower, upper):
            slider.kind, slider.lower, slider.upper = kind.upper(), lower, upper


def set_sliders(obj: bpy.types.Object, coordinates: Sequence[float] | NDArray[np.float32]) -> None:
    for slider, coordinate in zip(obj.neurok.coordinates, coordinates, strict=True):
        slider.slide_to(float(coordinate))
