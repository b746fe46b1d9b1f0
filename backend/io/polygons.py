"""Triangulation of polygons as fans."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["fan_triangles", "per_triangle"]


def fan_triangles(counts: NDArray[np.int64], indices: NDArray[np.int64]) -> NDArray[np.int64]:
    """Triangles Int[F,3] of polygons: counts Int[P] corners each, indices Int[sum(counts)] one after the other.

    Each polygon is a fan around its first corner; those of fewer than three corners have no triangles.
    """
    if np.all(counts == 3):
        return indices.reshape(-1, 3)
    start = np.cumsum(counts) - counts
    pieces = np.maximum(counts - 2, 0)
    polygon = np.repeat(np.arange(len(counts)), pieces)
    number = np.arange(len(polygon)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    first = start[polygon]
    return np.stack([indices[first], indices[first + number + 1], indices[first + number + 2]], axis=1)


def per_triangle(counts: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each triangle of `fan_triangles` the value of its polygon: values Int[P] to Int[F]."""
    return np.repeat(values, np.maximum(counts - 2, 0))
