"""Transfer of an edit from a posed mesh to the rest shape under the pose.

Apply Scale, a moved origin and their like change coordinates in object mode, all by one affine map M, t. They find the
pose in the place of the drawn shape; so the map is read off the pose, before and after,

    M, t = argmin sum_v |y_v - M x_v - t|^2

and applied to the drawn shape as well. What is no such map moves each drawn vertex by as much as its posed one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["transfer_edit"]

Float32 = NDArray[np.float32]

EXACT = 1e-5  # of the size: an affine map misses no vertex by more
FLAT = 1e-5  # of the largest extent: a pose that is thinner is a plane


def transfer_edit(original: Float32, shown: Float32, now: Float32) -> Float32:
    """The drawn shape [V,3] after an edit that made `now` [V,3] of the pose `shown` [V,3]."""
    if np.array_equal(shown, now):
        return original
    before, after = shown.astype(np.float64), now.astype(np.float64)
    place, goal = before.mean(axis=0), after.mean(axis=0)
    before, after = before - place, after - goal
    axes, extents, _ = np.linalg.svd(before.T @ before)
    rank = int((extents > FLAT**2 * extents[0]).sum())
    if rank >= 2:
        seen = axes[:, :rank]
        images = np.linalg.lstsq(before @ seen, after, rcond=None)[0]
        if np.abs(before @ seen @ images - after).max() <= EXACT * np.abs(after).max():
            if rank == 2:
                seen, images = _with_normal(seen, images)
            return ((original - place) @ seen @ images + goal).astype(np.float32)
    return (original + (now - shown)).astype(np.float32)


def _with_normal(axes: NDArray[np.float64], images: NDArray[np.float64]) -> tuple[np.ndarray, np.ndarray]:
    """Adds the normal of a plane: it stays normal, and scales with the square root of the area."""
    normal, image = np.cross(axes[:, 0], axes[:, 1]), np.cross(images[0], images[1])
    length = np.linalg.norm(image)
    image = image / np.sqrt(length) if length > 0.0 else image
    return np.column_stack([axes, normal]), np.vstack([images, image])
