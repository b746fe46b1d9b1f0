"""What contacts of rigid bodies say about a step before and after it is solved, in compiled code."""

from __future__ import annotations

import numpy as np
from numba import njit

from ...kinematics.base import Array
from .contacts import GROUND, Contacts
from .detection import Bodies, Moment, Outlook
from .step import Ends
from .surfaces import Surfaces

__all__ = ["ends_of", "gaps_and_speeds", "islands_of", "overlooked"]

SUNK = 0.3  # of the margin: deeper than this below the ground a point was overlooked


@njit(cache=True, nogil=True)
def _placed(moment: Moment, surface: int, local: Array, out: Array) -> None:
    if surface == GROUND:
        for axis in range(3):
            out[axis] = local[axis]
        return
    pose = moment.pose[surface]
    for axis in range(3):
        out[axis] = moment.centre[surface, axis] + (
            pose[axis, 0] * local[0] + pose[axis, 1] * local[1] + pose[axis, 2] * local[2]
        )


@njit(cache=True, nogil=True)
def ends_of(contacts: Contacts, begin: Moment, end: Moment) -> Ends:
    """Of contacts, with everything where it is at two moments."""
    count = len(contacts.first)
    ends = Ends(np.empty((count, 3)), np.empty((count, 3)), np.empty((count, 3)), np.empty((count, 3)))
    for row in range(count):
        _placed(begin, contacts.first[row], contacts.place[row], ends.first_start[row])
        _placed(end, contacts.first[row], contacts.place[row], ends.first_end[row])
        _placed(begin, contacts.second[row], contacts.place_second[row], ends.second_start[row])
        _placed(end, contacts.second[row], contacts.place_second[row], ends.second_end[row])
    return ends


@njit(cache=True, nogil=True)
def gaps_and_speeds(contacts: Contacts, moment: Moment, gaps: Array, speeds: Array) -> None:
    """Fills in the gap Float[c] (m) of each contact and how fast it opens Float[c] (m/s)."""
    places, rates = np.empty((2, 3)), np.empty((2, 3))
    for row in range(len(gaps)):
        for side in range(2):
            surface = contacts.first[row] if side == 0 else contacts.second[row]
            _placed(moment, surface, contacts.place[row] if side == 0 else contacts.place_second[row], places[side])
            for axis in range(3):
                y, z = (axis + 1) % 3, (axis + 2) % 3
                rates[side, axis] = 0.0
                if surface != GROUND:
                    spin, centre = moment.spin[surface], moment.centre[surface]
                    rates[side, axis] = moment.velocity[surface, axis] + spin[y] * (places[side, z] - centre[z])
                    rates[side, axis] -= spin[z] * (places[side, y] - centre[y])
        gaps[row], speeds[row] = contacts.lift[row], 0.0
        for axis in range(3):
            gaps[row] += contacts.normal[row, axis] * (places[0, axis] - places[1, axis])
            speeds[row] += contacts.normal[row, axis] * (rates[0, axis] - rates[1, axis])


@njit(cache=True, nogil=True)
def islands_of(active: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The lowest body of the island of each active body, Int[n]; -1 of those that are not."""
    root = np.arange(len(active))
    for row in range(len(first)):
        one, other = first[row], second[row]
        if other < 0 or one >= len(active) or other >= len(active) or not (active[one] and active[other]):
            continue
        while root[one] != one:
            one = root[one]
        while root[other] != other:
            other = root[other]
        root[max(one, other)] = min(one, other)
    for body in range(len(active)):
        root[body] = root[root[body]] if active[body] else -1
    return root


@njit(cache=True, nogil=True)
def overlooked(
    bodies: Bodies, surfaces: Surfaces, now: Moment, then: Moment, moved: np.ndarray, reaches: Array, alone: bool,
    look: Outlook, contacts: Contacts,
) -> bool:  # fmt: skip
    """Whether a body that has moved (Bool[n]) got farther than contacts were looked for; `alone` on the ground."""
    start, end = np.empty(3), np.empty(3)
    for body in range(len(moved)):
        if not moved[body]:
            continue
        begin = surfaces.point_start[body]
        for number in range(begin, surfaces.point_start[body + 1]):
            _placed(then, body, surfaces.points[number], end)
            sunk = end[2] - look.height  # NaN without a ground
            if sunk < -SUNK * look.margin * bodies.size[body]:
                for row in range(len(contacts.first)):
                    same = contacts.first[row] == body and contacts.second[row] == GROUND
                    if same and ((contacts.key[row] >> 16) & 0xFFFF) == number - begin:
                        sunk += contacts.lift[row]
                        break
                if sunk < -SUNK * look.margin * bodies.size[body]:
                    return True
            if not alone:
                _placed(now, body, surfaces.points[number], start)
                square = (end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2 + (end[2] - start[2]) ** 2
                if square > reaches[body] ** 2:
                    return True
    return False
