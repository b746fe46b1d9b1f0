"""From the shapes of a motion to vertex positions: x_v = sum_h W[v,h] A[h] [X_v; 1] + P_v, either part where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ..job.motion import Shape

__all__ = ["Decoder"]

Float32 = NDArray[np.float32]

# Vertices per block: the blended transforms of a block (48 bytes a vertex) stay in the processor's cache.
BLOCK = 8192
# Products of more multiplications than these OpenBLAS computes on all processors, and waits for the slowest of them
# without a rest: several times as long where the backend is at work. Too small blocks take longer by themselves.
ALONE, SMALLEST = 4 * 65536, 256


class Decoder:
    """Positions in object space of the shapes of one motion.

    `weights` Float32[V,H], None where it is not skinned, and `rest` Float32[V,3] (world, metres) are the analysis's;
    `to_object` Float64[4,4] brings a world position into object space.
    """

    def __init__(self, weights: Float32 | None, rest: Float32, to_object: NDArray[np.float64]):
        if weights is not None:
            if weights.ndim != 2 or weights.shape[0] != len(rest):
                raise ValueError(f"weights of shape {weights.shape} do not fit {len(rest)} vertices")
            weights = np.ascontiguousarray(weights, dtype=np.float32)
        self.weights = weights
        self.rest = np.concatenate([rest, np.ones((len(rest), 1), np.float32)], axis=1, dtype=np.float32)
        """[X_v; 1] [V,4], world"""
        self.linear = to_object[:3, :3]
        self.offset = to_object[:3, 3]

    def __call__(self, shape: Shape) -> Float32:
        """Positions Float32[V,3] in object space.

        Blending the transforms first and applying them after costs 12 H per vertex, and so needs no
        V x 4H matrix of products. The weights of a row need not sum to 1, which is why only the linear
        part of `to_object` goes into the handles.
        """
        if shape.handles is None:
            positions = self.turned(shape.points)
        else:
            positions = self.blend(self.linear @ shape.handles.astype(np.float64))
            if shape.points is not None:
                positions += self.turned(shape.points)
        positions += self.offset.astype(np.float32)
        return positions

    def turned(self, points: Float32) -> Float32:
        """Points [...,3] of the world by the linear part of `to_object`."""
        return (points.astype(np.float64) @ self.linear.T).astype(np.float32)

    def blend(self, transforms: NDArray[np.float64]) -> Float32:
        """sum_h W[v,h] transforms[h] [X_v; 1], Float32[V,3], for any `transforms` Float64[H,3,4] of what is skinned."""
        transforms = transforms.astype(np.float32).reshape(-1, 12)
        positions = np.empty((len(self.rest), 3), np.float32)
        rows = ALONE // max(transforms.size, 1)
        rows = min(rows, BLOCK) if rows >= SMALLEST else BLOCK
        for start in range(0, len(positions), rows):
            block = slice(start, start + rows)
            blended = (self.weights[block] @ transforms).reshape(-1, 3, 4)
            np.einsum("vij,vj->vi", blended, self.rest[block], out=positions[block])
        return positions
