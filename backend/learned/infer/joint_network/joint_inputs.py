"""Inputs of the joint network: arrays of a shape and of its joint candidates, for one view or for eight.

The frame of the network: the box of the whole is centred at 0, its longest side is 2, Z is up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....kinematics.base import Array
from .candidate_arrays import MEASURES, CandidateArrays, measured
from .joint_config import JointNetworkConfig
from .part_cloud import NEAREST, SAMPLES, PartCloud

__all__ = ["JOINT_INPUTS", "VIEWS", "candidate_inputs", "joint_inputs", "normalised", "shape_inputs", "slots_of"]

JOINT_INPUTS = (
    "own",
    "near",
    "gap_near",
    "whole",
    "whole_part",
    "boxes",
    "gaps",
    "shares",
    "kind",
    "axis",
    "pivot",
    "measures",
)
"""The names of what is read, in the order in which the network takes it; each with a batch of views before."""

_QUARTERS = np.array(
    [[[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]] for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1))], float
)
VIEWS = np.concatenate([_QUARTERS, _QUARTERS @ np.diag([-1.0, 1.0, 1.0])])
"""Float[8,3,3]: quarter turns about up, plain and mirrored. Predictions of these views are averaged."""


def normalised(shape: PartCloud, turn: Array) -> tuple[PartCloud, Array, float]:
    """The shape turned and put into the network's frame: x -> (turn x + offset) * factor."""
    turned = shape.mapped(turn)
    middle, half = turned.frame
    return turned.mapped(np.eye(3), -middle, 1.0 / half), -middle, 1.0 / half


def shape_inputs(
    shape: PartCloud, config: JointNetworkConfig, rng: np.random.Generator | None = None
) -> dict[str, NDArray]:
    """One view of a shape in the network's frame; `rng` chooses among its points, without it as many of each sort."""
    count = len(shape)
    own = np.arange(config.own) * SAMPLES // config.own if rng is None else rng.permutation(SAMPLES)[: config.own]
    step = NEAREST // config.near
    near = np.arange(config.near) * step + (0 if rng is None else rng.integers(0, step, config.near))
    both = np.concatenate([shape.points, shape.normals], axis=2)
    flat = both.reshape(-1, 6)
    whole, part = _whole(shape, config.whole, rng)
    around = shape.around[:, near]
    apart = np.linalg.norm(flat[around][:, :, None, :3] - shape.points[:, None, :: SAMPLES // 32], axis=-1).min(axis=2)
    single = np.float32
    return {
        "own": both[:, own].astype(single),
        "near": flat[around].astype(single),
        "gap_near": apart.astype(single),
        "whole": flat[whole].astype(single),
        "whole_part": part,
        "boxes": shape.boxes.astype(single),
        "gaps": shape.gaps.astype(single),
        "shares": (shape.areas / max(shape.areas.sum(), 1e-300)).astype(single).reshape(count),
    }


def _whole(
    shape: PartCloud, wanted: int, rng: np.random.Generator | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Points of the whole, by the square root of the area of their part: their numbers, and their parts."""
    weight = np.sqrt(shape.areas) + 1e-12
    exact = wanted * weight / weight.sum()
    quota = exact.astype(np.int64)
    rest = wanted - quota.sum()
    quota[np.argsort(quota - exact, kind="stable")[:rest]] += 1
    part = np.repeat(np.arange(len(shape)), quota)
    within = np.arange(wanted) - np.repeat(np.cumsum(quota) - quota, quota)
    start = np.zeros(len(shape), dtype=np.int64) if rng is None else rng.integers(0, SAMPLES, len(shape))
    # The last points first: not those again that are inputs of the part itself.
    return part * SAMPLES + (SAMPLES - 1 - (within + start[part]) % SAMPLES), part


def slots_of(part: NDArray[np.int64], count: int, least: int = 2) -> tuple[NDArray[np.int64], int]:
    """The place of each candidate in the list of its part, Int[C], and how many places the longest list has."""
    order = np.argsort(part, kind="stable")
    many = np.bincount(part, minlength=count)
    place = np.empty(len(part), dtype=np.int64)
    place[order] = np.arange(len(part)) - np.repeat(np.cumsum(many) - many, many)
    return place, max(least, int(many.max(initial=0)))


def candidate_inputs(
    given: CandidateArrays, measures: Array, count: int, turn: Array, offset: Array, factor: float
) -> dict[str, NDArray]:
    """The candidates in lists of the `count` parts, in the frame x -> (turn x + offset) * factor; kind 0 is nothing."""
    place, longest = slots_of(given.part, count)
    kind = np.zeros((count, longest), dtype=np.int64)
    axis, pivot = np.zeros((2, count, longest, 3), dtype=np.float32)
    measured_values = np.zeros((count, longest, MEASURES), dtype=np.float32)
    where = given.part, place
    kind[where], axis[where] = given.kind, given.axis @ turn.T
    pivot[where], measured_values[where] = (given.pivot @ turn.T + offset) * factor, measures
    return {"kind": kind, "axis": axis, "pivot": pivot, "measures": measured_values}


def joint_inputs(
    shape: PartCloud, given: CandidateArrays, config: JointNetworkConfig
) -> tuple[dict[str, NDArray], Array, Array]:
    """What is read of a shape from all VIEWS, and how each view was moved (offsets Float[8,3], factors Float[8])."""
    measures = measured(shape, given) if len(given) else np.zeros((0, MEASURES))
    views, offsets, factors = [], [], []
    for turn in VIEWS:
        turned, offset, factor = normalised(shape, turn)
        views.append(shape_inputs(turned, config) | candidate_inputs(given, measures, len(shape), turn, offset, factor))
        offsets.append(offset)
        factors.append(factor)
    return (
        {name: np.stack([view[name] for view in views]) for name in JOINT_INPUTS},
        np.array(offsets),
        np.array(factors),
    )
