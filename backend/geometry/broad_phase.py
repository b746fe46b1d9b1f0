"""Broad phase: candidates near a few places by a grid or a k-d tree, before exact tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

__all__ = ["close_pairs", "near_places"]

_MOST_CELLS_PER_SIDE = 160


def near_places(queries: NDArray[np.float64], places: NDArray[np.float64], radius: float) -> NDArray[np.bool_]:
    """Bool[Q]: false only where a query is farther than `radius` from every place (all in the unit box).

    One table look-up a query; some that are somewhat farther pass as well.
    """
    side = int(np.clip(np.floor(1.0 / radius), 1, _MOST_CELLS_PER_SIDE))
    # A cell of air on all sides, so that the spread below never leaves the table.
    table = np.zeros((side + 2,) * 3, dtype=bool)

    def cells(points: NDArray[np.float64]) -> tuple[NDArray[np.int64], ...]:
        index = np.clip(((points + 0.5) * side).astype(np.int64), 0, side - 1) + 1
        return index[:, 0], index[:, 1], index[:, 2]

    table[cells(places)] = True
    for axis in range(3):
        spread = table.copy()
        ahead, behind = [slice(None)] * 3, [slice(None)] * 3
        ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
        spread[tuple(ahead)] |= table[tuple(behind)]
        spread[tuple(behind)] |= table[tuple(ahead)]
        table = spread
    return table[cells(queries)]


def close_pairs(
    first: NDArray[np.float64], second: NDArray[np.float64], radius: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Index pairs of points Float[A,3] and Float[B,3] that are at most `radius` apart."""
    if len(first) == 0 or len(second) == 0:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    found = cKDTree(first).sparse_distance_matrix(cKDTree(second), radius, output_type="ndarray")
    return found["i"].astype(np.int64), found["j"].astype(np.int64)
