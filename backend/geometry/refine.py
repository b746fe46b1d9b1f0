"""Conforming refinement: long edges are halved until none is longer than a limit.

Original points keep their indices, new ones are appended, and neighbours always agree on a split edge,
so that a closed surface stays closed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .edges import edge_keys
from .mesh import triangle_areas
from .sliver_refinement import SLIVER_RATIO, refine_slivers

__all__ = ["MAXIMUM_ADDED_POINTS", "refine"]

# More new points than this would cost more than they are worth; the limit is then raised to stay below.
MAXIMUM_ADDED_POINTS = 400_000


def refine(
    points: NDArray[np.float64], triangles: NDArray[np.int64], label: NDArray[np.int64], longest_edge: float
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], float]:
    """Points Float[P',3], triangles Int[T',3] with edges up to `longest_edge`, labels Int[P'] of the points
    (a new one takes that of its edge), and the limit really used."""
    lengths = _edge_lengths(points, triangles)
    longest_edge = _affordable_limit(points, triangles, lengths, longest_edge)
    long_faces = (lengths > longest_edge).any(axis=1)
    finished = [triangles[~long_faces]]
    active = triangles[long_faces]
    # A long edge lies only in active faces, and whatever a split makes lies in their children only,
    # so each round looks at the children alone.
    while len(active):
        splits: list[NDArray[np.int64]] = []
        slivers = []
        while len(active):
            sliver = _are_slivers(points, active)
            slivers.append(active[sliver])
            points, label, children, split = _split_round(points, label, active[~sliver], longest_edge)
            splits.append(split)
            long_faces = (_edge_lengths(points, children) > longest_edge).any(axis=1)
            finished.append(children[~long_faces])
            active = children[long_faces]
        # Slivers wait until all around them is split, and are then cut across as their edges demand.
        points, label, children = refine_slivers(
            points, label, np.concatenate(slivers), np.concatenate(splits), longest_edge
        )
        long_faces = (_edge_lengths(points, children) > longest_edge).any(axis=1)
        finished.append(children[~long_faces])
        active = children[long_faces]
    return points, np.concatenate(finished), label, longest_edge


def _are_slivers(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.bool_]:
    lengths = _edge_lengths(points, triangles)
    return lengths.max(axis=1) > SLIVER_RATIO * lengths.min(axis=1)


def _edge_lengths(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.float64]:
    """Float[T,3]: the lengths of the edges 0-1, 1-2 and 2-0."""
    corners = [points[triangles[:, corner]] for corner in range(3)]
    steps = [corners[(corner + 1) % 3] - corners[corner] for corner in range(3)]
    return np.stack([np.sqrt(np.einsum("fi,fi->f", step, step)) for step in steps], axis=1)


def _affordable_limit(
    points: NDArray[np.float64], triangles: NDArray[np.int64], lengths: NDArray[np.float64], limit: float
) -> float:
    """The limit, raised until the points it adds stay below `MAXIMUM_ADDED_POINTS`."""
    long_faces = (lengths > limit).any(axis=1)
    longest = lengths[long_faces].max(axis=1, initial=0.0)
    area = triangle_areas(points, triangles[long_faces])
    while True:
        still = longest > limit
        # Final edges are about 0.7 limit long: 2.4 area / limit^2 points inside, 0.75 longest / limit along
        # a sliver.
        added = (2.4 * area[still] / limit**2 + 0.75 * longest[still] / limit).sum()
        if added <= MAXIMUM_ADDED_POINTS:
            return limit
        limit *= 1.25


def _split_round(
    points: NDArray[np.float64], label: NDArray[np.int64], active: NDArray[np.int64], limit: float
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Halve the longest edge of each active face; also returns the splits Int[n,3] (end, end, middle)."""
    edges, index = np.unique(edge_keys(active, len(points)), return_inverse=True)
    ends = np.stack([edges // len(points), edges % len(points)], axis=1)
    low, high = points[ends[:, 0]], points[ends[:, 1]]
    length = np.sqrt(np.einsum("ei,ei->e", high - low, high - low))
    index = index.reshape(active.shape)
    marked = np.zeros(len(edges), dtype=bool)
    marked[index[np.arange(len(active)), length[index].argmax(axis=1)]] = True
    marked &= length > limit
    middle_of_edge = np.where(marked, len(points) + np.cumsum(marked) - 1, -1)
    label = np.concatenate([label, label[ends[marked, 0]]])
    points = np.concatenate([points, 0.5 * (low[marked] + high[marked])])

    middle = middle_of_edge[index]
    split_count = (middle >= 0).sum(axis=1)
    children = []

    one = split_count == 1
    corner, mid = _turned(active[one], middle[one], (middle[one] >= 0).argmax(axis=1))
    children += [_faces(corner[0], mid[0], corner[2]), _faces(mid[0], corner[1], corner[2])]

    # Turned so that the edge 2-0 is the whole one: a triangle at corner 1 and a quadrilateral cut along its
    # shorter diagonal.
    two = split_count == 2
    corner, mid = _turned(active[two], middle[two], ((middle[two] < 0).argmax(axis=1) + 1) % 3)
    children.append(_faces(mid[0], corner[1], mid[1]))
    shorter = _squared(points, corner[0], mid[1]) <= _squared(points, mid[0], corner[2])
    corner_a, corner_c, mid_a, mid_b = (row[shorter] for row in (corner[0], corner[2], mid[0], mid[1]))
    children += [_faces(corner_a, mid_a, mid_b), _faces(corner_a, mid_b, corner_c)]
    corner_a, corner_c, mid_a, mid_b = (row[~shorter] for row in (corner[0], corner[2], mid[0], mid[1]))
    children += [_faces(corner_a, mid_a, corner_c), _faces(mid_a, mid_b, corner_c)]

    corner, mid = active[split_count == 3].T, middle[split_count == 3].T
    children += [
        _faces(corner[0], mid[0], mid[2]),
        _faces(mid[0], corner[1], mid[1]),
        _faces(mid[2], mid[1], corner[2]),
        _faces(mid[0], mid[1], mid[2]),
    ]
    split = np.column_stack([ends[marked], middle_of_edge[marked]])
    return points, label, np.concatenate(children), split


def _turned(
    corners: NDArray[np.int64], middles: NDArray[np.int64], turn: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Corners and edge middles as rows Int[3,n], cyclically turned so that index `turn` comes first."""
    rows = np.arange(len(corners))
    order = [(turn + step) % 3 for step in range(3)]
    return np.stack([corners[rows, o] for o in order]), np.stack([middles[rows, o] for o in order])


def _faces(a: NDArray[np.int64], b: NDArray[np.int64], c: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.stack([a, b, c], axis=1)


def _squared(points: NDArray[np.float64], a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
    step = points[a] - points[b]
    return np.einsum("ei,ei->e", step, step)
