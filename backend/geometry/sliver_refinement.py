"""Refinement of slivers: long thin triangles, cut across their length.

Halving the edges of a sliver gives slivers of the same shape, four times as many each time. Cut across instead,
at the points that its long edges get anyway, it becomes a row of stout pieces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .edges import edge_keys
from .ragged_arrays import expand

__all__ = ["SLIVER_RATIO", "refine_slivers"]

# A triangle whose longest edge is more than this many times its shortest. Its two long edges then differ by less
# than a third, so one is never cut into more than twice as many pieces as the other.
SLIVER_RATIO = 4.0


def refine_slivers(
    points: NDArray[np.float64],
    label: NDArray[np.int64],
    slivers: NDArray[np.int64],
    splits: NDArray[np.int64],
    limit: float,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Points and labels with those added, and the pieces Int[n,3] of the slivers Int[T,3].

    splits Int[S,3]: edges (low end, high end) that neighbours have halved already, and the middle.
    Every edge is cut into 2^k pieces no longer than `limit`.
    """
    if len(slivers) == 0:
        return points, label, slivers
    edges, edge_of = np.unique(edge_keys(slivers, len(points)), return_inverse=True)
    edge_of = edge_of.reshape(slivers.shape)
    ends = np.stack([edges // len(points), edges % len(points)], axis=1)
    length = np.sqrt(((points[ends[:, 0]] - points[ends[:, 1]]) ** 2).sum(axis=1))
    halvings = np.ceil(np.log2(np.maximum(length / limit, 1.0))).astype(np.int64)
    points, label, row, first = _cut_edges(points, label, ends, halvings, splits)

    # Each sliver is turned so that its short edge lies opposite its first corner, the tip.
    rows = np.arange(len(slivers))
    tip = (length[edge_of].argmin(axis=1) + 2) % 3
    corners = [slivers[rows, (tip + step) % 3] for step in range(3)]
    along, short, back = (edge_of[rows, (tip + step) % 3] for step in range(3))
    # The side with more pieces is walked first; where that is the second one, the pieces come out turned over.
    mirrored = halvings[back] > halvings[along]
    many, few = np.where(mirrored, back, along), np.where(mirrored, along, back)
    many_end = np.where(mirrored, corners[2], corners[1])
    turned = _TurnedSlivers(_CutEdges(ends, halvings, row, first), corners[0], many, few, short, many_end)
    pieces, sliver = map(np.concatenate, zip(turned.along_many(), turned.along_few(), turned.at_short(), strict=True))
    flip = mirrored[sliver]
    pieces[flip] = pieces[flip][:, ::-1]
    return points, label, pieces


@dataclass(frozen=True)
class _CutEdges:
    """Edges Int[E,2] by their ends, each cut into 2^halvings pieces; `row` holds the points along them from `first`."""

    ends: NDArray[np.int64]
    halvings: NDArray[np.int64]
    row: NDArray[np.int64]
    first: NDArray[np.int64]

    def pieces(self, edge: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many pieces edges have."""
        return 1 << self.halvings[edge]

    def point(self, edge: NDArray[np.int64], start: NDArray[np.int64], number: NDArray[np.int64]) -> NDArray[np.int64]:
        """The point `number` pieces away from the end `start` of an edge."""
        forward = self.ends[edge, 0] == start
        return self.row[self.first[edge] + np.where(forward, number, self.pieces(edge) - number)]


_Pieces = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True)
class _TurnedSlivers:
    """Slivers by their tip and their edges: the long one with more pieces, the other long one, and the short one.

    `many_end` is the far end of the first. Each method gives pieces Int[n,3] and the sliver of each, Int[n]: a step
    along one long side makes a triangle with the point reached on the other; where both reach the same height the side
    of fewer pieces goes first.
    """

    edges: _CutEdges
    tip: NDArray[np.int64]
    many: NDArray[np.int64]
    few: NDArray[np.int64]
    short: NDArray[np.int64]
    many_end: NDArray[np.int64]

    def _on(self, side: NDArray[np.int64], sliver: NDArray[np.int64], number: NDArray[np.int64]) -> NDArray[np.int64]:
        return self.edges.point(side[sliver], self.tip[sliver], number)

    def along_many(self) -> _Pieces:
        """Triangles on the steps of the side with more pieces."""
        pieces_many, pieces_few = self.edges.pieces(self.many), self.edges.pieces(self.few)
        sliver, step = expand(pieces_many - 1)
        opposite = (step + 1) * pieces_few[sliver] // pieces_many[sliver]
        corners = [
            self._on(self.many, sliver, step),
            self._on(self.many, sliver, step + 1),
            self._on(self.few, sliver, opposite),
        ]
        kept = (step > 0) | (opposite > 0)  # the others have two corners in the tip
        return np.stack(corners, axis=1)[kept], sliver[kept]

    def along_few(self) -> _Pieces:
        """Triangles on the steps of the side with fewer pieces."""
        pieces_many, pieces_few = self.edges.pieces(self.many), self.edges.pieces(self.few)
        sliver, step = expand(pieces_few)
        opposite = -((step + 1) * pieces_many[sliver] // -pieces_few[sliver]) - 1
        corners = [
            self._on(self.many, sliver, opposite),
            self._on(self.few, sliver, step + 1),
            self._on(self.few, sliver, step),
        ]
        kept = (step > 0) | (opposite > 0)
        return np.stack(corners, axis=1)[kept], sliver[kept]

    def at_short(self) -> _Pieces:
        """The last step closes on the short edge and is a fan over its pieces."""
        sliver, step = expand(self.edges.pieces(self.short))
        corners = [
            self._on(self.many, sliver, self.edges.pieces(self.many)[sliver] - 1),
            self.edges.point(self.short[sliver], self.many_end[sliver], step),
            self.edges.point(self.short[sliver], self.many_end[sliver], step + 1),
        ]
        return np.stack(corners, axis=1), sliver


def _cut_edges(
    points: NDArray[np.float64],
    label: NDArray[np.int64],
    ends: NDArray[np.int64],
    halvings: NDArray[np.int64],
    splits: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The points along each edge, end to end, one edge after the other, and where each edge starts among them."""
    counts = (1 << halvings) + 1
    first = np.cumsum(counts) - counts
    row = np.full(int(counts.sum()), -1, dtype=np.int64)
    row[first], row[first + counts - 1] = ends[:, 0], ends[:, 1]
    base = len(points) + int(counts.sum())
    known = np.sort(splits[:, :2], axis=1)
    known = known[:, 0] * base + known[:, 1]
    order = np.argsort(known)
    known, known_middle = known[order], splits[order, 2]
    # Longest pieces first over all edges: one edge may be half of another, and both must get the same points.
    for left_to_do in range(int(halvings.max()), 0, -1):
        edge, number = expand(np.where(halvings >= left_to_do, 1 << np.maximum(halvings - left_to_do, 0), 0))
        left = first[edge] + (number << left_to_do)
        low, high = row[left], row[left + (1 << left_to_do)]
        key = np.minimum(low, high) * base + np.maximum(low, high)
        key, place = np.unique(key, return_inverse=True)
        missing = ~np.isin(key, known, assume_unique=True)
        middle = np.empty(len(key), dtype=np.int64)
        middle[~missing] = known_middle[np.searchsorted(known, key[~missing])]
        middle[missing] = len(points) + np.arange(np.count_nonzero(missing))
        low, high = key[missing] // base, key[missing] % base
        label = np.concatenate([label, label[low]])
        points = np.concatenate([points, 0.5 * (points[low] + points[high])])
        row[left + (1 << left_to_do >> 1)] = middle[place.reshape(-1)]
    return points, label, row, first
