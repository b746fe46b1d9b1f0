"""Vectors with keys: linear between them, constant before the first and after the last."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..kinematics.base import Array
from .conditions import VectorKey
from .targets import key_seconds

__all__ = ["KeyedVector"]


class KeyedVector:
    """Gravity (m/s^2) or the velocity of the wind (m/s) in the course of a take."""

    def __init__(self, keys: Sequence[VectorKey], fps: float) -> None:
        """At least one key."""
        self._times = key_seconds([key.frame for key in keys], fps)
        self._values = np.array([key.value for key in keys])
        self.end = float(self._times[-1])  # s, when it changes no more

    def at(self, seconds: float) -> Array:
        """Float[3]"""
        return np.array([np.interp(seconds, self._times, self._values[:, axis]) for axis in range(3)])

    def mean(self, begin: float, span: float) -> Array:
        """Its mean Float[3] over `span` seconds from `begin`, of keys that are not closer than that."""
        return 0.25 * (self.at(begin) + 2.0 * self.at(begin + 0.5 * span) + self.at(begin + span))
