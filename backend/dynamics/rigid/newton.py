"""Newton's method for the incremental potential of an island of rigid bodies, in compiled code."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from ...kinematics.base import Array
from .block_cholesky import Pattern, factor, pattern_of, solve
from .contacts import FRICTION, MARGIN, STIFFNESS
from .island import Island, assemble, barrier, between, gap_of, slope_of
from .rotations import turn_by

__all__ = ["gaps_of", "minimise"]

MOST_ITERATIONS = 150
MOST_SOLVES = 3  # with friction by the pushes of the solve before
WORTH_SOLVING_AGAIN = 0.15
STEEPEST_REACHED = 0.5  # of the slope before: where a step climbs more steeply at its end, it was too long
TRUSTED = 5.0  # tolerances: where contacts come and go, one good step does not promise that the next would be as good


@njit(cache=True, nogil=True)
def gaps_of(island: Island, places: Array, poses: Array) -> Array:
    """Float[c] m."""
    gaps, relative, arm, arm_other = np.empty(len(island.one)), np.empty(3), np.empty(3), np.empty(3)
    for row in range(len(gaps)):
        between(island, places, poses, row, arm, arm_other, relative)
        gaps[row] = gap_of(island, row, relative)
    return gaps


@njit(cache=True, nogil=True)
def _length(island: Island, poses: Array, move: Array, tolerance: Array) -> float:
    """Of the longest of the bodies' steps in the metric of kinetic energy, over its tolerance, Float[m] sqrt(kg) m."""
    longest = 0.0
    for body in range(len(move)):
        square = 0.0
        for axis in range(3):
            square += island.mass[body] * move[body, axis] ** 2
        for k in range(3):
            for j in range(3):
                dot, w_k, w_j = 0.0, 0.0, 0.0
                for axis in range(3):
                    dot += move[body, 3 + axis] ** 2 if k == j else 0.0
                    w_k += move[body, 3 + axis] * poses[body, axis, k]
                    w_j += move[body, 3 + axis] * poses[body, axis, j]
                square += island.spread[body, k, j] * (dot - w_k * w_j)
        longest = max(longest, square / tolerance[body] ** 2)
    return math.sqrt(longest)


@njit(cache=True, nogil=True)
def _moved(places: Array, poses: Array, move: Array, share: float, new_places: Array, new_poses: Array) -> None:
    turn = np.empty(3)
    for body in range(len(move)):
        for axis in range(3):
            new_places[body, axis] = places[body, axis] + share * move[body, axis]
            turn[axis] = share * move[body, 3 + axis]
        turn_by(turn, poses[body], new_poses[body])


@njit(cache=True, nogil=True)
def _copy(places: Array, poses: Array, new_places: Array, new_poses: Array) -> None:
    for body in range(len(places)):
        for axis in range(3):
            new_places[body, axis] = places[body, axis]
            for k in range(3):
                new_poses[body, axis, k] = poses[body, axis, k]


@njit(cache=True, nogil=True)
def _dot(left: Array, right: Array) -> float:
    total = 0.0
    for body in range(len(left)):
        for axis in range(6):
            total += left[body, axis] * right[body, axis]
    return total


@njit(cache=True, nogil=True)
def _descend(
    island: Island, places: Array, poses: Array, limit: Array, tolerance: Array, pattern: Pattern, blocks: Array
) -> tuple[bool, int]:
    """Newton's method with line search; places and poses are changed. Whether it has converged, and its iterations."""
    new_places, new_poses, previous = np.empty_like(places), np.empty_like(poses), np.inf
    slope = slope_of(island, places, poses, limit)
    for iteration in range(MOST_ITERATIONS):
        assemble(island, places, poses, limit, pattern, blocks)
        if not factor(pattern, blocks):
            return False, iteration + 1
        move = solve(pattern, blocks, slope)
        length = _length(island, poses, move, tolerance)
        if not math.isfinite(length):
            return False, iteration + 1
        # A linearly converging iteration still has length * r / (1 - r) to go; r from the last two steps.
        ratio = min(length / previous, 0.9) if previous < np.inf else 0.5
        if length * ratio / (1.0 - ratio) < 1.0 and length < TRUSTED:
            _moved(places, poses, move, 1.0, places, poses)
            return True, iteration + 1
        previous, downhill, share = length, _dot(slope, move), 1.0
        for tries in range(13):
            if tries == 12:
                return False, iteration + 1
            _moved(places, poses, move, share, new_places, new_poses)
            slope = slope_of(island, new_places, new_poses, limit)
            along = _dot(slope, move)
            if along <= STEEPEST_REACHED * abs(downhill):
                break
            # The secant's zero, where the slope is smooth; a kink of friction may be a thousandth of the way off.
            share *= min(max(downhill / (downhill - along), 0.1), 0.7 if tries < 4 else 0.1)
        _copy(new_places, new_poses, places, poses)
    return False, MOST_ITERATIONS


@njit(cache=True, nogil=True)
def minimise(island: Island, places: Array, poses: Array, limit: Array, tolerance: Array) -> tuple[bool, int]:
    """To the minimum, with friction whose limits Float[c] (N) follow the pushes. All three arrays are changed."""
    pattern = pattern_of(len(island.mass), island.one, island.other)
    blocks = np.empty((pattern.count, 6, 6))
    total = 0
    for solves in range(MOST_SOLVES):
        converged, iterations = _descend(island, places, poses, limit, tolerance, pattern, blocks)
        total += iterations
        if not converged:
            return False, total
        gaps = gaps_of(island, places, poses)
        change = whole = 0.0
        for row in range(len(gaps)):
            law = island.law[row]
            gaps[row] = law[FRICTION] * barrier(gaps[row], law[MARGIN], law[STIFFNESS])[0]
            change += abs(gaps[row] - limit[row])
            whole += gaps[row]
        if change <= WORTH_SOLVING_AGAIN * whole or solves == MOST_SOLVES - 1:
            break
        for row in range(len(gaps)):
            limit[row] = gaps[row]
    return True, total
