"""The motion of one object as it comes from the worker: skinned, points, or both added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

__all__ = ["Shape", "StreamedMotion"]


@dataclass(frozen=True, eq=False)
class Shape:
    """One shape of an object: handles Float32[H,3,4] on world rest positions, points Float32[V,3] m in the world.

    x_v = sum_h weights[v,h] (handles[h] @ [X_v; 1]) + points[v], each part where it is not None.
    """

    handles: np.ndarray | None = None
    points: np.ndarray | None = None

    @classmethod
    def of(cls, arrays: Mapping[str, np.ndarray], number: int = 0) -> Shape:
        """The shape of the object with this number in a message."""
        return cls(arrays.get(f"handles_{number}"), arrays.get(f"points_{number}"))

    @classmethod
    def rows_of(cls, arrays: Mapping[str, np.ndarray]) -> list[Shape]:
        """The shapes of a single object in a message that has several of them."""
        parts = {name: arrays[f"{name}_0"] for name in ("handles", "points") if f"{name}_0" in arrays}
        return [cls(**dict(zip(parts, row, strict=True))) for row in zip(*parts.values(), strict=True)]

    @property
    def nbytes(self) -> int:
        """Memory that it takes."""
        return sum(each.nbytes for each in (self.handles, self.points) if each is not None)


@dataclass
class StreamedMotion:
    """What a simulation gives of one object.

    weights: Float32 (V,H), or None where it is not skinned.
    has_points: Whether its shapes have points.
    frame_count: How many shapes there will be.
    shapes: One a frame, growing while frames come in.
    """

    weights: np.ndarray | None
    has_points: bool
    fps: float
    frame_count: int
    shapes: list[Shape] = field(default_factory=list)
