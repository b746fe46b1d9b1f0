"""Batches of labelled shapes with equally many parts, so that only candidates are padded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset

from ....kinematics.base import Array
from ...infer.joint_network.candidate_arrays import MEASURES, CandidateArrays, joined, measured
from ...infer.joint_network.joint_config import JointNetworkConfig
from ...infer.joint_network.joint_inputs import JOINT_INPUTS, candidate_inputs, normalised, shape_inputs, slots_of
from .draws import drawn_candidates
from .joint_losses import Truth, goodness
from .joint_training_config import JointTrainingConfig
from .objects import LabelledShape

__all__ = ["Batch", "Drawn", "batch_of", "batches", "training_shape"]

Drawn = Callable[[np.random.Generator], LabelledShape | None]
_WARM = 64  # shapes that are known before the first batch
_ALONG_AXES = 0.85
_TILTED = 0.08  # how often up is not quite up
_NOISE = 0.3
_WRONG_SIDES = 0.5


@dataclass(frozen=True)
class Batch:
    """What is read of B shapes, in the order of JOINT_INPUTS, and what is true of them."""

    inputs: tuple[Tensor, ...]
    truth: Truth


@dataclass(frozen=True)
class TrainingShape:
    """A shape with candidates to score, measured once and used in several views."""

    shape: LabelledShape
    candidates: CandidateArrays
    measures: Array
    good: Array  # Float[C]


def training_shape(shape: LabelledShape, rng: np.random.Generator) -> TrainingShape:
    drawn = drawn_candidates(shape.cloud, shape.joints, rng)
    given = joined(drawn, shape.candidates)
    given = given.take(rng.permutation(len(given)))
    return TrainingShape(shape, given, measured(shape.cloud, given), _goodness(shape, given))


def _goodness(shape: LabelledShape, given: CandidateArrays) -> Array:
    """Goodness as in the loss, in the frame of the object scaled to the network's."""
    one = CandidateArrays(*(getattr(given, field.name) for field in fields(given)))
    eye = np.eye(3)
    cloud, offset, factor = normalised(shape.cloud, eye)
    inputs = candidate_inputs(one, np.zeros((len(one), MEASURES)), len(cloud), eye, offset, factor)
    truth = _stacked([_truth(shape, eye, offset, factor, _width([shape]))])
    kind, axis, pivot = (torch.from_numpy(inputs[name])[None] for name in ("kind", "axis", "pivot"))
    place, _ = slots_of(one.part, len(cloud))
    return goodness(kind, axis, pivot, truth)[0].numpy()[one.part, place]


def _width(shapes: list[LabelledShape]) -> int:
    """V, the most valid joints of a part."""
    return max(1, *(int(np.bincount(shape.part).max(initial=0)) for shape in shapes))


def _truth(shape: LabelledShape, turn: Array, offset: Array, factor: float, width: int) -> dict[str, NDArray]:
    """What is true, in the frame x -> (turn x + offset) * factor."""
    count = len(shape.cloud)
    place, _ = slots_of(shape.part, count)
    where = shape.part, place
    kind = np.zeros((count, width), dtype=np.int64)
    valid = np.zeros((count, width), dtype=bool)
    axis, pivot = np.zeros((2, count, width, 3), dtype=np.float32)
    ends = np.full((count, width, 2), np.nan, dtype=np.float32)
    kind[where], valid[where] = shape.kind, True
    axis[where], pivot[where] = shape.axis @ turn.T, (shape.pivot @ turn.T + offset) * factor
    # Mirrored, a turn goes the other way round its axis.
    both = np.stack([shape.lower, shape.upper], axis=1)
    turns = shape.kind != 2
    if np.linalg.det(turn) < 0.0:
        both = np.where(turns[:, None], -both[:, ::-1], both)
    ends[where] = np.where(turns[:, None], both / np.pi, both * factor)
    return {"kind": kind, "axis": axis, "pivot": pivot, "range": ends, "valid": valid, "parent": shape.parent}


def _stacked(each: list[dict[str, NDArray]]) -> Truth:
    return Truth(
        **{field.name: torch.from_numpy(np.stack([one[field.name] for one in each])) for field in fields(Truth)}
    )


def _random_turn(rng: np.random.Generator) -> Array:
    """About up by quarter turns or any angle, mirrored every other time, seldom a little askew."""
    angle = 0.5 * np.pi * rng.integers(4)
    if rng.random() > _ALONG_AXES:
        angle += rng.uniform(-0.25, 0.25) if rng.random() < 0.5 else rng.uniform(0.0, 2.0 * np.pi)
    cosine, sine = np.cos(angle), np.sin(angle)
    turn = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    if rng.random() < 0.5:
        turn = turn @ np.diag([-1.0, 1.0, 1.0])
    if rng.random() < _TILTED:
        lean = rng.normal(0.0, 0.1, 2)
        tilt = np.array([[1.0, 0.0, lean[0]], [0.0, 1.0, lean[1]], [-lean[0], -lean[1], 1.0]])
        left, _, right = np.linalg.svd(tilt)
        turn = left @ right @ turn
    return turn


