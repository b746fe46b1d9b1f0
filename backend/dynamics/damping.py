"""Rayleigh damping of the deformation by a settle time; rigid motion is not damped.

A mode decays like exp(-r t) with r = alpha / 2 + beta omega^2 / 2. The lowest mode gets r = 3 / N (5 % left after N
seconds), half from each term, so that higher modes die faster and nothing settles slower. The mass term (alpha) acts
on the velocity without its rigid part, so a damped object still falls freely and keeps its spin. The stiffness term
(beta) is a viscosity of the material, see `StableNeoHookean.gradient`: Rayleigh's beta K qdot at rest, and at any
other shape free of resistance to the turning of parts, which a constant K would hold like honey.
"""

from __future__ import annotations

import numpy as np

from ..kinematics.base import Array
from ..kinematics.elastic import ElasticKinematics

__all__ = ["DECAY_LEFT", "RigidMotions", "settle_seconds", "settling_damping"]

DECAY_LEFT = 3.0  # -ln(0.05): what "settled" means
LONGEST_SWAY = 1.5  # s: what is so slow that it would sway for longer loses its motion to the air


def settle_seconds(damping: float, lowest_frequency: float) -> float:
    """In which what is damped by a share of critical damping at its lowest angular frequency (rad/s) has settled."""
    return min(DECAY_LEFT / (damping * lowest_frequency), LONGEST_SWAY)


def settling_damping(seconds: float, lowest_frequency: float) -> tuple[float, float]:
    """(alpha in 1/s, beta in s) for the settle time and the lowest angular frequency (rad/s)."""
    rate = DECAY_LEFT / seconds
    return rate, rate / lowest_frequency**2


_TURNS = np.array(
    [[[0, 0, 0], [0, 0, 1], [0, -1, 0]], [[0, 0, -1], [0, 0, 0], [1, 0, 0]], [[0, 1, 0], [-1, 0, 0], [0, 0, 0]]]
)


class RigidMotions:
    """The six rigid motions of the current shape of a free object in mass-orthonormal coordinates."""

    def __init__(self, kinematics: ElasticKinematics, moment: Array) -> None:
        """`moment` is B, Float[4H,4H]."""
        self._kinematics = kinematics
        self._weighted = kinematics.reduction.T @ moment  # (n, 4H)
        # "Everything moves by one metre" is the translation row of the constant handle.
        self._shift = self._weighted[:, 3]
        self._centre_row = moment[3] / moment[3, 3]
        self._translations = np.einsum("n,ij->nij", self._shift, np.eye(3)).reshape(-1, 3)

    def translation(self, vector: Array) -> Array:
        """The part of a vector Float[k] that moves the object as a whole without turning it, Float[k]."""
        return self._translations @ (self._translations.T @ vector) / (self._shift @ self._shift)

    def __call__(self, q: Array) -> Array:
        """Orthonormal columns Float[k,6]: three translations, then three turns."""
        a = self._kinematics.handles(q)
        around = self._weighted @ a - np.outer(self._shift, self._centre_row @ a)
        # e x r for the three axes e is r times a constant matrix.
        rotations = (around @ _TURNS).transpose(1, 2, 0).reshape(-1, 3)
        return np.linalg.qr(np.hstack([self._translations, rotations]))[0]
