"""Edges of a sheet as paths that run as straight as the mesh lets them: what is solved at once carries far."""

from __future__ import annotations

import numpy as np

from ..kinematics.base import Array

__all__ = ["straight_paths"]

BEND = 0.7  # rad: a path goes on along the straightest edge, if it turns by no more


def straight_paths(nodes: Array, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Paths through nodes Float[N,3] along edges Int[E,2], each edge in one: (start Int[P+1], node Int[E+P])."""
    onward = _onward(nodes, edges)
    starts, order = [0], []
    done = np.zeros(len(edges), dtype=bool)
    ends = np.flatnonzero((onward < 0).any(axis=1))
    links, corner = onward.tolist(), edges.tolist()
    for first in (*ends.tolist(), *range(len(edges))):  # what is left at last are rings
        if done[first]:
            continue
        side = 0 if links[first][0] < 0 else 1
        if links[first][0] >= 0 and links[first][1] >= 0:
            side = 0
        edge, entry = first, side
        order.append(corner[edge][entry])
        while not done[edge]:
            done[edge] = True
            leave = corner[edge][1 - entry]
            order.append(leave)
            following = links[edge][1 - entry]
            if following < 0:
                break
            edge, entry = following, 0 if corner[following][0] == leave else 1
        starts.append(len(order))
    return np.array(starts, dtype=np.int64), np.array(order, dtype=np.int64)


def _onward(nodes: Array, edges: np.ndarray) -> np.ndarray:
    """The edge that goes on beyond each end of an edge, Int[E,2], -1 where a path ends."""
    count = len(edges)
    out = np.concatenate([edges, edges[:, ::-1]])  # every edge as seen from either end
    way = nodes[out[:, 1]] - nodes[out[:, 0]]
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    order = np.argsort(out[:, 0], kind="stable")
    begin = np.searchsorted(out[order, 0], np.arange(len(nodes) + 1))
    degree = np.diff(begin)
    pairs = []
    for valence in np.unique(degree[degree >= 2]).tolist():
        spokes = order[begin[:-1][degree == valence][:, None] + np.arange(valence)]
        one, other = np.triu_indices(valence, 1)
        first, second = spokes[:, one].ravel(), spokes[:, other].ravel()
        pairs.append(np.stack([first, second]))
    found = np.full((count, 2), -1)
    if not pairs:
        return found
    first, second = np.concatenate(pairs, axis=1)
    turn = -np.einsum("pi,pi->p", way[first], way[second])
    straight = turn > np.cos(BEND)
    first, second, turn = first[straight], second[straight], turn[straight]
    taken = np.zeros(2 * count, dtype=bool)
    for place in np.argsort(-turn, kind="stable").tolist():
        a, b = first[place], second[place]
        if taken[a] or taken[b]:
            continue
        taken[a] = taken[b] = True
        # Spoke s < E leaves from the first end of its edge, E + s from the second.
        found[a % count, a // count] = b % count
        found[b % count, b // count] = a % count
    return found
