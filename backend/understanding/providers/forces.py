"""Forces of a provider: potentials and dissipations of coordinates, or the elasticity of a solid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...dynamics.coordinate_energies import CoordinateEnergy, Dissipation
from ...dynamics.stiffness import LaggedStiffness
from ...kinematics.neo_hookean import StableNeoHookean

__all__ = ["FASTEST_FOLLOWED", "Elasticity", "Forces"]

FASTEST_FOLLOWED = 2.0 * np.pi * 8.0  # rad/s: damped swings faster than a third of the frames are not seen as swings


@dataclass(frozen=True)
class Elasticity:
    """The elastic energy of a solid and its kept Newton matrix; `settle` is (alpha, beta), None where undamped."""

    energy: StableNeoHookean
    stiffness: LaggedStiffness
    settle: tuple[float, float] | None = None


@dataclass(frozen=True)
class Forces:
    """What acts on the coordinates, or inside of the solid, and the frequency (rad/s) up to which steps follow it."""

    energies: tuple[CoordinateEnergy, ...] = ()
    dissipations: tuple[Dissipation, ...] = ()
    frequency: float = 0.0
    elasticity: Elasticity | None = None
    tolerance: float = 1e-9  # of the size, RMS: length of the last Newton step of what has no elasticity