def _few(known: TrainingShape, wanted: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """For each part `wanted` of its candidates at most; some of the best of them are among these."""
    order = rng.random(len(known.candidates)) - 2.0 * (known.good > 0.25) * (rng.random(len(known.good)) < 0.7)
    sequence = np.lexsort([order, known.candidates.part])
    part = known.candidates.part[sequence]
    place, _ = slots_of(part, len(known.shape.cloud))
    return sequence[place < wanted]


def _sample(
    known: TrainingShape, config: JointNetworkConfig, wanted: int, width: int, rng: np.random.Generator, augment: bool
) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
    """One view of a shape: what is read, and what is true."""
    turn = _random_turn(rng) if augment else np.eye(3)
    cloud, offset, factor = normalised(known.shape.cloud, turn)
    chosen = _few(known, wanted, rng)
    inputs = shape_inputs(cloud, config, rng)
    given = known.candidates.take(chosen)
    inputs |= candidate_inputs(given, known.measures[chosen], len(cloud), turn, offset, factor)
    for name in ("kind", "axis", "pivot", "measures"):  # the lists of all shapes are equally long
        missing = wanted - inputs[name].shape[1]
        inputs[name] = np.pad(inputs[name], [(0, 0), (0, missing), *[(0, 0)] * (inputs[name].ndim - 2)])
    for name in ("own", "near", "whole"):
        points = inputs[name]
        if augment and rng.random() < _NOISE:
            points[..., :3] += rng.normal(0.0, rng.uniform(0.0, 0.006), points[..., :3].shape).astype(np.float32)
        if augment and rng.random() < _WRONG_SIDES:
            points[..., 3:] *= np.where(rng.random(points.shape[:-1]) < 0.5, -1.0, 1.0)[..., None].astype(np.float32)
    return inputs, _truth(known.shape, turn, offset, factor, width)


def batch_of(
    shapes: list[TrainingShape], config: JointNetworkConfig, wanted: int, rng: np.random.Generator, augment: bool = True
) -> Batch:
    """Shapes of equally many parts, `wanted` candidates of each part."""
    width = _width([known.shape for known in shapes])
    inputs, true = zip(*(_sample(known, config, wanted, width, rng, augment) for known in shapes), strict=True)
    return Batch(
        tuple(torch.from_numpy(np.stack([each[name] for each in inputs])) for name in JOINT_INPUTS),
        _stacked(list(true)),
    )


def _fitting(parts: int, training: JointTrainingConfig) -> int:
    """How many shapes of so many parts make a batch: all batches cost about the same."""
    return int(np.clip(training.parts // (parts + 2), 2, training.shapes))


class _Stream(IterableDataset):
    """Steps without end, each several batches; shapes come back in other views."""

    def __init__(self, drawn: Drawn, config: JointNetworkConfig, training: JointTrainingConfig, first: int) -> None:
        self.drawn, self.config, self.training, self.first = drawn, config, training, first

    def __iter__(self) -> Iterator[list[Batch]]:
        torch.set_num_threads(1)
        training = self.training
        rng = np.random.default_rng((training.seed, self.first))
        waiting: dict[int, list[TrainingShape]] = {}
        pool: list[tuple[TrainingShape, int]] = []
        ready: list[Batch] = []
        while True:
            shape = self.drawn(rng)
            if shape is None:
                continue
            pool.append((training_shape(shape, rng), training.uses))
            if len(pool) < _WARM:
                continue
            for number in rng.integers(0, len(pool), training.uses):
                known, left = pool[number]
                if left == 0:
                    continue
                pool[number] = known, left - 1
                parts = len(known.shape.cloud)
                waiting.setdefault(parts, []).append(known)
                if len(waiting[parts]) >= _fitting(parts, training):
                    ready.append(batch_of(waiting.pop(parts), self.config, training.candidates, rng, training.augment))
                    if len(ready) == training.batches:
                        yield ready
                        ready = []
            pool = [each for each in pool if each[1] > 0]


def batches(
    drawn: Drawn, config: JointNetworkConfig, training: JointTrainingConfig, first: int
) -> Iterator[list[Batch]]:
    """The batches of each step from `first` on, made in a process of their own."""
    stream = _Stream(drawn, config, training, first)
    return iter(DataLoader(stream, batch_size=None, num_workers=1, prefetch_factor=6))
