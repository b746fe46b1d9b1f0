"""Geodesic Voronoi cells: which node owns which part of the surface, by shortest paths along it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from .edges import edge_graph
from .node_sampling import NodeSampling

__all__ = ["GeodesicCells", "assign_cells"]

# A point farther than this many spacings (along the surface) from every node gets a node near it.
_FARTHEST = 1.3
# Each round at least halves what is uncovered; a handful is enough for any spiral.
_COVER_ROUNDS = 8


@dataclass(frozen=True)
class GeodesicCells:
    """nodes Int[S] (points of the surface, ascending by component), owner Int[P] (the node of each point),
    neighbours Int[E,2] (i < j: nodes whose cells touch)."""

    nodes: NDArray[np.int64]
    owner: NDArray[np.int64]
    neighbours: NDArray[np.int64]


def assign_cells(sampling: NodeSampling) -> GeodesicCells:
    """Share the surface out among its nodes by shortest paths along it; nodes are added where missing."""
    points, triangles, component = sampling.points, sampling.triangles, sampling.component
    nodes = sampling.nodes
    upper = edge_graph(triangles, len(points)).matrix.tocoo()
    first, second = upper.row.astype(np.int64), upper.col.astype(np.int64)
    graph = _distance_graph(points, first, second)
    distance, source = _nearest(graph, nodes, np.inf)
    farthest = max(_FARTHEST * sampling.spacing, 2.0 * sampling.longest_edge)
    for _ in range(_COVER_ROUNDS):
        # Thinning measures through space; where a sheet is rolled up, layers near each other need nodes of
        # their own.
        uncovered = np.flatnonzero(distance > farthest)
        if len(uncovered) == 0:
            break
        added = sampling.spread_among(uncovered)[0]
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
    return GeodesicCells(nodes, owner, neighbours)


def _distance_graph(points: NDArray[np.float64], first: NDArray[np.int64], second: NDArray[np.int64]) -> csr_matrix:
    step = points[second] - points[first]
    length = np.sqrt(np.einsum("ei,ei->e", step, step))
    rows, columns = np.concatenate([first, second]), np.concatenate([second, first])
    return csr_matrix((np.concatenate([length, length]), (rows, columns)), shape=(len(points), len(points)))


def _nearest(
    graph: csr_matrix, nodes: NDArray[np.int64], limit: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    distance, _, source = dijkstra(graph, indices=nodes, min_only=True, return_predecessors=True, limit=limit)
    return distance, source.astype(np.int64)
