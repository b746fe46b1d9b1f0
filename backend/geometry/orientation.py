"""Consistent face orientation by flood fill over shared edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import breadth_first_order, connected_components

from .edges import EdgeGraph, edge_keys

__all__ = ["orient_alike"]


def orient_alike(triangles: NDArray[np.int64], component: NDArray[np.int64], edges: EdgeGraph) -> NDArray[np.int64]:
    """The triangles, turned so that neighbours agree on a side, in the components where they did not.

    component Int[P]: of each point. Neighbours are the two faces of an edge that has exactly two. Which of both
    sides it is stays open, and a Moebius strip has none.
    """
    mixed = np.zeros(int(component.max()) + 1, dtype=bool)
    mixed[edges.label_of_edges(component)[(edges.faces == 2) & (edges.direction != 0)]] = True
    rows = np.flatnonzero(mixed[component[triangles[:, 0]]])
    if len(rows) == 0:
        return triangles
    turned = triangles.copy()
    flip = rows[_to_flip(triangles[rows], len(component))]
    turned[flip] = turned[flip][:, ::-1]
    return turned


def _to_flip(triangles: NDArray[np.int64], point_count: int) -> NDArray[np.bool_]:
    """Bool[T]: which faces look the other way than the first face of their piece."""
    count = len(triangles)
    start, end = triangles.ravel(), triangles[:, [1, 2, 0]].ravel()
    key = edge_keys(triangles, point_count)
    order = np.argsort(key, kind="stable")
    _, first, faces = np.unique(key[order], return_index=True, return_counts=True)
    first = first[faces == 2]
    one, other = order[first], order[first + 1]
    disagree = (start[one] < end[one]) == (start[other] < end[other])
    pair = np.sort(np.stack([one // 3, other // 3], axis=1), axis=1)
    pair, place = np.unique(pair[:, 0] * count + pair[:, 1], return_index=True)
    low, high, disagree = pair // count, pair % count, disagree[place]

    # A root above the first face of each piece makes one tree of all of them.
    shape = (count + 1, count + 1)
    neighbours = coo_matrix((np.ones(len(low)), (low, high)), shape=shape)
    heads = np.unique(connected_components(neighbours, directed=False)[1][:count], return_index=True)[1]
    ends = np.concatenate([high, heads]), np.concatenate([low, np.full(len(heads), count)])
    value = np.concatenate([np.where(disagree, 2, 1), np.ones(len(heads), dtype=np.int64)])
    tree = coo_matrix((np.tile(value, 2), (np.append(*ends), np.append(*ends[::-1]))), shape=shape).tocsr()
    above = breadth_first_order(tree, count, directed=True)[1].astype(np.int64)
    above[count] = count
    flip = np.asarray(tree[np.arange(count), above[:count]]).ravel() == 2
    flip = np.append(flip, False)
    # The sum along the way to the root, doubling the stretch each time.
    while np.any(above != count):
        flip = flip ^ flip[above]
        above = above[above]
    return flip[:count]
