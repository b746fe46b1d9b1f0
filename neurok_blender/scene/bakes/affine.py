"""Affine transforms as location, rotation and scale: one bone where that is enough, two where it is not.

A linear map with a positive determinant is L = R V D V^T with rotations R and V and a diagonal D (polar decomposition
and the axes of the stretch). A bone can do R V D, and its child V^T; together they are exactly L.
"""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

__all__ = ["Track", "is_one_bone", "one_bone", "quaternions", "two_bones"]

Float = NDArray[np.float64]
Track = tuple[Float, Float, Float]
"""location [T,3], quaternion w x y z [T,4], scale [T,3]"""

# The 24 ways to name the axes of a box so that they stay right-handed.
_NAMINGS = np.array(
    [
        np.eye(3)[list(order)] * np.array(signs)[:, None]
        for order in permutations(range(3))
        for signs in product((1.0, -1.0), repeat=3)
        if np.linalg.det(np.eye(3)[list(order)] * np.array(signs)[:, None]) > 0.0
    ]
)


def is_one_bone(linear: Float, allowed: float) -> bool:
    """Whether all of [...,3,3] only turn and scale evenly, to within `allowed`."""
    gram = np.swapaxes(linear, -1, -2) @ linear
    scale = np.trace(gram, axis1=-2, axis2=-1)[..., None, None] / 3.0
    return bool(np.abs(gram - scale * np.eye(3)).max() <= allowed) and bool((np.linalg.det(linear) > 0.0).all())


def one_bone(linear: Float, location: Float) -> Track:
    """Of [T,3,3] that turn and scale evenly."""
    scale = np.cbrt(np.linalg.det(linear))
    return location, quaternions(linear / scale[:, None, None]), np.repeat(scale[:, None], 3, axis=1)


def two_bones(linear: Float, location: Float) -> tuple[Track, Track]:
    """Of any [T,3,3]; mirrored ones, which no motion of a body has, come out with a negative scale."""
    left, sizes, right = np.linalg.svd(linear)
    mirrored = np.linalg.det(left) * np.linalg.det(right) < 0.0
    axes = np.swapaxes(right, -1, -2).copy()  # V
    flipped = np.linalg.det(axes) < 0.0
    axes[flipped, :, 2] *= -1.0
    left = left.copy()
    left[flipped, :, 2] *= -1.0
    sizes = sizes.copy()
    left[mirrored, :, 2] *= -1.0
    sizes[mirrored, 2] *= -1.0
    # Of the 24 namings of the axes the one that turns least from frame to frame.
    before = np.eye(3)
    for frame in range(len(linear)):
        named = np.swapaxes(_NAMINGS @ axes[frame].T, -1, -2)
        best = int(np.einsum("nij,ij->n", named, before).argmax())
        naming = _NAMINGS[best]
        axes[frame], left[frame] = named[best], left[frame] @ naming.T
        sizes[frame] = np.abs(naming) @ sizes[frame]
        before = axes[frame]
    still = np.zeros_like(location)
    parent = (location, quaternions(left), sizes)
    child = (still, quaternions(np.swapaxes(axes, -1, -2)), np.ones_like(location))
    return parent, child


def quaternions(rotations: Float) -> Float:
    """w, x, y, z of [T,3,3], each with the sign that is near to the one before [T,4]."""
    m = rotations
    # Four times the products of the quaternion's numbers, from which the largest of them is divided out.
    trace = m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2]
    k = np.empty((len(m), 4, 4))
    k[:, 0, 0] = 1.0 + trace
    for i in range(3):
        j, l = (i + 1) % 3, (i + 2) % 3  # noqa: E741
        k[:, i + 1, i + 1] = 1.0 + 2.0 * m[:, i, i] - trace
        k[:, 0, i + 1] = k[:, i + 1, 0] = m[:, l, j] - m[:, j, l]
        k[:, i + 1, j + 1] = k[:, j + 1, i + 1] = m[:, i, j] + m[:, j, i]
    largest = np.einsum("tii->ti", k).argmax(axis=1)
    found = k[np.arange(len(m)), largest]
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    signs = np.sign(np.einsum("ti,ti->t", found[1:], found[:-1]))
    signs[signs == 0.0] = 1.0
    found[1:] *= np.cumprod(signs)[:, None]
    return found if found[0, 0] >= 0.0 else -found
