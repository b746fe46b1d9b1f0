"""Losses of the joint network: the nearest of several valid joints, by the best of several hypotheses.

Distances are in the network's frame. `Truth` holds, for each part, up to V joints that are right.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from ...infer.joint_network.joint_model import KINDS, JointPrediction

__all__ = ["LOSSES", "Truth", "goodness", "losses"]

LOSSES = ("kinds", "hypotheses", "confidence", "judged", "parents")
OTHERS = 0.1  # share of the hypotheses that are not the best
FIXED, REVOLUTE, PRISMATIC, CONTINUOUS = range(KINDS)
ANGLE = 0.15  # radians that count as much as ..
APART = 0.08  # .. this distance of a pivot from the true line, when candidates are judged
ENDLESS = 0.4  # what it costs to take what ends for what does not
CLEAR = 0.25  # goodness that the best of a list has at least: from others nothing is to be learnt
SURE = 2.0
LEAST = 1e-4


@dataclass(frozen=True)
class Truth:
    """What is right for the P parts of each of B shapes."""

    kind: Tensor  # (B,P,V) int64
    axis: Tensor  # (B,P,V,3)
    pivot: Tensor  # (B,P,V,3)
    range: Tensor  # (B,P,V,2) in the units of `JointPrediction.ranges`; NaN where not known
    valid: Tensor  # (B,P,V) bool
    parent: Tensor  # (B,P) int64, -1 not known, the part itself: hangs on nothing


def _across(pivot: Tensor, truth: Truth) -> Tensor:
    """Square of how far places (B,P,N,1,3) are from true lines: (B,P,N,V)."""
    offset = pivot - truth.pivot[:, :, None]
    along = (offset * truth.axis[:, :, None]).sum(-1)
    return (offset.square().sum(-1) - along.square()).clamp(min=0.0)


def goodness(kind: Tensor, axis: Tensor, pivot: Tensor, truth: Truth) -> Tensor:
    """(B,P,C) from 0 to 1: how near candidates are to the nearest valid joint."""
    cosine = (axis[:, :, :, None] * truth.axis[:, :, None]).sum(-1).abs().clamp(max=1.0)
    mine, true = kind[..., None], truth.kind[:, :, None]
    turns = (true == REVOLUTE) | (true == CONTINUOUS)
    other = torch.where(
        mine == true, 0.0, torch.where(turns & ((mine == REVOLUTE) | (mine == CONTINUOUS)), ENDLESS, 99.0)
    )
    cost = other + torch.acos(cosine) / ANGLE + turns * _across(pivot[:, :, :, None], truth).sqrt() / APART
    usable = truth.valid & (truth.kind != FIXED)
    return (-cost.masked_fill(~usable[:, :, None], 99.0).amin(-1)).exp()


def _mean(each: Tensor, known: Tensor) -> Tensor:
    return (each * known).sum() / known.sum().clamp(min=1.0)


def _costs(predicted: JointPrediction, truth: Truth) -> Tensor:
    """(B,P,K,V): how wrong each hypothesis is by each true joint."""
    kinds = -predicted.hypothesis_kinds[:, :, :, None].expand(-1, -1, -1, truth.kind.shape[2], -1)
    kinds = kinds.gather(-1, truth.kind[:, :, None, :, None].expand(-1, -1, kinds.shape[2], -1, 1))[..., 0]
    true = truth.kind[:, :, None]
    moves = (true != FIXED).float()
    turns = ((true == REVOLUTE) | (true == CONTINUOUS)).float()
    cosine = (predicted.axes[:, :, :, None] * truth.axis[:, :, None]).sum(-1)
    sine = (1.0 - cosine.square()).clamp(min=0.0)
    axes = (sine + LEAST).sqrt()
    pivots = (_across(predicted.pivots[:, :, :, None], truth) + LEAST).sqrt()
    # The other sign of the axis has the range the other way round.
    output = predicted.ranges[:, :, :, None]
    output = torch.where(cosine[..., None] >= 0.0, output, -output.flip(-1))
    known = torch.isfinite(truth.range).all(-1)[:, :, None]
    ends = (output - truth.range.nan_to_num(0.0, 0.0, 0.0)[:, :, None]).abs().clamp(max=2.0).mean(-1)
    return kinds + moves * (2.0 * axes + 3.0 * turns * pivots + 0.5 * known * ends)


def losses(predicted: JointPrediction, truth: Truth, kind: Tensor, axis: Tensor, pivot: Tensor) -> dict[str, Tensor]:
    """The terms of LOSSES; kind (B,P,C), axis and pivot (B,P,C,3) of the candidates."""
    labelled = truth.valid.any(-1)
    # Any of the valid kinds is right.
    may = functional.one_hot(truth.kind, KINDS).bool() & truth.valid[..., None]
    kinds = -predicted.kinds.masked_fill(~may.any(2), -30.0).logsumexp(-1)

    costs = _costs(predicted, truth).masked_fill(~truth.valid[:, :, None], 1e4)
    nearest = costs.amin(-1)  # of each hypothesis
    best = nearest.amin(-1)
    hypotheses = (1.0 - OTHERS) * best + OTHERS * nearest.mean(-1)
    wanted = (-SURE * nearest.detach()).softmax(-1)
    confidence = -(wanted * predicted.confidence.log_softmax(-1)).sum(-1)

    good = goodness(kind, axis, pivot, truth).masked_fill(kind == 0, 0.0)
    scores = predicted.scores.masked_fill(kind == 0, -30.0).log_softmax(-1)
    share = good.square()
    judged = -(share / share.sum(-1, keepdim=True).clamp(min=1e-6) * scores).sum(-1)
    clear = good.amax(-1) > CLEAR

    parents = functional.cross_entropy(
        predicted.parents.flatten(0, 1), truth.parent.clamp(min=0).flatten(), reduction="none"
    )
    return {
        "kinds": _mean(kinds, labelled),
        "hypotheses": _mean(hypotheses, labelled),
        "confidence": _mean(confidence, labelled),
        "judged": _mean(judged, labelled & clear),
        "parents": _mean(parents.unflatten(0, truth.parent.shape), truth.parent >= 0),
    }
