"""What is told of handles, by hand: firm parts that stand still until they are given a joint."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from backend.learned.infer.decode_structure import DecodedStructure, decode_structure
from backend.learned.infer.rotation_averaging import Averaged

__all__ = [
    "LOWER",
    "MIDDLE",
    "SLIDES_BACK",
    "SURE",
    "TURNING",
    "TURNS_ABOUT_X",
    "TURNS_ABOUT_Z",
    "UPPER",
    "averaged_by_hand",
    "bend",
    "carried",
    "cells",
    "hinge",
    "joint",
    "put",
    "put_together",
    "soften",
]

SURE = 5.0
TURNING = 0.5  # rad, about each axis, between any two
TURNS_ABOUT_X, TURNS_ABOUT_Z, SLIDES_BACK = 0, 4, 9  # of joint_kinds.KINDS; the last along -y
LOWER, MIDDLE, UPPER = range(3)


def averaged_by_hand(count: int) -> Averaged:
    """Firm handles, each on a loose part of its own that is not stiff; nothing moves.

    Any two of them would turn about the middle between their cells if they were soft.
    """
    places = np.full((count, 3, 3), -SURE)
    places[..., MIDDLE] = 0.0
    middles = cells(count).mean(axis=1)
    return Averaged(
        moves=np.full(count, -SURE),
        firm=np.full(count, SURE),
        balls=np.full(count, -SURE),
        carries=np.full((count, count), -SURE) + 2.0 * SURE * np.eye(count),
        kinds=np.full((count, 12), -SURE),
        direction=np.zeros((count, 6)),
        places=places,
        place=np.zeros((count, 3)),
        size=np.zeros(count),
        means=np.zeros(count),
        homes=np.arange(count),
        stiff=np.full(count, -SURE),
        stiff_parts=np.full(count, -SURE),
        turning=TURNING**2 * (1.0 - np.eye(count))[..., None, None] * np.eye(3),
        pivots=0.5 * (middles[:, None] + middles),
    )


def cells(count: int) -> np.ndarray:
    """Extents of handles side by side along x, each one wide, half deep and a quarter high."""
    low = np.array([[x, 0.0, 0.0] for x in range(count)])
    return np.stack([low, low + np.array([1.0, 0.5, 0.25])], axis=1)


def put_together(
    told: Averaged, extents: np.ndarray | None = None, touching: Sequence[tuple[int, int]] = ()
) -> DecodedStructure:
    """Of handles that are far apart but for those pairs."""
    gaps = 1.0 - np.eye(len(told.moves))
    for one, other in touching:
        gaps[one, other] = gaps[other, one] = 0.001
    return decode_structure(told, cells(len(gaps)) if extents is None else extents, gaps)


def joint(told: Averaged, handle: int, kind: int, size: float = 0.0) -> None:
    """A handle with a joint of its own."""
    told.moves[handle], told.kinds[handle, kind], told.size[handle] = SURE, SURE, size


def carried(told: Averaged, by: int, *others: int) -> None:
    told.carries[list(others), by] = SURE


def soften(told: Averaged, *handles: int) -> None:
    told.firm[list(handles)] = -SURE


def bend(
    told: Averaged, one: int, other: int, deviations: Sequence[float], pivot: Sequence[float] | None = None
) -> None:
    """How far one of two handles turns on the other about x, y and z (rad), and where."""
    for pair in ((one, other), (other, one)):
        told.turning[pair] = np.diag(np.square(deviations))
        if pivot is not None:
            told.pivots[pair] = pivot


def put(told: Averaged, handle: int, axis: int, place: int) -> None:
    told.places[handle, axis] = -SURE
    told.places[handle, axis, place] = 0.0


def hinge(direction: np.ndarray, through: np.ndarray, size: float = 0.0) -> np.ndarray:
    turn = np.exp(size) * np.asarray(direction, dtype=float)
    return np.concatenate([turn, np.cross(through, turn)])
