"""Refinement of slivers: long thin triangles, cut across their length.

Halving the edges of a sliver gives slivers of the same shape, four times as many each time. Cut across instead,
at the points that its long edges get anyway, it becomes a row of stout pieces.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
    following = slivers[:, [1, 2, 0]]
    key = np.minimum(slivers, following) * len(points) + np.maximum(slivers, following)
    edges, edge_of = np.unique(key.ravel(), return_inverse=True)
    edge_of = edge_of.reshape(slivers.shape)
    ends = np.stack([edges // len(points), edges % len(points)], axis=1)
    length = np.sqrt(((points[ends[:, 0]] - points[ends[:, 1]]) ** 2).sum(axis=1))
    halvings = np.ceil(np.log2(np.maximum(length / limit, 1.0))).astype(np.int64)
    points, label, row, first = _cut_edges(points, label, ends, halvings, splits)

    # Each sliver is turned so that its short edge lies opposite its first corner, the tip.
    rows = np.arange(len(slivers))
    tip = (length[edge_of].argmin(axis=1) + 2) % 3
    corners = [slivers[rows, (tip + step) % 3] for step in range(3)]
    sides = [edge_of[rows, (tip + step) % 3] for step in range(3)]
    along, short, back = sides
    # The side with more pieces is walked first; where that is the second one, the pieces come out turned over.
    mirrored = halvings[back] > halvings[along]
    many, few = np.where(mirrored, back, along), np.where(mirrored, along, back)
    many_end = np.where(mirrored, corners[2], corners[1])

    def point(edge: NDArray[np.int64], start: NDArray[np.int64], number: NDArray[np.int64]) -> NDArray[np.int64]:
        """The point `number` pieces away from the end `start` of an edge."""
        forward = ends[edge, 0] == start
        return row[first[edge] + np.where(forward, number, (1 << halvings[edge]) - number)]

    tips = corners[0]
    pieces_many, pieces_few = 1 << halvings[many], 1 << halvings[few]
    # A step along one side makes a triangle with the point reached on the other; where both reach the same height
    # the side of fewer pieces goes first.
    sliver, step = expand(pieces_many - 1)
    opposite = (step + 1) * pieces_few[sliver] // pieces_many[sliver]
    forward_steps = [
        point(many[sliver], tips[sliver], step),
        point(many[sliver], tips[sliver], step + 1),
        point(few[sliver], tips[sliver], opposite),
    ]
    forward_sliver, beside_tip = sliver, (step == 0) & (opposite == 0)
    forward_kept = ~beside_tip
    sliver, step = expand(pieces_few)
    opposite = -((step + 1) * pieces_many[sliver] // -pieces_few[sliver]) - 1
    back_steps = [
        point(many[sliver], tips[sliver], opposite),
        point(few[sliver], tips[sliver], step + 1),
        point(few[sliver], tips[sliver], step),
    ]
    back_kept = (step > 0) | (opposite > 0)
    back_sliver = sliver
    # The last step closes on the short edge and is a fan over its pieces.
    sliver, step = expand(1 << halvings[short])
    fan_steps = [
        point(many[sliver], tips[sliver], pieces_many[sliver] - 1),
        point(short[sliver], many_end[sliver], step),
        point(short[sliver], many_end[sliver], step + 1),
    ]
    pieces = np.concatenate(
        [
            np.stack(forward_steps, axis=1)[forward_kept],
            np.stack(back_steps, axis=1)[back_kept],
            np.stack(fan_steps, axis=1),
        ]
    )
    turned = mirrored[np.concatenate([forward_sliver[forward_kept], back_sliver[back_kept], sliver])]
    pieces[turned] = pieces[turned][:, ::-1]
    return points, label, pieces


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
