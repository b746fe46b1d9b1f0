"""Potential energies in handle space. Each is value / gradient / hessian of `a`, Float[4H,3], in joules and metres.

Gradients are Float[4H,3]; Hessians are Float[4H,3,4H,3]. A provider pulls them back to its own coordinates.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..kinematics.base import Array
from .neo_hookean import StableNeoHookean, lame_parameters

__all__ = ["Energy", "LinearPotential", "StableNeoHookean", "gravity_potential", "lame_parameters", "mass_of"]


class Energy(Protocol):
    """A potential V(a)."""

    def value(self, a: Array) -> float: ...

    def gradient(self, a: Array) -> Array: ...

    def hessian(self, a: Array) -> Array: ...


class LinearPotential:
    """V(a) = -<force, a - origin>: a constant force in handle space (gravity, pokes, the load of a settled shape)."""

    def __init__(self, force: Array, origin: Array) -> None:
        self.force = force
        self.origin = origin

    def value(self, a: Array) -> float:
        return -float(np.vdot(self.force, a - self.origin))

    def gradient(self, a: Array) -> Array:
        return -self.force

    def hessian(self, a: Array) -> Array:
        return np.zeros(a.shape + a.shape)


def mass_of(moment: Array, partition: bool) -> float:
    """The mass (kg) in B Float[4H,4H] of weights that sum to one (`partition`) or whose first handle is constant."""
    return float(moment[3::4, 3::4].sum() if partition else moment[3, 3])


def gravity_potential(mass: Array, basis: Array, gravity: Array, origin: Array) -> LinearPotential:
    """Gravity on material points: mass Float[N] kg, basis Float[N,4H], gravity Float[3] m/s^2."""
    return LinearPotential(np.outer(mass @ basis, gravity), origin)
