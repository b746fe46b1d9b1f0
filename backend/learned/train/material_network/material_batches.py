"""Batches of the network of materials: pieces with some of their names, their look or their shape left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from ....data.named_things.looks import EXPORTERS
from ...infer.material_network.piece_features import FIELDS
from .material_examples import ExampleArrays
from .material_training_config import MaterialTrainingConfig

__all__ = ["Batch", "Hidden", "as_inputs", "batches"]

# How often a piece is seen with names that do not tell its material, without any, with all, or with some.
_SILENT, _NAMELESS, _WHOLE = 0.3, 0.2, 0.25
_FIELD_KEPT = 0.65  # each, of pieces seen with some of them
_NO_LOOK, _NO_SHAPE = 0.08, 0.05
# Authors differ in more than what things are made of: exporters' metallic and roughness say nothing, colours and shapes
# little by little.
_EXPORTED = 0.5  # how often metallic and roughness become those of some exporter
_SHAPE_NOISE, _COLOUR_NOISE = 0.05, 0.06
_METALLIC, _ROUGHNESS, _METAL, _COLOUR = 1, 2, 5, slice(7, None)  # of the look


@dataclass(frozen=True)
class Hidden:
    """What is seen of each of B pieces: the row of each field, Int[B,3] (0 to 2: whole, 3 to 5: silent, -1: none).

    `look`, `shape` Bool[B].
    """

    rows: NDArray[np.int64]
    look: NDArray[np.bool_]
    shape: NDArray[np.bool_]


@dataclass(frozen=True)
class Batch:
    """Inputs of the network, and the truth: shares Float[B,M], thin and size Float[B] (NaN: not known)."""

    inputs: tuple[torch.Tensor, ...]
    shares: torch.Tensor
    thin: torch.Tensor
    size: torch.Tensor


def as_inputs(
    examples: ExampleArrays,
    index: NDArray[np.int64],
    seen: Hidden,
    shape: NDArray[np.float32],
    look: NDArray[np.float32],
) -> tuple[torch.Tensor, ...]:
    """Inputs of `MaterialNetwork` for the examples with these numbers, of this shape and look."""
    grams, offsets, count = [], [], 0
    named = np.zeros((len(index), len(FIELDS)), dtype=np.float32)
    told = np.zeros((len(index), *examples.told.shape[2:]), dtype=np.float32)
    for number, (example, rows) in enumerate(zip(index, seen.rows, strict=True)):
        for field, row in enumerate(rows):
            offsets.append(count)
            bag = examples.grams[example][row] if row >= 0 else ()
            if len(bag):
                grams.append(bag)
                count += len(bag)
                named[number, field] = 1.0
                told[number, field] = examples.told[example, row // len(FIELDS), field]
    shaped = (examples.shaped[index] & seen.shape).astype(np.float32)[:, None]
    shape = shape * shaped
    look = look * seen.look[:, None]
    flat = np.concatenate(grams) if grams else np.zeros(0, dtype=np.int64)
    arrays = (flat, np.array(offsets), named, told, shaped, shape, look)
    return tuple(torch.from_numpy(np.ascontiguousarray(each)) for each in arrays)


def batches(
    real: ExampleArrays, priors: ExampleArrays, things: ExampleArrays, training: MaterialTrainingConfig, first: int
) -> Iterator[Batch]:
    """An endless stream from step `first` on, the same for the same seed."""
    pools = (real, priors, things)
    shares = np.array([training.real, training.priors, 1.0 - training.real - training.priors])
    shares = shares * [len(pool) > 0 for pool in pools]
    step = first
    while True:
        rng = np.random.default_rng([training.seed, step])
        counts = np.round(training.batch * shares / shares.sum()).astype(int)
        drawn = [
            _drawn(pool, rng.integers(len(pool), size=count), rng)
            for pool, count in zip(pools, counts, strict=True)
            if count
        ]
        yield _joined(drawn)
        step += 1


def _drawn(pool: ExampleArrays, index: NDArray[np.int64], rng: np.random.Generator) -> Batch:
    shape, look = _disturbed(pool.shape[index], pool.look[index], rng)
    inputs = as_inputs(pool, index, _hidden(len(index), rng), shape, look)
    truth = (torch.from_numpy(each[index]) for each in (pool.shares, pool.thin, pool.size))
    return Batch(inputs, *truth)


def _disturbed(
    shape: NDArray[np.float32], look: NDArray[np.float32], rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The same pieces in the files of other authors."""
    look = look.copy()
    exported = (rng.random(len(look)) < _EXPORTED) & (look[:, 0] > 0.0)
    values = np.array(EXPORTERS)[rng.integers(len(EXPORTERS), size=int(exported.sum()))]
    look[exported, _METALLIC], look[exported, _ROUGHNESS] = values.T
    look[exported, _METAL] = values[:, 0] > 0.7
    coloured = look[:, 6:7]
    look[:, _COLOUR] += coloured * rng.normal(0.0, _COLOUR_NOISE, look[:, _COLOUR].shape)
    shape = shape + rng.normal(0.0, _SHAPE_NOISE, shape.shape)
    return shape.astype(np.float32), look.astype(np.float32)


def _hidden(count: int, rng: np.random.Generator) -> Hidden:
    fields = np.arange(len(FIELDS))
    way = rng.random(count)
    rows = np.tile(fields, (count, 1))
    silent = way < _SILENT
    rows[silent] = fields + len(FIELDS)
    rows[(way >= _SILENT) & (way < _SILENT + _NAMELESS)] = -1
    some = way >= _SILENT + _NAMELESS + _WHOLE
    rows[some] += len(FIELDS) * (rng.random((int(some.sum()), 1)) < 0.5)
    rows[some] = np.where(rng.random((int(some.sum()), len(FIELDS))) < _FIELD_KEPT, rows[some], -1)
    return Hidden(rows, rng.random(count) >= _NO_LOOK, rng.random(count) >= _NO_SHAPE)


def _joined(parts: list[Batch]) -> Batch:
    grams, offsets, *others = zip(*(part.inputs for part in parts), strict=True)
    starts = np.cumsum([0, *(len(each) for each in grams[:-1])])
    moved = [each + int(start) for each, start in zip(offsets, starts, strict=True)]
    inputs = (torch.cat(grams), torch.cat(moved), *(torch.cat(each) for each in others))
    return Batch(inputs, *(torch.cat([getattr(part, name) for part in parts]) for name in ("shares", "thin", "size")))
