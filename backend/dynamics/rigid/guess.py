"""Where Newton's method begins for an island of rigid bodies: a nonlinear Gauss-Seidel over the forces of its contacts.

In displacements from where the bodies would go without contact everything but the law of each contact is linear. Sweep
by sweep each contact takes the push and the friction that fit its own gap and slip exactly, beginning with those of the
last step: contacts come and go there, where it is cheap, and not in Newton's method.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from ...kinematics.base import Array
from .contacts import BRISTLE, FRICTION, MARGIN, STIFFNESS
from .island import DEEP, Island, barrier, between, gap_of, inertia, stretch_of
from .rotations import turn_by
from .small import cross, invert, transform

__all__ = ["free_flight", "guess"]

MOST_SWEEPS = 40
SETTLED = 0.02  # of the margin: by how much gaps still change when it ends
SCALAR_ITERATIONS = 12


@njit(cache=True, nogil=True)
def _dot(left: Array, right: Array) -> float:
    return left[0] * right[0] + left[1] * right[1] + left[2] * right[2]


@njit(cache=True, nogil=True)
def _fitting_push(free_gap: float, compliance: float, margin: float, stiffness: float, last_gap: float) -> float:
    """The push f (N) of a contact with the gap free_gap + compliance f."""
    if free_gap >= margin:
        return 0.0
    push, slope = barrier(DEEP * margin, margin, stiffness)
    missing = DEEP * margin - free_gap - compliance * push
    if missing >= 0.0:  # below DEEP the law is linear
        return push + slope * missing / (1.0 + compliance * slope)
    gap = min(max(last_gap, DEEP * margin), (1.0 - 1e-9) * margin)
    for _ in range(SCALAR_ITERATIONS):
        push, slope = barrier(gap, margin, stiffness)
        change = (gap - free_gap - compliance * push) / (1.0 + compliance * slope)
        gap = min(max(gap - change, DEEP * margin), (1.0 - 1e-9) * margin)
        if abs(change) < 1e-4 * margin:
            break
    return barrier(gap, margin, stiffness)[0]


@njit(cache=True, nogil=True)
def _fitting_friction(free: float, compliance: float, limit: float, bristle: float) -> float:
    """The friction (N) of a bristle whose stretch would be `free` (m) without it."""
    strength = compliance * limit
    if free >= bristle + strength:
        return limit
    if strength < 1e-12 * bristle:
        y = free / bristle
    else:  # bristle y + strength (2 y - y^2) = free
        half = 0.5 * bristle + strength
        y = (half - math.sqrt(max(half * half - strength * free, 0.0))) / strength
    return limit * y * (2.0 - y)


@njit(cache=True, nogil=True)
def free_flight(island: Island, places: Array, poses: Array) -> None:
    """Takes bodies to where the island's potential without contact is least; places and poses are changed."""
    away, turning, right, change = np.empty((3, 3)), np.empty((3, 3)), np.empty(3), np.empty(3)
    for body in range(len(places)):
        square = island.tau[body] ** 2
        for axis in range(3):
            places[body, axis] = island.target[body, axis] + square * island.force[body, axis] / island.mass[body]
        for _ in range(3):
            for i in range(3):
                for k in range(3):
                    total = -island.moment[body, k, i] * square
                    for j in range(3):
                        total += (poses[body, i, j] - island.target_pose[body, i, j]) * island.spread[body, j, k]
                    away[i, k] = total
            inertia(poses[body], island.spread[body], turning)
            for axis in range(3):
                y, z, total = (axis + 1) % 3, (axis + 2) % 3, 0.0
                for k in range(3):
                    total += poses[body, y, k] * away[z, k] - poses[body, z, k] * away[y, k]
                right[axis] = -total
            invert(turning, away)
            transform(away, right, change)
            turn_by(change, poses[body], poses[body])


@njit(cache=True, nogil=True)
def _directions(normal: Array, out: Array) -> None:
    """out Float[3,3]: the normal and two directions across it."""
    least = 0
    for axis in range(1, 3):
        if abs(normal[axis]) < abs(normal[least]):
            least = axis
    y, z = (least + 1) % 3, (least + 2) % 3
    length = math.sqrt(normal[y] ** 2 + normal[z] ** 2)
    for axis in range(3):
        out[0, axis] = normal[axis]
    out[1, least], out[1, y], out[1, z] = 0.0, normal[z] / length, -normal[y] / length
    cross(out[0], out[1], out[2])


