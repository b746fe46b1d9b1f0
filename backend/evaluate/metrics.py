"""Distances between two shapes of one mesh, where the rest shape's longest side is two.

With the samples a on one shape and b on the other, d(a, B) the distance of a sample to the nearest one of the other:

    CD-L1      = (mean d(a, B) + mean d(b, A)) / 2        CD-L1 sum = mean d(a, B) + mean d(b, A)
    CD-L2      = (mean d(a, B)^2 + mean d(b, A)^2) / 2
    point error = mean |a_i - b_i|, each sample with itself

Both shapes carry the same samples, so that equal shapes are at distance zero: samples drawn apart from each other would
put a floor of half their spacing under every figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

import numpy as np
from scipy.spatial import cKDTree

from ..kinematics.base import Array

__all__ = ["SAMPLES", "ShapeError", "Target", "mean_error"]

SAMPLES = 10_000


@dataclass(frozen=True)
class ShapeError:
    """How far a shape is from its target; see the first lines of this file."""

    cd_l1: float
    cd_l1_sum: float
    cd_l2: float
    point_error: float

    def as_json(self) -> dict[str, float]:
        return asdict(self)


class Target:
    """A shape that others are compared with: its samples Float[n,3]."""

    def __init__(self, samples: Array) -> None:
        self._samples = samples
        self._tree = cKDTree(samples)

    def error(self, samples: Array) -> ShapeError:
        """Of another shape with the same samples, Float[n,3]."""
        there = self._tree.query(samples)[0]
        back = cKDTree(samples).query(self._samples)[0]
        whole = float(there.mean() + back.mean())
        squared = 0.5 * float((there**2).mean() + (back**2).mean())
        return ShapeError(0.5 * whole, whole, squared, float(np.linalg.norm(samples - self._samples, axis=1).mean()))


def mean_error(errors: Sequence[ShapeError]) -> ShapeError:
    """The mean of each figure."""
    return ShapeError(
        *(float(np.mean([getattr(error, field.name) for error in errors])) for field in fields(ShapeError))
    )
