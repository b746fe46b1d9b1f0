"""Segmentation of a one-piece mesh to bulges: convex regions of faces, split along concave creases.

Greedy contraction of regions over their common border: creases inwards hold apart, by how sharp they are, and flat or
convex borders hold together; small regions join first.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ..geometry.mesh import cross, triangle_areas
from ..kinematics.base import Array

__all__ = ["bulges"]

_SHARP = np.radians(25.0)  # creases inwards from here on hold apart
_LEAST_SHARE = 0.01  # of the whole area: smaller regions join the neighbour with the longest border
_MOST_BULGES = 12
_MOST_FACES = 60_000  # beyond these the search would take too long: the mesh is one part


def bulges(vertices: Array, triangles: NDArray[np.int64]) -> NDArray[np.int64]:
    """Int[F] from 0. Faces may look either way, as long as neighbours agree."""
    count = len(triangles)
    if count > _MOST_FACES:
        return np.zeros(count, dtype=np.int64)
    first, second, length, inward = _borders(vertices, triangles)
    crease = (inward > _SHARP) & (length > 0.0)
    label = _connected(count, first[~crease], second[~crease])
    if label.max() == 0:
        return label
    return _cleared(label, triangle_areas(vertices, triangles), first, second, length)


def _borders(
    vertices: Array, triangles: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array, Array]:
    """Pairs of faces Int[E] with a common edge, its length, and by how much it goes in (radians; out is negative)."""
    place = np.unique(vertices, axis=0, return_inverse=True)[1].reshape(-1)[triangles]
    start, end = place.ravel(), place[:, [1, 2, 0]].ravel()
    low, high = np.minimum(start, end), np.maximum(start, end)
    order = np.lexsort((high, low))
    same = (low[order][1:] == low[order][:-1]) & (high[order][1:] == high[order][:-1])
    one, other = order[:-1][same], order[1:][same]
    first, second = one // 3, other // 3
    corners = vertices[triangles]
    normal = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-30)[:, None]
    edge = corners[first, (one % 3 + 1) % 3] - corners[first, one % 3]
    length = np.linalg.norm(edge, axis=1)
    opposite = corners[second, (other % 3 + 2) % 3] - corners[first, one % 3]
    above = np.einsum("ei,ei->e", opposite, normal[first])
    cosine = np.clip(np.einsum("ei,ei->e", normal[first], normal[second]), -1.0, 1.0)
    return first, second, length, np.sign(above) * np.arccos(cosine)


def _connected(count: int, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    graph = coo_matrix((np.ones(len(first), dtype=np.int8), (first, second)), shape=(count, count))
    return connected_components(graph, directed=False)[1].astype(np.int64)


def _cleared(
    label: NDArray[np.int64], area: Array, first: NDArray[np.int64], second: NDArray[np.int64], length: Array
) -> NDArray[np.int64]:
    """Without regions that are too small, or too many."""
    count = int(label.max()) + 1
    size = np.bincount(label, area, count)
    borders: list[dict[int, float]] = [{} for _ in range(count)]
    one, other = label[first], label[second]
    for a, b, some in zip(one[one != other].tolist(), other[one != other].tolist(), length[one != other], strict=True):
        borders[a][b] = borders[a].get(b, 0.0) + some
        borders[b][a] = borders[b].get(a, 0.0) + some
    into = np.arange(count)
    left = count
    queue = [(float(size[region]), region) for region in range(count)]
    heapq.heapify(queue)
    while queue:
        known, region = heapq.heappop(queue)
        if into[region] != region or known != size[region]:
            continue
        if left <= _MOST_BULGES and size[region] >= _LEAST_SHARE * size[into == np.arange(count)].sum():
            break
        if not borders[region]:
            continue
        host = max(borders[region], key=lambda each: (borders[region][each], -each))
        for neighbour, some in borders[region].items():
            del borders[neighbour][region]
            if neighbour != host:
                borders[host][neighbour] = borders[host].get(neighbour, 0.0) + some
                borders[neighbour][host] = borders[neighbour].get(host, 0.0) + some
        into[into == region] = host
        size[host] += size[region]
        left -= 1
        heapq.heappush(queue, (float(size[host]), host))
    return np.unique(into[label], return_inverse=True)[1].reshape(-1)
