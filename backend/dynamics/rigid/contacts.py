"""Contacts of rigid bodies as arrays, and what is remembered of each from step to step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ...kinematics.base import Array

__all__ = [
    "BRISTLE",
    "FRICTION",
    "GROUND",
    "MARGIN",
    "RESTITUTION",
    "REST_SPEED",
    "STIFFNESS",
    "Contacts",
    "Memory",
    "contact_key",
    "first_place",
    "no_memory",
    "room_for",
]

GROUND = -1  # the number of the ground among surfaces
MARGIN, STIFFNESS, FRICTION, RESTITUTION, BRISTLE, REST_SPEED = range(6)  # columns of `law`, see `ContactLaw`
BODY_BITS, KIND_BITS, NUMBER_BITS = 14, 2, 16


class Contacts(NamedTuple):
    """c contacts at the start of a step, one a row.

    first and second Int[c]: numbers of surfaces; the first is never the ground. place and place_second Float[c,3] m:
    the two points in the frames of their surfaces (on the ground: in the world). normal Float[c,3] from the second to
    the first; lift Float[c] m is added to the gap; law Float[c,6]; bristle Float[c,3] m and push Float[c] N are what
    the last step left.
    """

    first: np.ndarray
    second: np.ndarray
    key: np.ndarray
    place: Array
    place_second: Array
    normal: Array
    lift: Array
    law: Array
    bristle: Array
    push: Array


class Memory(NamedTuple):
    """What is kept of contacts, sorted by their keys: as in `Contacts`, and the normal on the side of each point."""

    key: np.ndarray
    first: np.ndarray
    second: np.ndarray
    lift: Array
    bristle: Array
    push: Array
    side: Array


def room_for(count: int) -> Contacts:
    """Arrays that hold `count` contacts."""
    number, vector = np.empty(count, dtype=np.int64), (count, 3)
    return Contacts(
        number,
        number.copy(),
        number.copy(),
        np.empty(vector),
        np.empty(vector),
        np.empty(vector),
        np.empty(count),
        np.empty((count, 6)),
        np.empty(vector),
        np.empty(count),
    )


def no_memory() -> Memory:
    """Of no contact."""
    number, vector = np.empty(0, dtype=np.int64), np.empty((0, 3))
    return Memory(number, number, number, np.empty(0), vector, np.empty(0), vector)


@njit(cache=True, nogil=True)
def contact_key(first: int, second: int, kind: int, number: int, other: int) -> int:
    """Tells a contact again in the next step: surfaces, 0 for a point and 1 for edges, and which."""
    second = second if second >= 0 else (1 << BODY_BITS) - 1
    pair = (first << BODY_BITS) | second
    return (((((pair << KIND_BITS) | kind) << NUMBER_BITS) | number) << NUMBER_BITS) | other


@njit(cache=True, nogil=True)
def first_place(keys: np.ndarray, key: int) -> int:
    """Where `key` is, or would be, among sorted keys."""
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low
