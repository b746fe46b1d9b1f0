"""One step of an island of rigid bodies in contact, in compiled code: see `..island_step`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from ...kinematics.base import Array
from .contacts import BRISTLE, MARGIN, REST_SPEED, RESTITUTION, STIFFNESS, Contacts
from .detection import Bodies, Moment
from .guess import free_flight, guess
from .impact import separate, separation
from .island import Island, axial, barrier, between, gap_of, inertia, stretch_of, torque_of
from .newton import gaps_of, minimise
from .small import invert, multiply, transform

__all__ = ["Earlier", "Ends", "Loads", "Outcome", "step_island"]

HARD_IMPACT = 0.3  # of the RMS speed: a change in one step from which the second-order scheme does not look back
CALM_SPEED = 0.25  # object sizes per second: slower contact is solved at first order
IMPACT = 10.0  # rest speeds: slower approaches do not bounce
SOFT = 0.5  # of the margin, where the barrier carries about the weight
TOLERANCE = 2e-7  # of the size, RMS


class Loads(NamedTuple):
    """On each body: force Float[n,3] N; moment Float[n,3,3] N m, whose rows pull at the columns of R."""

    force: Array
    moment: Array


class Earlier(NamedTuple):
    """One equal step before: where all bodies were, and which of them may look back on it, Bool[n]."""

    moment: Moment
    usable: np.ndarray


class Ends(NamedTuple):
    """Where the points of contacts would be at the start and the end of the step if their surfaces moved as colliders
    do and bodies not at all, Float[c,3] m each, of the first and of the second surface.
    """

    first_start: Array
    first_end: Array
    second_start: Array
    second_end: Array


class Outcome(NamedTuple):
    """By contact: the bristle that stays Float[c,3] m, the gap at the end Float[c] m, the push then Float[c] N, and
    which were struck, Bool[c].
    """

    bristle: Array
    gap: Array
    push: Array
    struck: np.ndarray


@njit(cache=True, nogil=True)
def _rate_of_pose(pose: Array, spin: Array, out: Array) -> None:
    """out = [w]x R."""
    for k in range(3):
        for axis in range(3):
            y, z = (axis + 1) % 3, (axis + 2) % 3
            out[axis, k] = spin[y] * pose[z, k] - spin[z] * pose[y, k]


@njit(cache=True, nogil=True)
def _turning_speed(mass: float, tensor: Array, spin: Array) -> float:
    """RMS over the mass of turning with a tensor of inertia, m/s."""
    momentum = np.empty(3)
    transform(tensor, spin, momentum)
    return math.sqrt(max(spin[0] * momentum[0] + spin[1] * momentum[1] + spin[2] * momentum[2], 0.0) / mass)


@njit(cache=True, nogil=True)
def _speed(bodies: Bodies, moment: Moment, body: int) -> float:
    """RMS over the mass, m/s."""
    tensor, velocity = np.empty((3, 3)), moment.velocity[body]
    inertia(moment.pose[body], bodies.spread[body], tensor)
    turning = _turning_speed(bodies.mass[body], tensor, moment.spin[body])
    return math.sqrt(velocity[0] ** 2 + velocity[1] ** 2 + velocity[2] ** 2 + turning**2)


@njit(cache=True, nogil=True)
def _set_bodies(
    island: Island, bodies: Bodies, now: Moment, earlier: Earlier, loads: Loads, members: np.ndarray, step: float
) -> bool:
    """Fills in the bodies of an island; whether any of them looks back."""
    rate, rate_before, tensor = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    back = False
    for slot in range(len(members)):
        body = members[slot]
        island.mass[slot], usable = bodies.mass[body], earlier.usable[body]
        back = back or usable
        island.tau[slot] = tau = 2.0 * step / 3.0 if usable else step
        _rate_of_pose(now.pose[body], now.spin[body], rate)
        if usable:
            _rate_of_pose(earlier.moment.pose[body], earlier.moment.spin[body], rate_before)
        inertia(now.pose[body], bodies.spread[body], tensor)
        brake = 0.0
        if bodies.rolling[body] > 0.0:
            turning = _turning_speed(bodies.mass[body], tensor, now.spin[body])
            brake = bodies.rolling[body] / max(turning, bodies.rest_turning[body]) / step
        for i in range(3):
            place, speed = now.centre[body, i], now.velocity[body, i]
            if usable:
                place = (4.0 * place - earlier.moment.centre[body, i]) / 3.0
                speed = (4.0 * speed - earlier.moment.velocity[body, i]) / 3.0
            island.target[slot, i], island.force[slot, i] = place + tau * speed, loads.force[body, i]
            for j in range(3):
                place, speed = now.pose[body, i, j], rate[i, j]
                if usable:
                    place = (4.0 * place - earlier.moment.pose[body, i, j]) / 3.0
                    speed = (4.0 * speed - rate_before[i, j]) / 3.0
                island.target_pose[slot, i, j] = place + tau * speed
                island.start_pose[slot, i, j], island.spread[slot, i, j] = (
                    now.pose[body, i, j],
                    bodies.spread[body, i, j],
                )
                island.moment[slot, i, j], island.brake[slot, i, j] = loads.moment[body, i, j], brake * tensor[i, j]
    return back


@njit(cache=True, nogil=True)
def _set_contacts(
    island: Island,
    now: Moment,
    members: np.ndarray,
    rows: np.ndarray,
    contacts: Contacts,
    ends: Ends,
    slots: np.ndarray,
    step: float,
    turned: np.ndarray,
    drift: Array,
) -> None:
    """Fills in the contacts of an island; slots Int[n+k]: the place of each body among the members, -1: it is still.

    And which contacts are turned round so that the first surface is of a body that moves, Bool[c], and how fast the
    other one is moved by a collider, Float[c,3] m/s.
    """
    arm, arm_other, relative = np.empty(3), np.empty(3), np.empty(3)
    places, poses = _placed(now, members)
    for place in range(len(rows)):
        row = rows[place]
        first, second = contacts.first[row], contacts.second[row]
        turned[place] = slots[first] < 0
        sign, one, other = (-1.0, second, first) if turned[place] else (1.0, first, second)
        island.one[place], island.other[place] = slots[one], slots[other] if other >= 0 else -1
        island.lift[place] = contacts.lift[row]
        for column in range(6):
            island.law[place, column] = contacts.law[row, column]
        alone = island.other[place] < 0
        for axis in range(3):
            island.normal[place, axis] = sign * contacts.normal[row, axis]
            own, start, end = contacts.place[row, axis], ends.second_start[row, axis], ends.second_end[row, axis]
            if turned[place]:
                own, start = contacts.place_second[row, axis], ends.first_start[row, axis]
                end = ends.first_end[row, axis]
            island.place[place, axis], drift[place, axis] = own, (end - start) / step
            island.place_other[place, axis] = start if alone else contacts.place_second[row, axis]
        between(island, places, poses, place, arm, arm_other, relative)
        for axis in range(3):
            island.begun[place, axis] = relative[axis] - sign * contacts.bristle[row, axis]
            if alone:
                island.place_other[place, axis] += step * drift[place, axis]


@njit(cache=True, nogil=True)
def _placed(moment: Moment, members: np.ndarray) -> tuple[Array, Array]:
    """Copies of the centres Float[m,3] and poses Float[m,3,3] of the members of an island."""
    places, poses = np.empty((len(members), 3)), np.empty((len(members), 3, 3))
    for slot in range(len(members)):
        for i in range(3):
            places[slot, i] = moment.centre[members[slot], i]
            for j in range(3):
                poses[slot, i, j] = moment.pose[members[slot], i, j]
    return places, poses


@njit(cache=True, nogil=True)
def _empty_island(bodies: int, count: int) -> Island:
    vector, matrix, points = (bodies, 3), (bodies, 3, 3), (count, 3)
    return Island(
        np.empty(bodies), np.empty(bodies), np.empty(matrix), np.empty(vector), np.empty(matrix), np.empty(vector),
        np.empty(matrix), np.empty(matrix), np.empty(matrix), np.empty(count, dtype=np.int64),
        np.empty(count, dtype=np.int64), np.empty(points), np.empty(points), np.empty(points), np.empty(count),
        np.empty((count, 6)), np.empty(points),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _finish(
    island: Island, bodies: Bodies, now: Moment, earlier: Earlier, members: np.ndarray, places: Array, poses: Array,
    step: float, velocity: Array, spin: Array,
) -> None:  # fmt: skip
    """Velocities and spins Float[m,3] at the end, by the differences of the time integration."""
    tensor, momentum, rate, weighted = np.empty((3, 3)), np.empty(3), np.empty((3, 3)), np.empty((3, 3))
    past = earlier.moment
    for slot in range(len(members)):
        body = members[slot]
        # Backward Euler: (x1 - x0) / h; BDF2: (3 x1 - 4 x0 + x-1) / 2h.
        a, b, c = (1.5, -2.0, 0.5) if earlier.usable[body] else (1.0, -1.0, 0.0)
        for i in range(3):
            velocity[slot, i] = (a * places[slot, i] + b * now.centre[body, i] + c * past.centre[body, i]) / step
            for j in range(3):
                rate[i, j] = (a * poses[slot, i, j] + b * now.pose[body, i, j] + c * past.pose[body, i, j]) / step
        multiply(rate, island.spread[slot], False, weighted)
        axial(poses[slot], weighted, momentum)
        inertia(poses[slot], island.spread[slot], tensor)
        invert(tensor, rate)
        transform(rate, momentum, spin[slot])


@njit(cache=True, nogil=True)
def _bounce(
    island: Island, now: Moment, members: np.ndarray, places: Array, poses: Array, gaps: Array, drift: Array,
    step: float, velocity: Array, spin: Array, struck: np.ndarray,
) -> bool:  # fmt: skip
    """What was struck separates again; velocities and spins at the end are changed. Whether anything was."""
    count, bodies = len(gaps), len(members)
    start_places, start_poses = _placed(now, members)
    first, first_spin = np.empty((bodies, 3)), np.empty((bodies, 3))
    later, later_spin = np.empty((bodies, 3)), np.empty((bodies, 3))
    tensor, inverse, torque, gain = np.empty((3, 3)), np.empty((3, 3)), np.empty(3), np.empty(3)
    for slot in range(bodies):
        inertia(start_poses[slot], island.spread[slot], tensor)
        invert(tensor, inverse)
        torque_of(start_poses[slot], island.moment[slot], torque)
        transform(inverse, torque, gain)
        for axis in range(3):
            first[slot, axis], first_spin[slot, axis] = now.velocity[members[slot], axis], now.spin[members[slot], axis]
            later[slot, axis] = first[slot, axis] + step * island.force[slot, axis] / island.mass[slot]
            later_spin[slot, axis] = first_spin[slot, axis] + step * gain[axis]
    rows, least = np.empty(count, dtype=np.int64), np.empty(count)
    arm, arm_other, relative = np.empty(3), np.empty(3), np.empty(3)
    touching, anything = 0, False
    for row in range(count):
        law = island.law[row]
        if gaps[row] >= law[MARGIN]:
            continue
        between(island, start_places, start_poses, row, arm, arm_other, relative)
        start_gap = gap_of(island, row, relative)
        if island.other[row] < 0:  # at the start it was elsewhere
            for axis in range(3):
                start_gap += step * drift[row, axis] * island.normal[row, axis]
        begin = separation(island, row, arm, arm_other, first, first_spin, drift[row])
        last = separation(island, row, arm, arm_other, later, later_spin, drift[row])
        # What falls is faster when it strikes than when the step began.
        closing = max(-0.5 * step * (begin + last), 1e-300)
        share = min(max((start_gap - law[MARGIN]) / closing, 0.0), 1.0)
        approach = begin + (last - begin) * share
        # Slower contacts do not bounce: without a threshold a resting object would hop for ever.
        struck[row] = approach < -IMPACT * law[REST_SPEED]
        fresh = struck[row] and start_gap >= law[MARGIN]
        anything = anything or struck[row]
        rows[touching], least[touching] = row, -law[RESTITUTION] * approach if fresh else 0.0
        touching += 1
    if anything:
        separate(island, poses, rows[:touching], least[:touching], drift, velocity, spin)
    return anything


@njit(cache=True, nogil=True)
def _is_hard(bodies: Bodies, now: Moment, members: np.ndarray, poses: Array, velocity: Array, spin: Array) -> bool:
    """Whether something was struck so hard that its motion is not smooth over the step."""
    rate, rate_before = np.empty((3, 3)), np.empty((3, 3))
    for slot in range(len(members)):
        body, square = members[slot], 0.0
        _rate_of_pose(poses[slot], spin[slot], rate)
        _rate_of_pose(now.pose[body], now.spin[body], rate_before)
        for i in range(3):
            square += (velocity[slot, i] - now.velocity[body, i]) ** 2
            for j in range(3):
                for k in range(3):
                    one, other = rate[i, j] - rate_before[i, j], rate[i, k] - rate_before[i, k]
                    square += one * bodies.spread[body, j, k] * other / bodies.mass[body]
        if math.sqrt(max(square, 0.0)) > HARD_IMPACT * _speed(bodies, now, body):
            return True
    return False


@njit(cache=True, nogil=True)
def _keep(
    island: Island, places: Array, poses: Array, gaps: Array, limit: Array, rows: np.ndarray, turned: np.ndarray,
    struck: np.ndarray, outcome: Outcome,
) -> None:  # fmt: skip
    """What contacts leave for the next step: no bristle is stretched beyond its length."""
    arm, arm_other, relative, stretch = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for place in range(len(rows)):
        row, law = rows[place], island.law[place]
        outcome.gap[row], outcome.struck[row] = gaps[place], struck[place]
        outcome.push[row] = barrier(gaps[place], law[MARGIN], law[STIFFNESS])[0]
        for axis in range(3):
            outcome.bristle[row, axis] = 0.0
        if limit[place] > 0.0:
            between(island, places, poses, place, arm, arm_other, relative)
            length = stretch_of(island, place, relative, stretch)
            share = min(1.0, law[BRISTLE] / max(length, 1e-300))
            for axis in range(3):
                outcome.bristle[row, axis] = (-share if turned[place] else share) * stretch[axis]


@njit(cache=True, nogil=True)
def _settle(then: Moment, members: np.ndarray, places: Array, poses: Array, velocity: Array, spin: Array) -> None:
    for slot in range(len(members)):
        body = members[slot]
        for i in range(3):
            then.centre[body, i], then.velocity[body, i] = places[slot, i], velocity[slot, i]
            then.spin[body, i] = spin[slot, i]
            for j in range(3):
                then.pose[body, i, j] = poses[slot, i, j]


@njit(cache=True, nogil=True)
def step_island(
    bodies: Bodies, now: Moment, earlier: Earlier, loads: Loads, members: np.ndarray, rows: np.ndarray,
    contacts: Contacts, ends: Ends, step: float, rough: bool, then: Moment, outcome: Outcome,
) -> tuple[bool, bool, int]:  # fmt: skip
    """Fills in where the members are after the step, and what their contacts `rows` leave.

    Whether it was solved, whether something was struck hard; Newton's iterations. A `rough` step takes the last
    iterate, and nothing bounces in it.
    """
    slots = np.full(len(now.pose), -1)
    for slot in range(len(members)):
        slots[members[slot]] = slot
    island = _empty_island(len(members), len(rows))
    usable, tolerance = np.zeros(len(now.pose), dtype=np.bool_), np.empty(len(members))
    for slot in range(len(members)):
        body = members[slot]
        brisk = _speed(bodies, now, body) > CALM_SPEED * bodies.size[body]
        usable[body] = earlier.usable[body] and brisk and not rough
        tolerance[slot] = TOLERANCE * bodies.size[body] * math.sqrt(bodies.mass[body])
    velocity, spin, total = np.empty((len(members), 3)), np.empty((len(members), 3)), 0
    turned, drift = np.empty(len(rows), dtype=np.bool_), np.empty((len(rows), 3))
    _set_contacts(island, now, members, rows, contacts, ends, slots, step, turned, drift)
    while True:
        back = _set_bodies(island, bodies, now, Earlier(earlier.moment, usable), loads, members, step)
        places, poses = _placed(now, members)
        push, limit, struck = np.empty(len(rows)), np.empty(len(rows)), np.zeros(len(rows), dtype=np.bool_)
        for place in range(len(rows)):
            push[place] = contacts.push[rows[place]]
        free_flight(island, places, poses)
        guess(island, places, poses, push, limit)
        solved, iterations = minimise(island, places, poses, limit, tolerance)
        total += iterations
        if not solved and not rough:
            return False, False, total
        _finish(island, bodies, now, Earlier(earlier.moment, usable), members, places, poses, step, velocity, spin)
        gaps, bounced = gaps_of(island, places, poses), False
        if rough:
            for place in range(len(rows)):  # what was pressed in roughly may stay there
                struck[place] = gaps[place] < island.law[place, MARGIN]
        else:
            bounced = _bounce(island, now, members, places, poses, gaps, drift, step, velocity, spin, struck)
        hard = bounced and _is_hard(bodies, now, members, poses, velocity, spin)
        if not (hard and back):
            break
        for body in members:  # the second-order scheme looks back over the impact: it would throw things off
            usable[body] = False
    _settle(then, members, places, poses, velocity, spin)
    _keep(island, places, poses, gaps, limit, rows, turned, struck, outcome)
    return True, hard, total
