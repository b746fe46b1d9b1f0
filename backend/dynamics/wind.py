"""Wind on the surface: pressure along the current normal by the air's speed relative to it, steady and turbulent.

f = rho/2 (u.n)|u.n| A n with u the air's velocity minus the surface's. Sheets feel both sides; solids only the side
that faces the wind. Turbulence is a seeded sum of travelling waves, so the same seed gives the same gusts at any
substep.
"""

from __future__ import annotations

import numpy as np

from ..kinematics.base import Array
from .conditions import Wind

__all__ = ["WindForce"]

AIR_DENSITY = 1.2  # kg/m^3
WAVES = 8


class WindForce:
    """Aerodynamic load of one object in handle space."""

    def __init__(
        self,
        wind: Wind,
        basis: Array,
        gradients: Array,
        area: Array,
        closed: np.ndarray,
        mass: Array,
        size: float,
        seed: int,
    ) -> None:
        """Surface points: basis Float[S,4H], gradients Float[S,3,4H], area vectors Float[S,3] (m^2), closed Bool[S],
        mass Float[S] (kg); `size` (m) sets the length of the gusts.
        """
        self.wind, self.basis, self._gradients = wind, basis, gradients
        self._area, self._closed, self._mass = area, closed, mass
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
        angle = positions @ self._wave.T + self._phase + 2.0 * np.pi * self._frequency * seconds
        speed = np.linalg.norm(self.wind.velocity)
        return self.wind.velocity + self.wind.turbulence * speed * (np.sqrt(2.0) * np.sin(angle) @ self._swing)

    def force(self, a: Array, handle_rate: Array, seconds: float, step: float) -> Array:
        """Handle-space force Float[4H,3] at one instant, limited so that one step cannot overshoot the air's speed."""
        positions = self.basis @ a
        relative = self.air(positions, seconds) - self.basis @ handle_rate
        f = np.einsum("bi,sjb->sij", a, self._gradients)
        # Nanson: the deformed area vector is cof(F) times the rest one.
        cofactor = np.stack(
            [np.cross(f[:, 1], f[:, 2]), np.cross(f[:, 2], f[:, 0]), np.cross(f[:, 0], f[:, 1])], axis=1
        )
        vector = np.einsum("sij,sj->si", cofactor, self._area)
        area = np.linalg.norm(vector, axis=1)
        normal = vector / np.maximum(area, 1e-300)[:, None]
        across = np.einsum("si,si->s", relative, normal)
        facing = ~self._closed | (across < 0.0)
        pressure = 0.5 * AIR_DENSITY * across * np.abs(across) * area * facing
        rate = AIR_DENSITY * np.abs(across) * area / self._mass  # 1/s, how fast drag alone would stop this point
        return self.basis.T @ ((pressure / (1.0 + rate * step))[:, None] * normal)
