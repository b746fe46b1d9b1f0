"""Which node owns which part of the surface, measured along the surface and never across a gap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from .sampling import point_normals, representatives, spread_nodes
from .topology import edge_graph

__all__ = ["Territories", "claim_territories"]

# A point farther than this many spacings (along the surface) from every node gets a node near it.
_FARTHEST = 1.3
# Each round at least halves what is uncovered; a handful is enough for any spiral.
_COVER_ROUNDS = 8


@dataclass(frozen=True)
class Territories:
    """nodes Int[S] (points of the surface), owner Int[P] (index of the node that owns each point),
    neighbours Int[E,2] (i < j: nodes whose territories touch), cloud Int[M] (points spread finely and evenly),
    normals Float[P,3]."""

    nodes: NDArray[np.int64]
    owner: NDArray[np.int64]
    neighbours: NDArray[np.int64]
    cloud: NDArray[np.int64]
    normals: NDArray[np.float64]


def claim_territories(
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    component: NDArray[np.int64],
    original_count: int,
    spacing: float,
    longest_edge: float,
) -> Territories:
    """Choose surface nodes and share the surface out among them by shortest paths along its edges."""
    normals = point_normals(points, triangles)
    cloud, priority = representatives(
        points, normals, component, np.arange(len(points)), original_count, spacing
    )
    nodes = spread_nodes(points, normals, component, cloud, priority, spacing)

    upper = edge_graph(triangles, len(points))[0].tocoo()
    first, second = upper.row.astype(np.int64), upper.col.astype(np.int64)
    graph = _distance_graph(points, first, second)
    distance, source = _nearest(graph, nodes, np.inf)
    farthest = max(_FARTHEST * spacing, 2.0 * longest_edge)
    for _ in range(_COVER_ROUNDS):
        # Thinning measures through space; where a sheet is rolled up, layers near each other need nodes of their own.
        uncovered = np.flatnonzero(distance > farthest)
        if len(uncovered) == 0:
            break
        more, order = representatives(points, normals, component, uncovered, original_count, spacing)
        added = spread_nodes(points, normals, component, more, order, spacing)
        near, near_source = _nearest(graph, added, float(distance[uncovered].max()))
        closer = near < distance
        distance[closer], source[closer] = near[closer], near_source[closer]
        nodes = np.concatenate([nodes, added])

    nodes = nodes[np.lexsort((nodes, component[nodes]))]
    index = np.full(len(points), -1, dtype=np.int64)
    index[nodes] = np.arange(len(nodes))
    owner = index[source]

    pairs = np.stack([owner[first], owner[second]], axis=1)
    pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
    neighbours = np.unique(pairs[:, 0] * len(nodes) + pairs[:, 1])
    neighbours = np.stack([neighbours // len(nodes), neighbours % len(nodes)], axis=1)
    return Territories(nodes, owner, neighbours, cloud, normals)


def _distance_graph(
    points: NDArray[np.float64], first: NDArray[np.int64], second: NDArray[np.int64]
) -> csr_matrix:
    step = points[second] - points[first]
    length = np.sqrt(np.einsum("ei,ei->e", step, step))
    rows, columns = np.concatenate([first, second]), np.concatenate([second, first])
    return csr_matrix((np.concatenate([length, length]), (rows, columns)), shape=(len(points), len(points)))


def _nearest(
    graph: csr_matrix, nodes: NDArray[np.int64], limit: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    distance, _, source = dijkstra(graph, indices=nodes, min_only=True, return_predecessors=True, limit=limit)
    return distance, source.astype(np.int64)
