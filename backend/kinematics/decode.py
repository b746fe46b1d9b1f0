"""Handle transforms to vertex positions: x_v = sum_h w_vh A_h [X_v; 1], many frames at once."""

from __future__ import annotations

import numpy as np

from .base import Array, skinning_basis

__all__ = ["decode_frames"]

CHUNK = 32_768  # vertices at a time: the basis of one chunk stays below 50 MB


def decode_frames(vertices: Array, weights: np.ndarray, handles: Array) -> np.ndarray:
    """vertices Float[V,3] at rest, weights (V,H), handles Float[T,H,3,4] -> positions float32 (T,V,3)."""
    frames = len(handles)
    transforms = handles.transpose(1, 3, 0, 2).reshape(-1, 3 * frames)  # (4H, 3T), the layout of `a` for every frame
    positions = np.empty((frames, len(vertices), 3), dtype=np.float32)
    for begin in range(0, len(vertices), CHUNK):
        part = slice(begin, begin + CHUNK)
        basis = skinning_basis(weights[part].astype(np.float64), vertices[part])
        positions[:, part] = (basis @ transforms).reshape(-1, frames, 3).transpose(1, 0, 2)
    return positions
