"""Lagged Coulomb friction with bristles: tangential springs that stick up to the limit, then slide.

The potential of one step is  mu f eps F(|s| / eps)  with F(y) = y^2 (1 - y/3) + 1/3 below one and y above. f is the
normal force of the solve before (lagged), s the stretch of the bristle: what it kept from earlier steps plus the slip
of this one. Because the stretch is remembered, what sticks does not creep; because it is cut at eps, what slides meets
exactly mu f.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kinematics.base import Array

__all__ = ["Friction"]

WORTH_SOLVING_AGAIN = 0.15


@dataclass(frozen=True)
class Friction:
    """Lagged friction of one step at contacts Int[c]; limits mu f (N) Float[c]."""

    contacts: np.ndarray
    limit: Array
    length: Array  # Float[c] m, eps

    def differs_from(self, other: Friction | None) -> bool:
        """Whether the limits changed by so much of their sum that solving again is worth it."""
        if other is None:
            return True
        both = np.union1d(self.contacts, other.contacts)
        change = np.zeros(len(both))
        change[np.searchsorted(both, self.contacts)] = self.limit
        change[np.searchsorted(both, other.contacts)] -= other.limit
        return bool(np.abs(change).sum() > WORTH_SOLVING_AGAIN * self.limit.sum())
