"""Skeletons from skinned frames, where handles are rigid and vertices have few weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from .moving_mesh import MovingMesh, Skinning

__all__ = ["Skin", "exact_skin"]

EXACT = 1e-5  # of the size: what a vertex may be off
SMALLEST_WEIGHT = 1e-7  # what counts as none in float32


@dataclass(frozen=True)
class Skin:
    """J joints without scale. In the rest pose they are unturned at `centres` Float[J,3] m.

    joints Int[V,n] and weights Float32[V,n], rows sum to one, n a multiple of 4; locations Float[T,J,3] m and rotations
    Float[T,J,4] (x, y, z, w; neighbours in time on the same side) are those of the joints in the world.
    """

    rest: NDArray[np.float64]
    centres: NDArray[np.float64]
    joints: NDArray[np.int64]
    weights: NDArray[np.float32]
    locations: NDArray[np.float64]
    rotations: NDArray[np.float64]

    def frame(self, number: int) -> NDArray[np.float64]:
        """The positions Float[V,3] of a frame, counted from 0."""
        turns = Rotation.from_quat(self.rotations[number]).as_matrix()
        shifts = self.locations[number] - np.einsum("jik,jk->ji", turns, self.centres)
        positions = np.zeros_like(self.rest)
        for column in range(self.joints.shape[1]):
            joint, weight = self.joints[:, column], self.weights[:, column, None].astype(np.float64)
            positions += weight * (np.einsum("vik,vk->vi", turns[joint], self.rest) + shifts[joint])
        return positions


def exact_skin(moving: MovingMesh, most_influences: int) -> Skin | None:
    """The skin whose positions are the frames of the object to 1e-5 of its size; None where there is none.

    A vertex has at most `most_influences` weights, a multiple of 4.
    """
    if moving.skinning is None:
        return None
    skin = _nearest(moving.skinning, most_influences)
    if skin is None:
        return None
    allowed = EXACT * float(np.ptp(moving.rest, axis=0).max())
    # What is not exact mostly shows at the end, when everything has moved.
    for number in reversed(range(len(moving.frames))):
        if np.abs(skin.frame(number) - moving.frames[number]).max() > allowed:
            return None
    return skin


def _nearest(skinning: Skinning, most_influences: int) -> Skin | None:
    """The heaviest weights of each vertex on its handles without their scale; None where that makes no sense."""
    weights = np.asarray(skinning.weights, dtype=np.float64)
    used = np.flatnonzero(np.abs(weights).max(axis=0) > SMALLEST_WEIGHT)
    weights = weights[:, used]
    if weights.min() < -SMALLEST_WEIGHT or np.abs(weights.sum(axis=1) - 1.0).max() > 1e-3:
        return None
    handles = skinning.handles[:, used].astype(np.float64)
    linear = handles[..., :3]
    if np.abs(linear @ linear.swapaxes(-1, -2) - np.eye(3)).max() > 1e-4 or np.linalg.det(linear).min() < 0.0:
        return None
    matters = (weights > SMALLEST_WEIGHT).sum(axis=1).max()
    columns = min(most_influences, 4 * int(-(-matters // 4)))
    joints = np.argsort(-weights, axis=1, kind="stable")[:, :columns]
    kept = np.maximum(np.take_along_axis(weights, joints, axis=1), 0.0)
    missing = columns - joints.shape[1]  # fewer handles than columns
    joints, kept = (np.pad(values, ((0, 0), (0, missing))) for values in (joints, kept))
    joints = np.where(kept > 0.0, joints, 0)  # an unused place names joint 0, as glTF asks
    kept /= kept.sum(axis=1, keepdims=True)

    rest = np.asarray(skinning.rest, dtype=np.float64)
    centres = (weights.T @ rest) / weights.sum(axis=0)[:, None]
    locations = np.einsum("tjik,jk->tji", linear, centres) + handles[..., 3]
    frames, count = linear.shape[:2]
    rotations = Rotation.from_matrix(linear.reshape(-1, 3, 3)).as_quat().reshape(frames, count, 4)
    # q and -q turn alike; neighbours in time must be on one side, or what plays them goes the long way round.
    same_side = np.sign(np.einsum("tjk,tjk->tj", rotations[1:], rotations[:-1]))
    rotations[1:] *= np.cumprod(np.where(same_side == 0.0, 1.0, same_side), axis=0)[..., None]
    return Skin(rest, centres, joints, kept.astype(np.float32), locations, rotations)
