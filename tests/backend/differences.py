"""Central differences, to check derivatives that the code writes by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["numerical_derivative"]

Array = NDArray[np.float64]


def numerical_derivative(function: Callable[[Array], Array | float], at: Array, step: float = 1e-6) -> Array:
    """d function / d argument, Float[*function, *argument], error of the order of step^2."""
    rows = []
    for index in np.ndindex(at.shape):
        move = np.zeros_like(at)
        move[index] = step
        rows.append((np.asarray(function(at + move)) - np.asarray(function(at - move))) / (2.0 * step))
    stacked = np.stack(rows, axis=-1)
    return stacked.reshape(stacked.shape[:-1] + at.shape)