@njit(cache=True, nogil=True)
def _linearised(island: Island, places: Array, poses: Array) -> tuple[Array, tuple[Array, Array, Array, Array, Array]]:
    """By body: m/N of its centre, Float[m]. By contact: three directions Float[c,3,3], gap and stretch along them
    Float[c,3] m, levers Float[c,2,3,3] of both bodies, how their forces turn them, how far they move the points (m/N).
    """
    count, bodies = len(island.one), len(places)
    mobility, turning, give = np.empty((bodies, 3, 3)), np.empty((3, 3)), np.empty(bodies)
    for body in range(bodies):
        inertia(poses[body], island.spread[body], turning)
        for i in range(3):
            for j in range(3):
                turning[i, j] = turning[i, j] / island.tau[body] ** 2 + island.brake[body, i, j]
        invert(turning, mobility[body])
        give[body] = island.tau[body] ** 2 / island.mass[body]
    frame, start, weight = np.empty((count, 3, 3)), np.empty((count, 3)), np.zeros((count, 3))
    lever, answer = np.empty((count, 2, 3, 3)), np.empty((count, 2, 3, 3))
    arm, relative, stretch = np.empty((2, 3)), np.empty(3), np.empty(3)
    for row in range(count):
        between(island, places, poses, row, arm[0], arm[1], relative)
        _directions(island.normal[row], frame[row])
        stretch_of(island, row, relative, stretch)
        for k in range(3):
            start[row, k] = _dot(stretch, frame[row, k]) if k else gap_of(island, row, relative)
            for side in range(2):
                body = island.one[row] if side == 0 else island.other[row]
                if body >= 0:
                    cross(arm[side], frame[row, k], lever[row, side, k])
                    transform(mobility[body], lever[row, side, k], answer[row, side, k])
                    weight[row, k] += give[body] + _dot(lever[row, side, k], answer[row, side, k])
    return give, (frame, start, lever, answer, weight)


@njit(cache=True, nogil=True)
def guess(island: Island, places: Array, poses: Array, push: Array, rub: Array) -> int:
    """Moves bodies from free flight to where contacts let them be: places and poses are changed.

    push Float[c] (N) and rub Float[c] (N) are those of the last step and then of this one. How many sweeps it took.
    """
    count, moves = len(push), np.zeros((len(places), 6))
    give, linear = _linearised(island, places, poses)
    frame, start, lever, answer, weight = linear
    friction = np.zeros((count, 2))
    for row in range(count):
        if push[row] > 0.0:
            _push_apart(island, row, 0, push[row], frame, answer, give, moves)
    sweeps = 0
    for sweep in range(MOST_SWEEPS):
        sweeps, change = sweep + 1, 0.0
        for row in range(count):
            law = island.law[row]
            gap = start[row, 0] + _moved(island, row, 0, frame, lever, moves)
            if push[row] == 0.0 and gap >= law[MARGIN]:
                continue
            last = push[row]
            free = gap - weight[row, 0] * last
            push[row] = _fitting_push(free, weight[row, 0], law[MARGIN], law[STIFFNESS], gap)
            if push[row] != last:
                _push_apart(island, row, 0, push[row] - last, frame, answer, give, moves)
                change = max(change, weight[row, 0] * abs(push[row] - last) / law[MARGIN])
            limit = law[FRICTION] * push[row]
            if limit == 0.0 and friction[row, 0] == 0.0 and friction[row, 1] == 0.0:
                continue
            compliance = max(weight[row, 1], weight[row, 2])
            first = start[row, 1] + _moved(island, row, 1, frame, lever, moves) - compliance * friction[row, 0]
            second = start[row, 2] + _moved(island, row, 2, frame, lever, moves) - compliance * friction[row, 1]
            length = math.sqrt(first * first + second * second)
            force = _fitting_friction(length, compliance, limit, law[BRISTLE]) / max(length, 1e-300)
            for k in range(2):
                wanted = -force * (first if k == 0 else second)
                difference = wanted - friction[row, k]
                friction[row, k] = wanted
                _push_apart(island, row, 1 + k, difference, frame, answer, give, moves)
                change = max(change, 0.2 * compliance * abs(difference) / law[MARGIN])
        if change < SETTLED:
            break
    for body in range(len(moves)):
        for axis in range(3):
            places[body, axis] += moves[body, axis]
        turn_by(moves[body, 3:], poses[body], poses[body])
    for row in range(count):
        rub[row] = island.law[row, FRICTION] * push[row]
    return sweeps


@njit(cache=True, nogil=True)
def _moved(island: Island, row: int, k: int, frame: Array, lever: Array, moves: Array) -> float:
    """How far the points of a contact have moved apart along its direction k, m."""
    one, other, total = island.one[row], island.other[row], 0.0
    for axis in range(3):
        total += frame[row, k, axis] * moves[one, axis] + lever[row, 0, k, axis] * moves[one, 3 + axis]
    if other >= 0:
        for axis in range(3):
            total -= frame[row, k, axis] * moves[other, axis] + lever[row, 1, k, axis] * moves[other, 3 + axis]
    return total


@njit(cache=True, nogil=True)
def _push_apart(
    island: Island, row: int, k: int, force: float, frame: Array, answer: Array, give: Array, moves: Array
) -> None:
    """Moves the bodies of a contact by a force (N) along its direction k; give Float[m] m/N."""
    one, other = island.one[row], island.other[row]
    for axis in range(3):
        moves[one, axis] += give[one] * force * frame[row, k, axis]
        moves[one, 3 + axis] += force * answer[row, 0, k, axis]
    if other >= 0:
        for axis in range(3):
            moves[other, axis] -= give[other] * force * frame[row, k, axis]
            moves[other, 3 + axis] -= force * answer[row, 1, k, axis]
