"""A free root: kinematics moved as a whole by SE(3), x = R(r) (x_inner(q_inner) - c) + c + t."""

from __future__ import annotations

from collections import OrderedDict
from typing import Protocol

import numpy as np
from scipy.spatial.transform import Rotation

from .base import Array, Curved, Kinematics
from .rotation import RotationMap

__all__ = ["ROOT_DOF", "RootedKinematics"]

ROOT_DOF = 6
KEPT_TURNS = 4  # see `learned.KEPT_POINTS`


class CurvedKinematics(Kinematics, Curved, Protocol):
    """A provider with second derivatives."""


class RootedKinematics:
    """q = (translation t in metres, rotation vector r in radians, q of the inner kinematics)."""

    constant_jacobian = False

    def __init__(self, inner: CurvedKinematics, centre: Array, shift: Array) -> None:
        """`centre` c Float[3] m, about which r turns; `shift` e Float[4H], with phi_v e = 1 at every point."""
        self.inner, self.name = inner, inner.name
        self.dof = ROOT_DOF + inner.dof
        self._centre, self._shift = centre, shift
        self._turns: OrderedDict[bytes, RotationMap] = OrderedDict()

    def _turn(self, q: Array) -> RotationMap:
        """The rotation of the root at q; the last few are cached."""
        key = q[3:6].tobytes()
        if key not in self._turns:
            if len(self._turns) >= KEPT_TURNS:
                self._turns.popitem(last=False)
            self._turns[key] = RotationMap(q[3:6])
        return self._turns[key]

    def _around(self, handles: Array) -> Array:
        """Handles of positions relative to the centre."""
        return handles - np.outer(self._shift, self._centre)

    def rest(self) -> Array:
        return np.concatenate([np.zeros(ROOT_DOF), self.inner.rest()])

    def handles(self, q: Array) -> Array:
        turn = self._turn(q).matrix
        return self._around(self.inner.handles(q[6:])) @ turn.T + np.outer(self._shift, self._centre + q[:3])

    def push(self, q: Array, rate: Array) -> Array:
        turn = self._turn(q)
        moved = self._around(self.inner.handles(q[6:])) @ turn.along(rate[3:6]).T
        moved += self.inner.push(q[6:], rate[6:]) @ turn.matrix.T
        return moved + np.outer(self._shift, rate[:3])

    def pull(self, q: Array, force: Array) -> Array:
        turn, around = self._turn(q), self._around(self.inner.handles(q[6:]))
        correlation = force.T @ around  # d(a R^T) : F = dR : F^T a
        torque = [float(np.vdot(turn.along(axis), correlation)) for axis in np.eye(3)]
        return np.concatenate([self._shift @ force, torque, self.inner.pull(q[6:], force @ turn.matrix)])

    def jacobian(self, q: Array) -> Array:
        turn, around = self._turn(q), self._around(self.inner.handles(q[6:]))
        rows = len(around)
        columns = np.empty((rows, 3, self.dof))
        columns[:, :, :3] = self._shift[:, None, None] * np.eye(3)
        for axis, unit in enumerate(np.eye(3)):
            columns[:, :, 3 + axis] = around @ turn.along(unit).T
        inner = self.inner.jacobian(q[6:]).reshape(rows, 3, self.inner.dof)
        columns[:, :, 6:] = np.einsum("ij,ajk->aik", turn.matrix, inner)
        return columns.reshape(-1, self.dof)

    def acceleration(self, q: Array, rate: Array) -> Array:
        turn = self._turn(q)
        bent = self._around(self.inner.handles(q[6:])) @ turn.second_along(rate[3:6]).T
        bent += 2.0 * self.inner.push(q[6:], rate[6:]) @ turn.along(rate[3:6]).T
        return bent + self.inner.acceleration(q[6:], rate[6:]) @ turn.matrix.T

    def curvature(self, q: Array, force: Array) -> Array:
        turn, correlation = self._turn(q), force.T @ self._around(self.inner.handles(q[6:]))
        matrix, axes = np.zeros((self.dof, self.dof)), np.eye(3)
        for row in range(3):
            for column in range(row, 3):  # 4 D2R[u, w] = D2R[u + w, u + w] - D2R[u - w, u - w]
                both = turn.second_along(axes[row] + axes[column]) - turn.second_along(axes[row] - axes[column])
                matrix[3 + row, 3 + column] = matrix[3 + column, 3 + row] = 0.25 * float(np.vdot(both, correlation))
            pulled = self.inner.pull(q[6:], force @ turn.along(axes[row]))
            matrix[3 + row, 6:] = matrix[6:, 3 + row] = pulled
        matrix[6:, 6:] = self.inner.curvature(q[6:], force @ turn.matrix)
        return matrix

    def canonical(self, q: Array) -> Array:
        return np.concatenate([q[:3], Rotation.from_rotvec(q[3:6]).as_rotvec(), self.inner.canonical(q[6:])])
