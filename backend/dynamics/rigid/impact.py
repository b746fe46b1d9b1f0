"""Newton's law of restitution for an island of rigid bodies, in compiled code: see `..island_newton`."""

from __future__ import annotations

import numpy as np
from numba import njit

from ...kinematics.base import Array
from .island import Island, inertia
from .small import cross, invert, transform

__all__ = ["separate", "separation"]

MOST_SWEEPS = 500
EXACT = 1e-6  # of the largest speed that is asked for
SOFTER = 1e-9  # of the mean: what makes the answer unique where contacts are redundant


@njit(cache=True, nogil=True)
def separation(
    island: Island, row: int, arm: Array, arm_other: Array, velocity: Array, spin: Array, drift: Array
) -> float:
    """The speed (m/s) at which a contact separates, of velocities and spins Float[m,3]; drift Float[3] m/s is that of
    the other point where it is of no body.
    """
    one, other, total = island.one[row], island.other[row], 0.0
    for axis in range(3):
        y, z = (axis + 1) % 3, (axis + 2) % 3
        rate = velocity[one, axis] + spin[one, y] * arm[z] - spin[one, z] * arm[y]
        if other < 0:
            rate -= drift[axis]
        else:
            rate -= velocity[other, axis] + spin[other, y] * arm_other[z] - spin[other, z] * arm_other[y]
        total += island.normal[row, axis] * rate
    return total


@njit(cache=True, nogil=True)
def separate(
    island: Island, poses: Array, rows: np.ndarray, least: Array, drift: Array, velocity: Array, spin: Array
) -> None:
    """Changes velocities and spins Float[m,3] with the least kinetic energy, so that contacts `rows` separate with at
    least so many m/s.

    The dual, with impulses that only push, by projected Gauss-Seidel.
    """
    count, bodies = len(rows), len(velocity)
    mobility, turning = np.empty((bodies, 3, 3)), np.empty((3, 3))
    for body in range(bodies):
        inertia(poses[body], island.spread[body], turning)
        invert(turning, mobility[body])
    arms, answers, weight = np.zeros((count, 2, 3)), np.zeros((count, 2, 3)), np.zeros(count)
    lever, softness = np.empty(3), 0.0
    for row in range(count):
        contact = rows[row]
        for side in range(2):
            body = island.one[contact] if side == 0 else island.other[contact]
            if body < 0:
                continue
            transform(poses[body], island.place[contact] if side == 0 else island.place_other[contact], arms[row, side])
            cross(arms[row, side], island.normal[contact], lever)
            transform(mobility[body], lever, answers[row, side])
            weight[row] += 1.0 / island.mass[body]
            for axis in range(3):
                weight[row] += lever[axis] * answers[row, side, axis]
        softness += SOFTER * weight[row]
    impulse, largest = np.zeros(count), 0.0
    for sweep in range(MOST_SWEEPS):
        change = 0.0
        for row in range(count):
            contact = rows[row]
            rate = separation(island, contact, arms[row, 0], arms[row, 1], velocity, spin, drift[contact])
            if sweep == 0:
                largest = max(largest, abs(least[row] - rate))
            missing = least[row] - rate - softness * impulse[row]
            given = max(-impulse[row], missing / (weight[row] + softness))
            if given == 0.0:
                continue
            impulse[row] += given
            change = max(change, abs(given) * weight[row])
            for side in range(2):
                body = island.one[contact] if side == 0 else island.other[contact]
                if body >= 0:
                    signed = given if side == 0 else -given
                    for axis in range(3):
                        velocity[body, axis] += signed * island.normal[contact, axis] / island.mass[body]
                        spin[body, axis] += signed * answers[row, side, axis]
        if change <= EXACT * largest:
            break
