"""Gusts: the velocity of the air, steady and turbulent.

Turbulence is a seeded sum of travelling waves, so the same seed gives the same gusts at any substep.
"""

from __future__ import annotations

import numpy as np

from ..kinematics.base import Array
from .conditions import Wind
from .keyed_vectors import KeyedVector

__all__ = ["Gusts"]

WAVES = 8


class Gusts:
    """The air around one object."""

    def __init__(self, wind: Wind, size: float, seed: int, fps: float) -> None:
        """`size` (m) of the object sets the length of the gusts; `fps` tells when keys are."""
        self.wind = wind
        self._keyed = KeyedVector(wind.keys, fps) if wind.keys else None
        generator = np.random.default_rng(seed)
        directions = generator.normal(size=(WAVES, 3))
        self._wave = (
            directions
            / np.linalg.norm(directions, axis=1)[:, None]
            * generator.uniform(0.5, 3.0, (WAVES, 1))
            / size
            * 2.0
        )
        self._swing = generator.normal(size=(WAVES, 3)) / np.sqrt(WAVES)
        self._frequency = generator.uniform(0.3, 2.5, WAVES)  # Hz
        self._phase = generator.uniform(0.0, 2.0 * np.pi, WAVES)

    def air(self, positions: Array, seconds: float) -> Array:
        """Air velocity at positions Float[S,3], m/s."""
        velocity = self.wind.velocity if self._keyed is None else self._keyed.at(seconds)
        strength = self.wind.turbulence * float(np.linalg.norm(velocity))
        if strength == 0.0:
            return np.tile(velocity, (len(positions), 1))
        angle = positions @ self._wave.T + self._phase + 2.0 * np.pi * self._frequency * seconds
        return velocity + np.sqrt(2.0) * strength * (np.sin(angle) @ self._swing)
