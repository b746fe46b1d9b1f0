"""One round of edge collapses: a set of independent edges that cost least in quadric error.

Edges collapse into one of their ends, many at a time: those that cost least among all that they would touch. A collapse
that turns a face over, or that changes the topology of the surface, is left out, so the two sides of a thin plate never
meet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .edges import edge_keys
from .mesh import cross, triangle_normals
from .quadrics import quadric_error
from .ragged_arrays import expand

__all__ = ["independent_collapses"]

_SHUFFLE = 0x9E3779B1
# Of the points that could go, this part may in one round.
_CHEAPEST = 0.5
# How much the length of an edge counts beside its quadric error, both squared: flat ground may bend later.
_EVEN = 1e-4
# A face is folded over where this is the cosine between it and what it stands for, or less. Around such faces and
# around edges with more than two, any collapse is an improvement, and costs so much of what it would elsewhere.
_FOLDED = 0.1
_TANGLED = 0.01
# A face may turn by this cosine in one collapse, and not become thinner than this height over its length.
_TURN = 0.3
_THIN = 0.05


@dataclass(frozen=True)
class _Edges:
    """All E edges: keys Int[E] ascending (low end * points + high end), ends Int[2,E], faces Int[E] that meet there.

    alone Bool[E]: of a triangle without neighbours, which would be gone. Of the P points: rim Bool[P] and
    tangled Bool[P], where any collapse is an improvement.
    """

    keys: NDArray[np.int64]
    ends: NDArray[np.int64]
    faces: NDArray[np.int64]
    alone: NDArray[np.bool_]
    rim: NDArray[np.bool_]
    tangled: NDArray[np.bool_]


@dataclass(frozen=True)
class _Collapses:
    """Points that go, Int[n], the neighbours they go to, the faces at these edges, Int[n], and their cost Float[n]."""

    gone: NDArray[np.int64]
    kept: NDArray[np.int64]
    faces: NDArray[np.int64]
    cost: NDArray[np.float64]

    def only(self, rows: NDArray[np.generic]) -> _Collapses:
        """Those of a mask or of rows."""
        return _Collapses(self.gone[rows], self.kept[rows], self.faces[rows], self.cost[rows])


def independent_collapses(
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    quadric: NDArray[np.float64],
    fixed: NDArray[np.bool_],
    most: int,
    careful: bool,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Points that go, Int[n] with n <= most, and the neighbours they go to; no two of them share a neighbour.

    Careful: only where the surface does not turn over and keeps its topology, unless it is tangled there anyhow.
    """
    edges = _edges(points, triangles, quadric, careful)
    found = _allowed(points, quadric, fixed, edges)
    if len(found.cost) == 0:
        return found.gone, found.kept
    cheapest = np.full(len(points), np.inf)
    np.minimum.at(cheapest, found.gone, found.cost)
    found = found.only(found.cost <= np.quantile(cheapest[np.isfinite(cheapest)], _CHEAPEST))
    found = found.only(edges.tangled[found.gone] | ~_turns_over(points, triangles, found.gone, found.kept))
    order = np.lexsort((found.cost, found.gone))
    found = found.only(order[np.unique(found.gone[order], return_index=True)[1]])

    around = np.concatenate([edges.ends, edges.ends[::-1]], axis=1)
    around = around[1][np.argsort(around[0], kind="stable")], np.bincount(around[0], minlength=len(points))
    found = _without_pinches(found, edges, around)
    chosen = _independent(found, around)[:most]
    return found.gone[chosen], found.kept[chosen]


