"""Choice of joints: the likeliest kind of each part, then the axis that its likely candidates agree on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, logsumexp

from ..kinematics.base import Array
from .candidate_features import asymmetry
from .candidates import PartCandidates, ShapeCandidates
from .parted_shape import PartedShape
from .score import shipped_score

__all__ = ["Choice", "Ranking", "choose", "kind_rows", "likelihoods"]

# Log-odds Float[C+1] of a part's candidates and of being fixed; those of several rankings are added.
Ranking = Callable[[ShapeCandidates, PartCandidates], Array]

KINDS = ("fixed", "revolute", "prismatic")
_SAME_TURN = np.radians(6.0)
_SAME_PLACE = 0.025  # of the diagonal
_TWIN = 0.03  # of the size: extents that differ by less are those of twins
_SPINS = 3.0  # radians either way: free all round
_ROUND = 0.02  # of the size: how far what turns for ever may be from itself when turned
_ALTERNATIVES = 5


@dataclass(frozen=True, eq=False)
class Choice:
    """How a part moves against its parent, in the frame of the shape; `odds` by kind sum to 1."""

    part: int
    parent: int
    kind: str  # fixed, revolute, prismatic or continuous
    axis: Array
    pivot: Array
    lower: float
    upper: float
    odds: dict[str, float]
    candidate: int
    alternatives: tuple[int, ...]  # other candidates that move, the likeliest first, no two alike


def likelihoods(candidates: ShapeCandidates, rankings: Sequence[Ranking] = ()) -> list[Array]:
    """Log-likelihoods Float[C+1] of each part's candidates: the score, multiplied by other rankings."""
    found = []
    for part in candidates.parts:
        odds = shipped_score().log_odds(part.features)
        for ranking in rankings:
            odds = odds + log_softmax(ranking(candidates, part))
        found.append(log_softmax(odds))
    return _with_twins(candidates, found)


def kind_rows(part: PartCandidates) -> list[NDArray[np.int64]]:
    """The rows of each of KINDS among the candidates of a part, the last of which is that it is fixed."""
    turns = part.motion.proposals.turns
    return [np.array([len(turns)]), np.flatnonzero(turns), np.flatnonzero(~turns)]


def _with_twins(candidates: ShapeCandidates, found: list[Array]) -> list[Array]:
    """Parts of one size on one parent are of one kind: each takes the mean of its twins' log-likelihoods of kinds."""
    shape = candidates.shape
    extents = np.sort(shape.high - shape.low, axis=1)
    kinds = [
        np.array([logsumexp(odds[rows]) if len(rows) else -30.0 for rows in kind_rows(part)])
        for part, odds in zip(candidates.parts, found, strict=True)
    ]
    result = []
    for part, odds, own in zip(candidates.parts, found, kinds, strict=True):
        alike = [
            its
            for other, its in zip(candidates.parts, kinds, strict=True)
            if other.parent == part.parent
            and np.abs(extents[other.part] - extents[part.part]).max() < _TWIN * shape.sizes[part.part]
        ]
        together = log_softmax(np.mean(alike, axis=0))
        odds = odds.copy()
        for number, rows in enumerate(kind_rows(part)):
            odds[rows] += together[number] - own[number]
        result.append(log_softmax(odds))
    return result


def _likeness(part: PartCandidates, rows: NDArray[np.int64]) -> Array:
    """Float[n,n] from 0 to 1: how much the candidates mean the same."""
    found = part.motion.proposals
    axis, pivot = found.axis[rows], found.pivot[rows]
    angle = np.arccos(np.clip(np.abs(axis @ axis.T), 0.0, 1.0))
    between = pivot[:, None] - pivot
    between -= np.einsum("ijk,jk->ij", between, axis)[..., None] * axis[None]
    place = np.linalg.norm(between, axis=2)
    turning = found.turns[rows][:, None] & found.turns[rows]
    near = np.where(turning, place / _SAME_PLACE, 0.0)
    return np.exp(-((angle / _SAME_TURN) ** 2) - near**2) * (found.turns[rows][:, None] == found.turns[rows])


def choose(candidates: ShapeCandidates, rankings: Sequence[Ranking] = ()) -> list[Choice]:
    """The joint of every part that hangs on another."""
    every = likelihoods(candidates, rankings)
    return [_choice(candidates.shape, part, odds) for part, odds in zip(candidates.parts, every, strict=True)]


def _choice(shape: PartedShape, part: PartCandidates, odds: Array) -> Choice:
    probability = np.exp(odds)
    rows_of = kind_rows(part)
    mass = np.array([probability[rows].sum() for rows in rows_of])
    kind = int(mass.argmax())
    moving = np.arange(len(odds) - 1)
    agreed = _likeness(part, moving) @ probability[:-1]
    own = rows_of[kind] if kind else moving
    best = int(own[agreed[own].argmax()]) if len(own) else 0
    found = part.motion.proposals
    name = KINDS[kind]
    lower, upper = part.reach(best) if kind else (0.0, 0.0)
    if (
        name == "revolute"
        and min(-lower, upper) >= _SPINS
        and _round(shape, part.part, found.axis[best], found.pivot[best])
    ):
        name, lower, upper = "continuous", -np.inf, np.inf
    return Choice(
        part.part,
        part.parent,
        name,
        found.axis[best],
        found.pivot[best],
        lower,
        upper,
        dict(zip(KINDS, mass.tolist(), strict=True)),
        best,
        _others(part, agreed, best),
    )


def _round(shape: PartedShape, part: int, axis: Array, pivot: Array) -> bool:
    """Whether a part is a solid of revolution about an axis, to the density of its samples."""
    own = shape.points[part], shape.trees[part]
    return bool(asymmetry(*own, axis[None], pivot[None], shape.sizes[part])[0] < _ROUND)


def _others(part: PartCandidates, agreed: Array, best: int) -> tuple[int, ...]:
    alike = _likeness(part, np.arange(len(agreed)))
    kept = [best]
    for row in np.argsort(-agreed, kind="stable").tolist():
        if alike[row, kept].max() < 0.3:
            kept.append(row)
        if len(kept) > _ALTERNATIVES:
            break
    return tuple(kept[1:])
