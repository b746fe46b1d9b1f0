"""The rigid provider: one handle, SE(3), q = (translation in metres, rotation vector in radians)."""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial.transform import Rotation

from .base import Array, ReferenceFrame

__all__ = ["RigidKinematics"]


_IDENTITY = np.eye(3)
_TURNS = np.zeros((3, 3, 3))  # [e_i]x
for _x, _y, _z in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    _TURNS[_x, _z, _y], _TURNS[_x, _y, _z] = 1.0, -1.0


def _rotation(vector: Array) -> Array:
    """exp([r]x), Float[3,3], by Rodrigues' formula."""
    square = float(vector @ vector)
    if square < 1e-8:
        sine, rest = 1.0 - square / 6.0, 0.5 - square / 24.0
    else:
        angle = math.sqrt(square)
        sine, rest = math.sin(angle) / angle, 2.0 * math.sin(0.5 * angle) ** 2 / square
    generator = vector @ _TURNS.reshape(3, 9)
    generator = generator.reshape(3, 3)
    return _IDENTITY + sine * generator + rest * (generator @ generator)


def _rotation_derivatives(vector: Array) -> Array:
    """dR/dr_i for R = exp([r]x), Float[3,3,3] (i, row, column).

    Gallego and Yezzi's closed form: dR/dr_i = (r_i [r]x + [r x (I - R) e_i]x) R / |r|^2; near zero [e_i]x (I + [r]x)
    + O(r^2) is taken from the symmetric second-order expansion instead.
    """
    square = float(vector @ vector)
    generator = (vector @ _TURNS.reshape(3, 9)).reshape(3, 3)
    if square < 1e-10:
        return _TURNS + 0.5 * (_TURNS @ generator + generator @ _TURNS)
    rotation = _rotation(vector)
    moved = generator @ (_IDENTITY - rotation)  # columns r x (I - R) e_i
    axes = (np.outer(vector, vector) + moved.T) / square
    return (axes @ _TURNS.reshape(3, 9)).reshape(3, 3, 3) @ rotation


class RigidKinematics:
    """x = R(r) (X - c) + c + t about the centre of mass c."""

    name = "rigid"
    dof = 6
    constant_jacobian = False

    def __init__(self, frame: ReferenceFrame) -> None:
        """`frame.centre` must be the centre of mass, so that translation and rotation decouple."""
        self.frame = frame
        self._latest: tuple[bytes, Array] = (b"", np.zeros(0))  # q and its columns: a step asks for them many times

    def rest(self) -> Array:
        return np.zeros(6)

    def handles(self, q: Array) -> Array:
        a = np.empty((4, 3))
        a[:3] = self.frame.scale * _rotation(q[3:]).T
        a[3] = self.frame.centre + q[:3]
        return a

    def _columns(self, q: Array) -> Array:
        """da/dq_i, Float[6,4,3]."""
        key = q.tobytes()
        if self._latest[0] != key:
            columns = np.zeros((6, 4, 3))
            columns[[0, 1, 2], 3, [0, 1, 2]] = 1.0
            columns[3:, :3, :] = self.frame.scale * _rotation_derivatives(q[3:]).transpose(0, 2, 1)
            columns.setflags(write=False)
            self._latest = key, columns
        return self._latest[1]

    def push(self, q: Array, rate: Array) -> Array:
        return (rate @ self._columns(q).reshape(6, 12)).reshape(4, 3)

    def pull(self, q: Array, force: Array) -> Array:
        return self._columns(q).reshape(6, 12) @ force.ravel()

    def jacobian(self, q: Array) -> Array:
        return self._columns(q).reshape(6, 12).T

    def acceleration(self, q: Array, rate: Array) -> Array:
        # Central difference of J along the rate: D2a[v, v] = d/de J(q + e v) v. The step turns by 1e-4 rad whatever the
        # rate: J's own rounding, 1e-11 near zero, then weighs as little as the third derivative left out.
        step = 1e-4 / max(float(np.abs(rate[3:]).max()), 1e-12)
        return (self.push(q + step * rate, rate) - self.push(q - step * rate, rate)) / (2.0 * step)

    def canonical(self, q: Array) -> Array:
        return np.concatenate([q[:3], Rotation.from_rotvec(q[3:]).as_rotvec()])
