"""Potentials and dissipation of the coordinates q: rest springs, joint limits, joint friction, damping.

Each is value / gradient / hessian of q, Float[k], in joules. What a step loses is a potential too, of where the step
ends when it began at q0 (an incremental potential): a `Dissipation` gives it by `at(q0, step)`, and the gradient of
that potential at the end of the step is the resisting force.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..kinematics.base import Array

__all__ = [
    "CoordinateEnergy",
    "Dissipation",
    "JointFriction",
    "JointLimits",
    "LimitDamping",
    "RayleighDamping",
    "RestSpring",
]


class CoordinateEnergy(Protocol):
    """A potential V(q)."""

    def value(self, q: Array) -> float: ...

    def gradient(self, q: Array) -> Array: ...

    def hessian(self, q: Array) -> Array: ...


class Dissipation(Protocol):
    """Dissipation: an incremental potential of each step."""

    def at(self, before: Array, step: float) -> CoordinateEnergy:
        """The potential of a step of `step` seconds that begins at q = `before`."""
        ...


class _Quadratic:
    """V(q) = 1/2 (q - centre)^T matrix (q - centre), matrix Float[k,k] symmetric."""

    def __init__(self, matrix: Array, centre: Array) -> None:
        self._matrix, self._centre = matrix, centre

    def value(self, q: Array) -> float:
        away = q - self._centre
        return 0.5 * float(away @ self._matrix @ away)

    def gradient(self, q: Array) -> Array:
        return self._matrix @ (q - self._centre)

    def hessian(self, q: Array) -> Array:
        return self._matrix


class RestSpring(_Quadratic):
    """V(q) = omega^2/2 (q - q0)^T G0 (q - q0): every coordinate swings about rest with one frequency.

    That is what it means to give a stiffness in Hz, and it is the prior of a learned latent, scaled by its inertia.
    """

    def __init__(self, frequency_hz: float, metric: Array, rest: Array) -> None:
        """metric G0 Float[k,k], the mass matrix at rest; rest q0 Float[k]."""
        super().__init__((2.0 * np.pi * frequency_hz) ** 2 * metric, rest)


class JointLimits:
    """V(q) = sum_i k_i w(e_i), e_i how far q_i is beyond its limits; nothing between them.

    w(e) = e^3 / (6 s) up to the softness s, then e^2/2 - s e/2 + s^2/6: twice continuously differentiable, and a spring
    of stiffness k from there on. A joint of inertia I that arrives with speed v goes v sqrt(I / k) too far, and
    up to s/2 more.
    """

    def __init__(self, lower: Array, upper: Array, stiffness: Array, softness: float | Array = 1e-3) -> None:
        """Limits Float[k] in rad or m (infinite: free), stiffness Float[k] in N m/rad or N/m, softness in rad or m."""
        self._lower, self._upper, self._stiffness, self._softness = lower, upper, stiffness, softness

    def beyond(self, q: Array) -> Array:
        """How far each coordinate is beyond its limits, Float[k]: negative below the lower one, zero between them."""
        return np.maximum(q - self._upper, 0.0) - np.maximum(self._lower - q, 0.0)

    def value(self, q: Array) -> float:
        e, s = np.abs(self.beyond(q)), self._softness
        return float(self._stiffness @ np.where(e < s, e**3 / (6.0 * s), 0.5 * e * (e - s) + s * s / 6.0))

    def gradient(self, q: Array) -> Array:
        beyond, s = self.beyond(q), self._softness
        e = np.abs(beyond)
        return self._stiffness * np.sign(beyond) * np.where(e < s, e * e / (2.0 * s), e - 0.5 * s)

    def hessian(self, q: Array) -> Array:
        return np.diag(self._stiffness * np.minimum(np.abs(self.beyond(q)) / self._softness, 1.0))


class LimitDamping:
    """Damping at joint limits: a damper on each coordinate that begins a step beyond its limits.

    With 2 sqrt(k I) of a limit of stiffness k and the inertia I a joint comes back from it without a bounce.
    """

    def __init__(self, limits: JointLimits, damping: Array) -> None:
        """damping Float[k] in N m s/rad or N s/m."""
        self._limits, self._damping = limits, damping

    def at(self, before: Array, step: float) -> CoordinateEnergy:
        return _Quadratic(np.diag(np.where(self._limits.beyond(before) != 0.0, self._damping, 0.0) / step), before)


class _SlipResistance:
    """V(q) = sum_i f_i s w(|q_i - before_i| / s) with w(y) = y^2 - y^3/3 + 1/3 for y < 1, else y; s the smoothing."""

    def __init__(self, limit: Array, before: Array, smoothing: float | Array) -> None:
        self._limit, self._before, self._smoothing = limit, before, smoothing

    def value(self, q: Array) -> float:
        y = np.abs(q - self._before) / self._smoothing
        smooth = np.where(y < 1.0, y * y * (1.0 - y / 3.0) + 1.0 / 3.0, y)
        return float((self._smoothing * self._limit) @ smooth)

    def gradient(self, q: Array) -> Array:
        slip = (q - self._before) / self._smoothing
        y = np.minimum(np.abs(slip), 1.0)
        return self._limit * np.sign(slip) * y * (2.0 - y)

    def hessian(self, q: Array) -> Array:
        y = np.minimum(np.abs(q - self._before) / self._smoothing, 1.0)
        return np.diag(self._limit * 2.0 * (1.0 - y) / self._smoothing)


@dataclass(frozen=True)
class JointFriction:
    """Coulomb friction of each joint, the same force at any speed.

    Smoothed below `rest_rate`, so that a held joint has one place to be; it creeps slower than that under its load.
    """

    limit: Array  # Float[k], N m (or N where q_i is a length)
    rest_rate: float | Array = 1e-3  # rad/s (or m/s), or Float[k]

    def at(self, before: Array, step: float) -> CoordinateEnergy:
        return _SlipResistance(self.limit, before, self.rest_rate * step)


class RayleighDamping:
    """V(q) = (q - q0)^T (alpha G0 + beta K0) (q - q0) / (2 step); a mode decays like exp(-(alpha + beta omega^2) t/2).

    The alpha term resists every motion of q: where q has a free root, its rows of the metric are to be left out.
    """

    def __init__(self, alpha: float, beta: float, metric: Array, stiffness: Array) -> None:
        """alpha 1/s, beta s; metric G0 and stiffness K0 = d2V/dq2 at rest, Float[k,k] each."""
        self._matrix = alpha * metric + beta * stiffness

    def at(self, before: Array, step: float) -> CoordinateEnergy:
        return _Quadratic(self._matrix / step, before)
