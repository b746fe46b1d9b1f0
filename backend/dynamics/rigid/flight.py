"""Free flight of rigid bodies in compiled code: the variational step of `..variational` for one handle.

The turn of a step keeps the angular momentum L: with S = sum m X X^T, the axial vector of R1 S R0^T is step * L (Moser
and Veselov), and a torque counts half before and half after.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from ...kinematics.base import Array
from .detection import Bodies, Moment
from .island import axial, inertia, torque_of
from .rotations import turn_by
from .small import cross, invert, multiply, transform

__all__ = ["fly"]

MOST_ITERATIONS = 60
EXACT = 1e-13  # rad


@njit(cache=True, nogil=True)
def _compose(first: Array, second: Array, work: Array) -> None:
    """second = the rotation vector of the turn `second` and then the small one `first`, to second order."""
    cross(second, first, work[0])
    cross(second, work[0], work[1])
    for axis in range(3):
        second[axis] += first[axis] - 0.5 * work[0, axis] + work[1, axis] / 12.0


@njit(cache=True, nogil=True)
def _turned(pose: Array, spread: Array, spin: Array, moment: Array, step: float, out: Array, rate: Array) -> bool:
    """The orientation `step` seconds later in `out`, the angular velocity then in `rate`. Whether it was found."""
    work, vectors = np.empty((5, 3, 3)), np.empty((5, 3))
    tensor, half, swept, slope, moved = work[0], work[1], work[2], work[3], work[4]
    momentum, torque, turn, missed, change = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]
    inertia(pose, spread, tensor)
    transform(tensor, spin, momentum)
    loaded = False
    for i in range(3):
        turn[i], torque[i] = step * spin[i], 0.0
        for j in range(3):
            loaded = loaded or moment[i, j] != 0.0
    for _ in range(MOST_ITERATIONS):
        turn_by(turn, pose, out)
        if loaded:
            for axis in range(3):
                change[axis] = 0.5 * turn[axis]
            turn_by(change, pose, half)
            torque_of(half, moment, torque)
        multiply(out, spread, False, swept)
        axial(pose, swept, missed)
        multiply(swept, pose, True, slope)
        trace = slope[0, 0] + slope[1, 1] + slope[2, 2]
        for i in range(3):
            missed[i] = step * momentum[i] + 0.5 * step * step * torque[i] - missed[i]
            for j in range(3):
                slope[i, j] = (trace if i == j else 0.0) - slope[i, j]
        invert(slope, moved)
        transform(moved, missed, change)
        square = change[0] ** 2 + change[1] ** 2 + change[2] ** 2
        if not math.isfinite(square):
            return False
        _compose(change, turn, tensor)
        if square < EXACT**2:
            turn_by(turn, pose, out)
            for i in range(3):
                for j in range(3):
                    moved[i, j] = out[i, j] - pose[i, j]
            multiply(moved, spread, False, swept)
            axial(out, swept, missed)
            for axis in range(3):
                missed[axis] = missed[axis] / step + 0.5 * step * torque[axis]
            inertia(out, spread, tensor)
            invert(tensor, moved)
            transform(moved, missed, rate)
            return True
    return False


@njit(cache=True, nogil=True)
def fly(
    bodies: Bodies, now: Moment, active: np.ndarray, force: Array, moment: Array, step: float, then: Moment
) -> np.ndarray:
    """Fills in where active bodies (Bool[n]) are `step` seconds later without contact. Which could not be solved.

    force Float[n,3] N; moment Float[n,3,3] N m, whose rows pull at the columns of R.
    """
    failed = np.zeros(len(active), dtype=np.bool_)
    for body in range(len(active)):
        if not active[body]:
            continue
        for axis in range(3):
            gain = step * force[body, axis] / bodies.mass[body]
            then.centre[body, axis] = now.centre[body, axis] + step * (now.velocity[body, axis] + 0.5 * gain)
            then.velocity[body, axis] = now.velocity[body, axis] + gain
        failed[body] = not _turned(
            now.pose[body], bodies.spread[body], now.spin[body], moment[body], step, then.pose[body], then.spin[body]
        )
    return failed
