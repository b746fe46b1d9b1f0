"""The edges of a triangle surface."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix

__all__ = ["edge_graph"]


def edge_graph(triangles: NDArray[np.int64], point_count: int) -> tuple[csr_matrix, NDArray, NDArray]:
    """Undirected edges as an upper triangular matrix, with the face count and the sum of directions of each.

    The direction sum counts +1 for a face that runs along the edge upwards in index, -1 downwards; it is
    zero on every edge exactly where the faces form a closed, consistently oriented surface.
    """
    start = triangles.ravel()
    end = triangles[:, [1, 2, 0]].ravel()
    # Both counts travel in one integer, so that one counting sort gives both: 2^16 per face, +-1 per
    # direction.
    packed = np.where(start < end, 65536 + 1, 65536 - 1)
    row, column = np.minimum(start, end), np.maximum(start, end)
    graph = coo_matrix((packed, (row, column)), shape=(point_count, point_count)).tocsr()
    faces = (graph.data + 32768) // 65536
    return graph, faces, graph.data - 65536 * faces
