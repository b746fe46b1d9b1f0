"""A surface as contact sees it: its triangles in a tree of boxes, each corner and edge with one owner."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from ..kinematics.base import Array
from .detection_kernels import LEAF, refit

__all__ = ["FaceTree"]


class FaceTree:
    """Triangles Int[F,3] of points Float[P,3] m; `refit` before use.

    `arrays` are triangles, owner of corner and of edge Bool[F,3], their order, where each leaf starts in it, their
    boxes and balls, the boxes of the tree, and what lets a smooth part be passed over: the bits of `facing`, whether a
    box holds a part that hangs together, and the boxes of its level that hold neighbours.
    """

    def __init__(
        self,
        points: Array,
        triangles: np.ndarray,
        first: int = 0,
        *,
        folds: bool = False,
        sharp: np.ndarray | None = None,
    ) -> None:
        """`first`: the number that the first of the points has among all. `folds`: it may meet itself. `sharp` Int[e,2]
        are the edges that others can meet, if not all do.
        """
        count = len(triangles)
        self._triangles = np.ascontiguousarray(triangles + first, dtype=np.int64)
        corners = np.zeros((count, 3), dtype=bool)
        corners.reshape(-1)[np.unique(self._triangles.reshape(-1), return_index=True)[1]] = True
        ends = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2), axis=2).reshape(-1, 2)
        keys, owner = np.unique(ends @ [len(points), 1], return_index=True)
        if sharp is not None:
            owner = owner[np.isin(keys, np.sort(sharp, axis=1) @ [len(points), 1])]
        edges = np.zeros((count, 3), dtype=bool)
        edges.reshape(-1)[owner] = True
        leaves = 1 << max(int(np.ceil(np.log2(max(count / LEAF, 1.0)))), 0)
        order, start = _by_halves(points[triangles].mean(axis=1), leaves)
        empty = np.zeros(2 * leaves, dtype=bool), np.zeros(2 * leaves + 1, np.int64), np.zeros(0, np.int64)
        beside = _neighbours(triangles, order, start) if folds else empty
        low, high = np.zeros((count, 3)), np.zeros((count, 3))
        boxes = np.zeros((2 * leaves, 3)), np.zeros((2 * leaves, 3)), np.zeros(2 * leaves, np.int64)
        self.arrays = (self._triangles, corners, edges, order, start, low, high, np.zeros((count, 9)), *boxes, *beside)

    def refit(self, x: Array, v: Array, seconds: float) -> None:
        """Boxes for all places within so many seconds of points at x Float[P,3] m that move with v Float[P,3] m/s."""
        triangles, _, _, *rest = self.arrays[:11]
        refit(x, v, seconds, triangles, *rest)


def _neighbours(
    triangles: np.ndarray, order: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whether what each box of the tree holds hangs together, Bool[B], and its neighbours on its level as rows."""
    count, used = len(triangles), int(triangles.max()) + 1
    leaves = len(start) - 1
    leaf = np.empty(count, dtype=np.int64)
    leaf[order] = np.repeat(np.arange(leaves), np.diff(start))
    of_corner = csr_matrix((np.ones(3 * count), (triangles.reshape(-1), np.repeat(np.arange(count), 3))), (used, count))
    shared = (of_corner.T @ of_corner).tocoo()
    one, other = shared.row[shared.row < shared.col], shared.col[shared.row < shared.col]
    whole = np.zeros(2 * leaves, dtype=bool)
    pairs = []
    box, first, second = leaves + leaf, one, other
    boxes = np.stack([box[first], box[second]], axis=1)
    while True:
        inside = box[first] == box[second]
        graph = csr_matrix((np.ones(int(inside.sum())), (first[inside], second[inside])), (count, count))
        label = connected_components(graph, directed=False)[1]
        found = np.unique(np.stack([box, label], axis=1), axis=0)[:, 0]
        number, parts = np.unique(found, return_counts=True)
        whole[number] = parts == 1
        boxes = np.unique(np.sort(boxes, axis=1), axis=0)
        boxes = boxes[boxes[:, 0] != boxes[:, 1]]
        pairs.append(boxes)
        if box.max() <= 1:
            break
        box, boxes = box // 2, boxes // 2
    both = np.concatenate(pairs)
    both = np.concatenate([both, both[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    rows = np.searchsorted(both[:, 0], np.arange(2 * leaves + 1))
    return whole, rows.astype(np.int64), np.ascontiguousarray(both[:, 1])


def _by_halves(places: Array, leaves: int) -> tuple[np.ndarray, np.ndarray]:
    """Order Int[F] of places Float[F,3], halved again and again along the longest side, and the start of each leaf."""
    count = len(places)
    order, parts = np.arange(count), 1
    while parts < leaves:
        bounds = (np.arange(parts) * count) // parts
        part = np.repeat(np.arange(parts), np.diff(np.r_[bounds, count]))
        filled = bounds < np.r_[bounds[1:], count]
        here, number = places[order], np.flatnonzero(filled)
        extent = np.maximum.reduceat(here, bounds[filled]) - np.minimum.reduceat(here, bounds[filled])
        axis = np.zeros(parts, dtype=np.int64)
        axis[number] = extent.argmax(axis=1)
        order = order[np.lexsort((here[np.arange(count), axis[part]], part))]
        parts *= 2
    return order, (np.arange(leaves + 1) * count) // leaves
