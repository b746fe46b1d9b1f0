"""The rigid provider: one handle, SE(3), q = (translation in metres, rotation vector in radians)."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from .base import Array, ReferenceFrame

__all__ = ["RigidKinematics"]


def _cross_matrix(vector: Array) -> Array:
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _rotation_derivatives(vector: Array) -> Array:
    """dR/dr_i for R = exp([r]x), Float[3,3,3] (i, row, column).

    Gallego and Yezzi's closed form: dR/dr_i = (r_i [r]x + [r x (I - R) e_i]x) R / |r|^2; near zero [e_i]x (I + [r]x)
    + O(r^2) is taken from the symmetric second-order expansion instead.
    """
    rotation = Rotation.from_rotvec(vector).as_matrix()
    square = float(vector @ vector)
    derivatives = np.empty((3, 3, 3))
    generator = _cross_matrix(vector)
    for axis in range(3):
        unit = np.eye(3)[axis]
        if square < 1e-10:
            basis = _cross_matrix(unit)
            derivatives[axis] = basis + 0.5 * (basis @ generator + generator @ basis)
        else:
            moved = np.cross(vector, (np.eye(3) - rotation) @ unit)
            derivatives[axis] = (vector[axis] * generator + _cross_matrix(moved)) @ rotation / square
    return derivatives


class RigidKinematics:
    """x = R(r) (X - c) + c + t about the centre of mass c."""

    name = "rigid"
    dof = 6
    constant_jacobian = False

    def __init__(self, frame: ReferenceFrame) -> None:
        """`frame.centre` must be the centre of mass, so that translation and rotation decouple."""
        self.frame = frame

    def rest(self) -> Array:
        return np.zeros(6)

    def handles(self, q: Array) -> Array:
        rotation = Rotation.from_rotvec(q[3:]).as_matrix()
        return np.vstack([self.frame.scale * rotation.T, self.frame.centre + q[:3]])

    def _columns(self, q: Array) -> Array:
        """da/dq_i, Float[6,4,3]."""
        columns = np.zeros((6, 4, 3))
        columns[[0, 1, 2], 3, [0, 1, 2]] = 1.0
        columns[3:, :3, :] = self.frame.scale * _rotation_derivatives(q[3:]).transpose(0, 2, 1)
        return columns

    def push(self, q: Array, rate: Array) -> Array:
        return np.tensordot(rate, self._columns(q), axes=1)

    def pull(self, q: Array, force: Array) -> Array:
        return np.tensordot(self._columns(q), force, axes=2)

    def jacobian(self, q: Array) -> Array:
        return self._columns(q).reshape(6, 12).T

    def acceleration(self, q: Array, rate: Array) -> Array:
        # Central difference of J along the rate: D2a[v, v] = d/de J(q + e v) v. The step turns by 1e-4 rad whatever the
        # rate: J's own rounding, 1e-11 near zero, then weighs as little as the third derivative left out.
        step = 1e-4 / max(float(np.abs(rate[3:]).max()), 1e-12)
        return (self.push(q + step * rate, rate) - self.push(q - step * rate, rate)) / (2.0 * step)

    def canonical(self, q: Array) -> Array:
        return np.concatenate([q[:3], Rotation.from_rotvec(q[3:]).as_rotvec()])
