"""`python -m backend fit-joints`: fits the perceptrons that score joint candidates and pairs of pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from scipy.linalg import block_diag
from torch import nn
from tqdm import tqdm

from ...data.families.jointed_families import JOINTED
from ...data.moving_object import MovingObject
from ...data.real import read_object, training_items
from ...data.source import Source
from ...errors import UserError
from ...joint_search.candidate_features import COLUMNS
from ...joint_search.piece_pairs import PAIR_COLUMNS
from ...joint_search.score import MOST, PAIR_SCORES, SCORES, Score
from ...kinematics.base import Array
from .joint_network.examples import JointExample, PairExample, joint_examples, pair_example, with_fixed_pieces
from .joint_network.true_parts import true_parts

__all__ = ["ensemble_score", "fit_joint_scores", "fitted_networks", "fitted_pair_score", "fitted_score", "standardised"]

_HIDDEN = (32, 16)
_MEMBERS = 6  # networks whose log-odds are averaged: the known joints are few
_EPOCHS = 20
_BATCH = 24  # parts
_PAIR_BATCH = 256
_RATE, _DECAY, _DROPOUT = 4e-3, 3e-2, 0.25
_SPLIT_SHARE = 0.3  # of the objects have some fixed pieces as parts
_LEAST = 1e-6

_Example = TypeVar("_Example")
_Loss = Callable[[nn.Sequential, np.ndarray], torch.Tensor]


def fit_joint_scores(folder: Path | None, count: int, data: Sequence[Path], seed: int = 0) -> str:
    """Makes `count` procedural objects, reads the permissive ones of folders, fits and writes; a line about it."""
    if count < 1:
        raise UserError("bad_count.objects", count=count)
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


def _network(inputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(inputs, _HIDDEN[0]),
        nn.SiLU(),
        nn.Dropout(_DROPOUT),
        nn.Linear(_HIDDEN[0], _HIDDEN[1]),
        nn.SiLU(),
        nn.Linear(_HIDDEN[1], 1),
    )


def ensemble_score(
    networks: Sequence[nn.Sequential], columns: tuple[str, ...], mean: Array, spread: Array, most: float = MOST
) -> Score:
    """Ensemble mean of several networks as one network: block-diagonal layers."""
    layers = []
    every = [[layer for layer in network if isinstance(layer, nn.Linear)] for network in networks]
    for depth, linear in enumerate(zip(*every, strict=True)):
        matrices = [each.weight.detach().numpy().T.astype(np.float64) for each in linear]
        offsets = [each.bias.detach().numpy().astype(np.float64) for each in linear]
        if depth == 0:
            layers.append((np.concatenate(matrices, axis=1), np.concatenate(offsets)))
        elif depth == len(every[0]) - 1:
            layers.append((np.concatenate(matrices) / len(networks), np.mean(offsets, axis=0)))
        else:
            layers.append((block_diag(*matrices), np.concatenate(offsets)))
    return Score(columns, mean, spread, tuple(layers), most)


def fitted_networks(inputs: int, count: int, batch: int, loss_of: _Loss) -> list[nn.Sequential]:
    """`loss_of` a network: the loss of some of `count` examples, by their numbers."""
    networks = []
    for seed in tqdm(range(_MEMBERS), desc="fitting", leave=False):
        torch.manual_seed(seed)
        rng, network = np.random.default_rng(seed), _network(inputs)
        optimiser = torch.optim.AdamW(network.parameters(), _RATE, weight_decay=_DECAY)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, _RATE, total_steps=_EPOCHS * -(-count // batch))
        for _ in range(_EPOCHS):
            order = rng.permutation(count)
            for first in range(0, count, batch):
                loss = loss_of(network, order[first : first + batch])
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
                schedule.step()
        networks.append(network.eval())
    return networks


def fitted_score(examples: Sequence[JointExample], columns: tuple[str, ...] = COLUMNS) -> Score:
    """Score fitted by maximum likelihood of right candidates under its softmax, weighed by how right each is."""
    rows = np.concatenate([each.features for each in examples])
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-3
    inputs = [standardised(each.features, mean, spread) for each in examples]
    worth = [torch.as_tensor(np.log(each.worth + _LEAST), dtype=torch.float32) for each in examples]

    def loss_of(network: nn.Sequential, chosen: np.ndarray) -> torch.Tensor:
        group = torch.as_tensor(np.repeat(np.arange(len(chosen)), [len(worth[number]) for number in chosen]))
        odds = network(torch.cat([inputs[number] for number in chosen]))[:, 0]
        right = odds + torch.cat([worth[number] for number in chosen])
        return (_log_sums(odds, group, len(chosen)) - _log_sums(right, group, len(chosen))).mean()

    return ensemble_score(fitted_networks(rows.shape[1], len(examples), _BATCH, loss_of), columns, mean, spread)


def fitted_pair_score(examples: Sequence[PairExample], columns: tuple[str, ...] = PAIR_COLUMNS) -> Score:
    """Log-odds of two pieces being one part; objects with many pieces count less for each."""
    rows = np.concatenate([each.features for each in examples])
    together = torch.as_tensor(np.concatenate([each.together for each in examples]), dtype=torch.float32)
    weight = np.concatenate([np.full(len(each.together), len(each.together) ** -0.5) for each in examples])
    weight = torch.as_tensor(weight / weight.mean(), dtype=torch.float32)
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-3
    inputs = standardised(rows, mean, spread)

    def loss_of(network: nn.Sequential, chosen: np.ndarray) -> torch.Tensor:
        each = nn.functional.binary_cross_entropy_with_logits(
            network(inputs[chosen])[:, 0], together[chosen], reduction="none"
        )
        return (each * weight[chosen]).mean()

    return ensemble_score(fitted_networks(rows.shape[1], len(rows), _PAIR_BATCH, loss_of), columns, mean, spread)


def standardised(rows: Array, mean: Array, spread: Array, most: float = MOST) -> torch.Tensor:
    """Features Float[n,F] as the score reads them."""
    return torch.as_tensor(np.clip((rows - mean) / spread, -most, most), dtype=torch.float32)


def _log_sums(values: torch.Tensor, group: torch.Tensor, count: int) -> torch.Tensor:
    """Log of the sum of exponentials of each group."""
    highest = torch.full((count,), -torch.inf).scatter_reduce(0, group, values, "amax").detach()
    return highest + torch.log(torch.zeros(count).index_add(0, group, torch.exp(values - highest[group])))
