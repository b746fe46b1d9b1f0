"""Random joint candidates for training: true joints, perturbed ones, and axes of the parts' boxes.

Scores trained only on candidates that survive simulation would not generalise to the rest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....kinematics.base import Array
from ...infer.joint_network.candidate_arrays import CandidateArrays, joined
from ...infer.joint_network.part_cloud import PartCloud

__all__ = ["drawn_candidates"]

_OF_BOXES = 9  # for each part
_WRONG = 4  # of each true joint
_PLACES = np.array([0.0, 0.5, 1.0])


def drawn_candidates(cloud: PartCloud, true: CandidateArrays, rng: np.random.Generator) -> CandidateArrays:
    """In random order; ranges are not known."""
    half = cloud.frame[1]
    every = [_of_boxes(cloud, rng), _near(true, np.zeros(len(true)), np.zeros(len(true)), rng)]
    for _ in range(_WRONG):
        tilt = np.where(rng.random(len(true)) < 0.5, 0.0, rng.exponential(0.25, len(true)))
        reach = np.linalg.norm(np.ptp(cloud.boxes[true.part], axis=1), axis=1)
        away = np.where(
            rng.random(len(true)) < 0.3, 0.0, rng.exponential(0.15, len(true)) * np.maximum(reach, 0.1 * half)
        )
        every.append(_near(true, tilt, away, rng))
    exact = _near(true, np.zeros(len(true)), np.zeros(len(true)), rng)
    every.append(replace(exact, kind=1 + (exact.kind + rng.integers(0, 2, len(true))) % 3))  # moving otherwise
    every.append(replace(exact.take(rng.permutation(len(true))), part=exact.part))  # as another part does
    result = joined(*every)
    return result.take(rng.permutation(len(result)))


def _near(true: CandidateArrays, tilt: Array, away: Array, rng: np.random.Generator) -> CandidateArrays:
    """True joints with their axes tilted by radians and moved aside by lengths, Float[C]."""
    count = len(true)
    axis = true.axis + np.tan(np.minimum(tilt, 1.4))[:, None] * _across(true.axis, rng)
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    unknown = np.full(count, np.nan)
    pivot = true.pivot + away[:, None] * _across(axis, rng)
    sign = rng.choice([-1.0, 1.0], count)[:, None]
    return CandidateArrays(true.part, true.kind, sign * axis, pivot, unknown, unknown)


def _across(axis: Array, rng: np.random.Generator) -> Array:
    """Unit vectors across axes Float[C,3]: along a coordinate axis where that goes, every other time."""
    way = np.where(
        rng.random((len(axis), 1)) < 0.5, np.eye(3)[rng.integers(0, 3, len(axis))], rng.normal(size=axis.shape)
    )
    way = way - np.einsum("ci,ci->c", way, axis)[:, None] * axis
    length = np.linalg.norm(way, axis=1, keepdims=True)
    return np.where(length > 1e-3, way / np.maximum(length, 1e-3), 0.0)


def _of_boxes(cloud: PartCloud, rng: np.random.Generator) -> CandidateArrays:
    """Axes along coordinates through corners, middles of sides and centres of the parts' boxes."""
    count = len(cloud) * _OF_BOXES
    part = np.repeat(np.arange(len(cloud)), _OF_BOXES)
    low, high = cloud.boxes[part, 0], cloud.boxes[part, 1]
    pivot = low + _PLACES[rng.integers(0, 3, (count, 3))] * (high - low)
    axis = np.eye(3)[rng.integers(0, 3, count)]
    kind = rng.choice([1, 1, 1, 2, 2, 3], count)
    unknown = np.full(count, np.nan)
    return CandidateArrays(part, kind, axis, pivot, unknown, unknown)
