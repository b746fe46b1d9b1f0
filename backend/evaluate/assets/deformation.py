"""Deformation over the frames of a scene: stretch of edges, and what no rigid motion of a piece explains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...geometry.loose_parts import loose_parts
from ...geometry.mesh import Mesh, cross, triangle_areas
from ...kinematics.base import Array
from ..plausible_states import crossings
from ..procrustes import best_placement
from ..surface import sample_surface

__all__ = ["Deformation", "displacement", "new_crossings"]

_MOST_EDGES = 20_000
_SHORTEST = 2e-3  # of the size: shorter edges have no length to speak of
_MOST_PIECES = 12  # largest ones, whose shapes are compared
_LEAST_AREA = 0.03  # of the region: smaller pieces are not looked at
_POINTS = 400  # of a piece
_EVERY = 2  # frames
_DEEP = 0.001  # of the size, as of what sinks in: what passes through by less touches, as parts do that are drawn so


class Deformation:
    """Of the faces Bool[F] of one region; figures are without unit."""

    def __init__(self, mesh: Mesh, faces: NDArray[np.bool_]) -> None:
        triangles, rest = mesh.triangles[faces], mesh.vertices
        size = float(np.ptp(rest, axis=0).max())
        edges = unique_edges(triangles)
        self._length = np.linalg.norm(rest[edges[:, 1]] - rest[edges[:, 0]], axis=1)
        long = np.flatnonzero(self._length > _SHORTEST * size)
        long = long[:: 1 + len(long) // _MOST_EDGES]
        self._edges, self._length = edges[long], self._length[long]
        part = loose_parts(rest, mesh.triangles)[triangles[:, 0]]
        area = np.bincount(part, weights=triangle_areas(rest, triangles))
        largest = [number for number in np.argsort(-area, kind="stable")[:_MOST_PIECES] if area[number] > 0.0]
        kept = [number for number in largest if area[number] >= _LEAST_AREA * area.sum()] or largest[:1]
        draw = np.random.default_rng(0)
        self._pieces = [sample_surface(rest, triangles[part == number], _POINTS, draw) for number in kept]
        self._rest = rest

    def stretch(self, positions: NDArray[np.float32], quantile: float) -> float:
        """The quantile of |length / rest length - 1|, of edges by their length, in the frame where it is largest."""
        if not len(self._length):
            return 0.0
        order_weight = self._length / self._length.sum()
        worst = 0.0
        for frame in _some(positions):
            now = np.linalg.norm(frame[self._edges[:, 1]] - frame[self._edges[:, 0]], axis=1)
            stretch = np.abs(now / self._length - 1.0)
            order = np.argsort(stretch)
            at = np.searchsorted(np.cumsum(order_weight[order]), quantile)
            worst = max(worst, float(stretch[order[min(at, len(order) - 1)]]))
        return worst

    def bending(self, positions: NDArray[np.float32]) -> Array:
        """Float[t]: by how much of its size a piece differs from its drawn shape, RMS; of the piece that does most."""
        found = np.zeros(len(_some(positions)))
        for points in self._pieces:
            rest = points.on(self._rest)
            size = float(np.ptp(rest, axis=0).max())
            for number, frame in enumerate(_some(positions)):
                now = points.on(frame.astype(np.float64))
                away = best_placement(rest, now).applied(rest) - now
                found[number] = max(found[number], float(np.sqrt((away**2).sum(axis=1).mean())) / max(size, 1e-12))
        return found


def unique_edges(triangles: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each edge once, Int[e,2]."""
    pairs = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    return np.unique(pairs, axis=0)


def displacement(positions: NDArray[np.float32], start: Array, quantile: float) -> float:
    """The quantile over vertices of the distance (m) from where they were, in the frame where it is largest."""
    return max((float(np.quantile(np.linalg.norm(frame - start, axis=1), quantile)) for frame in positions), default=0)


def new_crossings(mesh: Mesh, shape: Array) -> float:
    """The share of edges that pass through faces, deep enough to be seen, which they did not do as drawn."""
    edges = unique_edges(mesh.triangles)
    edges = edges[:: 1 + len(edges) // _MOST_EDGES]
    count = len(mesh.triangles)
    before = crossings(mesh.vertices, mesh.triangles, edges) // count
    edge, face = np.divmod(crossings(shape, mesh.triangles, edges), count)
    deep = _depth(shape[edges[edge]], shape[mesh.triangles[face]]) > _DEEP * float(np.ptp(mesh.vertices, axis=0).max())
    return len(np.setdiff1d(edge[deep], before)) / len(edges)


def _depth(ends: Array, corners: Array) -> Array:
    """How far edges Float[n,2,3] would have to move not to pass through triangles Float[n,3,3], Float[n] m, at least.

    One of its ends to the plane of the face, or the place where it passes to the rim.
    """
    sides = np.roll(corners, -1, axis=1) - corners
    normal = cross(sides[:, 0], sides[:, 1])
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
    height = np.einsum("nei,ni->ne", ends - corners[:, :1], normal)
    share = height[:, 0] / (height[:, 0] - height[:, 1])
    place = ends[:, 0] + share[:, None] * (ends[:, 1] - ends[:, 0])
    away = np.linalg.norm(np.cross(sides, place[:, None] - corners), axis=2) / np.linalg.norm(sides, axis=2)
    return np.minimum(np.abs(height).min(axis=1), away.min(axis=1))


def _some(positions: NDArray[np.float32]) -> NDArray[np.float32]:
    """Every second frame, the last one among them."""
    return positions[::-1][::_EVERY][::-1]
