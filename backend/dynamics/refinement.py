"""Refinement: how far the steps of objects that are hard to solve are halved."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["Refinement"]

EASY_STEPS = 8  # solved in a row, after which a step of twice the length is tried again


class Refinement:
    """What share of a whole step each object was last solved with: the next step does not fail its way there anew."""

    def __init__(self, count: int) -> None:
        self._share = np.ones(count)
        self._solved = np.zeros(count, dtype=np.int64)

    def fits(self, members: Sequence[int], share: float) -> bool:
        """Whether a step of this share is worth trying for objects that are solved together."""
        return share <= float(self._share[list(members)].min())

    def failed(self, members: Sequence[int], share: float) -> None:
        """A step of this share could not be solved."""
        chosen = list(members)
        self._share[chosen] = np.minimum(self._share[chosen], 0.5 * share)
        self._solved[chosen] = 0

    def solved(self, members: Sequence[int], share: float) -> None:
        """A step of this share was solved."""
        if share == 1.0:
            return
        chosen = list(members)
        self._solved[chosen] += 1
        if self._solved[chosen].min() >= EASY_STEPS:
            self._share[chosen] = 2.0 * share
            self._solved[chosen] = 0

    def snapshot(self) -> tuple[np.ndarray, np.ndarray]:
        """As it is now."""
        return self._share.copy(), self._solved.copy()

    def restore(self, snapshot: tuple[np.ndarray, np.ndarray]) -> None:
        """As it was."""
        self._share, self._solved = (array.copy() for array in snapshot)
