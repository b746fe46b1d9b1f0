"""Examples of the data engine to what the network reads: codes, boxes of parts, points at which handles start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset

from ..data.example import Example, Source, example_at, random_turn
from ..data.rigid_fit import best_motions
from .config import Config, ModelConfig
from .lessons import Lesson, described_bodies, lesson_of
from .network import Surface

if TYPE_CHECKING:
    from numpy.random import Generator

__all__ = ["described", "example_batches", "part_boxes", "pieces", "spread_points", "surface_of"]

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int64]
# How far apart (normalised units) two points of different loose parts count when handles are spread: each part of some
# size should get a handle before a large part gets its third.
PART_DISTANCE = 0.45
STAY = 1e-4  # of the spread of a piece: what it takes to tell a turn


def part_boxes(points: FloatArray, part: IntArray) -> FloatArray:
    """Lower and upper corner of each part, Float[parts,6], from points Float[N,3] and parts Int[N]."""
    boxes = np.repeat(np.float32([[np.inf], [-np.inf]]), 3, axis=0).repeat(int(part.max()) + 1, axis=1)
    for axis in range(3):  # one column at a time: NumPy is far slower at rows
        np.minimum.at(boxes[axis], part, points[:, axis])
        np.maximum.at(boxes[3 + axis], part, points[:, axis])
    return boxes.T


def spread_points(points: FloatArray, shell: IntArray, count: int, first: int) -> IntArray:
    """Farthest-point choice of `count` of the points Float[P,3]; points of other loose parts are farther."""
    chosen = np.empty(count, np.int64)
    nearest = np.full(len(points), np.inf, np.float32)
    newest = first
    for turn in range(count):
        chosen[turn] = newest
        away = ((points - points[newest]) ** 2).sum(axis=1) + PART_DISTANCE**2 * (shell != shell[newest])
        np.minimum(nearest, away, out=nearest)
        nearest[newest] = -1.0  # no point twice, also where several lie on each other
        newest = int(nearest.argmax())
    return chosen


def pieces(points: FloatArray, shell: IntArray, seeds: IntArray) -> tuple[IntArray, IntArray]:
    """Which handle each of the points Float[P,3] belongs to, Int[P], and for handles i and j the point of i that is
    nearest to those of j, Int[H,H]; seeds Int[H]."""
    square = (points**2).sum(axis=1)
    away = np.maximum(square[:, None] + square - 2.0 * points @ points.T, 0.0)
    piece = (away[:, seeds] + PART_DISTANCE**2 * (shell[:, None] != shell[seeds])).argmin(axis=1)
    piece[seeds] = np.arange(len(seeds))
    order = np.argsort(piece, kind="stable")
    first = np.searchsorted(piece[order], np.arange(len(seeds)))
    to_piece = np.minimum.reduceat(away[order][:, order], first, axis=1)  # (P, H)
    ends = np.append(first[1:], len(points))
    touching = [begin + to_piece[begin:end].argmin(axis=0) for begin, end in zip(first, ends, strict=True)]
    return piece, order[np.stack(touching)]


def _merged(points: FloatArray, shell: IntArray, limit: int) -> IntArray:
    """Loose parts below `limit`: beyond it the smallest join the part that is nearest to them."""
    count = np.bincount(shell)
    if len(count) <= limit:
        return shell
    rank = np.empty(len(count), np.int64)
    rank[np.argsort(-count, kind="stable")] = np.arange(len(count))
    number = rank[shell]
    small = number >= limit
    middle = np.stack([np.bincount(number[small], points[small, axis]) for axis in range(3)], axis=1)[limit:]
    middle /= np.maximum(np.bincount(number[small])[limit:, None], 1)
    nearest = cKDTree(points[~small]).query(middle)[1]
    number[small] = number[~small][nearest][number[small] - limit]
    return number


def described(
    points: FloatArray,
    shell: IntArray,
    slot: IntArray,
    config: ModelConfig,
    rng: Generator,
    boxes: FloatArray | None = None,
) -> dict[str, np.ndarray]:
    """What `Surface` holds beside points and normals, for one object. The encoder sees the first `config.points`.

    `boxes` Float[N,12]: taken from the points themselves where not given.
    """
    if not config.sees_parts:
        shell, slot, boxes = np.zeros_like(shell), np.zeros_like(slot), None
    shell = _merged(points, shell, config.shells)
    codes = []
    for ids in (shell, slot):
        table = rng.standard_normal((int(ids.max()) + 1, config.codes)).astype(np.float32)
        # One part alone has no identity worth a code: whole meshes and meshes whose parts are unknown look the same.
        codes.append(table[ids] if len(table) > 1 else np.zeros((len(ids), config.codes), np.float32))
    if boxes is None:
        boxes = np.concatenate([part_boxes(points, shell)[shell], part_boxes(points, slot)[slot]], axis=1)
    first = int(rng.integers(config.points))
    known = points[: config.points], shell[: config.points]
    seeds = spread_points(*known, config.handles, first)
    piece, touching = pieces(*known, seeds)
    return {
        "boxes": boxes,
        "codes": np.concatenate(codes, axis=1),
        "shell": shell,
        "seeds": seeds,
        "piece": piece,
        "touching": touching,
    }


def surface_of(parts: Sequence[dict[str, np.ndarray]]) -> Surface:
    """One batch of objects, each with points, normals and what `described` gave."""
    names = ("points", "normals", "boxes", "codes", "shell", "seeds", "piece", "touching")
    return Surface(**{name: torch.from_numpy(np.stack([part[name] for part in parts])) for name in names})


def _sample(example: Example, config: ModelConfig, rng: Generator) -> dict[str, np.ndarray]:
    order = rng.permutation(len(example.points))
    points = example.points[order]
    about = described(points, example.shell[order], example.slot[order], config, rng)
    shell = about["shell"]
    moves = example.moves[:, order]
    seen = {"points": points, "normals": example.normals[order], "moves": moves, **about}
    seen |= _turns(points[: config.points], moves[:, : config.points], about["piece"], config.handles)
    return seen | described_bodies(example.bodies, order, shell, about["seeds"], config.shells)


def _turns(points: FloatArray, moves: FloatArray, piece: IntArray, count: int) -> dict[str, np.ndarray]:
    """The motion of each piece, see `bends.Turns`: points Float[P,3], moves Float[S,P,3], piece Int[P]."""
    member = piece == np.arange(count)[:, None]
    turn, shift = best_motions(member / member.sum(axis=1, keepdims=True), points, points + moves, STAY)
    quaternions = Rotation.from_matrix(turn.reshape(-1, 3, 3)).as_quat(scalar_first=True).reshape(*turn.shape[:2], 4)
    return {"quaternions": quaternions.astype(np.float32), "shifts": shift.astype(np.float32)}


class _Stream(IterableDataset):
    """Batches without end, the n-th the same in every run with the same seed, whoever asks for it."""

    def __init__(self, source: Source, config: Config, first: int, rank: int, world: int) -> None:
        self.source, self.config, self.first, self.rank, self.world = source, config, first, rank, world

    def __iter__(self) -> Iterator[tuple[Surface, Tensor, Lesson]]:
        torch.set_num_threads(1)
        training, model = self.config.training, self.config.model
        before = [self._made(step) for step in range(self.first - training.uses + 1, self.first)]
        step = self.first
        while True:
            before = [*before, self._made(step)][-training.uses :]
            samples = []
            for age, known in enumerate(reversed(before)):
                for number, example in known:
                    rng = np.random.default_rng((training.seed, number, 1 + age))
                    seen = example.turned(random_turn(rng)) if age else example
                    samples.append(_sample(seen, model, rng))
            moves = torch.from_numpy(np.stack([sample["moves"] for sample in samples]))
            yield surface_of(samples), moves, lesson_of(samples)
            step += 1

    def _made(self, step: int) -> list[tuple[int, Example]]:
        """The new examples of a step with their numbers; none before the first step."""
        training, each = self.config.training, self.config.training.objects // self.config.training.uses
        first = (step * self.world + self.rank) * each
        return [
            (
                number,
                example_at(
                    self.source,
                    training.seed,
                    number,
                    points=self.config.model.points + training.queries,
                    states=training.states,
                    augment=training.augment,
                ),
            )
            for number in range(first, first + each)
            if step >= 0
        ]


def example_batches(
    source: Source, config: Config, first: int, rank: int = 0, world: int = 1
) -> Iterator[tuple[Surface, Tensor, Lesson]]:
    """Batches from step `first` on, made in a process of their own: (surface, moves (B,S,N,3), lesson)."""
    stream = _Stream(source, config, first, rank, world)
    return iter(DataLoader(stream, batch_size=None, num_workers=1, prefetch_factor=4))
