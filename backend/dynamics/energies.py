"""Potential energies in handle space. Each is value / gradient / hessian of `a`, Float[4H,3], in joules and metres.

Gradients are Float[4H,3]; Hessians are Float[4H,3,4H,3]. A provider pulls them back to its own coordinates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from ..kinematics.base import Array
from ..kinematics.neo_hookean import StableNeoHookean, lame_parameters
from .springs import PointSprings

__all__ = [
    "Energy",
    "LinearPotential",
    "StableNeoHookean",
    "gravity_potential",
    "lame_parameters",
    "mass_of",
    "pulled_hessian",
]


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


def pulled_hessian(energies: Iterable[Energy], a: Array, jacobian: Array) -> Array:
    """J^T (sum of d2V/da2) J of energies at a Float[4H,3], Float[k,k]; J Float[12H,k]."""
    dof = jacobian.shape[1]
    total, by_row = np.zeros((dof, dof)), jacobian.reshape(len(a), -1)
    for energy in energies:
        if isinstance(energy, PointSprings):  # alike along every axis: nothing as large as 12H x 12H is made
            total += jacobian.T @ (energy.matrix @ by_row).reshape(jacobian.shape)
        else:
            total += jacobian.T @ energy.hessian(a).reshape(a.size, a.size) @ jacobian
    return total


def mass_of(moment: Array, carriers: Sequence[int] | None) -> float:
    """The mass (kg) in B Float[4H,4H]; `carriers` are the handles whose weights sum to one, None: all."""
    rows = slice(3, None, 4) if carriers is None else 4 * np.array(carriers) + 3
    return float(moment[rows][:, rows].sum())


def gravity_potential(mass: Array, basis: Array, gravity: Array, origin: Array) -> LinearPotential:
    """Gravity on material points: mass Float[N] kg, basis Float[N,4H], gravity Float[3] m/s^2."""
    return LinearPotential(np.outer(mass @ basis, gravity), origin)
