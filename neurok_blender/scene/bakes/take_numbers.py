"""A take as numbers: what a vertex does is phi_v times a small matrix for each frame.

    x_v(t) = phi_v M(t) + offset,    phi_v  (1 x N),    M(t)  (N x 3)

A skinned motion has phi_v = w_v (x) [X_v; 1], N = 4H. Points P_v(t) are of this form too: phi_v is the row of all of
them, the drawn place first where nothing else holds it, N = 3T or 3T + 3, and M(t) picks three of them. Both added are
both rows behind each other. So distances between two motions of this form are found without either of them as arrays
of vertices and frames but block by block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...job.motion import Shape
from ..decode import Decoder
from ..takes import SceneTake

__all__ = ["TakeNumbers", "object_size"]

BLOCK_NUMBERS = 1 << 20  # of a block's positions: a few milliseconds of work
POINT_NUMBERS = 1 << 26  # products of phi and what it is multiplied by, in a block
SEED = 0
SAMPLE = 2048  # vertices
ROUNDS, MISSED = 8, 64


def object_size(positions: NDArray[np.float32]) -> float:
    """The longest side of the bounding box, metres of the object's own space."""
    return float(np.ptp(positions, axis=0).max())


class TakeNumbers:
    """`shapes` of the baked frames; `drawn` Float32[V,3]: where the vertices are at rest, in object space.

    After `prepare` there is `motion` Float64[T,N,3]: M(t) less what holds the drawn shape, so that phi_v motion(t) is
    a displacement.
    """

    def __init__(self, decoder: Decoder, shapes: Sequence[Shape], drawn: NDArray[np.float32]):
        self.decoder, self.drawn, self._shapes = decoder, drawn, shapes
        self.vertex_count, self._odd = len(drawn), np.empty(0, np.intp)
        self.skin_rows = 0 if decoder.weights is None else 4 * decoder.weights.shape[1]
        self.has_points = shapes[0].points is not None
        parts = []
        if self.skin_rows:
            whole = decoder.linear @ np.asarray([shape.handles for shape in shapes], np.float64)
            parts.append(np.ascontiguousarray(whole.transpose(0, 1, 3, 2)).reshape(len(whole), -1, 3))
        if self.has_points:
            parts.append(self._selectors(len(shapes)))
        self.positions = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        """M(t) [T,N,3]"""

    def _selectors(self, count: int) -> NDArray[np.float64]:
        """What takes the points of each frame, and the drawn place that they are counted from, out of their row."""
        selectors = np.zeros((count, 3 * count, 3))
        for frame in range(count):
            selectors[frame, 3 * frame : 3 * frame + 3] = np.eye(3)
        if self.skin_rows:
            return selectors
        return np.concatenate([np.broadcast_to(np.eye(3), (count, 3, 3)), selectors], axis=1)

    @classmethod
    def of(cls, take: SceneTake, indices: Sequence[int]) -> TakeNumbers:
        """The frames with these numbers, from 0, of a take."""
        return cls(take.decoder, [take.motion.shapes[index] for index in indices], take.snapshot.evaluated)

    def prepare(self) -> Iterator[None]:
        """Finds the matrix `rest` [N,3] that holds the drawn shape, from a sample that no handle is missing in."""
        self.rest = np.zeros(self.positions.shape[1:])
        if self.skin_rows:
            yield from self._hold_drawn()
        else:
            self.rest[:3] = np.eye(3)
        self.motion = self.positions - self.rest

    def _hold_drawn(self) -> Iterator[None]:
        """Finds the rest of the skinned part, by which points that are 0 show the drawn shape."""
        size = object_size(self.drawn)
        for _round in range(ROUNDS):
            vertices = self.sample(SAMPLE)
            basis = self._skin_basis(vertices).astype(np.float64)
            target = self.drawn[vertices] - self.decoder.offset
            self.rest[: self.skin_rows] = _least_squares(basis.T @ basis, basis.T @ target)
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

    def sample(self, count: int) -> NDArray[np.intp]:
        """The same `count` vertices each time, from everywhere, and those with handles that none of them has."""
        if self.vertex_count <= count:
            return np.arange(self.vertex_count)
        chosen = np.random.default_rng(SEED).choice(self.vertex_count, count, replace=False)
        return np.union1d(chosen, self._odd)

    def basis(self, vertices: NDArray[np.intp] | slice) -> NDArray[np.float32]:
        """phi of some vertices [n,N]."""
        parts = [self._skin_basis(vertices)] if self.skin_rows else []
        if self.has_points:
            parts += self._point_basis(vertices)
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    def _skin_basis(self, vertices: NDArray[np.intp] | slice) -> NDArray[np.float32]:
        weights, rest = self.decoder.weights[vertices], self.decoder.rest[vertices]
        return (weights[:, :, None] * rest[:, None, :]).reshape(len(weights), -1)

    def _point_basis(self, vertices: NDArray[np.intp] | slice) -> list[NDArray[np.float32]]:
        points = self.decoder.turned(np.stack([shape.points[vertices] for shape in self._shapes], axis=1))
        if self.skin_rows:
            return [points.reshape(len(points), -1)]
        drawn = self.drawn[vertices] - self.decoder.offset.astype(np.float32)
        return [drawn, (points - drawn[:, None]).reshape(len(points), -1)]

    def moved(self, matrix: NDArray[np.float64]) -> NDArray[np.float32]:
        """phi_v matrix of all vertices Float32[V,3], for any matrix [N,3]."""
        moved = np.zeros((self.vertex_count, 3), np.float32)
        if self.skin_rows:
            moved = self.decoder.blend(matrix[: self.skin_rows].reshape(-1, 4, 3).transpose(0, 2, 1))
        if self.has_points:
            part = matrix[self.skin_rows :].astype(np.float32)
            for block in self.blocks():
                moved[block] += np.concatenate(self._point_basis(block), axis=1) @ part
        return moved

    def blocks(self) -> Iterator[slice]:
        """All vertices, so many at a time that their positions at all frames can be had at once."""
        size = max(BLOCK_NUMBERS // (3 * len(self.positions)), 64)
        if self.has_points:  # phi is as long as the row of positions
            size = max(min(size, POINT_NUMBERS // self.positions.shape[1] ** 2), 16)
        for start in range(0, self.vertex_count, size):
            yield slice(start, start + size)

    def distances(
        self,
        vertices: NDArray[np.intp] | slice,
        residual: NDArray[np.float32],
        shift: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """Of each vertex the largest of |phi_v residual(t) + shift_v| over all frames [N]; `residual` is [N,3T]."""
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
