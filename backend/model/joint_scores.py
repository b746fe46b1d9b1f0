"""`python -m backend fit-joints`: the coefficients by which candidates of joints are told from each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from torch import nn
from tqdm import tqdm

from ..data.families.jointed import JOINTED
from ..data.moving import MovingObject
from ..data.real import read_object, training_items
from ..data.source import Source
from ..errors import UserError
from ..joints.examples import JointExample, PairExample, joint_examples, pair_example, with_fixed_pieces
from ..joints.score import PAIR_SCORES, SCORES, Score
from ..joints.true_parts import true_parts
from ..kinematics.base import Array

__all__ = ["fit_joint_scores", "fitted_pair_score", "fitted_score"]

_HIDDEN = (48, 24)
_PAIR_HIDDEN = (32, 16)
_EPOCHS = 30
_BATCH = 24  # parts
_PAIR_BATCH = 256
_RATE, _DECAY, _DROPOUT = 4e-3, 3e-2, 0.15
_SPLIT_SHARE = 0.3  # of the objects have some fixed pieces as parts
_SHARPEST = 8.0
_LEAST = 1e-6

_Example = TypeVar("_Example")


def fit_joint_scores(folder: Path | None, count: int, data: Sequence[Path], seed: int = 0) -> str:
    """Makes `count` procedural objects, reads the permissive ones of folders, fits and writes; a line about it."""
    if count < 1:
        raise UserError("bad_count", f"{count} objects are none.", "Ask for at least one.")
    torch.set_num_threads(1)
    joints = list(_every(_objects(count, data, seed), lambda thing, rng: _joint_examples(thing, rng)))
    pairs = list(
        _every(_objects(count, data, seed), lambda thing, _: [found] if (found := pair_example(thing)) else [])
    )
    folder = SCORES.parent if folder is None else folder
    folder.mkdir(parents=True, exist_ok=True)
    fitted_score(joints).write(folder / SCORES.name)
    fitted_pair_score(pairs).write(folder / PAIR_SCORES.name)
    return f"{folder}: from {len(joints)} parts and {sum(len(each.together) for each in pairs)} pairs of pieces."


def _objects(count: int, data: Sequence[Path], seed: int) -> Iterable[tuple[MovingObject, np.random.Generator]]:
    source = Source(JOINTED)
    for index in tqdm(range(count), desc="drawing", unit="object", leave=False):
        rng = np.random.default_rng([seed, index])
        yield source.draw(rng), rng
    for item in [item for each in data for item in training_items(each) if item.jointed]:
        yield read_object(item), np.random.default_rng(seed)


def _joint_examples(thing: MovingObject, rng: np.random.Generator) -> list[JointExample]:
    truth = true_parts(thing)
    if rng.random() < _SPLIT_SHARE:
        truth = with_fixed_pieces(thing, truth, rng)
    return joint_examples(thing, truth)


def _every(
    objects: Iterable[tuple[MovingObject, np.random.Generator]],
    examples: Callable[[MovingObject, np.random.Generator], list[_Example]],
) -> Iterable[_Example]:
    for thing, rng in objects:
        yield from examples(thing, rng)


def _network(inputs: int, hidden: Sequence[int]) -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Linear(inputs, hidden[0]),
        nn.SiLU(),
        nn.Dropout(_DROPOUT),
        nn.Linear(hidden[0], hidden[1]),
        nn.SiLU(),
        nn.Linear(hidden[1], 1),
    )


def _score(network: nn.Sequential, mean: Array, spread: Array) -> Score:
    linear = [layer for layer in network if isinstance(layer, nn.Linear)]
    layers = tuple((each.weight.detach().numpy().T.copy(), each.bias.detach().numpy().copy()) for each in linear)
    return Score(mean, spread, layers)


def _fit(
    network: nn.Sequential, count: int, batch: int, loss_of: Callable[[np.ndarray], torch.Tensor]
) -> nn.Sequential:
    """`loss_of`: the loss of some of `count` examples, by their numbers."""
    steps = _EPOCHS * -(-count // batch)
    optimiser = torch.optim.AdamW(network.parameters(), _RATE, weight_decay=_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, _RATE, total_steps=steps)
    rng = np.random.default_rng(0)
    for _ in range(_EPOCHS):
        order = rng.permutation(count)
        for first in range(0, count, batch):
            loss = loss_of(order[first : first + batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    return network.eval()


def fitted_score(examples: Sequence[JointExample]) -> Score:
    """Raises the likelihood that a candidate which is drawn by the score is right, weighed by how right each is."""
    rows = np.concatenate([each.features for each in examples])
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-3
    inputs = [_standard(each.features, mean, spread) for each in examples]
    worth = [torch.as_tensor(np.log(each.worth + _LEAST), dtype=torch.float32) for each in examples]
    network = _network(rows.shape[1], _HIDDEN)

    def loss_of(chosen: np.ndarray) -> torch.Tensor:
        group = torch.as_tensor(np.repeat(np.arange(len(chosen)), [len(worth[number]) for number in chosen]))
        odds = network(torch.cat([inputs[number] for number in chosen]))[:, 0]
        right = odds + torch.cat([worth[number] for number in chosen])
        return (_log_sums(odds, group, len(chosen)) - _log_sums(right, group, len(chosen))).mean()

    return _score(_fit(network, len(examples), _BATCH, loss_of), mean, spread)


def fitted_pair_score(examples: Sequence[PairExample]) -> Score:
    """Log-odds of two pieces being one part; objects with many pieces count less for each."""
    rows = np.concatenate([each.features for each in examples])
    together = torch.as_tensor(np.concatenate([each.together for each in examples]), dtype=torch.float32)
    weight = np.concatenate([np.full(len(each.together), len(each.together) ** -0.5) for each in examples])
    weight = torch.as_tensor(weight / weight.mean(), dtype=torch.float32)
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-3
    inputs, network = _standard(rows, mean, spread), _network(rows.shape[1], _PAIR_HIDDEN)

    def loss_of(chosen: np.ndarray) -> torch.Tensor:
        each = nn.functional.binary_cross_entropy_with_logits(
            network(inputs[chosen])[:, 0], together[chosen], reduction="none"
        )
        return (each * weight[chosen]).mean()

    return _score(_fit(network, len(rows), _PAIR_BATCH, loss_of), mean, spread)


def _standard(rows: Array, mean: Array, spread: Array) -> torch.Tensor:
    return torch.as_tensor(np.clip((rows - mean) / spread, -_SHARPEST, _SHARPEST), dtype=torch.float32)


def _log_sums(values: torch.Tensor, group: torch.Tensor, count: int) -> torch.Tensor:
    """Log of the sum of exponentials of each group."""
    highest = torch.full((count,), -torch.inf).scatter_reduce(0, group, values, "amax").detach()
    return highest + torch.log(torch.zeros(count).index_add(0, group, torch.exp(values - highest[group])))
