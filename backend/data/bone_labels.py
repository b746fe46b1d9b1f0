"""Which bone each surface point of an example belongs to, and where bones have their heads at its rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..geometry.surface_samples import SurfaceSamples
from ..kinematics.base import Array
from .rigid_fit import best_motions
from .true_bones import TrueBones

__all__ = ["NO_BONE", "BoneLabels", "bone_labels"]

NO_BONE = -1  # of points that several bones share
_MOSTLY = 0.6  # least weight of the bone to which a point belongs


@dataclass(frozen=True)
class BoneLabels:
    """B bones of N points, in the frame and at the rest of an example."""

    point: NDArray[np.int64]  # Int[N], a bone or NO_BONE
    parents: NDArray[np.int64]  # Int[B], -1 where a bone hangs on none
    heads: Array  # Float[B,3]

    def turned(self, turn: Array, shift: Array) -> BoneLabels:
        """The same after x -> turn x + shift."""
        return BoneLabels(self.point, self.parents, self.heads @ turn.T + shift)


def bone_labels(bones: TrueBones, heads: Array, samples: SurfaceSamples, first: Array, rest: Array) -> BoneLabels:
    """Heads Float[B,3] and vertices `first` Float[V,3] where the bones were read, and `rest` Float[V,3], in one frame.

    Where the rest is another state, each head goes as the surface of its bone does.
    """
    share = np.einsum("nk,nkb->nb", samples.barycentric, bones.weights[samples.corners])
    point = np.where(share.max(axis=1) > _MOSTLY, share.argmax(axis=1), NO_BONE)
    if not np.array_equal(first, rest):
        total = np.maximum(bones.weights.sum(axis=0), 1e-9)
        turn, shift = best_motions((bones.weights / total).T, first, rest[None])
        heads = (turn[0] @ heads[:, :, None])[..., 0] + shift[0]
    return BoneLabels(point, bones.parents, heads)
