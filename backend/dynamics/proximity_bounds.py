"""Broad phase of collision detection: boxes, distances between them, distances travelled."""

from __future__ import annotations

import numpy as np

from ..kinematics.base import Array

__all__ = ["FALL", "Box", "are_near", "box_around", "travel", "within"]

FALL = 9.81  # m/s^2, by which speeds may grow in a step without being asked

Box = tuple[Array, Array]  # lowest and highest corner, m


def box_around(*points: Array) -> Box:
    """The box around points Float[P,3]."""
    return np.min([p.min(axis=0) for p in points], axis=0), np.max([p.max(axis=0) for p in points], axis=0)


def are_near(first: Box, second: Box, reach: float) -> bool:
    """Whether two boxes are no farther apart than `reach` along every axis."""
    return bool((first[0] - second[1] <= reach).all() and (second[0] - first[1] <= reach).all())


def within(points: Array, box: Box, reach: float) -> np.ndarray:
    """Indices of points Float[P,3] in a box widened by `reach`."""
    return np.flatnonzero(((points >= box[0] - reach) & (points <= box[1] + reach)).all(axis=1))


def travel(begin: Array, end: Array) -> float:
    """How far the point that goes farthest gets from where points Float[P,3] begin to where they end, m."""
    return float(np.sqrt(((end - begin) ** 2).sum(axis=1).max()))
