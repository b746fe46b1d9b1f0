"""Network inputs of a surface beside points and normals: codes, boxes of parts, seeds of handles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from .model_config import ModelConfig

if TYPE_CHECKING:
    from numpy.random import Generator

__all__ = ["part_boxes", "pieces", "spread_points", "surface_features"]

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int64]
# How far apart (normalised units) two points of different loose parts count when handles are spread: each part of some
# size should get a handle before a large part gets its third.
PART_DISTANCE = 0.45


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


def surface_features(
    points: FloatArray,
    shell: IntArray,
    slot: IntArray,
    config: ModelConfig,
    rng: Generator,
    boxes: FloatArray | None = None,
) -> dict[str, np.ndarray]:
    """Fields of `shape_tensors.Surface` beside points and normals, for one object.

    The first `config.points` are the encoder's. `boxes` Float[N,12]: taken from the points themselves where not given.
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
