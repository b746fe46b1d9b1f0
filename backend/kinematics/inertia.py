"""Mass, centre and inertia of rigid parts: of material points, and points that have a given inertia exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .base import Array

__all__ = ["Inertia", "inertia_of"]

THINNEST = 1e-3  # of the size of a part: nothing is a needle without any inertia about its own length


@dataclass(frozen=True, eq=False)
class Inertia:
    """Inertia of one part as drawn: mass (kg), centre of mass Float[3] (m), tensor Float[3,3] about it (kg m²)."""

    mass: float
    centre: Array
    tensor: Array

    def spread(self) -> tuple[Array, Array]:
        """Mean squares Float[3] (m²) of the distance from the centre along the principal axes Float[3,3], columns.

        A tensor that no matter can have (one principal moment above the sum of the others) gives negative ones.
        """
        covariance = (0.5 * np.trace(self.tensor) * np.eye(3) - self.tensor) / self.mass
        return np.linalg.eigh(0.5 * (covariance + covariance.T))

    def possible(self, size: float) -> Inertia:
        """The nearest physically possible inertia of a part of that size (m)."""
        squares, axes = self.spread()
        least = (THINNEST * size) ** 2
        if squares.min() >= least:
            return self
        covariance = (axes * np.maximum(squares, least)) @ axes.T
        return Inertia(self.mass, self.centre, self.mass * (np.trace(covariance) * np.eye(3) - covariance))

    def points(self) -> tuple[Array, Array]:
        """Six masses Float[6] (kg) at places Float[6,3] (m) with the same mass, centre and tensor."""
        squares, axes = self.spread()
        reach = axes * np.sqrt(3.0 * np.maximum(squares, 0.0))
        return np.full(6, self.mass / 6.0), self.centre + np.concatenate([reach.T, -reach.T])


def inertia_of(mass: Array, places: Array) -> Inertia:
    """The inertia of material points: mass Float[P] (kg), places Float[P,3] (m)."""
    total = float(mass.sum())
    centre = mass @ places / total
    away = places - centre
    moment = away.T @ (mass[:, None] * away)
    return Inertia(total, centre, np.trace(moment) * np.eye(3) - moment)
