"""The motion of one object: linear blend skinning, free points, or both added.

    x_v = sum_h w_vh A_h [X_v; 1] + P_v

with the sum where the object is skinned and P where it has points; without a skinned part P are positions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .base import Array

__all__ = ["MotionFrame", "ObjectMotion"]


@dataclass(frozen=True)
class MotionFrame:
    """One frame of an object.

    index: From 1.
    q: Generalized coordinates Float[k]; none where the solver has no such thing.
    energy: Kinetic, potential and total energy Float[3], J.
    handles: Transforms Float[H,3,4] that act on world rest positions, where the object is skinned.
    points: Float[V,3] m in the world, where the object has points.
    """

    index: int
    q: Array
    energy: Array
    handles: Array | None = None
    points: Array | None = None


@dataclass(frozen=True)
class ObjectMotion:
    """What all frames of an object share: skinning weights float32 (V,H) or None, and whether frames have points."""

    weights: np.ndarray | None
    has_points: bool = False

    def __post_init__(self) -> None:
        if self.weights is None and not self.has_points:
            raise ValueError("a motion without weights needs points")
