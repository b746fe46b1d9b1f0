"""A take as numbers: what a vertex does is phi_v times a small matrix for each frame.

    x_v(t) = phi_v M(t) + offset,    phi_v = w_v (x) [X_v; 1]  (1 x 4H),    M(t)  (4H x 3)

so distances between two motions of this form are found without either of them as arrays of vertices and frames but
block by block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..decode import Decoder
from ..takes import SceneTake

__all__ = ["SkinnedTake", "object_size"]

BLOCK_NUMBERS = 1 << 20  # of a block's positions: a few milliseconds of work
SEED = 0
SAMPLE = 2048  # vertices
ROUNDS, MISSED = 8, 64


def object_size(positions: NDArray[np.float32]) -> float:
    """The longest side of the bounding box, metres of the object's own space."""
    return float(np.ptp(positions, axis=0).max())


class SkinnedTake:
    """`handles` Float[T][H,3,4] (world) of the baked frames; `drawn` Float32[V,3]: where the vertices are at rest.

    After `prepare` there is `motion` Float64[T,4H,3]: M(t) less what holds the drawn shape, so that phi_v motion(t) is
    a displacement.
    """

    def __init__(self, decoder: Decoder, handles: Sequence[NDArray[np.float32]], drawn: NDArray[np.float32]):
        self.decoder, self.drawn = decoder, drawn
        self.vertex_count, self.handle_count = decoder.weights.shape
        whole = decoder.linear @ np.asarray(handles, np.float64)
        self.positions = np.ascontiguousarray(whole.transpose(0, 1, 3, 2)).reshape(len(whole), -1, 3)
        """M(t) [T,4H,3]"""
        self._odd = np.empty(0, np.intp)

    @classmethod
    def of(cls, take: SceneTake, indices: Sequence[int]) -> SkinnedTake:
        """The frames with these numbers, from 0, of a take."""
        return cls(take.decoder, [take.take.handles[index] for index in indices], take.snapshot.evaluated)

    def prepare(self) -> Iterator[None]:
        """Finds the matrix `rest` [4H,3] that holds the drawn shape, from a sample that no handle is missing in."""
        size = object_size(self.drawn)
        for _round in range(ROUNDS):
            vertices = self.sample(SAMPLE)
            basis = self.basis(vertices).astype(np.float64)
            target = self.drawn[vertices] - self.decoder.offset
            self.rest = _least_squares(basis.T @ basis, basis.T @ target)
            yield
            distance = np.empty(self.vertex_count, np.float32)
            for block in self.blocks():
                distance[block] = np.abs(self.drawn_difference(block)).max(axis=1)
                yield
            missed = np.argsort(distance)[::-1][:MISSED]
            missed = np.setdiff1d(missed[distance[missed] > 1e-5 * size], vertices)
            if not len(missed):
                break
            self._odd = np.union1d(self._odd, missed)
        self.motion = self.positions - self.rest

    def sample(self, count: int) -> NDArray[np.intp]:
        """The same `count` vertices each time, from everywhere, and those with handles that none of them has."""
        if self.vertex_count <= count:
            return np.arange(self.vertex_count)
        chosen = np.random.default_rng(SEED).choice(self.vertex_count, count, replace=False)
        return np.union1d(chosen, self._odd)

    def basis(self, vertices: NDArray[np.intp] | slice) -> NDArray[np.float32]:
        """phi of some vertices [N,4H]."""
        weights, rest = self.decoder.weights[vertices], self.decoder.rest[vertices]
        return (weights[:, :, None] * rest[:, None, :]).reshape(len(weights), -1)

    def blocks(self) -> Iterator[slice]:
        """All vertices, so many at a time that their positions at all frames can be had at once."""
        size = max(BLOCK_NUMBERS // (3 * len(self.positions)), 64)
        for start in range(0, self.vertex_count, size):
            yield slice(start, start + size)

    def distances(
        self,
        vertices: NDArray[np.intp] | slice,
        residual: NDArray[np.float32],
        shift: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """Of each vertex the largest of |phi_v residual(t) + shift_v| over all frames [N]; `residual` is [4H,3T]."""
        basis = self.basis(vertices)
        difference = (basis @ residual).reshape(len(basis), -1, 3)
        if shift is not None:
            difference += shift[:, None, :]
        return np.sqrt(np.einsum("vti,vti->vt", difference, difference).max(axis=1))

    def drawn_difference(self, vertices: NDArray[np.intp] | slice) -> NDArray[np.float32]:
        """How far phi rest is from the drawn shape [N,3]: rounding, unless the weights cannot hold it."""
        held = self.basis(vertices) @ self.rest.astype(np.float32) + self.decoder.offset.astype(np.float32)
        return (held - self.drawn[vertices]).astype(np.float32)


def columns(matrices: NDArray[np.float64]) -> NDArray[np.float32]:
    """[T,N,3] as Float32[N,3T], to be multiplied from the left."""
    return np.ascontiguousarray(matrices.transpose(1, 0, 2), np.float32).reshape(matrices.shape[1], -1)


def _least_squares(gram: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """The shortest x with gram x = right."""
    values, vectors = np.linalg.eigh(gram)
    kept = values > values[-1] * 1e-12
    return vectors[:, kept] @ ((vectors[:, kept].T @ right) / values[kept, None])
