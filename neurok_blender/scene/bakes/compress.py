"""The fewest shapes that a motion is made of, within a tolerance.

Displacements d(t) = phi motion(t) span at most 12 H dimensions where they are skinned, and T where they are points.
Their principal directions come from the frames' Gram matrix over a sample of the vertices,

    C_ts = <d(t), d(s)> = tr(motion(t)^T G motion(s)),    G = sum_v phi_v^T phi_v,    C = U S^2 U^T,

and direction k is again of the form phi b_k with b_k = sum_t u_k(t) motion(t) / s_k; no matrix of vertices and frames
is ever made. How far K of them leave a vertex from its place is then measured on every vertex and every frame.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .take_numbers import TakeNumbers, columns

__all__ = ["MOST_POINT_FRAMES", "Compression"]

SAMPLE = 1024  # vertices
MOST_FRAMES = 256  # that directions are found from
MOST_POINT_FRAMES = 500  # of a motion with points: its work grows with their square
WORST = 256  # vertices that join the sample where it was too kind


class Compression:
    """Iterate `steps` to the end; `values` Float64[T,K], `shapes` Float64[K,N,3], `error` and `count` are there then.

    d_v(t) is about sum_k values[t,k] phi_v shapes[k], with values from 0 to 1, which is what glTF importers and engines
    keep of a shape's value. Where the motion goes to both sides of the drawn shape, one shape more than `count`, the
    last, is always at 1: it holds the low ends of all the others.
    """

    def __init__(self, take: TakeNumbers, allowed: float):
        self._take, self._allowed = take, allowed
        self.count, self.error = 0, 0.0

    def steps(self, only_sample: bool = False) -> Iterator[None]:
        """With `only_sample` the count is that of the sample: at least nearly, and quickly."""
        take = self._take
        vertices = take.sample(SAMPLE)
        self._find_directions(vertices)
        yield
        low = min(1, len(self._directions))
        while True:
            yield from self._fewest(vertices, low)
            if only_sample:
                break
            worst = np.empty(take.vertex_count, np.float32)
            residual = self._residual(self.count)
            for block in take.blocks():
                worst[block] = take.distances(block, residual, take.drawn_difference(block))
                yield
            self.error = float(worst.max())
            known = len(vertices)
            vertices = np.union1d(vertices, np.argsort(worst)[-WORST:])
            if self.error <= self._allowed or len(vertices) == known:
                break
            # So many are too few, and these vertices show it; perhaps they move in ways of their own.
            low = self.count + 1
            if self.count == len(self._directions):
                self._find_directions(vertices)
                low = min(1, len(self._directions))
        self._scale()

    def _find_directions(self, vertices: NDArray[np.intp]) -> None:
        take = self._take
        basis = take.basis(vertices).astype(np.float64)
        gram = basis.T @ basis
        frames = len(take.motion)
        chosen = np.unique(np.linspace(0, frames - 1, min(frames, MOST_FRAMES)).round().astype(int))
        weighted = (gram @ columns64(take.motion)).reshape(len(gram), frames, 3).transpose(1, 0, 2).reshape(frames, -1)
        flat = take.motion[chosen].reshape(len(chosen), -1)
        values, vectors = np.linalg.eigh(flat @ weighted[chosen].T)
        order = np.argsort(values)[::-1]
        order = order[values[order] > max(values[-1], 0.0) * 1e-13]
        self._directions = (vectors[:, order] / np.sqrt(values[order])).T @ flat
        """[K,3N]; what of them is on the sample is orthonormal"""
        self._coefficients = weighted @ self._directions.T

    def _fewest(self, vertices: NDArray[np.intp], low: int) -> Iterator[None]:
        """Sets `count` to the least number from `low` on that is enough for these vertices."""
        high = len(self._directions)
        while low < high:
            middle = (low + high) // 2
            if self._take.distances(vertices, self._residual(middle)).max() <= self._allowed:
                high = middle
            else:
                low = middle + 1
            yield
        self.count = low

    def _residual(self, count: int) -> NDArray[np.float32]:
        """What `count` directions leave of the motion [N,3T]."""
        made = self._coefficients[:, :count] @ self._directions[:count]
        return columns(self._take.motion - made.reshape(self._take.motion.shape))

    def _scale(self) -> None:
        values, shapes = self._coefficients[:, : self.count], self._directions[: self.count]
        negative = values.max(axis=0, initial=0.0) <= 0.0
        values, shapes = np.where(negative, -values, values), np.where(negative[:, None], -shapes, shapes)
        low = values.min(axis=0, initial=0.0)
        span = np.maximum(values.max(axis=0, initial=0.0) - low, 1e-30)
        self.values, shapes = (values - low) / span, shapes * span[:, None]
        if low.any():
            self.values = np.column_stack([self.values, np.ones(len(values))])
            shapes = np.vstack([shapes, (low / span) @ shapes])
        self.shapes = shapes.reshape(len(shapes), -1, 3)


def columns64(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """[T,N,3] as [N,3T]."""
    return matrices.transpose(1, 0, 2).reshape(matrices.shape[1], -1)
