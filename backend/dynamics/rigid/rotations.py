"""Rotations in compiled code: the exponential map of SO(3), its inverse, and its left Jacobian.

A body's orientation is R = exp([r]x), and dR/dt = [w]x R with w = J(r) dr/dt.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from ...kinematics.base import Array

__all__ = ["left_jacobian", "logarithm", "poses_of", "rates_of", "turn_by", "vectors_of"]

SMALL = 1e-8  # rad^2, below which series have all digits


@njit(cache=True, nogil=True)
def turn_by(vector: Array, matrix: Array, out: Array) -> None:
    """out = exp([vector]x) matrix, Float[3,3] each; `out` may be `matrix`."""
    x, y, z = vector[0], vector[1], vector[2]
    square = x * x + y * y + z * z
    if square < SMALL:
        sine, rest = 1.0 - square / 6.0, 0.5 - square / 24.0
    else:
        angle = math.sqrt(square)
        sine, rest = math.sin(angle) / angle, 2.0 * math.sin(0.5 * angle) ** 2 / square
    for column in range(3):
        a, b, c = matrix[0, column], matrix[1, column], matrix[2, column]
        u, v, w = y * c - z * b, z * a - x * c, x * b - y * a
        out[0, column] = a + sine * u + rest * (y * w - z * v)
        out[1, column] = b + sine * v + rest * (z * u - x * w)
        out[2, column] = c + sine * w + rest * (x * v - y * u)


@njit(cache=True, nogil=True)
def logarithm(matrix: Array, out: Array) -> None:
    """The rotation vector of `matrix` Float[3,3], no longer than pi; by the quaternion with its largest part first."""
    m = matrix
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    if trace >= m[0, 0] and trace >= m[1, 1] and trace >= m[2, 2]:
        w, x, y, z = 1.0 + trace, m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    elif m[0, 0] >= m[1, 1] and m[0, 0] >= m[2, 2]:
        w, x, y, z = m[2, 1] - m[1, 2], 1.0 + 2.0 * m[0, 0] - trace, m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]
    elif m[1, 1] >= m[2, 2]:
        w, x, y, z = m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], 1.0 + 2.0 * m[1, 1] - trace, m[1, 2] + m[2, 1]
    else:
        w, x, y, z = m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], 1.0 + 2.0 * m[2, 2] - trace
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    length = math.sqrt(w * w + sine * sine)
    factor = 2.0 / length if sine < 1e-12 * length else 2.0 * math.atan2(sine, w) / sine
    out[0], out[1], out[2] = factor * x, factor * y, factor * z


@njit(cache=True, nogil=True)
def left_jacobian(vector: Array, rate: Array, inverse: bool, out: Array) -> None:
    """w = J(r) dr/dt for r = `vector` and dr/dt = `rate`, or back where `inverse`."""
    x, y, z = vector[0], vector[1], vector[2]
    a, b, c = rate[0], rate[1], rate[2]
    square = x * x + y * y + z * z
    if inverse:
        first = -0.5
        if square < 1e-4:
            second = 1.0 / 12.0 + square / 720.0
        else:
            angle = math.sqrt(square)
            second = (1.0 - 0.5 * angle / math.tan(0.5 * angle)) / square
    elif square < 1e-4:
        first, second = 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0
    else:
        angle = math.sqrt(square)
        first = 2.0 * math.sin(0.5 * angle) ** 2 / square
        second = (1.0 - math.sin(angle) / angle) / square
    u, v, w = y * c - z * b, z * a - x * c, x * b - y * a
    out[0] = a + first * u + second * (y * w - z * v)
    out[1] = b + first * v + second * (z * u - x * w)
    out[2] = c + first * w + second * (x * v - y * u)


@njit(cache=True, nogil=True)
def poses_of(vectors: Array) -> Array:
    """R Float[n,3,3] of rotation vectors Float[n,3]."""
    result = np.zeros((len(vectors), 3, 3))
    for number in range(len(vectors)):
        for axis in range(3):
            result[number, axis, axis] = 1.0
        turn_by(vectors[number], result[number], result[number])
    return result


@njit(cache=True, nogil=True)
def rates_of(vectors: Array, rates: Array, inverse: bool) -> Array:
    """Angular velocities Float[n,3] (rad/s) of rotation vectors Float[n,3] and their rates, or back."""
    result = np.empty_like(rates)
    for number in range(len(vectors)):
        left_jacobian(vectors[number], rates[number], inverse, result[number])
    return result


@njit(cache=True, nogil=True)
def vectors_of(poses: Array) -> Array:
    """Rotation vectors Float[n,3] of R Float[n,3,3]."""
    result = np.empty((len(poses), 3))
    for number in range(len(poses)):
        logarithm(poses[number], result[number])
    return result