def _edges(
    points: NDArray[np.float64], triangles: NDArray[np.int64], quadric: NDArray[np.float64], careful: bool
) -> _Edges:
    count = len(points)
    keys, edge, faces = np.unique(edge_keys(triangles, count), return_inverse=True, return_counts=True)
    edge = edge.reshape(-1, 3)
    ends = np.stack([keys // count, keys % count])
    alone = np.zeros(len(keys), dtype=bool)
    alone[edge[(faces[edge] == 1).all(axis=1)]] = True
    rim, tangled = np.zeros(count, dtype=bool), np.full(count, not careful)
    rim[ends[:, faces == 1]] = True
    tangled[ends[:, faces > 2]] = True
    tangled[triangles[_folded(points, triangles, quadric)]] = True
    return _Edges(keys, ends, faces, alone, rim, tangled)


def _allowed(
    points: NDArray[np.float64], quadric: NDArray[np.float64], fixed: NDArray[np.bool_], edges: _Edges
) -> _Collapses:
    """Each edge both ways, with its cost, without what would move a fixed point or a rim off its line."""
    gone, kept = np.concatenate([edges.ends, edges.ends[::-1]], axis=1)
    faces = np.tile(edges.faces, 2)
    allowed = ~fixed[gone] & (~edges.rim[gone] | (faces == 1)) & ~np.tile(edges.alone, 2)
    gone, kept, faces = gone[allowed], kept[allowed], faces[allowed]
    step = points[kept] - points[gone]
    cost = quadric_error(quadric[:, gone], points[kept]) + quadric_error(quadric[:, kept], points[kept])
    cost += _EVEN * quadric[10, gone] * np.einsum("ei,ei->e", step, step)
    cost[edges.tangled[gone]] *= _TANGLED
    return _Collapses(gone, kept, faces, cost)


def _without_pinches(
    found: _Collapses, edges: _Edges, around: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> _Collapses:
    """Both ends of an edge have only the far corners of its faces in common, else the surface would pinch."""
    owner, neighbour = _ring(around, found.gone)
    other = found.kept[owner]
    pair = np.minimum(neighbour, other) * len(edges.rim) + np.maximum(neighbour, other)
    common = np.bincount(owner, _among(pair, edges.keys), len(found.gone))
    return found.only(edges.tangled[found.gone] | (common == found.faces))


def _independent(found: _Collapses, around: tuple[NDArray[np.int64], NDArray[np.int64]]) -> NDArray[np.int64]:
    """Rows, the cheapest first, of collapses that are the cheapest of all at every point around them."""
    gone, cost = found.gone, found.cost
    owner, neighbour = _ring(around, gone)
    # Where costs rise steadily from one place only the lowest would win: costs within a factor of two are shuffled.
    shuffled = (gone * _SHUFFLE) & 0xFFFFFF
    rank = np.empty(len(gone), dtype=np.int64)
    rank[np.lexsort((shuffled, np.frexp(cost)[1]))] = np.arange(len(gone))
    first = np.full(len(around[1]), len(gone), dtype=np.int64)
    np.minimum.at(first, neighbour, rank[owner])
    np.minimum.at(first, gone, rank)
    free = (np.bincount(owner, first[neighbour] != rank[owner], len(gone)) == 0) & (first[gone] == rank)
    chosen = np.flatnonzero(free)
    return chosen[np.argsort(rank[chosen])]


def _ring(
    around: tuple[NDArray[np.int64], NDArray[np.int64]], points: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The neighbours of points: rows of `points` and neighbours, as pairs."""
    neighbours, counts = around
    owner, number = expand(counts[points])
    return owner, neighbours[(np.cumsum(counts) - counts)[points][owner] + number]


def _among(values: NDArray[np.int64], ordered: NDArray[np.int64]) -> NDArray[np.bool_]:
    place = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    return ordered[place] == values


def _folded(
    points: NDArray[np.float64], triangles: NDArray[np.int64], quadric: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Bool[F]: faces that look the other way than the surface that their corners stand for."""
    normal = triangle_normals(points, triangles)
    meant = quadric[11:, triangles].sum(axis=2).T
    return np.einsum("fi,fi->f", normal, meant) < -_FOLDED * _length(normal) * _length(meant)


def _turns_over(
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    gone: NDArray[np.int64],
    kept: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Bool[n]: whether a face turns too far, or becomes a sliver, when a point moves to its neighbour."""
    corner = np.argsort(triangles.ravel(), kind="stable")
    counts = np.bincount(triangles.ravel(), minlength=len(points))
    owner, number = expand(counts[gone])
    corner = corner[(np.cumsum(counts) - counts)[gone][owner] + number]
    face, place = corner // 3, corner % 3
    second, third = triangles[face, (place + 1) % 3], triangles[face, (place + 2) % 3]
    staying = (second != kept[owner]) & (third != kept[owner])
    owner, second, third = owner[staying], points[second[staying]], points[third[staying]]
    across = third - second
    here, there = points[gone[owner]] - second, points[kept[owner]] - second
    before, after = cross(across, here), cross(across, there)
    area_before, area_after = _length(before), _length(after)
    turned = np.einsum("fi,fi->f", before, after) < _TURN * area_before * area_after
    longest = np.maximum(np.maximum(_length(across), _length(there)), _length(there - across))
    thin = (area_after < _THIN * longest**2) & (area_after < area_before)
    return np.bincount(owner, turned | thin, len(gone)) > 0


def _length(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.sqrt(np.einsum("ni,ni->n", rows, rows))
