"""The surfaces of a take, frame by frame: the input of pointmaps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .render import Surface

__all__ = ["MovingSurfaces", "checked_surface"]


@dataclass(frozen=True, eq=False)
class MovingSurfaces:
    """Objects in motion: `surface` gives what is drawn of a frame, counted from 0."""

    frames: int
    fps: float
    names: Sequence[str]
    """Of the objects; the first one has number 1 in the pictures."""
    surface: Callable[[int], Surface]


def checked_surface(
    vertices: NDArray[np.floating],
    triangles: NDArray[np.integer],
    colors: NDArray[np.floating],
    objects: NDArray[np.integer],
) -> Surface:
    """A surface whose arrays fit together; raises UserError."""
    if not np.isfinite(vertices).all():
        raise UserError("bad_take.not_finite")
    if len(triangles) and not (triangles.min() >= 0 and triangles.max() < len(vertices)):
        raise UserError("bad_take.unknown_vertex")
    if colors.shape != (len(triangles), 3) or objects.shape != (len(triangles),):
        raise UserError("bad_take.triangles")
    return Surface(vertices, triangles, colors, objects)
