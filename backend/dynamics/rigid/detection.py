"""Which contacts rigid bodies could have in a step, found once at its start, in compiled code: see `..detection`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from ...kinematics.base import Array
from .contacts import GROUND, MARGIN, Contacts, Memory, contact_key, first_place
from .edge_proximity import crossing
from .point_proximity import MOST_MINIMA, found_in_tree, minima_near_point
from .small import transform
from .surfaces import Surfaces

__all__ = ["FALL", "FASTER", "Bodies", "Moment", "Outlook", "find_contacts", "point_reaches"]

MOST_FOUND = 4096  # triangles or edges of a surface near one point or edge
WIDEST = 6.0  # margins: contacts are looked for so far at least
FASTER = 1.2  # times the speed: how far things may get in a step
FALL = 9.81  # m/s^2
DRAWN_INSIDE = 20.0  # margins: what is deeper was drawn so, and stays
COMING_OUT = 50.0  # margins a second


class Bodies(NamedTuple):
    """Constants of n bodies and the colliders after them: Float[n+k] each but `spread` Float[n,3,3].

    spread: sum m X X^T about the centre, kg m^2; unbraked: rolling resistance m/s^2, and the speed below which
    turning is held, m/s. Colliders have the mass zero.
    """

    mass: Array
    spread: Array
    size: Array
    friction: Array
    restitution: Array
    rolling: Array
    rest_turning: Array


class Moment(NamedTuple):
    """Where n bodies and the colliders after them are: R Float[n+k,3,3], centres Float[n+k,3] m, and how they move:
    velocities Float[n+k,3] m/s and angular velocities Float[n+k,3] rad/s.
    """

    pose: Array
    centre: Array
    velocity: Array
    spin: Array


class Outlook(NamedTuple):
    """What detection asks for: the step (s), how much farther than expected to look, the deepest overlap (m over the
    size) that is looked for, the ground's height (m; NaN: none), friction and restitution, gravity (m/s^2), the
    margin and bristle over the size, the rest speed over the size (1/s), the share of the force that stops an
    approach in one step.
    """

    step: float
    widen: float
    least: float
    starting: bool
    height: float
    ground_friction: float
    ground_restitution: float
    gravity: float
    margin: float
    bristle: float
    rest_speed: float
    impact_force: float


@njit(cache=True, nogil=True)
def point_reaches(surfaces: Surfaces, moment: Moment, world: Array, fastest: Array, boxes: Array) -> None:
    """Fills in points Float[P,3] in the world, the fastest of each surface Float[n] m/s and its box Float[n,2,3]."""
    arm = np.empty(3)
    for body in range(len(fastest)):
        pose, centre, velocity, spin = moment.pose[body], moment.centre[body], moment.velocity[body], moment.spin[body]
        fastest[body] = 0.0
        for axis in range(3):
            boxes[body, 0, axis], boxes[body, 1, axis] = np.inf, -np.inf
        for number in range(surfaces.point_start[body], surfaces.point_start[body + 1]):
            square = 0.0
            transform(pose, surfaces.points[number], arm)
            for axis in range(3):
                y, z = (axis + 1) % 3, (axis + 2) % 3
                square += (velocity[axis] + spin[y] * arm[z] - spin[z] * arm[y]) ** 2
                place = arm[axis] + centre[axis]
                world[number, axis] = place
                boxes[body, 0, axis] = min(boxes[body, 0, axis], place)
                boxes[body, 1, axis] = max(boxes[body, 1, axis], place)
            fastest[body] = max(fastest[body], square)
        fastest[body] = math.sqrt(fastest[body])


@njit(cache=True, nogil=True)
def _fill_law(law: Array, bodies: Bodies, first: int, second: int, approach: float, look: Outlook) -> None:
    """The law of a pair, or of a body and what does not move: a point alone carries the weight at half the margin."""
    smaller, heavier = first, first
    if second == GROUND:
        friction, restitution = look.ground_friction, look.ground_restitution
    elif bodies.mass[second] == 0.0 or bodies.mass[first] == 0.0:
        collider = second if bodies.mass[second] == 0.0 else first
        smaller = heavier = first + second - collider
        friction, restitution = bodies.friction[collider], bodies.restitution[collider]
    else:
        if bodies.size[first] >= bodies.size[second]:
            smaller = second
        if bodies.mass[first] <= bodies.mass[second]:
            heavier = second
        friction = math.sqrt(bodies.friction[first] * bodies.friction[second])
        restitution = max(bodies.restitution[first], bodies.restitution[second])
    size = bodies.size[smaller]
    stopping = look.impact_force * approach / look.step if look.step > 0.0 else 0.0
    force = bodies.mass[heavier] * max(look.gravity, stopping)
    margin = look.margin * size
    law[0], law[1], law[2], law[3] = margin, force / (1.2 * margin), friction, restitution
    law[4], law[5] = look.bristle * margin, look.rest_speed * size


@njit(cache=True, nogil=True)
def _remember(contacts: Contacts, row: int, gap: float, two_sided: bool, memory: Memory, look: Outlook) -> None:
    """Fills in what is left from the step before; a sheet is met from the side that the point was on then."""
    key, normal = contacts.key[row], contacts.normal[row]
    place = first_place(memory.key, key)
    known = place < len(memory.key) and memory.key[place] == key
    if known and two_sided:
        along = 0.0
        for axis in range(3):
            along += normal[axis] * memory.side[place, axis]
        if along < 0.0:
            gap = -gap
            for axis in range(3):
                normal[axis] = -normal[axis]
    margin = contacts.law[row, MARGIN]
    needed = max(0.0, margin - gap)
    # What is drawn inside something keeps its depth as floor, and so does for a while what an impact has pressed in,
    # and what a turning edge has overtaken: it comes out slowly and is not thrown out.
    if known:
        lift = memory.lift[place]
        if lift < DRAWN_INSIDE * margin:
            lift = max(lift - COMING_OUT * margin * look.step, 0.0)
        contacts.lift[row] = min(lift, needed)
    elif look.starting:
        contacts.lift[row] = needed
    else:
        contacts.lift[row] = 0.5 * margin - gap if gap < 0.0 else 0.0
    contacts.push[row] = memory.push[place] if known else 0.0
    for axis in range(3):
        contacts.bristle[row, axis] = memory.bristle[place, axis] if known else 0.0


@njit(cache=True, nogil=True)
def _to_frame(moment: Moment, body: int, x: Array, out: Array) -> None:
    pose, centre = moment.pose[body], moment.centre[body]
    a, b, c = x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]
    for axis in range(3):
        out[axis] = pose[0, axis] * a + pose[1, axis] * b + pose[2, axis] * c


@njit(cache=True, nogil=True)
def _with_ground(
    bodies: Bodies, surfaces: Surfaces, moment: Moment, world: Array, body: int, look: Outlook,
    memory: Memory, contacts: Contacts, count: int,
) -> int:  # fmt: skip
    margin = look.margin * bodies.size[body]
    begin, end = surfaces.point_start[body], surfaces.point_start[body + 1]
    pose, velocity, spin = moment.pose[body], moment.velocity[body], moment.spin[body]
    fall = look.widen * FALL * look.step**2
    farthest = fall
    for sweep in range(2):
        approach, start = 0.0, count
        for number in range(begin, end):
            x, y = 0.0, 0.0
            for axis in range(3):
                x += pose[0, axis] * surfaces.points[number, axis]
                y += pose[1, axis] * surfaces.points[number, axis]
            speed = velocity[2] + spin[0] * y - spin[1] * x
            drop = look.widen * max(0.0, -look.step * speed) + fall
            if sweep == 0:
                farthest = max(farthest, drop)
                continue
            gap = world[number, 2] - look.height
            if gap - drop >= WIDEST * margin + 0.2 * farthest:
                continue
            approach = max(approach, -speed)
            if count < len(contacts.first):
                contacts.first[count], contacts.second[count] = body, GROUND
                contacts.key[count] = contact_key(body, GROUND, 0, number - begin, 0)
                for axis in range(3):
                    contacts.place[count, axis] = surfaces.points[number, axis]
                    contacts.place_second[count, axis] = contacts.normal[count, axis] = 0.0
                contacts.place_second[count, 2], contacts.normal[count, 2] = look.height, 1.0
            count += 1
        for row in range(start, min(count, len(contacts.first))):
            _fill_law(contacts.law[row], bodies, body, GROUND, approach, look)
            number = begin + ((contacts.key[row] >> 16) & 0xFFFF)
            _remember(contacts, row, world[number, 2] - look.height, False, memory, look)
    return count


@njit(cache=True, nogil=True)
def _points_of(
    surfaces: Surfaces, moment: Moment, world: Array, first: int, second: int, box: Array, reach: float, depth: float,
    law: Array, look: Outlook, memory: Memory, contacts: Contacts, count: int, found: np.ndarray,
) -> int:  # fmt: skip
    """Points of the first surface against the second one."""
    x = np.empty(3)
    triangles, values = np.empty(MOST_MINIMA, dtype=np.int64), np.empty((MOST_MINIMA, 7))
    begin = surfaces.point_start[first]
    for number in range(begin, surfaces.point_start[first + 1]):
        near = True
        for axis in range(3):
            place = world[number, axis]
            near = near and box[0, axis] - reach <= place <= box[1, axis] + reach
        if not near:
            continue
        _to_frame(moment, second, world[number], x)
        for row in range(minima_near_point(surfaces, second, x, reach + depth, found, triangles, values)):
            if count < len(contacts.first):
                contacts.first[count], contacts.second[count] = first, second
                contacts.key[count] = contact_key(first, second, 0, number - begin, 0)
                pose = moment.pose[second]
                for axis in range(3):
                    contacts.place[count, axis] = surfaces.points[number, axis]
                    contacts.place_second[count, axis] = x[axis] - values[row, 6] * values[row, 3 + axis]
                    contacts.normal[count, axis] = (
                        pose[axis, 0] * values[row, 3] + pose[axis, 1] * values[row, 4] + pose[axis, 2] * values[row, 5]
                    )
                for column in range(6):
                    contacts.law[count, column] = law[column]
                two_sided = surfaces.parts[triangles[row]] < 0
                _remember(contacts, count, values[row, 6], two_sided, memory, look)
            count += 1
    return count


@njit(cache=True, nogil=True)
def _edges_of(
    surfaces: Surfaces, moment: Moment, world: Array, first: int, second: int, box: Array, reach: float, depth: float,
    law: Array, look: Outlook, memory: Memory, contacts: Contacts, count: int, found: np.ndarray,
) -> int:  # fmt: skip
    """Edges of the first surface against those of the second one."""
    own, values, low, high = np.zeros((4, 3)), np.empty(6), np.empty(3), np.empty(3)
    edge, sides = np.empty(2, dtype=np.int64), np.empty(2, dtype=np.int64)
    edge[0], edge[1] = 0, 1
    begin, begin_second, far = surfaces.edge_start[first], surfaces.edge_start[second], reach + depth
    for number in range(begin, surfaces.edge_start[first + 1]):
        one, two = surfaces.edges[number, 0], surfaces.edges[number, 1]
        near = True
        for axis in range(3):
            a, b = world[one, axis], world[two, axis]
            near = near and min(a, b) - far <= box[1, axis] and max(a, b) + far >= box[0, axis]
        if not near:
            continue
        _to_frame(moment, second, world[one], own[0])
        _to_frame(moment, second, world[two], own[1])
        for axis in range(3):
            low[axis] = min(own[0, axis], own[1, axis]) - far
            high[axis] = max(own[0, axis], own[1, axis]) + far
        candidates = found_in_tree(
            surfaces.edge_boxes, surfaces.edge_levels[second], surfaces.edge_order, low, high, found
        )
        if candidates == 0:
            continue
        for side in range(2):
            wing = surfaces.wings[number, side]
            sides[side] = -1 if wing < 0 else 2 + side
            if wing >= 0:
                _to_frame(moment, second, world[wing], own[2 + side])
        for candidate in range(candidates):
            other = found[candidate]
            if not crossing(
                own, edge, sides, surfaces.points, surfaces.edges[other], surfaces.wings[other], far, values
            ):
                continue
            if count < len(contacts.first):
                contacts.first[count], contacts.second[count] = first, second
                contacts.key[count] = contact_key(first, second, 1, number - begin, other - begin_second)
                pose = moment.pose[second]
                start, end = surfaces.edges[other, 0], surfaces.edges[other, 1]
                for axis in range(3):
                    a, b = surfaces.points[one, axis], surfaces.points[two, axis]
                    contacts.place[count, axis] = a + values[0] * (b - a)
                    a, b = surfaces.points[start, axis], surfaces.points[end, axis]
                    contacts.place_second[count, axis] = a + values[1] * (b - a)
                    contacts.normal[count, axis] = (
                        pose[axis, 0] * values[2] + pose[axis, 1] * values[3] + pose[axis, 2] * values[4]
                    )
                for column in range(6):
                    contacts.law[count, column] = law[column]
                _remember(contacts, count, values[5], False, memory, look)
            count += 1
    return count


@njit(cache=True, nogil=True)
def _deepest(memory: Memory, first: int, second: int) -> float:
    """The largest lift that a pair is left with, m."""
    deepest = 0.0
    for one, other in ((first, second), (second, first)):
        end = contact_key(one, other, 3, 0, 0)
        place = first_place(memory.key, contact_key(one, other, 0, 0, 0))
        while place < len(memory.key) and memory.key[place] < end:
            deepest = max(deepest, memory.lift[place])
            place += 1
    return deepest


@njit(cache=True, nogil=True)
def find_contacts(
    bodies: Bodies, surfaces: Surfaces, moment: Moment, active: np.ndarray, travel: Array, look: Outlook,
    memory: Memory, contacts: Contacts, reaches: Array,
) -> int:  # fmt: skip
    """How many contacts active bodies (Bool[n]) may have; they stand in `contacts`, as many as it holds.

    travel Float[k] m: how far each collider moves. reaches Float[n+k] is filled in: how far each was looked around (m).
    """
    total, count_bodies = len(bodies.mass), len(active)
    world, fastest, boxes = np.empty_like(surfaces.points), np.empty(total), np.empty((total, 2, 3))
    point_reaches(surfaces, moment, world, fastest, boxes)
    for body in range(total):
        if body < count_bodies:
            ahead = FASTER * look.step * fastest[body] + FALL * look.step**2
            reaches[body] = look.least * bodies.size[body] + look.widen * ahead
        else:
            reaches[body] = FASTER * travel[body - count_bodies]
    found, law, count = np.empty(MOST_FOUND, dtype=np.int64), np.empty(6), 0
    for first in range(count_bodies):
        if active[first] and not math.isnan(look.height):
            count = _with_ground(bodies, surfaces, moment, world, first, look, memory, contacts, count)
        for second in range(first + 1, total):
            if not active[first] and (second >= count_bodies or not active[second]):
                continue
            reach, near = reaches[first] + reaches[second], True
            for axis in range(3):
                near = near and boxes[first, 0, axis] - boxes[second, 1, axis] <= reach
                near = near and boxes[second, 0, axis] - boxes[first, 1, axis] <= reach
            if not near:
                continue
            depth = _deepest(memory, first, second)
            approach = reach / look.step if look.step > 0.0 else 0.0
            _fill_law(law, bodies, first, second, approach, look)
            for one, other in ((first, second), (second, first)):
                count = _points_of(
                    surfaces, moment, world, one, other, boxes[other], reach, depth, law, look, memory, contacts, count,
                    found,
                )  # fmt: skip
            count = _edges_of(
                surfaces, moment, world, first, second, boxes[second], reach, depth, law, look, memory, contacts, count,
                found,
            )  # fmt: skip
    return count
