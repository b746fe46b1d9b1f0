"""Energies of the first coordinates of an object as energies of all: joints come before what bends."""

from __future__ import annotations

import numpy as np

from ..kinematics.base import Array, Kinematics
from .coordinate_energies import CoordinateEnergy, Dissipation

__all__ = ["LeadingDissipation", "LeadingEnergy", "LeadingKinematics"]


class LeadingEnergy:
    """A potential of the first `count` coordinates of q."""

    def __init__(self, energy: CoordinateEnergy, count: int) -> None:
        self._energy, self._count = energy, count

    def value(self, q: Array) -> float:
        return self._energy.value(q[: self._count])

    def gradient(self, q: Array) -> Array:
        return np.concatenate([self._energy.gradient(q[: self._count]), np.zeros(len(q) - self._count)])

    def hessian(self, q: Array) -> Array:
        return np.pad(self._energy.hessian(q[: self._count]), (0, len(q) - self._count))


class LeadingDissipation:
    """The same of what a step loses."""

    def __init__(self, dissipation: Dissipation, count: int) -> None:
        self._dissipation, self._count = dissipation, count

    def at(self, before: Array, step: float) -> LeadingEnergy:
        return LeadingEnergy(self._dissipation.at(before[: self._count], step), self._count)


class LeadingKinematics:
    """The first `dof` coordinates where the others stay at rest, Float[4H,3] handles of the whole object."""

    def __init__(self, inner: Kinematics, dof: int) -> None:
        self._inner, self.dof = inner, dof

    def rest(self) -> Array:
        return self._inner.rest()[: self.dof]

    def jacobian(self, q: Array) -> Array:
        """Float[12H,k]."""
        whole = self._inner.rest()
        whole[: self.dof] = q
        return self._inner.jacobian(whole)[:, : self.dof]
