"""Adjacency of the nodes of a part through its material: along the surface or straight through."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from .inside import points_inside, segments_cross
from .poisson_disk import separated
from .ragged_arrays import run_starts

__all__ = ["edges_through_material", "reached_from_surface", "tie_pieces"]

# Reach in spacings. A body-centred lattice has 14 neighbours within 1.16 spacings; the layer below the
# surface is up to 1.5 away from it; a wall too thin for an inner layer is up to 1.6 thick, its nodes not
# quite face to face.
_INNER_REACH = 1.25
_RIND_REACH = 1.6
_WALL_REACH = 1.75
# Partners on the other side of a wall that one node looks for.
_WALL_PARTNERS = 6
# The two sides of a wall look away from each other at least so much (cosine between their normals).
_WALL_FACING = 0.2


def edges_through_material(
    position: NDArray[np.float64],
    part: NDArray[np.int64],
    at_point: NDArray[np.int64],
    normal: NDArray[np.float64],
    spacing: float,
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    triangle_part: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Pairs Int[E,2] (i < j) of nodes of closed parts whose connecting segment stays inside the part.

    position Float[n,3], part Int[n], at_point Int[n] (surface point of a surface node, -1 inside),
    normal Float[n,3] (of surface nodes, outward).
    """
    if len(position) == 0:
        return np.empty((0, 2), dtype=np.int64)
    pairs = cKDTree(separated(position, part)).query_pairs(_WALL_REACH * spacing, output_type="ndarray")
    pairs = pairs.astype(np.int64)
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    inner_ends = (at_point[pairs] < 0).sum(axis=1)
    step = position[pairs[:, 1]] - position[pairs[:, 0]]
    length = np.sqrt(np.einsum("pi,pi->p", step, step))
    # A segment that leaves a surface node on the outer side of its tangent plane starts in air (or grazes the
    # surface, where neighbouring cells already touch).
    outward = np.maximum(
        np.einsum("pi,pi->p", normal[pairs[:, 0]], step), -np.einsum("pi,pi->p", normal[pairs[:, 1]], step)
    )
    facing = np.einsum("pi,pi->p", normal[pairs[:, 0]], normal[pairs[:, 1]])
    inner = (inner_ends == 2) & (length <= _INNER_REACH * spacing)
    rind = (inner_ends == 1) & (length <= _RIND_REACH * spacing) & (outward <= 0.1 * length)
    wall = (inner_ends == 0) & (facing < _WALL_FACING) & (outward < 0.0)
    wall[wall] = _nearest_partners(pairs[wall], length[wall])
    kept = inner | rind | wall
    pairs, wall = pairs[kept], wall[kept]

    clear = ~segments_cross(
        position[pairs[:, 0]],
        position[pairs[:, 1]],
        part[pairs[:, 0]],
        at_point[pairs],
        points,
        triangles,
        triangle_part,
    )
    # A segment with an inner end that crosses nothing is inside; between two surface nodes it may be outside.
    between = np.flatnonzero(clear & wall)
    middle = 0.5 * (position[pairs[between, 0]] + position[pairs[between, 1]])
    clear[between] = points_inside(middle, part[pairs[between, 0]], points, triangles, triangle_part)
    return pairs[clear]


def reached_from_surface(node_count: int, surface_count: int, edges: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Bool[N]: nodes connected to a surface node (the first `surface_count` nodes) along edges."""
    graph = coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(node_count, node_count))
    label = connected_components(graph, directed=False)[1]
    return np.isin(label, label[:surface_count])


def tie_pieces(position: NDArray[np.float64], part: NDArray[np.int64], edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Additional edges Int[n,2] (i < j) that make each part one piece.

    Needed for cavities so small beside the spacing that no node sees their wall: they are tied to the nearest
    node of the largest piece of their part.
    """
    graph = coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(len(position),) * 2)
    label = connected_components(graph, directed=False)[1]
    size = np.bincount(label)
    largest = np.lexsort((label, -size[label], part))
    heads = largest[np.unique(part[largest], return_index=True)[1]]
    main_label = label[heads][part]
    ties = []
    for piece in np.unique(label[label != main_label]):
        members = np.flatnonzero(label == piece)
        main = np.flatnonzero(label == main_label[members[0]])
        distance, nearest = cKDTree(position[main]).query(position[members])
        best = distance.argmin()
        ties.append(sorted((int(members[best]), int(main[nearest[best]]))))
    return np.array(ties, dtype=np.int64).reshape(-1, 2)


def _nearest_partners(pairs: NDArray[np.int64], length: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Pairs in which one is among the nearest few partners of the other."""
    kept = np.zeros(len(pairs), dtype=bool)
    for end in range(2):
        order = np.lexsort((length, pairs[:, end]))
        node = pairs[order, end]
        starts = run_starts(node)
        rank = np.arange(len(node)) - np.repeat(starts, np.diff(np.append(starts, len(node))))
        kept[order[rank < _WALL_PARTNERS]] = True
    return kept
