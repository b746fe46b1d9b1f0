"""Motions to vertex positions: x_v = sum_h w_vh A_h [X_v; 1] + P_v, many frames at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .base import Array, skinning_basis

__all__ = ["decode_frames"]

CHUNK = 32_768  # vertices at a time: the basis of one chunk stays below 50 MB


def decode_frames(
    vertices: Array, weights: np.ndarray | None, handles: Sequence[Array], points: Sequence[Array] = ()
) -> np.ndarray:
    """World positions float32 (T,V,3), m, of vertices Float[V,3] at rest.

    `weights` (V,H) and `handles` Float[T,H,3,4] are those of what is skinned, `points` Float[T,V,3] of what has points;
    without weights points are positions.
    """
    if weights is None:
        return np.array(points, dtype=np.float32)
    frames = len(handles)
    transforms = (
        np.asarray(handles).transpose(1, 3, 0, 2).reshape(-1, 3 * frames)
    )  # (4H, 3T), the layout of `a` for every frame
    positions = np.empty((frames, len(vertices), 3), dtype=np.float32)
    for begin in range(0, len(vertices), CHUNK):
        part = slice(begin, begin + CHUNK)
        basis = skinning_basis(weights[part].astype(np.float64), vertices[part])
        positions[:, part] = (basis @ transforms).reshape(-1, frames, 3).transpose(1, 0, 2)
    if len(points):
        for frame, place in zip(positions, points, strict=True):
            frame += place
    return positions
