"""The exponential map of SO(3) and its derivatives in closed form, without a seam near zero.

R(r) = I + a(s) [r]x + b(s) [r]x^2 with s = |r|^2, a = sin|r| / |r|, b = (1 - cos|r|) / |r|^2: both are entire functions
of s, so that everything below is a derivative of a product.
"""

from __future__ import annotations

from math import factorial

import numpy as np

from .base import Array

__all__ = ["RotationMap"]

SERIES_BELOW = 1.0  # rad^2: below, the series has all digits; above, the closed forms have
TERMS = 12
_A = np.array([(-1.0) ** n / factorial(2 * n + 1) for n in range(TERMS)])
_B = np.array([(-1.0) ** n / factorial(2 * n + 2) for n in range(TERMS)])


def _series(coefficients: Array, s: float) -> tuple[float, float, float]:
    """A power series and its first two derivatives."""
    order = np.arange(TERMS)
    power = s**order
    first = float(coefficients[1:] * order[1:] @ power[:-1])
    second = float(coefficients[2:] * order[2:] * order[1:-1] @ power[:-2])
    return float(coefficients @ power), first, second


def _factors(s: float) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """a and b with their first and second derivatives by s."""
    if s < SERIES_BELOW:
        return _series(_A, s), _series(_B, s)
    angle = np.sqrt(s)
    a, b = np.sin(angle) / angle, (1.0 - np.cos(angle)) / s
    a_first, b_first = (1.0 - b * s - a) / (2.0 * s), (0.5 * a - b) / s
    a_second = -(b + b_first * s + 3.0 * a_first) / (2.0 * s)
    b_second = (0.5 * a_first - 2.0 * b_first) / s
    return (a, a_first, a_second), (b, b_first, b_second)


def _cross_matrix(vector: Array) -> Array:
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


class RotationMap:
    """R at one rotation vector r (rad), Float[3]."""

    def __init__(self, vector: Array) -> None:
        self._vector = vector
        self._generator = _cross_matrix(vector)
        self._square = self._generator @ self._generator
        self._a, self._b = _factors(float(vector @ vector))
        self.matrix = np.eye(3) + self._a[0] * self._generator + self._b[0] * self._square

    def along(self, rate: Array) -> Array:
        """DR[rate], Float[3,3]."""
        turn, generator = _cross_matrix(rate), self._generator
        change = 2.0 * float(self._vector @ rate)  # ds
        mixed = generator @ turn + turn @ generator
        straight = self._a[1] * change * generator + self._a[0] * turn
        return straight + self._b[1] * change * self._square + self._b[0] * mixed

    def second_along(self, rate: Array) -> Array:
        """D2R[rate, rate], Float[3,3]."""
        turn, generator = _cross_matrix(rate), self._generator
        change, bend = 2.0 * float(self._vector @ rate), 2.0 * float(rate @ rate)
        mixed = generator @ turn + turn @ generator
        result = (self._a[2] * change**2 + self._a[1] * bend) * generator + 2.0 * self._a[1] * change * turn
        result += (self._b[2] * change**2 + self._b[1] * bend) * self._square
        return result + 2.0 * self._b[1] * change * mixed + 2.0 * self._b[0] * turn @ turn
