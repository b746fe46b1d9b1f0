"""Ranking of joint candidates by the joint network, and joints that the network proposes by itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, logsumexp

from ..joint_search.candidates import PartCandidates, ShapeCandidates
from ..joint_search.choosing import Choice, Ranking, kind_rows
from ..joint_search.parted_shape import PartedShape
from ..joint_search.score import shipped_score
from ..kinematics.base import Array
from ..learned.infer.joint_network.candidate_arrays import NOTHING, CandidateArrays, candidate_arrays, joined
from ..learned.infer.joint_network.joint_prediction import (
    JOINT_WEIGHTS,
    AveragedPrediction,
    Engine,
    averaged_prediction,
    cached_engine,
)
from ..learned.infer.joint_network.part_cloud import cloud_of

__all__ = ["network_choices", "network_parents", "network_ranking"]

_FIXED, _REVOLUTE, _PRISMATIC, _CONTINUOUS = range(4)
_NAMES = ("fixed", "revolute", "prismatic", "continuous")
_CAREFUL = 0.02  # of all weight goes to candidates that the network dismisses
_NEVER = -30.0  # log-likelihood of a kind that no candidate has
# Powers of likelihoods that are multiplied, chosen on procedural and permissive objects.
_KINDS_BY_SCORE, _PLACES_BY_NETWORK = 0.3, 2.0
_PROPOSED = 0.5  # power of the hypotheses' likelihood, beside the scores
_NEAR_TURN, _NEAR_PLACE = np.radians(20.0), 0.12  # of the diagonal: how near a hypothesis speaks for a candidate
_UNTHOUGHT = 0.01  # odds of what no hypothesis is near
_SAME_TURN, _SAME_PLACE = np.radians(8.0), 0.04  # of the diagonal: hypotheses that mean the same


def network_ranking(weights: Path = JOINT_WEIGHTS) -> Ranking:
    """Log-odds of the simulator's candidates, beside those of the fitted score, which they are added to.

    The network decides kinds: it sees the whole shape, and the score but one part between its neighbours.
    Both decide the axis of a kind.
    """
    engine = cached_engine(weights)
    known: list[tuple[ShapeCandidates, dict[int, Array]]] = []  # of the last shape: its parts are requested one by one

    def ranking(candidates: ShapeCandidates, part: PartCandidates) -> Array:
        if not known or known[0][0] is not candidates:
            known[:] = [(candidates, _all_odds(candidates, engine))]
        score, network = log_softmax(shipped_score().log_odds(part.features)), known[0][1][part.part]
        by_score, by_network = _by_kind(part, score), _by_kind(part, network)
        kinds = log_softmax(_KINDS_BY_SCORE * by_score + by_network)
        odds = np.empty_like(score)
        for kind, rows in enumerate(kind_rows(part)):
            if len(rows):
                places = score[rows] - by_score[kind] + _PLACES_BY_NETWORK * (network[rows] - by_network[kind])
                odds[rows] = kinds[kind] + log_softmax(places)
        return odds - score

    return ranking


def _by_kind(part: PartCandidates, odds: Array) -> Array:
    """Float[3]: log-likelihoods of being fixed, turning and sliding, from those of candidates."""
    return np.array([logsumexp(odds[rows]) if len(rows) else _NEVER for rows in kind_rows(part)])


def _all_odds(found: ShapeCandidates, engine: Engine) -> dict[int, Array]:
    """Float[C+1] of each part with candidates, log-likelihoods: of the kind, shared among its candidates by score."""
    lists = [_unranged(candidate_arrays(found, row)) for row in range(len(found.parts))]
    predicted = averaged_prediction(cloud_of(found.shape), joined(NOTHING, *lists), engine)
    ends = np.cumsum([0, *(len(each) for each in lists)])
    odds = {}
    for number, (part, given) in enumerate(zip(found.parts, lists, strict=True)):
        kinds = predicted.kinds[part.part]
        of_kind = {_REVOLUTE: np.logaddexp(kinds[_REVOLUTE], kinds[_CONTINUOUS]), _PRISMATIC: kinds[_PRISMATIC]}
        own = np.full(len(given) + 1, _NEVER)
        own[-1] = kinds[_FIXED]
        scores = predicted.scores[ends[number] : ends[number + 1]]
        for kind, likely in of_kind.items():
            rows = np.flatnonzero(given.kind == kind)
            if len(rows):
                places = scores[rows] + _PROPOSED * _proposed(given.take(rows), predicted)
                own[rows] = likely + log_softmax(places)
        odds[part.part] = log_softmax(np.logaddexp(log_softmax(own), np.log(_CAREFUL / len(own))))
    return odds


def _proposed(given: CandidateArrays, predicted: AveragedPrediction) -> Array:
    """Log-odds of candidates of one part and kind by how near the hypotheses of that kind are."""
    part, turning = int(given.part[0]), given.kind[0] != _PRISMATIC
    of_kind = np.exp(predicted.proposal_kinds[part])
    odds = np.exp(predicted.proposal_odds[part])
    odds *= of_kind[:, _REVOLUTE] + of_kind[:, _CONTINUOUS] if turning else of_kind[:, _PRISMATIC]
    angle = np.arccos(np.clip(np.abs(given.axis @ predicted.axes[part].T), 0.0, 1.0))
    far = 0.0 * angle
    if turning:
        offset = given.pivot[:, None] - predicted.pivots[part]
        along = np.einsum("cki,ci->ck", offset, given.axis)
        far = np.linalg.norm(offset - along[..., None] * given.axis[:, None], axis=2)
    near = np.exp(-((angle / _NEAR_TURN) ** 2) - (far / _NEAR_PLACE) ** 2)
    return np.log(near @ odds + _UNTHOUGHT)


def _unranged(given: CandidateArrays) -> CandidateArrays:
    """Without the ranges of simulation: training on true joints has none."""
    unknown = np.full(len(given), np.nan)
    return CandidateArrays(given.part, given.kind, given.axis, given.pivot, unknown, unknown)


def network_parents(weights: Path = JOINT_WEIGHTS) -> Callable[[PartedShape], NDArray[np.int64]]:
    """Function of a shape that predicts parents Int[N], -1 of the base."""

    def parents(shape: PartedShape) -> NDArray[np.int64]:
        return _tree(averaged_prediction(cloud_of(shape), NOTHING, cached_engine(weights)).parents)

    return parents


def network_choices(shape: PartedShape, weights: Path = JOINT_WEIGHTS) -> list[Choice]:
    """What the network proposes for every part that hangs on another, without any simulation."""
    cloud = cloud_of(shape)
    predicted = averaged_prediction(cloud, NOTHING, cached_engine(weights))
    parents = _tree(predicted.parents)
    diagonal = float(np.linalg.norm(np.ptp(cloud.extremes.reshape(-1, 3), axis=0)))
    return [_choice(part, int(parent), predicted, diagonal) for part, parent in enumerate(parents) if parent >= 0]


def _tree(odds: Array) -> NDArray[np.int64]:
    """Int[P]: the likeliest parents without loops, -1 of the one base; parts join by their odds, greatest first."""
    count = len(odds)
    base = int(np.diag(odds).argmax())
    parents, joined_parts = np.full(count, -1), np.arange(count) == base
    for _ in range(count - 1):
        free = np.where(~joined_parts[:, None] & joined_parts, odds, -np.inf)
        child, parent = np.unravel_index(int(free.argmax()), free.shape)
        parents[child], joined_parts[child] = parent, True
    return parents


def _choice(part: int, parent: int, predicted: AveragedPrediction, diagonal: float) -> Choice:
    kinds = predicted.kinds[part]
    mass = np.array([kinds[_FIXED], np.logaddexp(kinds[_REVOLUTE], kinds[_CONTINUOUS]), kinds[_PRISMATIC]])
    kind = int(mass.argmax())
    moving = kind or 1 + int(mass[1:].argmax())
    of_kind = predicted.proposal_kinds[part]
    own = np.logaddexp(of_kind[:, _REVOLUTE], of_kind[:, _CONTINUOUS]) if moving == 1 else of_kind[:, _PRISMATIC]
    odds = np.exp(predicted.proposal_odds[part] + own)
    axes, pivots = predicted.axes[part], predicted.pivots[part]
    # The hypothesis that most others agree with.
    angle = np.arccos(np.clip(np.abs(axes @ axes.T), 0.0, 1.0)) / _SAME_TURN
    offset = pivots[:, None] - pivots
    offset -= np.einsum("ijk,ik->ij", offset, axes)[..., None] * axes[:, None]
    apart = np.linalg.norm(offset, axis=2) / (_SAME_PLACE * diagonal) if moving == 1 else 0.0 * angle
    likeness = np.exp(-(angle**2) - apart**2)
    agreed = likeness @ odds
    best = int(agreed.argmax())
    near = likeness[best] * odds
    pivot = near @ pivots / near.sum()
    lower, upper = np.sort(predicted.ranges[part, best])
    name = _NAMES[kind]
    if kind == 1 and kinds[_CONTINUOUS] > kinds[_REVOLUTE]:
        name, lower, upper = "continuous", -np.inf, np.inf
    if kind == 0:
        lower = upper = 0.0
    likely = np.exp(log_softmax(mass))
    return Choice(
        part,
        parent,
        name,
        axes[best],
        pivot,
        float(lower),
        float(upper),
        dict(zip(("fixed", "revolute", "prismatic"), likely.tolist(), strict=True)),
        best,
        (),
    )
