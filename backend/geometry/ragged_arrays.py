"""Ragged arrays: lists of different lengths, one after the other in one array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["expand", "run_starts"]


def expand(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For counts (2, 0, 3): the owners (0, 0, 2, 2, 2) and the running numbers (0, 1, 0, 1, 2)."""
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)


def run_starts(values: NDArray[np.generic]) -> NDArray[np.int64]:
    """Where each run of equal values begins, of values [n] or rows [n,k]: (5, 5, 2) gives (0, 2)."""
    if len(values) == 0:
        return np.empty(0, dtype=np.int64)
    changes = values[1:] != values[:-1]
    return np.flatnonzero(np.concatenate([[True], changes if values.ndim == 1 else changes.any(axis=1)]))
