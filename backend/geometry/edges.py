"""The edge graph of a triangle surface."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix

__all__ = ["EdgeGraph", "edge_graph", "edge_keys"]


@dataclass(frozen=True)
class EdgeGraph:
    """Undirected edges as an upper triangular matrix over the points, and of each entry the number of faces and
    the sum of directions: +1 for each face that runs along the edge upwards in index, -1 downwards.

    The direction sum is zero on every edge exactly where the faces form a closed surface that looks one way.
    """

    matrix: csr_matrix
    faces: NDArray[np.int64]
    direction: NDArray[np.int64]

    def label_of_edges(self, label: NDArray[np.int64]) -> NDArray[np.int64]:
        """The label, Int[P] by point, of the lower end of each edge."""
        return np.repeat(label, np.diff(self.matrix.indptr))


def edge_graph(triangles: NDArray[np.int64], point_count: int) -> EdgeGraph:
    """The edges of triangles Int[T,3]."""
    start = triangles.ravel()
    end = triangles[:, [1, 2, 0]].ravel()
    # Both counts travel in one integer, so that one counting sort gives both: 2^16 per face, +-1 per
    # direction.
    packed = np.where(start < end, 65536 + 1, 65536 - 1)
    row, column = np.minimum(start, end), np.maximum(start, end)
    graph = coo_matrix((packed, (row, column)), shape=(point_count, point_count)).tocsr()
    faces = (graph.data + 32768) // 65536
    return EdgeGraph(graph, faces, graph.data - 65536 * faces)


def edge_keys(triangles: NDArray[np.int64], point_count: int) -> NDArray[np.int64]:
    """Int[3T]: a number for the edge of each side 0-1, 1-2, 2-0: lower end times `point_count` plus higher end."""
    start, end = triangles.ravel(), triangles[:, [1, 2, 0]].ravel()
    return np.minimum(start, end) * point_count + np.maximum(start, end)
