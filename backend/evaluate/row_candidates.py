"""Rows of the inverse kinematics table: methods that estimate a whole shape from a few displaced points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np

from ..errors import UserError
from ..kinematics.base import Array, skinning_basis
from ..kinematics.jointed_space import jointed_space
from ..kinematics.learned_shape import LearnedShape, learned_shape
from ..kinematics.reduction import KEPT, reduced
from ..kinematics.state_space import StateSpace
from ..learned.infer.weight_file import read_weights
from .elastic_fit import ElasticFit, ElasticReach
from .found_parts import found_parts
from .latent_fit import Coordinates, FitSettings, LatentFit
from .procrustes import best_placement
from .subject import Subject
from .surface import SurfacePoints

__all__ = [
    "DEFAULT_ROWS",
    "LEARNED_ROWS",
    "ROWS",
    "STATE_ROWS",
    "Candidate",
    "FailedCandidate",
    "Size",
    "StateCandidate",
    "is_decoder",
    "make_candidate",
    "shape_of",
]

# What the joints themselves miss a point by: nothing but rounding.
_EXACT = FitSettings(noise=1e-3)
_NEARLY_EXACT = FitSettings(noise=5e-3)  # of bones: weights are applied to the first frame, not to the pose of the rig


class Candidate(Protocol):
    """One method for one object, which has its rest shape and none of its states."""

    def fit(self, points: SurfacePoints, targets: Array) -> Array:
        """Vertices Float[V,3] of the shape whose points are nearest to targets Float[n,3], normalised."""
        ...


class StillCandidate:
    """Does not move at all: what the others have to be better than."""

    def __init__(self, subject: Subject) -> None:
        self._vertices = subject.vertices

    def fit(self, points: SurfacePoints, targets: Array) -> Array:
        return self._vertices


class FailedCandidate(StillCandidate):
    """Stays at rest because its way of moving could not be had."""

    def __init__(self, subject: Subject, reason: str) -> None:
        super().__init__(subject)
        self.reason = reason


class RigidCandidate:
    """The rest shape, placed as well as it goes."""

    def __init__(self, subject: Subject) -> None:
        self._vertices = subject.vertices

    def fit(self, points: SurfacePoints, targets: Array) -> Array:
        return best_placement(points.on(self._vertices), targets).applied(self._vertices)


class StateCandidate:
    """A state space whose coordinates are fitted.

    Those of a network have a root in any case, as the elastic row has: which part stands still is a convention that the
    shape does not always tell (the lid or the keyboard of a laptop), and the points that stand still say so themselves.
    """

    def __init__(
        self,
        subject: Subject,
        space: StateSpace,
        coordinates: Coordinates,
        energies: Array,
        rooted: bool,
        settings: FitSettings | None = None,
    ) -> None:
        """`energies` Float[K] of the directions of motion, descending; see `kinematics.reduction`."""
        self.coordinates = coordinates
        self._energies = energies
        self._basis = skinning_basis(space.weights.astype(np.float64), subject.vertices)
        self._fit = LatentFit(space, coordinates, rooted, settings)

    @property
    def size(self) -> Size:
        """How many numbers a state is, without the root."""
        share = np.cumsum(self._energies)
        return Size(len(self.coordinates.mean), 1 + int(np.count_nonzero(share < KEPT * share[-1])))

    def fit(self, points: SurfacePoints, targets: Array) -> Array:
        return self.valued(points, targets)[0]

    def valued(self, points: SurfacePoints, targets: Array) -> tuple[Array, float]:
        """What `fit` finds, and the value of its objective in nats."""
        pose = self._fit.solve(points.on(self._basis), targets)
        return self._basis @ self._fit.handles(pose), pose.value

    def shape(self, q: Array) -> Array:
        """Vertices Float[V,3] of coordinates Float[k]."""
        return self._basis @ self._fit.unplaced(q)

    def random_coordinates(self, rng: np.random.Generator, count: int, within: float = np.inf) -> Array:
        """Float[count,k] from the prior; no coordinate farther from its mean than `within` deviations."""
        draws = rng.standard_normal((count, len(self.coordinates.mean)))
        return self.coordinates.mean + np.clip(draws, -within, within)


class ChoosingCandidate(StateCandidate):
    """The same, where the points besides decide how a joint moves if the shape leaves it open, as in `posing`.

    Joints are decided one by one, each as if the others moved in their likeliest way.
    """

    def __init__(self, subject: Subject, shape: LearnedShape) -> None:
        space = replace(shape.space, weights=shape.held_weights())
        coordinates = Coordinates(shape.reduction.directions, shape.reduction.mean)
        super().__init__(subject, space, coordinates, shape.reduction.energies, rooted=True)
        self._subject, self._space = subject, space
        self._made: dict[tuple[int, ...], StateCandidate] = {(): self}

    def _chosen(self, numbers: tuple[int, ...]) -> StateCandidate:
        if numbers not in self._made:
            space = self._space.chosen([self._space.choices[number] for number in numbers])
            reduction = reduced(space, self._subject.vertices, self._subject.triangles)
            coordinates = Coordinates(reduction.directions, reduction.mean)
            self._made[numbers] = StateCandidate(self._subject, space, coordinates, reduction.energies, rooted=True)
        return self._made[numbers]

    def fit(self, points: SurfacePoints, targets: Array) -> Array:
        found, least = self.valued(points, targets)
        best: dict[int, tuple[float, int]] = {}
        for number, choice in enumerate(self._space.choices):
            value = self._chosen((number,)).valued(points, targets)[1] + choice.nats
            best[choice.latent] = min(best.get(choice.latent, (least, -1)), (value, number))
        numbers = tuple(number for _, number in best.values() if number >= 0)
        return self._chosen(numbers).valued(points, targets)[0] if numbers else found


@dataclass(frozen=True)
class Size:
    """Of a state space."""

    coordinates: int  # k
    active: int  # directions that hold 99 % of the motion's energy


@dataclass(frozen=True)
class Row:
    """A line of the tables."""

    make: Callable[[Subject, Path | None], Candidate | None]  # None: not for this object
    about: str


def _of_truth(subject: Subject, space: StateSpace | None, settings: FitSettings) -> Candidate | None:
    if space is None:
        return None
    energies = reduced(space, subject.vertices, subject.triangles).energies
    return StateCandidate(subject, space, Coordinates.of_all_latents(space), energies, subject.free, settings)


def _found(subject: Subject, true_parts: bool) -> Candidate | None:
    """Joints found as by the provider `articulated` without given joints."""
    if true_parts and subject.truth is None:
        return None
    try:
        _, jointed = found_parts(subject, true_parts)
    except UserError as problem:
        return FailedCandidate(subject, problem.message)
    if jointed is None:
        return FailedCandidate(subject, "No part was found to move.")
    space = jointed_space(jointed, subject.vertices)
    energies = reduced(space, subject.vertices, subject.triangles).energies
    return StateCandidate(subject, space, Coordinates.of_all_latents(space), energies, rooted=True)


@lru_cache(maxsize=4)
def shape_of(subject: Subject, weights: Path | None, seed: int = 0) -> LearnedShape:
    """Learned shape of an object by the surface samples of a seed; weights of None are those that ship."""
    from ..learned.infer.encode import encode_mesh  # an engine: only where a network is measured

    space = encode_mesh(subject.vertices, subject.triangles, weights_file=weights, seed=seed)
    return learned_shape(space, subject.vertices, subject.triangles)


def _learned(subject: Subject, weights: Path | None) -> Candidate:
    """As the provider has it: reduced, what stands still does so exactly, and who drags decides between choices."""
    return ChoosingCandidate(subject, shape_of(subject, weights))


def _likeliest(subject: Subject, weights: Path | None) -> Candidate:
    shape = shape_of(subject, weights)
    space = replace(shape.space, weights=shape.held_weights())
    coordinates = Coordinates(shape.reduction.directions, shape.reduction.mean)
    return StateCandidate(subject, space, coordinates, shape.reduction.energies, rooted=True)


def _latents(subject: Subject, weights: Path | None) -> Candidate:
    shape = shape_of(subject, weights)
    coordinates = Coordinates.of_all_latents(shape.space)
    return StateCandidate(subject, shape.space, coordinates, shape.reduction.energies, rooted=True)


def _decoded(subject: Subject, weights: Path | None) -> Candidate | None:
    if weights is None or not is_decoder(weights):
        return None
    from .decoded_row import decoded_candidate  # torch: only where such a network is measured

    return decoded_candidate(subject, weights)


def is_decoder(weights: Path) -> bool:
    """Whether a file has a network that was trained with a variational encoder. Raises UserError."""
    return read_weights(weights).config.posterior == "encoder"


ROWS: dict[str, Row] = {
    "identity": Row(lambda subject, weights: StillCandidate(subject), "no motion"),
    "rigid": Row(lambda subject, weights: RigidCandidate(subject), "the best rigid placement"),
    "elastic": Row(lambda subject, weights: ElasticFit(subject), "our elastic provider, free, dragged by the points"),
    "elastic_reach": Row(
        lambda subject, weights: ElasticReach(subject), "the nearest shape of the elastic coordinates, without energy"
    ),
    "learned": Row(
        _learned, "the learned coordinates q; where the shape leaves open how a joint moves, the points decide"
    ),
    "likeliest": Row(_likeliest, "the same, where every joint moves as is likeliest, whatever the points say"),
    "latents": Row(_latents, "the same in all latents z, before the reduction"),
    "decoded": Row(_decoded, "coordinates of a decoder that was trained with a variational encoder"),
    "found": Row(
        lambda subject, weights: _found(subject, False), "joints found in the static mesh, among parts found in it"
    ),
    "found_true_parts": Row(
        lambda subject, weights: _found(subject, True), "joints found in the static mesh, the true parts given"
    ),
    "joints": Row(
        lambda subject, weights: _of_truth(subject, subject.truth, _EXACT),
        "the true joints; those that no point shows stay in the middle of their range",
    ),
    "skeleton": Row(
        lambda subject, weights: _of_truth(subject, subject.skeleton, _NEARLY_EXACT),
        "the true bones with the artist's weights, each turning about its head as far as the points ask",
    ),
}
# Rows that need trained weights, and rows that have a prior from which random states come.
LEARNED_ROWS = ("learned", "likeliest", "latents")
STATE_ROWS = (*LEARNED_ROWS, "joints", "skeleton")
DEFAULT_ROWS = (
    "identity",
    "rigid",
    "elastic",
    "learned",
    "likeliest",
    "decoded",
    "found",
    "found_true_parts",
    "joints",
    "skeleton",
)


def make_candidate(row: str, subject: Subject, weights: Path | None = None) -> Candidate | None:
    """The candidate of a row for an object, None where the row has none. Raises UserError."""
    if row not in ROWS:
        raise UserError("unknown_row.name", row=row, known=", ".join(ROWS))
    return ROWS[row].make(subject, weights)
