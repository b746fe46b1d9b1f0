"""Batches of training examples: network inputs, moves and supervision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset

from ...data.example import Example, Source, example_at, random_turn
from ...data.rigid_fit import best_motions
from ..infer.model_config import ModelConfig
from ..infer.shape_tensors import Surface
from ..infer.surface_features import surface_features
from .bone_losses import bone_truth
from .supervision import Supervision, batch_supervision, body_supervision
from .training_config import Config

if TYPE_CHECKING:
    from numpy.random import Generator

__all__ = ["example_batches", "surface_of"]

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int64]
STAY = 1e-4  # of the spread of a piece: the least from which a rotation is estimated


def surface_of(parts: Sequence[dict[str, np.ndarray]]) -> Surface:
    """One batch of objects, each with points, normals and what `surface_features` gave."""
    names = ("points", "normals", "boxes", "codes", "shell", "seeds", "piece", "touching")
    return Surface(**{name: torch.from_numpy(np.stack([part[name] for part in parts])) for name in names})


def _sample(example: Example, config: ModelConfig, rng: Generator) -> dict[str, np.ndarray]:
    order = rng.permutation(len(example.points))
    points = example.points[order]
    about = surface_features(points, example.shell[order], example.slot[order], config, rng)
    shell = about["shell"]
    moves = example.moves[:, order]
    sample = {"points": points, "normals": example.normals[order], "moves": moves, **about}
    sample |= _turns(points[: config.points], moves[:, : config.points], about["piece"], config.handles)
    sample |= bone_truth(example.bones, order, about["piece"], config.handles)
    return sample | body_supervision(example.bodies, order, shell, about["seeds"], config.shells)


def _turns(points: FloatArray, moves: FloatArray, piece: IntArray, count: int) -> dict[str, np.ndarray]:
    """The motion of each piece, see `bends.Turns`: points Float[P,3], moves Float[S,P,3], piece Int[P]."""
    member = piece == np.arange(count)[:, None]
    turn, shift = best_motions(member / member.sum(axis=1, keepdims=True), points, points + moves, STAY)
    quaternions = Rotation.from_matrix(turn.reshape(-1, 3, 3)).as_quat(scalar_first=True).reshape(*turn.shape[:2], 4)
    return {"quaternions": quaternions.astype(np.float32), "shifts": shift.astype(np.float32)}


class _Stream(IterableDataset):
    """Endless batches, the n-th the same in every run with the same seed, in any process."""

    def __init__(self, source: Source, config: Config, first: int, rank: int, world: int) -> None:
        self.source, self.config, self.first, self.rank, self.world = source, config, first, rank, world

    def __iter__(self) -> Iterator[tuple[Surface, Tensor, Supervision]]:
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
                    turned = example.turned(random_turn(rng)) if age else example
                    samples.append(_sample(turned, model, rng))
            moves = torch.from_numpy(np.stack([sample["moves"] for sample in samples]))
            yield surface_of(samples), moves, batch_supervision(samples)
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
) -> Iterator[tuple[Surface, Tensor, Supervision]]:
    """Batches from step `first` on, made in a process of their own: (surface, moves (B,S,N,3), supervision)."""
    stream = _Stream(source, config, first, rank, world)
    return iter(DataLoader(stream, batch_size=None, num_workers=1, prefetch_factor=4))
