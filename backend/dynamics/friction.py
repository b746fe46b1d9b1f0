"""Coulomb friction with bristles: a contact holds until its tangential spring is stretched to the limit, then slides.

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


@dataclass(frozen=True)
class Friction:
    """Lagged friction of one step at contacts Int[c]; limits mu f (N) Float[c]."""

    contacts: np.ndarray
    limit: Array
    length: Array  # Float[c] m, eps

    def differs_from(self, other: Friction | None) -> bool:
        """Whether the limits changed by more than a tenth of the largest, so that solving again is worth it."""
        if other is None or not np.array_equal(self.contacts, other.contacts):
            return True
        return bool(np.abs(self.limit - other.limit).max() > 0.1 * self.limit.max())

    def _stretch(self, stretch: Array) -> Array:
        return np.sqrt((stretch**2).sum(axis=1)) / self.length

    def value(self, stretch: Array) -> float:
        """Joules for stretches Float[c,3] (m, tangential)."""
        y = self._stretch(stretch)
        return float((self.limit * self.length) @ np.where(y < 1.0, y * y * (1.0 - y / 3.0) + 1.0 / 3.0, y))

    def gradient(self, stretch: Array) -> Array:
        """Newton, Float[c,3]."""
        y = self._stretch(stretch)
        ratio = np.where(y < 1.0, 2.0 - y, 1.0 / np.maximum(y, 1.0)) * self.limit / self.length
        return stretch * ratio[:, None]

    def hessian(self, stretch: Array, normal: Array) -> Array:
        """N/m, Float[c,3,3], positive semidefinite; normals Float[c,3]."""
        y = self._stretch(stretch)
        across = np.where(y < 1.0, 2.0 - y, 1.0 / np.maximum(y, 1.0)) * self.limit / self.length
        along = np.where(y < 1.0, 2.0 - 2.0 * y, 0.0) * self.limit / self.length
        direction = stretch / np.maximum(y * self.length, 1e-300)[:, None]
        blocks = (along - across)[:, None, None] * (direction[:, :, None] * direction[:, None, :])
        blocks -= across[:, None, None] * (normal[:, :, None] * normal[:, None, :])
        for axis in range(3):
            blocks[:, axis, axis] += across
        return blocks
