"""Tethers: no node gets farther from what is held than the sheet is long between them.

What a sweep carries from neighbour to neighbour, they carry at once (Kim, Chentanez, Mueller 2012). Lengths are those
of shortest paths along edges and across pairs of triangles, which are up to a few percent too long, and at least the
straight line at rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, dijkstra

from ..kinematics.base import Array

__all__ = ["Tethers", "tethers"]

TOO_LONG = 0.96  # of a path along edges and across pairs of triangles: what the straight way on the surface has of it
GROUPS = 8  # of held nodes that are told apart
NEAREST = 2  # groups that a node is tied to
SLACK = 1.002  # edges bear the weight before tethers do


@dataclass(frozen=True)
class Tethers:
    """Nodes Int[n] that stay within length Float[n] m of held ones Int[n]; near ones first."""

    node: np.ndarray
    held: np.ndarray
    length: Array


def tethers(rest: Array, edges: np.ndarray, triangles: np.ndarray, held: np.ndarray) -> Tethers:
    """For nodes Float[N,3] m at rest; held Bool[N] are those that are fixed in place."""
    nothing = np.zeros(0, dtype=np.int64)
    if not held.any():
        return Tethers(nothing, nothing, np.zeros(0))
    graph = _graph(rest, np.concatenate([edges, _across(triangles)]))
    groups = _groups(rest, edges, held)
    distances, sources = [], []
    for group in groups:
        found = dijkstra(graph, indices=group, min_only=True, return_predecessors=True)
        distances.append(found[0])
        sources.append(found[2])
    distance, source = np.array(distances), np.array(sources)
    chosen = np.argsort(distance, axis=0, kind="stable")[:NEAREST]
    length = np.take_along_axis(distance, chosen, axis=0).ravel()
    anchor = np.take_along_axis(source, chosen, axis=0).ravel()
    node = np.tile(np.arange(len(rest)), len(chosen))
    reached = np.isfinite(length) & ~held[node]
    node, anchor, length = node[reached], anchor[reached], length[reached]
    straight = np.linalg.norm(rest[node] - rest[anchor], axis=1)
    length = SLACK * np.maximum(straight, TOO_LONG * length)
    order = np.argsort(length, kind="stable")
    return Tethers(node[order], anchor[order].astype(np.int64), length[order])


def _graph(rest: Array, links: np.ndarray) -> csr_matrix:
    first, second = links.T
    length = np.linalg.norm(rest[second] - rest[first], axis=1)
    both = (np.r_[first, second], np.r_[second, first])
    graph = csr_matrix((np.r_[length, length], both), (len(rest), len(rest)))
    counts = csr_matrix((np.ones(2 * len(links)), both), (len(rest), len(rest)))
    graph.data /= counts.data  # links that are there twice
    return graph


def _across(triangles: np.ndarray) -> np.ndarray:
    """The two corners opposite of each edge between two triangles, Int[n,2]."""
    ends = np.sort(np.concatenate([triangles[:, [1, 2]], triangles[:, [2, 0]], triangles[:, [0, 1]]]), axis=1)
    opposite = triangles.T.reshape(-1)
    order = np.lexsort(ends.T)
    ends, opposite = ends[order], opposite[order]
    same = (ends[1:] == ends[:-1]).all(axis=1)
    pairs = np.stack([opposite[:-1][same], opposite[1:][same]], axis=1)
    return pairs[pairs[:, 0] != pairs[:, 1]]


def _groups(rest: Array, edges: np.ndarray, held: np.ndarray) -> list[np.ndarray]:
    """Held nodes that hang together, Int[n] each; too many groups are joined with their neighbours."""
    members = np.flatnonzero(held)
    inside = edges[held[edges].all(axis=1)]
    count = len(rest)
    graph = csr_matrix((np.ones(len(inside)), tuple(inside.T)), (count, count))
    label = connected_components(graph, directed=False)[1][members]
    _, label = np.unique(label, return_inverse=True)
    label = label.reshape(-1)
    if label.max() >= GROUPS:
        centres = np.array([rest[members[label == group]].mean(axis=0) for group in range(label.max() + 1)])
        seeds = [0]
        while len(seeds) < GROUPS:
            away = ((centres[:, None] - centres[seeds][None]) ** 2).sum(axis=2).min(axis=1)
            seeds.append(int(away.argmax()))
        nearest = ((centres[:, None] - centres[seeds][None]) ** 2).sum(axis=2).argmin(axis=1)
        label = nearest[label]
    return [members[label == group] for group in np.unique(label)]
