"""Limited-memory BFGS that corrects a lagged Newton matrix by the last few steps.

A new Newton matrix costs as much as fifty iterations with an old one; this correction costs a few dot products.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from ..kinematics.base import Array

__all__ = ["LimitedMemoryBFGS"]

KEPT_STEPS = 8


class LimitedMemoryBFGS:
    """Pairs of steps and gradient changes of one minimisation."""

    def __init__(self) -> None:
        self._pairs: deque[tuple[Array, Array]] = deque(maxlen=KEPT_STEPS)

    def add(self, step: Array, change: Array) -> None:
        """A step Float[k] taken and the change of the gradient over it; pairs of negative curvature are not used."""
        curvature = float(step @ change)
        if curvature > 1e-12 * float(np.sqrt((step @ step) * (change @ change))):
            self._pairs.append((step, change))

    def direction(
        self, slope: Array, solve: Callable[[Array], Array], besides: Callable[[Array], Array] | None = None
    ) -> Array:
        """The descent direction -H slope by the two-loop recursion.

        `solve` is the inverse of the initial matrix; `besides` multiplies steps Float[k,p] by a part of it that is
        exact and that the remembered changes leave out.
        """
        right, parts = slope, []
        pairs: list[tuple[Array, Array]] = list(self._pairs)
        if besides is not None and pairs:
            more = besides(np.column_stack([step for step, _ in pairs]))
            pairs = [(step, change + own) for (step, change), own in zip(pairs, more.T, strict=True)]
        known = [(step, change, 1.0 / float(step @ change)) for step, change in pairs]
        for step, change, inverse in reversed(known):
            part = inverse * float(step @ right)
            right = right - part * change
            parts.append(part)
        move = solve(right)
        for (step, change, inverse), part in zip(known, reversed(parts), strict=True):
            move = move + (part - inverse * float(change @ move)) * step
        return -move
