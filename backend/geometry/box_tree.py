"""A bounding volume hierarchy of axis-aligned boxes, built once and refitted at each move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

__all__ = ["BoxTree", "box_tree"]

_Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]
_Ball = tuple[NDArray[np.float64], NDArray[np.float64]]

# Branches of a node, and items in a leaf (more than half of the places taken): the eight answers of a node to a query
# are then one machine word.
_BRANCHES = 8
# Queries that walk down the tree together, so that what they compare stays in the processor's cache.
_TOGETHER = 2048
# Pairs of queries and nodes that are looked at together, for the memory they take.
_MOST_PAIRS = 1 << 16
# From so many on it pays to look at distances and not at boxes alone.
_MANY = 1 << 14


@dataclass(frozen=True)
class BoxTree:
    """order Int[leaves,8] (-1: empty place). levels, from the root down to the items: Float[nodes,6,8], of each of the
    eight branches the lowest corner and the highest one with its sign turned, so that one comparison serves both."""

    order: NDArray[np.int64]
    levels: tuple[NDArray[np.float64], ...]

    def fitted(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> BoxTree:
        """The same tree refitted to new boxes (corners Float[n,3] each)."""
        return replace(self, levels=_fitted_levels(self.order, low, high))

    @property
    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The box around everything, Float[3] each."""
        root = self.levels[0].min(axis=(0, 2))
        return root[:3], -root[3:]

    def overlapping(
        self, low: NDArray[np.float64], high: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Pairs (query, item), sorted by query, whose boxes overlap or touch; corners of the queries Float[q,3]."""
        nothing = np.empty(0, dtype=np.int64)
        pieces = [(nothing, nothing), *self._near(np.concatenate([high, -low], axis=1), None)]
        return np.concatenate([query for query, _ in pieces]), np.concatenate([item for _, item in pieces])

    def around(
        self, points: NDArray[np.float64], radius: NDArray[np.float64]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Pairs (query, item), sorted by query, of points Float[q,3] and items whose boxes are within radius Float[q].

        In pieces of bounded size, each with all items of its queries.
        """
        centres = np.concatenate([points, -points], axis=1)
        return self._near(centres + radius[:, None], (centres, radius**2))

    def _near(self, limit: NDArray[np.float64], ball: _Ball | None) -> Iterator[_Pairs]:
        root = self.levels[0].min(axis=(0, 2))
        query = np.flatnonzero((root <= limit).all(axis=1))
        for start in range(0, len(query), _TOGETHER):
            some = query[start : start + _TOGETHER]
            yield from self._descend(some, np.zeros(len(some), dtype=np.int64), 0, limit, ball)

    def _descend(
        self,
        query: NDArray[np.int64],
        node: NDArray[np.int64],
        level: int,
        limit: NDArray[np.float64],
        ball: _Ball | None,
    ) -> Iterator[_Pairs]:
        for depth in range(level, len(self.levels)):
            while len(query) > _MOST_PAIRS and query[0] != query[-1]:
                cut = max(np.searchsorted(query, query[_MOST_PAIRS]), np.searchsorted(query, query[0], "right"))
                yield from self._descend(query[:cut], node[:cut], depth, limit, ball)
                query, node = query[cut:], node[cut:]
            boxes = self.levels[depth]
            answers = (boxes[node] <= limit[query, :, None]).view(np.uint64)[:, :, 0]
            all_six = answers[:, 0].copy()
            for answer in answers.T[1:]:
                all_six &= answer
            some = np.flatnonzero(all_six)
            row, branch = np.nonzero(all_six[some, None].view(np.bool_))
            row = some[row]
            if ball is not None and len(row) > _MANY:
                # Of each axis at most one of both ends is beyond the centre.
                beyond = np.maximum(boxes[node[row], :, branch] - ball[0][query[row]], 0.0)
                touched = np.einsum("ni,ni->n", beyond, beyond) <= ball[1][query[row]]
                row, branch = row[touched], branch[touched]
            query, node = query[row], node[row] * _BRANCHES + branch
        if len(query):
            yield query, self.order.ravel()[node]


def box_tree(low: NDArray[np.float64], high: NDArray[np.float64]) -> BoxTree:
    """The tree of n items, by recursive median splits of the centres of their boxes along the longest axis."""
    count = len(low)
    leaves = 1
    while leaves * _BRANCHES < count:
        leaves *= 2
    items = max(-(-count // leaves), 1)
    # Empty places stand beside evenly spread items, so that all leaves are about equally full.
    spare = leaves * items - count
    like = np.concatenate([np.arange(count), np.arange(spare) * max(count, 1) // max(spare, 1)])
    middle = (0.5 * (low + high))[like] if count else np.zeros((spare, 3))
    order = np.arange(leaves * items)[None]
    for _ in range(leaves.bit_length() - 1):
        groups, size = order.shape
        places = middle[order]
        axis = (places.max(axis=1) - places.min(axis=1)).argmax(axis=1)
        along = np.take_along_axis(places, axis[:, None, None], axis=2)[:, :, 0]
        order = np.take_along_axis(order, np.argpartition(along, size // 2, axis=1), axis=1)
        order = order.reshape(2 * groups, size // 2)
    order = np.where(order < count, order, -1)
    order = np.pad(order, ((0, 0), (0, _BRANCHES - items)), constant_values=-1)
    return BoxTree(order, _fitted_levels(order, low, high))


def _fitted_levels(
    order: NDArray[np.int64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> tuple[NDArray[np.float64], ...]:
    # The empty places (-1) take the last row: a box that overlaps nothing.
    corners = np.concatenate([np.concatenate([low, -high], axis=1), np.full((1, 6), np.inf)])
    boxes = np.ascontiguousarray(corners[order].transpose(0, 2, 1))
    levels = [boxes]
    while len(boxes) > 1:
        whole = boxes.min(axis=2)
        if len(whole) < _BRANCHES:
            whole = np.pad(whole, ((0, _BRANCHES - len(whole)), (0, 0)), constant_values=np.inf)
        boxes = np.ascontiguousarray(whole.reshape(-1, _BRANCHES, 6).transpose(0, 2, 1))
        levels.append(boxes)
    return tuple(reversed(levels))
