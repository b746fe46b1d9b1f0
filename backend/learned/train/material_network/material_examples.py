"""Examples of the network of materials: their features with and without telling names, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ....data.named_parts import NamedPart, PartPrior, named_parts, part_priors
from ....data.named_things.things import NamedThing, random_thing
from ....materials.clues import Clues, PieceShape
from ....materials.words import told_by, words_of
from ...infer.material_network.material_config import MaterialNetworkConfig
from ...infer.material_network.piece_features import FIELDS, LOOKS, SHAPES, PieceFeatures, piece_features

__all__ = ["ExampleArrays", "from_parts", "from_priors", "from_things", "read_examples"]

_NOWHERE = PieceShape((1.0, 1.0, 1.0), (0.5, 0.5, 0.5), 1.0, 1.0, 0.1)
_TELLS = 0.3  # from this on a word of a name tells a material


@dataclass(frozen=True)
class ExampleArrays:
    """N examples. `grams` and `told`: by FIELDS with all words, then by FIELDS without those that tell the material.

    `shares` Float[N,M]: what it is made of; `thin` and `size` (log10 of metres) Float[N], NaN where not known; `shaped`
    Bool[N]: whether the shape is known; `group` Int[N]: the repository, -1 of procedural things.
    """

    grams: tuple[tuple[NDArray[np.int64], ...], ...]
    told: NDArray[np.float32]  # Float[N,2,3,M]
    shape: NDArray[np.float32]
    look: NDArray[np.float32]
    shares: NDArray[np.float32]
    thin: NDArray[np.float32]
    size: NDArray[np.float32]
    shaped: NDArray[np.bool_]
    group: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.shape)

    def chosen(self, which: NDArray[np.bool_]) -> ExampleArrays:
        """Those for which `which` Bool[N] is true."""
        grams = tuple(each for each, kept in zip(self.grams, which, strict=True) if kept)
        rest = (self.told, self.shape, self.look, self.shares, self.thin, self.size, self.shaped, self.group)
        return ExampleArrays(grams, *(each[which] for each in rest))


@dataclass(frozen=True)
class _Example:
    full: PieceFeatures
    silent: PieceFeatures
    shares: dict[str, float]
    thin: float = np.nan
    size: float = np.nan
    shaped: bool = True
    group: int = -1


def _arrays(examples: Sequence[_Example], config: MaterialNetworkConfig) -> ExampleArrays:
    index = {name: number for number, name in enumerate(config.materials)}
    shares = np.zeros((len(examples), len(index)), dtype=np.float32)
    for row, each in enumerate(examples):
        for name, share in each.shares.items():
            shares[row, index[name]] = share
    return ExampleArrays(
        tuple((*each.full.grams, *each.silent.grams) for each in examples),
        np.array([[each.full.told, each.silent.told] for each in examples]).reshape(-1, 2, len(FIELDS), len(index)),
        np.array([each.full.shape for each in examples]).reshape(-1, SHAPES),
        np.array([each.full.look for each in examples]).reshape(-1, LOOKS),
        shares,
        np.array([each.thin for each in examples], dtype=np.float32),
        np.array([each.size for each in examples], dtype=np.float32),
        np.array([each.shaped for each in examples], dtype=bool),
        np.array([each.group for each in examples], dtype=np.int64),
    )


def from_parts(parts: Sequence[NamedPart], groups: Sequence[int], config: MaterialNetworkConfig) -> ExampleArrays:
    """Parts of real objects, with the numbers of their repositories."""
    examples = []
    for part, group in zip(parts, groups, strict=True):
        silent = part.silent()
        full_features = piece_features(part.clues, part.object, config.buckets)
        silent_features = piece_features(silent.clues, silent.object, config.buckets)
        examples.append(_Example(full_features, silent_features, {part.material: 1.0}, group=group))
    return _arrays(examples, config)


def from_priors(priors: Iterable[PartPrior], config: MaterialNetworkConfig) -> ExampleArrays:
    """Names of parts alone, with what they may be made of."""
    examples = []
    for prior in priors:
        features = piece_features(Clues(_NOWHERE, prior.part), prior.object, config.buckets)
        examples.append(_Example(features, features, prior.shares, shaped=False))
    return _arrays(examples, config)


def from_things(things: Iterable[NamedThing], config: MaterialNetworkConfig) -> ExampleArrays:
    """Pieces of procedural things."""
    examples = []
    number = {name: each for each, name in enumerate(config.materials)}
    for thing in things:
        for piece in thing.pieces:
            material = number[piece.material]
            silent = replace(piece.clues, node=_silent(piece.clues.node, material), material="")
            examples.append(
                _Example(
                    piece_features(piece.clues, thing.name, config.buckets),
                    piece_features(silent, _silent(thing.name, material), config.buckets),
                    {piece.material: 1.0},
                    float(piece.thin),
                    float(np.log10(thing.size)),
                )
            )
    return _arrays(examples, config)


def _silent(name: str, material: int) -> str:
    """The words of a name that do not tell this material."""
    return " ".join(word for word in words_of(name) if told_by(word)[material] < _TELLS)


def read_examples(
    folders: Sequence[Path], things: int, seed: int, config: MaterialNetworkConfig
) -> tuple[ExampleArrays, ExampleArrays, ExampleArrays, tuple[str, ...]]:
    """Real parts, names alone, procedural pieces; and the repositories of the real ones. Raises UserError."""
    parts = [part for folder in folders for part in named_parts(folder)]
    repositories = tuple(sorted({part.repository for part in parts}))
    groups = [repositories.index(part.repository) for part in parts]
    priors = [prior for folder in folders for prior in part_priors(folder)]
    drawn = (random_thing(np.random.default_rng([seed, number])) for number in range(things))
    return from_parts(parts, groups, config), from_priors(priors, config), from_things(drawn, config), repositories
