"""True bones of a clip that an artist rigged: how they hang on each other, how they move, and whose points are whose.

From an .npz, the clip's own or one that its manifest entry names as `skeleton`: `bone_parents` Int[B] (-1 root),
`bone_pose` Float[T,B,4,4], `skin_index` Int[V,k] and `skin_weight` Float[V,k], in the frame of the clip.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from ..kinematics.base import Array

__all__ = ["TrueBones", "read_bones"]


@dataclass(frozen=True)
class TrueBones:
    """B bones, each after the one that it hangs on; the object's frame, as in the clip's first frame."""

    parents: NDArray[np.int64]  # Int[B], -1 where a bone hangs on none
    heads: Array  # Float[B,3], about which they turn
    motions: Array  # Float[T,B,3,4], from the first frame to each
    weights: Array  # Float[V,B], rows sum to one


def read_bones(path: Path, turn: Array, frames: int, vertices: int) -> TrueBones | None:
    """The bones in a file, after x -> turn x; None where it has none. Raises UserError."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            if "bone_parents" not in archive.files:
                return None
            arrays = {name: archive[name] for name in ("bone_parents", "bone_pose", "skin_index", "skin_weight")}
        return _bones(arrays, turn, frames, vertices)
    except Exception as problem:  # whatever a damaged archive makes NumPy and zipfile say
        raise UserError("bad_data.bones", path=path) from problem


def _bones(arrays: Mapping[str, NDArray], turn: Array, frames: int, vertices: int) -> TrueBones:
    parents = arrays["bone_parents"].astype(np.int64)
    count = len(parents)
    order = _outwards(parents)
    number = np.argsort(order)
    parents = np.where(parents < 0, -1, number[np.maximum(parents, 0)])[order]
    pose = arrays["bone_pose"].astype(np.float64).reshape(frames, count, 4, 4)[:, order]
    index = number[arrays["skin_index"].astype(np.int64)]
    share = arrays["skin_weight"].astype(np.float64)
    weights = np.zeros((vertices, count))
    np.add.at(weights, (np.arange(vertices)[:, None], index), share)
    total = weights.sum(axis=1, keepdims=True)
    motions = (pose @ np.linalg.inv(pose[0]))[..., :3, :]
    if not ((total > 0.0).all() and np.isfinite(motions).all()):
        raise ValueError("weights or poses")
    turned = np.concatenate([turn @ motions[..., :3] @ turn.T, motions[..., 3:]], axis=-1)
    turned[..., 3] = motions[..., 3] @ turn.T
    return TrueBones(parents, pose[0, :, :3, 3] @ turn.T, turned, weights / total)


def _outwards(parents: NDArray[np.int64]) -> NDArray[np.int64]:
    """The bones in an order in which none comes before the one that it hangs on."""
    depth = np.full(len(parents), -1)
    depth[parents < 0] = 0
    for level in range(len(parents)):
        depth[(parents >= 0) & (depth < 0) & (depth[parents] == level)] = level + 1
    if (depth < 0).any():
        raise ValueError("bones hang on each other in a ring")
    return np.argsort(depth, kind="stable")
