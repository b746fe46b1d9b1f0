"""Auxiliary losses of true bones: which points are one bone, and where bones turn about each other.

Motion shows of a bone only what turned in the states drawn; a rig tells of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...data.bone_labels import NO_BONE, BoneLabels
from ..infer.groups import taken

__all__ = ["BONE_LOSSES", "BoneTruth", "bone_losses", "bone_truth", "stacked_truth"]

BONE_LOSSES = ("bones", "heads")
HEAD_COUNTS = 5.0
LEAST = 1e-3  # of a weight, before its logarithm
NEARLY = 1e-2  # normalised units, below which a distance counts by its square


@dataclass(frozen=True)
class BoneTruth:
    """For a batch of objects with N samples and H handles; NO_BONE where a bone is not known, or none."""

    point: Tensor  # (B,N) int64, the bone of each sample
    own: Tensor  # (B,H) int64, the bone of most samples of a handle's piece
    above: Tensor  # (B,H) int64, what that bone hangs on
    heads: Tensor  # (B,H,3) where that bone turns

    def in_order(self, order: Tensor) -> BoneTruth:
        """The same with its handles in the order (B,H)."""
        return BoneTruth(self.point, *(taken(each, order) for each in (self.own, self.above, self.heads)))


def bone_truth(labels: BoneLabels | None, order: NDArray[np.int64], piece: NDArray[np.int64], handles: int) -> dict:
    """Arrays of one object with its samples put in `order` Int[N]; the first P are in the pieces Int[P] of handles."""
    none = np.full(handles, NO_BONE)
    if labels is None:
        return {"bone": np.full(len(order), NO_BONE), "own": none, "above": none, "heads": np.zeros((handles, 3), "f4")}
    point = labels.point[order]
    many = np.zeros((handles, len(labels.parents)))
    known = point[: len(piece)] != NO_BONE
    np.add.at(many, (piece[known], point[: len(piece)][known]), 1.0)
    own = np.where(many.any(axis=1), many.argmax(axis=1), NO_BONE)
    above = np.where(own == NO_BONE, NO_BONE, labels.parents[own])
    return {"bone": point, "own": own, "above": above, "heads": labels.heads[own].astype(np.float32)}


def stacked_truth(parts: Sequence[dict[str, np.ndarray]]) -> BoneTruth:
    """One batch of objects, each with what `bone_truth` gave."""
    names = ("bone", "own", "above", "heads")
    return BoneTruth(*(torch.from_numpy(np.stack([part[name] for part in parts])) for name in names))


def _mean(values: Tensor, known: Tensor) -> Tensor:
    """The mean of what is known in each object, over the objects where something is."""
    count = known.flatten(1).sum(1)
    each = (values * known).flatten(1).sum(1) / count.clamp(min=1)
    return each.sum() / (count > 0).sum().clamp(min=1)


def bone_losses(truth: BoneTruth, pivot: Tensor, weights: Tensor) -> dict[str, Tensor]:
    """Of pivots (B,H,H,3) between handles and weights (B,Q,H) of the last Q samples, see `BONE_LOSSES`.

    A point belongs to the handles of its bone, whichever of them; and two handles of bones of which one hangs on the
    other turn about the head of that one.
    """
    point = truth.point[:, -weights.shape[1] :]
    same = (point[:, :, None] == truth.own[:, None]) & (point != NO_BONE)[..., None]
    of_bone = (weights * same).sum(-1).clamp(min=LEAST)
    hangs = (truth.above[:, None] == truth.own[:, :, None]) & (truth.own != NO_BONE)[
        :, :, None
    ]  # the second on the first
    apart = ((pivot - truth.heads[:, None]) ** 2).sum(-1)
    return {
        "bones": _mean(-of_bone.log(), same.any(-1)),
        "heads": HEAD_COUNTS * _mean((apart + NEARLY**2).sqrt() - NEARLY, hangs),
    }
