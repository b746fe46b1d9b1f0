"""Damping the user knows as "settles in N seconds": Rayleigh damping of the deformation, never of the flight.

A mode decays like exp(-r t) with r = alpha / 2 + beta omega^2 / 2. The lowest mode gets r = 3 / N (5 % left after N
seconds), half from each term, so that higher modes die faster and nothing settles slower. The mass term acts on the
velocity without its rigid part, so a damped object still falls freely and keeps its spin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kinematics.base import Array
from ..kinematics.elastic import ElasticKinematics

__all__ = ["Damping", "rigid_velocities", "settling_damping"]

DECAY_LEFT = 3.0  # -ln(0.05): what "settled" means


def settling_damping(seconds: float, lowest_frequency: float) -> tuple[float, float]:
    """(alpha in 1/s, beta in s) for the settle time and the lowest angular frequency (rad/s)."""
    rate = DECAY_LEFT / seconds
    return rate, rate / lowest_frequency**2


def rigid_velocities(kinematics: ElasticKinematics, moment: Array, q: Array) -> Array:
    """Orthonormal columns Float[k,6]: the six rigid motions of the current shape in mass-orthonormal coordinates.

    `moment` is B, Float[4H,4H].
    """
    a = kinematics.handles(q)
    ones = np.zeros(len(a))
    ones[3] = 1.0  # the field "everything moves by one metre" is the translation row of the constant handle
    centre = (ones @ moment @ a) / (ones @ moment @ ones)
    around = a - np.outer(ones, centre)
    fields = [np.outer(ones, axis) for axis in np.eye(3)] + [np.cross(axis, around) for axis in np.eye(3)]
    columns = np.stack([kinematics.pull(q, moment @ field) for field in fields], axis=1)
    return np.linalg.qr(columns)[0]


@dataclass(frozen=True)
class Damping:
    """Force -(alpha P + beta K) qdot for one step; P removes rigid motion, K is the rest stiffness turned with the object."""

    alpha: float
    beta: float
    rigid: Array | None  # Float[k,6]
    stiffness: Array  # Float[k,k], rest
    turn: Array  # Float[3,3], current rotation of the object

    def apply(self, rate: Array) -> Array:
        """D rate, Float[k]."""
        local = (rate.reshape(-1, 3) @ self.turn).ravel()
        turned = ((self.stiffness @ local).reshape(-1, 3) @ self.turn.T).ravel()
        loose = rate if self.rigid is None else rate - self.rigid @ (self.rigid.T @ rate)
        return self.alpha * loose + self.beta * turned
