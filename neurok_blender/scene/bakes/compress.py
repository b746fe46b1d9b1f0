"""The fewest shapes that a motion is made of, within a tolerance.

Displacements d(t) = phi motion(t) span at most 12 H dimensions. Their principal directions come from the frames' Gram
matrix over a sample of the vertices,

    C_ts = <d(t), d(s)> = tr(motion(t)^T G motion(s)),    G = sum_v phi_v^T phi_v,    C = U S^2 U^T,

and direction k is again of the form phi b_k with b_k = sum_t u_k(t) motion(t) / s_k; no matrix of vertices and frames
is ever made. How far K of them leave a vertex from its place is then measured on every vertex and every frame.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .skinned import SkinnedTake, columns

__all__ = ["Compression"]

SAMPLE = 1024  # vertices
MOST_FRAMES = 256  # that directions are found from
WORST = 256  # vertices that join the sample where it was too kind


class Compression:
    """Iterate `steps` to the end; `values` Float64[T,K], `shapes` Float64[K,4H,3], `error` and `count` are there then.

    d_v(t) is about sum_k values[t,k] phi_v shapes[k], with values from -1 to 1.
    """

    def __init__(self, take: SkinnedTake, allowed: float):
        self._take, self._allowed = take, allowed
        self.count, self.error = 0, 0.0

    def steps(self, only_sample: bool = False) -> Iterator[None]:
        """With `only_sample` the count is that of the sample: at least nearly, and quickly."""
        self._find_directions()
        yield
        take = self._take
        vertices = take.sample(SAMPLE)
        low = 1 if len(self._directions) else 0
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
            if self.error <= self._allowed or self.count == len(self._directions):
                break
            # So many are too few, and these vertices show it.
            low = self.count + 1
            vertices = np.union1d(vertices, np.argpartition(worst, -WORST)[-WORST:] if len(worst) > WORST else vertices)
        self._scale()

    def _find_directions(self) -> None:
        take = self._take
        basis = take.basis(take.sample(SAMPLE)).astype(np.float64)
        gram = basis.T @ basis
        frames = len(take.motion)
        chosen = np.unique(np.linspace(0, frames - 1, min(frames, MOST_FRAMES)).round().astype(int))
        weighted = (gram @ columns64(take.motion)).reshape(len(gram), frames, 3).transpose(1, 0, 2).reshape(frames, -1)
        flat = take.motion[chosen].reshape(len(chosen), -1)
        values, vectors = np.linalg.eigh(flat @ weighted[chosen].T)
        order = np.argsort(values)[::-1]
        order = order[values[order] > max(values[-1], 0.0) * 1e-13]
        self._directions = (vectors[:, order] / np.sqrt(values[order])).T @ flat
        """[K,12H]; what of them is on the sample is orthonormal"""
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
        """What `count` directions leave of the motion [4H,3T]."""
        made = self._coefficients[:, :count] @ self._directions[:count]
        return columns(self._take.motion - made.reshape(self._take.motion.shape))

    def _scale(self) -> None:
        values = self._coefficients[:, : self.count]
        largest = np.abs(values).max(axis=0) if self.count else np.ones(0)
        largest[largest == 0.0] = 1.0
        self.values = values / largest
        self.shapes = (self._directions[: self.count] * largest[:, None]).reshape(self.count, -1, 3)


def columns64(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """[T,N,3] as [N,3T]."""
    return matrices.transpose(1, 0, 2).reshape(matrices.shape[1], -1)
