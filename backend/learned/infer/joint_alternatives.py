"""Joint alternatives of a body: kind of its joint and place of its axis, ranked by likelihood, as screws."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ...kinematics.base import Array
from .joint_kinds import DIRECTION_OFFSET, KINDS, PLACE_OFFSET, PLACES
from .rotation_averaging import Averaged

__all__ = ["alike", "alternative_screws", "screw_of", "union_of"]

ALONG = np.cos(np.radians(8.0))  # an axis so near to one of the frame is meant to lie along it
PURE = 0.15  # of a screw: as little sliding beside turning, or turning beside sliding, is not meant
ALIKE = 0.97  # correlation of two motions that are one
DOUBT = 3.0  # nats, below which another way to move is a choice
MOST_ALTERNATIVES = 5  # at most, of one joint


def union_of(boxes: Array) -> Array:
    """The box Float[2,3] around boxes Float[n,2,3]."""
    return np.stack([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])


def alike(one: Array, other: Array, box: Array) -> bool:
    """Whether two screws move the corners of a box the same way, one or the other way round, by whatever amount."""
    pick = np.indices((2, 2, 2)).reshape(3, -1).T
    corners = box[pick, np.arange(3)]
    first, second = (np.cross(screw[:3], corners) + screw[3:] for screw in (one, other))
    size = np.sqrt((first**2).sum() * (second**2).sum())
    return abs((first * second).sum()) > ALIKE * max(size, 1e-12)


@dataclass(frozen=True)
class _Alternative:
    """A kind of joint and where its axis is in the box of what it carries."""

    kind: int
    bins: tuple[int, int, int]  # of PLACES
    nats: float  # how much less likely than the likeliest


def _alternatives(averaged: Averaged, own: NDArray[np.int64]) -> list[_Alternative]:
    """How the body with the handles `own` may move, the likeliest first; which way round an axis looks is no choice."""
    kinds, places = averaged.kinds[own].mean(axis=0), averaged.places[own].mean(axis=0)
    found = []
    for kind in (2 * pair + int(kinds[2 * pair + 1] > kinds[2 * pair]) for pair in range(len(kinds) // 2)):
        along = kind // 2 % 3
        less = places.max(axis=1, keepdims=True) - places
        best = places.argmax(axis=1)
        free = [[best[axis]] if kind >= 6 or axis == along else range(len(PLACES)) for axis in range(3)]
        for bins in product(*free):
            nats = kinds.max() - kinds[kind] + less[np.arange(3), bins].sum()
            found.append(_Alternative(kind, tuple(int(each) for each in bins), float(nats)))
    found.sort(key=lambda alternative: alternative.nats)
    return [alternative for alternative in found if alternative.nats < DOUBT][:MOST_ALTERNATIVES]


def _middle_velocity(screw: Array, box: Array) -> Array:
    """How a screw moves the middle of a box, Float[3]."""
    return np.cross(screw[:3], box.mean(axis=0)) + screw[3:]


def screw_of(averaged: Averaged, own: NDArray[np.int64], box: Array, alternative: _Alternative | None = None) -> Array:
    """The screw Float[6] of the handles `own` of one body, for the box Float[2,3] of what it carries."""
    alternative = alternative or _alternatives(averaged, own)[0]
    direction = KINDS[alternative.kind] + DIRECTION_OFFSET * averaged.direction[own].mean(axis=0)
    halves = direction.reshape(2, 3)
    main = halves[int(alternative.kind >= 6)]
    length = float(np.linalg.norm(main))
    if np.abs(main).max() > ALONG * length:
        main[:] = length * np.eye(3)[np.abs(main).argmax()] * np.sign(main[np.abs(main).argmax()])
    other = halves[int(alternative.kind < 6)]
    if np.linalg.norm(other) < PURE * length:
        other[:] = 0.0
    turn, slide = halves * np.exp(averaged.size[own].mean())
    middle, half = box.mean(axis=0), 0.5 * (box[1] - box[0])
    place = PLACES[list(alternative.bins)] + PLACE_OFFSET * averaged.place[own].mean(axis=0)
    return np.concatenate([turn, np.cross(middle + half * place, turn) + half.max() * slide])


def alternative_screws(averaged: Averaged, own: NDArray[np.int64], box: Array) -> list[tuple[Array, float]]:
    """The less likely screws of the handles `own` of one body, and how many nats less likely each is."""
    first, *others = _alternatives(averaged, own)
    likeliest, found = screw_of(averaged, own, box, first), []
    for alternative in others:
        screw = screw_of(averaged, own, box, alternative)
        if _middle_velocity(likeliest, box) @ _middle_velocity(screw, box) < 0.0:
            screw = screw_of(
                averaged, own, box, replace(alternative, kind=alternative.kind ^ 1)
            )  # it opens to the same side
        found.append((screw, alternative.nats))
    return found
