"""Loose parts of a mesh as an artist sees them: faces connected by edges.

Files split surfaces along seams of texture and of normals, so open edges at the same place belong together; closed
parts that merely touch at a corner or along an edge do not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from .edges import edge_graph
from .topology import coincident

__all__ = ["loose_parts"]


def loose_parts(vertices: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.int64]:
    """The loose part of each vertex, Int[V] from 0, of vertices Float[V,3] (any unit) and triangles Int[F,3].

    Parts are numbered by their first vertex. A vertex without faces is a part of its own.
    """
    count = len(vertices)
    edges = edge_graph(triangles, count)
    label = connected_components(edges.matrix, directed=False)[1]

    border = np.flatnonzero(edges.faces == 1)
    start = np.searchsorted(edges.matrix.indptr, border, side="right") - 1
    end = edges.matrix.indices[border].astype(np.int64)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    open_ends = np.unique(np.concatenate([start, end]))
    place = np.arange(count)
    place[open_ends] = open_ends[coincident((vertices[open_ends] - 0.5 * (low + high)) / float((high - low).max()))]
    first, second = place[start], place[end]
    key = np.minimum(first, second) * count + np.maximum(first, second)
    order = np.argsort(key, kind="stable")
    same = key[order][1:] == key[order][:-1]
    one, other = label[start[order][:-1][same]], label[start[order][1:][same]]
    parts = int(label.max()) + 1
    seams = coo_matrix((np.ones(len(one), dtype=np.int8), (one, other)), shape=(parts, parts))
    joined = connected_components(seams, directed=False)[1][label]
    first_vertex = np.full(int(joined.max()) + 1, count)
    first_vertex[joined[::-1]] = np.arange(count)[::-1]
    return np.argsort(np.argsort(first_vertex))[joined]
