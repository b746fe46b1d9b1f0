"""What a sheet is made of, in the numbers of a thin sheet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Fabric", "isotropic", "woven"]

GRAVITY = 9.81  # m/s^2, in which bending lengths are measured
CRUMPLES = 0.2  # of what it is shortened, that a weave resists in a step: its yarns buckle between the nodes


@dataclass(frozen=True)
class Fabric:
    """Mass per area kg/m^2, stiffness against stretching N/m (E t), bending stiffness N m, thickness m.

    Coefficient of friction, share of critical damping. `shortening`: the share of a length's shortening that it resists
    in a step.
    """

    areal_density: float
    stretch: float
    bending: float
    thickness: float
    friction: float
    damping: float
    shortening: float = 1.0

    @property
    def viscosity(self) -> float:
        """Of bending, s: the damping of what sways as long as its bending length (B / w g)^(1/3)."""
        length = (self.bending / max(self.areal_density * GRAVITY, 1e-300)) ** (1.0 / 3.0)
        return 2.0 * self.damping * float(np.sqrt(length / GRAVITY))


def isotropic(
    density: float, young: float, poisson: float, thickness: float, friction: float, damping: float
) -> Fabric:
    """A plate of kg/m^3 and Pa: paper, leather, leaves. It bends with E t^3 / 12 (1 - nu^2)."""
    bending = young * thickness**3 / (12.0 * (1.0 - poisson**2))
    return Fabric(density * thickness, young * thickness, bending, thickness, friction, damping)


def woven(
    density: float, young: float, bending_length: float, thickness: float, friction: float, damping: float
) -> Fabric:
    """A weave with the bending length c (m) of Peirce's cantilever: it bends with g c^3 of its mass per area."""
    mass = density * thickness
    return Fabric(mass, young * thickness, mass * GRAVITY * bending_length**3, thickness, friction, damping, CRUMPLES)
