"""Evidence of joints: what the network said of the handles of a body, in a few numbers that a verdict can weigh."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from ...kinematics.base import Array
from .rotation_averaging import Averaged

__all__ = ["EVIDENCE", "joint_evidence"]

EVIDENCE = (
    "moves_mean",
    "moves_least",
    "moves_most",
    "carries_own",
    "carries_others",
    "carried_by_others",
    "firm",
    "stiff",
    "ball",
    "kind_likelihood",
    "turning_likelihood",
    "place_likelihood",
    "log_size",
    "mean",
    "handles",
    "others_move",
)


def joint_evidence(averaged: Averaged, own: NDArray[np.int64]) -> Array:
    """Float[len(EVIDENCE)] of the joint of the body with the handles `own`."""
    rest = np.setdiff1d(np.arange(len(averaged.moves)), own)
    carries, moves = expit(averaged.carries), averaged.moves[own]
    # Which way round an axis looks is no doubt about its kind.
    kinds = softmax(averaged.kinds[own].mean(axis=0)).reshape(-1, 2).sum(axis=1)
    places = softmax(averaged.places[own].mean(axis=0), axis=1).max(axis=1)
    return np.array(
        [
            moves.mean(),
            moves.min(),
            moves.max(),
            carries[np.ix_(own, own)].mean(),
            carries[np.ix_(rest, own)].mean() if len(rest) else 1.0,
            carries[np.ix_(own, rest)].mean() if len(rest) else 0.0,
            averaged.firm[own].mean(),
            averaged.stiff[own].mean(),
            averaged.balls[own].mean(),
            kinds.max(),
            kinds[:3].sum(),
            places.prod(),
            averaged.size[own].mean(),
            averaged.means[own].mean(),
            len(own) / len(averaged.moves),
            averaged.moves[rest].mean() if len(rest) else -5.0,
        ]
    )
