"""Rigid motion of the backend's conditions, from a matrix for each frame."""

from __future__ import annotations

import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

__all__ = ["is_rigid", "is_still", "motion_keys", "moves_since_first"]

Matrices = NDArray[np.float64]

STRETCH = 1e-4  # what is stretched by less than this keeps its shape
STILLNESS = 1e-6  # matrices that differ by less (m, or without unit) are those of one place


def moves_since_first(matrices: Matrices) -> Matrices:
    """D_t = M_t M_0^-1, Float64[T,4,4]: what brings points from where they are at the first frame to frame t.

    Raises numpy.linalg.LinAlgError where the first matrix has no inverse.
    """
    return matrices @ np.linalg.inv(matrices[0])


def is_still(moves: Matrices) -> bool:
    return bool(np.abs(moves - np.eye(4)).max() < STILLNESS)


def is_rigid(moves: Matrices) -> bool:
    """Whether no frame stretches, shears or mirrors."""
    linear = moves[:, :3, :3]
    stretch = linear.transpose(0, 2, 1) @ linear - np.eye(3)
    return bool(np.abs(stretch).max() < STRETCH and (np.linalg.det(linear) > 0.0).all())


def motion_keys(moves: Matrices, hinge: NDArray[np.float64], centre: NDArray[np.float64], first: int = 1) -> list[dict]:
    """A key for each frame, counted from `first`, of something that turns about `centre` Float[3] m.

    Only the turning of the moves counts, not their stretching; `hinge` Float[3] m is the point that goes exactly where
    they bring it. x = R (X - centre) + centre + location, so location = D hinge - R (hinge - centre) - centre.
    """
    turns = _nearest_rotations(moves[:, :3, :3])
    places = moves[:, :3, :3] @ hinge + moves[:, :3, 3]
    offsets = places - turns @ (hinge - centre) - centre
    return [
        {"frame": index, "location": offset.tolist(), "rotation": _rotation_vector(turn)}
        for index, (offset, turn) in enumerate(zip(offsets, turns, strict=True), first)
    ]


def _nearest_rotations(linear: Matrices) -> Matrices:
    """Float64[T,3,3]: U diag(1, 1, det(U V)) V of the singular value decomposition."""
    left, _stretch, right = np.linalg.svd(linear)
    left[:, :, 2] *= np.sign(np.linalg.det(left @ right))[:, None]
    return left @ right


def _rotation_vector(turn: NDArray[np.float64]) -> list[float]:
    """Axis times angle, which is at most half a turn."""
    quaternion = Matrix(turn.tolist()).to_quaternion()
    if quaternion.w < 0.0:
        quaternion.negate()
    return list(quaternion.to_exponential_map())
