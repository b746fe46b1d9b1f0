"""The incremental potential of an island of rigid bodies in one step, in compiled code: its gradient and its matrix.

    sum_b  m |p - p~|^2 / (2 tau^2) + tr (R - R~) S (R - R~)^T / (2 tau^2) - load . (p, R) + brake  +  contacts

with the position p of the centre, the orientation R, S = sum m X X^T about the centre, and the targets p~ and R~ of the
time integration (backward Euler or BDF2). A move of a body is Float[6]: by how much p shifts (m) and by which rotation
vector R turns (rad). Contacts are those of `..contact_pairs`: barrier and lagged friction of linear gaps.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from ...kinematics.base import Array
from .block_cholesky import Pattern
from .contacts import BRISTLE, MARGIN, STIFFNESS
from .rotations import logarithm
from .small import multiply

__all__ = [
    "Island",
    "assemble",
    "axial",
    "barrier",
    "between",
    "gap_of",
    "inertia",
    "slope_of",
    "stretch_of",
    "torque_of",
]

DEEP = 0.02  # of the margin: below, the barrier goes on as its second-order expansion


class Island(NamedTuple):
    """m bodies and c contacts between them; one and other Int[c] are bodies, `other` -1 where it does not move.

    place and place_other Float[c,3] m: the points in the bodies' own frames, or where the other one is at the end.
    begun Float[c,3] m: from the second to the first point at the start, without the bristle that was left then.
    """

    tau: Array  # Float[m] s
    mass: Array
    spread: Array
    target: Array  # p~ Float[m,3]
    target_pose: Array  # R~ Float[m,3,3]
    force: Array  # Float[m,3] N
    moment: Array  # Float[m,3,3] N m: its rows pull at the columns of R
    start_pose: Array
    brake: Array  # Float[m,3,3] N m/rad
    one: np.ndarray
    other: np.ndarray
    place: Array
    place_other: Array
    normal: Array
    lift: Array
    law: Array
    begun: Array


@njit(cache=True, nogil=True)
def barrier(gap: float, margin: float, stiffness: float) -> tuple[float, float]:
    """The push (N) of a gap (m) and how fast it falls (N/m): of b(d) = -k (d - D)^2 ln(d/D), see `..barrier`."""
    share = gap / margin
    if share >= 1.0:
        return 0.0, 0.0
    held = max(share, DEEP)
    ratio, logarithm_of = (held - 1.0) / held, math.log(held)
    curvature = -(2.0 * logarithm_of + 4.0 * ratio - ratio * ratio)
    push = 2.0 * (held - 1.0) * logarithm_of + (held - 1.0) * ratio - curvature * min(share - DEEP, 0.0)
    return stiffness * margin * push, stiffness * curvature


@njit(cache=True, nogil=True)
def axial(left: Array, right: Array, out: Array) -> None:
    """out = sum_k left_k x right_k over the columns of two Float[3,3]."""
    for axis in range(3):
        y, z = (axis + 1) % 3, (axis + 2) % 3
        total = 0.0
        for k in range(3):
            total += left[y, k] * right[z, k] - left[z, k] * right[y, k]
        out[axis] = total


@njit(cache=True, nogil=True)
def torque_of(pose: Array, moment: Array, out: Array) -> None:
    """out = sum_k R_k x L_k with the columns of the pose and the rows of a moment, N m."""
    for axis in range(3):
        y, z = (axis + 1) % 3, (axis + 2) % 3
        total = 0.0
        for k in range(3):
            total += pose[y, k] * moment[k, z] - pose[z, k] * moment[k, y]
        out[axis] = total


@njit(cache=True, nogil=True)
def inertia(pose: Array, spread: Array, out: Array) -> None:
    """out = tr(C) 1 - C with C = R S R^T: the tensor of inertia in the world, kg m^2."""
    for i in range(3):
        a = pose[i, 0] * spread[0, 0] + pose[i, 1] * spread[1, 0] + pose[i, 2] * spread[2, 0]
        b = pose[i, 0] * spread[0, 1] + pose[i, 1] * spread[1, 1] + pose[i, 2] * spread[2, 1]
        c = pose[i, 0] * spread[0, 2] + pose[i, 1] * spread[1, 2] + pose[i, 2] * spread[2, 2]
        for j in range(3):
            out[i, j] = -(a * pose[j, 0] + b * pose[j, 1] + c * pose[j, 2])
    trace = -(out[0, 0] + out[1, 1] + out[2, 2])
    for i in range(3):
        out[i, i] += trace


@njit(cache=True, nogil=True)
def between(island: Island, places: Array, poses: Array, row: int, arm: Array, arm_other: Array, out: Array) -> None:
    """out = from the second to the first point of a contact (m); arms are from the centres to them."""
    one, other = island.one[row], island.other[row]
    local, pose = island.place[row], poses[one]
    for axis in range(3):
        arm[axis] = pose[axis, 0] * local[0] + pose[axis, 1] * local[1] + pose[axis, 2] * local[2]
        out[axis] = places[one, axis] + arm[axis]
    local = island.place_other[row]
    if other < 0:
        for axis in range(3):
            arm_other[axis] = 0.0
            out[axis] -= local[axis]
        return
    pose = poses[other]
    for axis in range(3):
        arm_other[axis] = pose[axis, 0] * local[0] + pose[axis, 1] * local[1] + pose[axis, 2] * local[2]
        out[axis] -= places[other, axis] + arm_other[axis]


@njit(cache=True, nogil=True)
def gap_of(island: Island, row: int, relative: Array) -> float:
    """m."""
    normal = island.normal[row]
    return normal[0] * relative[0] + normal[1] * relative[1] + normal[2] * relative[2] + island.lift[row]


@njit(cache=True, nogil=True)
def stretch_of(island: Island, row: int, relative: Array, out: Array) -> float:
    """out = the stretch of the bristle of a contact, along the plane (m); its length."""
    normal, along, square = island.normal[row], 0.0, 0.0
    for axis in range(3):
        out[axis] = relative[axis] - island.begun[row, axis]
        along += out[axis] * normal[axis]
    for axis in range(3):
        out[axis] -= along * normal[axis]
        square += out[axis] * out[axis]
    return math.sqrt(square)


@njit(cache=True, nogil=True)
def _body_slope(island: Island, places: Array, poses: Array, body: int, out: Array) -> None:
    """The gradient Float[6] of all but contact."""
    inverse = 1.0 / island.tau[body] ** 2
    away, turn = np.empty((3, 3)), np.empty(3)
    for axis in range(3):
        out[axis] = island.mass[body] * (places[body, axis] - island.target[body, axis]) * inverse
        out[axis] -= island.force[body, axis]
        for k in range(3):
            total = -island.moment[body, k, axis]
            for j in range(3):
                total += (
                    (poses[body, axis, j] - island.target_pose[body, axis, j]) * island.spread[body, j, k] * inverse
                )
            away[axis, k] = total
    axial(poses[body], away, turn)
    for axis in range(3):
        out[3 + axis] = turn[axis]
    brake = island.brake[body]
    if brake[0, 0] != 0.0 or brake[1, 1] != 0.0 or brake[2, 2] != 0.0:
        multiply(poses[body], island.start_pose[body], True, away)
        logarithm(away, turn)
        for i in range(3):
            for j in range(3):
                out[3 + i] += brake[i, j] * turn[j]


@njit(cache=True, nogil=True)
def slope_of(island: Island, places: Array, poses: Array, limit: Array) -> Array:
    """The gradient Float[m,6] with friction of limits Float[c] (N)."""
    slope = np.empty((len(island.mass), 6))
    for body in range(len(slope)):
        _body_slope(island, places, poses, body, slope[body])
    arm, arm_other, relative, stretch, force = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for row in range(len(limit)):
        between(island, places, poses, row, arm, arm_other, relative)
        gap, law = gap_of(island, row, relative), island.law[row]
        if gap >= law[MARGIN] and limit[row] == 0.0:
            continue
        push = barrier(gap, law[MARGIN], law[STIFFNESS])[0]
        for axis in range(3):
            force[axis] = -push * island.normal[row, axis]
        if limit[row] > 0.0:
            y = stretch_of(island, row, relative, stretch) / law[BRISTLE]
            across = (2.0 - y if y < 1.0 else 1.0 / y) * limit[row] / law[BRISTLE]
            for axis in range(3):
                force[axis] += across * stretch[axis]
        _add_force(slope[island.one[row]], arm, force, 1.0)
        if island.other[row] >= 0:
            _add_force(slope[island.other[row]], arm_other, force, -1.0)
    return slope


@njit(cache=True, nogil=True)
def _add_force(slope: Array, arm: Array, force: Array, sign: float) -> None:
    for axis in range(3):
        y, z = (axis + 1) % 3, (axis + 2) % 3
        slope[axis] += sign * force[axis]
        slope[3 + axis] += sign * (arm[y] * force[z] - arm[z] * force[y])


@njit(cache=True, nogil=True)
def assemble(island: Island, places: Array, poses: Array, limit: Array, pattern: Pattern, blocks: Array) -> None:
    """Fills in Newton's matrix: blocks Float[b,6,6] at the pattern's places. Turns count to first order, so that it is
    positive definite.
    """
    for number in range(len(blocks)):
        for i in range(6):
            for j in range(6):
                blocks[number, i, j] = 0.0
    turning = np.empty((3, 3))
    for body in range(len(island.mass)):
        inverse = 1.0 / island.tau[body] ** 2
        block = blocks[pattern.position[body]]
        inertia(poses[body], island.spread[body], turning)
        for i in range(3):
            block[i, i] = island.mass[body] * inverse
            for j in range(3):
                block[3 + i, 3 + j] = turning[i, j] * inverse + island.brake[body, i, j]
    arm, arm_other, relative, stretch = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    stiffness = np.empty((3, 3))
    for row in range(len(limit)):
        between(island, places, poses, row, arm, arm_other, relative)
        gap, law, normal = gap_of(island, row, relative), island.law[row], island.normal[row]
        if gap >= law[MARGIN] and limit[row] == 0.0:
            continue
        curvature = barrier(gap, law[MARGIN], law[STIFFNESS])[1]
        across = along = 0.0
        if limit[row] > 0.0:
            length = stretch_of(island, row, relative, stretch)
            y, hold = length / law[BRISTLE], limit[row] / law[BRISTLE]
            across = (2.0 - y if y < 1.0 else 1.0 / y) * hold
            along = (2.0 - 2.0 * y if y < 1.0 else 0.0) * hold
            scale = 1.0 / max(length, 1e-300)
            for axis in range(3):
                stretch[axis] *= scale
        else:
            stretch[0] = stretch[1] = stretch[2] = 0.0
        for i in range(3):
            for j in range(3):
                value = (curvature - across) * normal[i] * normal[j] + (along - across) * stretch[i] * stretch[j]
                stiffness[i, j] = value + (across if i == j else 0.0)
        one, other = pattern.position[island.one[row]], island.other[row]
        _add_block(blocks[one], arm, arm, stiffness, 1.0)
        if other >= 0:
            other = pattern.position[other]
            _add_block(blocks[other], arm_other, arm_other, stiffness, 1.0)
            if one > other:
                _add_block(blocks[pattern.where[one, other]], arm, arm_other, stiffness, -1.0)
            else:
                _add_block(blocks[pattern.where[other, one]], arm_other, arm, stiffness, -1.0)


@njit(cache=True, nogil=True)
def _add_block(block: Array, arm: Array, arm_other: Array, stiffness: Array, sign: float) -> None:
    """block += sign * J^T K J' with J = (1, -[arm]x)."""
    right = np.empty((3, 6))
    for i in range(3):
        for j in range(3):
            y, z = (j + 1) % 3, (j + 2) % 3
            right[i, j] = sign * stiffness[i, j]
            # K (w x arm): column j is K times e_j x arm.
            right[i, 3 + j] = sign * (stiffness[i, z] * arm_other[y] - stiffness[i, y] * arm_other[z])
    for j in range(6):
        for i in range(3):
            y, z = (i + 1) % 3, (i + 2) % 3
            block[i, j] += right[i, j]
            block[3 + i, j] += arm[y] * right[z, j] - arm[z] * right[y, j]
