"""Rigid placement of an object: best-fit rotation (Procrustes), its free rigid motions, and applying them."""

from __future__ import annotations

import numpy as np

from ..kinematics.base import Array, Kinematics
from .variational import mass_matrix

__all__ = ["RigidPlacement", "nearest_rotation", "translation_row"]

ALLOWED = 1e-5  # a rigid motion that the coordinates follow to this share of its length is one of theirs
STAY = 1e-6  # of the spread of the points: what keeps an undetermined turn at none


def nearest_rotation(correlation: Array) -> Array:
    """The rotations R Float[...,3,3] with the largest tr(R^T C), C = sum_i m_i y_i x_i^T: takes x nearest to y."""
    left, _, right = np.linalg.svd(correlation)
    right[..., 2, :] *= np.sign(np.linalg.det(left @ right))[..., None]
    return left @ right


def translation_row(basis: Array) -> Array | None:
    """e Float[4H] with phi_v e = 1 for every v: adding outer(e, t) to the handles moves everything by t.

    Weights have a constant column or rows that sum to one; None where they have neither.
    """
    for last in (4, basis.shape[1]):
        row = np.zeros(basis.shape[1])
        row[3:last:4] = 1.0
        if np.abs(basis @ row - 1.0).max() < 1e-5:  # weights may come as float32
            return row
    return None


class RigidPlacement:
    """Constants of one object's rigid motions."""

    def __init__(self, kinematics: Kinematics, basis: Array, mass: Array, q: Array) -> None:
        """basis Float[P,4H] and mass Float[P] (kg) of the material, q Float[k] a pose to look at (the rest)."""
        self._kinematics = kinematics
        self.moment = basis.T @ (mass[:, None] * basis)  # B
        first = mass @ basis  # sum_v m_v phi_v
        self._centre_row = first / mass.sum()
        self._rest = kinematics.handles(kinematics.rest())
        spread = self.moment - np.outer(first, self._centre_row)
        self._weighted = spread @ self._rest
        self._shift = translation_row(basis)
        self.motions = self._allowed(q)

    def _allowed(self, q: Array) -> Array:
        """Rates Float[k,6] of translations and turns at q, G-orthonormal; Float[k,0] without a free root."""
        kinematics, axes = self._kinematics, np.eye(3)
        if self._shift is None:
            return np.zeros((kinematics.dof, 0))
        metric = mass_matrix(kinematics, self.moment, q, q)
        a = kinematics.handles(q)
        rates = []
        for motion in [np.outer(self._shift, axis) for axis in axes] + [np.cross(axis, a) for axis in axes]:
            rate = np.linalg.lstsq(metric, kinematics.pull(q, self.moment @ motion), rcond=1e-12)[0]
            missed = kinematics.push(q, rate) - motion
            if np.vdot(missed, self.moment @ missed) > ALLOWED**2 * np.vdot(motion, self.moment @ motion):
                return np.zeros((kinematics.dof, 0))
            whole = float(rate @ metric @ rate)
            for earlier in rates:
                rate = rate - earlier * (earlier @ metric @ rate)
            length = float(rate @ metric @ rate)
            if length > 1e-12 * whole:  # a needle's turn about itself moves nothing
                rates.append(rate / np.sqrt(length))
        return np.stack(rates, axis=1)

    @property
    def free(self) -> bool:
        """Whether the object can be moved as a whole."""
        return self.motions.shape[1] > 0

    def turn(self, a: Array) -> Array:
        """Rotation Float[3,3] of the object as a whole, from rest to handles `a`."""
        if not self.free:
            return np.eye(3)
        return nearest_rotation(a.T @ self._weighted)

    def following(self, before: Array, after: Array) -> tuple[Array, Array] | None:
        """The rigid motion x -> R x + t, Float[3,3] and Float[3], that takes points Float[p,3] nearest to others,

        turning no more than they ask for. None where the object has no free root.
        """
        if not self.free:
            return None
        start, goal = before.mean(axis=0), after.mean(axis=0)
        around = before - start
        correlation = (after - goal).T @ around
        turn = nearest_rotation(correlation + STAY * max(float((around**2).sum()), 1e-300) * np.eye(3))
        return turn, goal - turn @ start

    def carried(self, a: Array) -> Array:
        """Handles of the rest shape, turned like the shape with handles `a` and with its centre of mass."""
        return self.moved(self._rest, *self.motion(a))

    def motion(self, a: Array) -> tuple[Array, Array]:
        """The rigid motion x -> R x + t, Float[3,3] and Float[3], of the object as a whole from rest to handles `a`."""
        turn = self.turn(a)
        return turn, self._centre_row @ a - turn @ (self._centre_row @ self._rest)

    def moved(self, a: Array, turn: Array, shift: Array) -> Array:
        """Handles moved by x -> R x + t."""
        return a @ turn.T + np.outer(self._shift, shift)

    def coordinates(self, a: Array) -> Array:
        """q of handles that affine, mass-orthonormal coordinates can reach."""
        rest = self._kinematics.rest()
        return rest + self._kinematics.pull(rest, self.moment @ (a - self._rest))
