"""Soft groups of an object: what is soft and hangs together, and where each group is attached to what is rigid.

Loose parts that touch hang together, but for two that each are attached to what is rigid and hardly touch: stems that
cross in a vase. Each of those has a group of its own, so that each bends by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from ..geometry.material import MaterialCloud

__all__ = ["SoftGroup", "soft_groups"]

TOUCHING = 0.01  # of the size: soft parts farther apart than this are no single piece
HARDLY = 0.3  # of the nodes of the smaller of two parts that touch: fewer do not join what is attached by itself
FEWEST_HELD, MOST_HELD = 3, 0.7  # nodes, and of the nodes of a group
FOOT = 1.6  # node spacings: what of a group that hardly touches is attached where it comes nearest


@dataclass(frozen=True, eq=False)
class SoftGroup:
    """`nodes` Int[n] of the cloud; `held` Int[m]: those of them that touch what is rigid, else the rigid nodes that
    it is one with, else those next to it and the nearest of its own; `link`: the link that carries it.
    """

    nodes: NDArray[np.int64]
    held: NDArray[np.int64]
    link: int = 0


def soft_groups(
    cloud: MaterialCloud,
    soft: NDArray[np.bool_],
    touches: NDArray[np.bool_],
    link: NDArray[np.int64],
    size: float,
) -> list[SoftGroup]:
    """Of nodes that are `soft`, Bool[N], some of which touch what is rigid, on links Int[N]; `size`: longest side, m.

    What is soft belongs to a single link, and is attached to what is rigid of that.
    """
    close = cloud.bridges[cloud.bridge_gaps <= TOUCHING * size]
    close = close[soft[close].all(axis=1)]
    pairs = np.concatenate([cloud.edges, close[_joining(cloud, close, soft, touches)]])
    both = pairs[soft[pairs].all(axis=1) & (link[pairs[:, 0]] == link[pairs[:, 1]])]
    count = len(soft)
    graph = coo_matrix((np.ones(len(both)), (both[:, 0], both[:, 1])), shape=(count, count))
    label = connected_components(graph, directed=False)[1]
    grown, near = (_outward(each, soft, link) for each in (cloud.edges, cloud.bridges))
    groups = []
    for number in np.unique(label[soft]):
        nodes = np.flatnonzero(soft & (label == number))
        held = nodes[touches[nodes]]
        if not FEWEST_HELD <= len(held) <= MOST_HELD * len(nodes):  # else it were a hinge, or nothing but a seam
            held = np.unique(grown[label[grown[:, 0]] == number, 1])
        if len(held) < FEWEST_HELD:
            # No energy sees how far it gets from what it is not one with: its own matter is held there.
            beside = near[label[near[:, 0]] == number, 1]
            held = np.unique(np.concatenate([held, beside, _foot(cloud, nodes, soft, link)]))
        groups.append(SoftGroup(nodes, held, int(link[nodes[0]])))
    return groups


def _outward(links: NDArray[np.int64], soft: NDArray[np.bool_], link: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of pairs of nodes Int[n,2] those from a soft node to a rigid one of its link."""
    both = np.concatenate([links, links[:, ::-1]])
    same = link[both[:, 0]] == link[both[:, 1]]
    return both[soft[both[:, 0]] & ~soft[both[:, 1]] & same]


def _foot(
    cloud: MaterialCloud, nodes: NDArray[np.int64], soft: NDArray[np.bool_], link: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Those of the nodes of a group where it comes nearest to what is rigid of its link, or of any."""
    rigid = np.flatnonzero(~soft & (link == link[nodes[0]]))
    if not len(rigid):
        rigid = np.flatnonzero(~soft)
    distance = cKDTree(cloud.position[rigid]).query(cloud.position[nodes])[0]
    foot = cloud.position[nodes[distance.argmin()]]
    return nodes[np.linalg.norm(cloud.position[nodes] - foot, axis=1) <= FOOT * cloud.spacing]


def _joining(
    cloud: MaterialCloud, pairs: NDArray[np.int64], soft: NDArray[np.bool_], touches: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Bool[n]: which of pairs Int[n,2] of soft nodes join what they connect.

    Parts are joined in the order of how much of the smaller one touches the other.
    """
    count = int(cloud.part.max()) + 1
    size = np.bincount(cloud.part[soft], minlength=count)
    carried = np.bincount(cloud.part[soft & touches], minlength=count) > 0
    between, place = np.unique(np.sort(cloud.part[pairs], axis=1), axis=0, return_inverse=True)
    at = place.ravel()
    contacts = np.array(
        [
            [len(np.unique(pairs[at == number][cloud.part[pairs[at == number]] == side])) for side in sides]
            for number, sides in enumerate(between)
        ]
    ).reshape(-1, 2)
    share = (contacts / np.maximum(size[between], 1)).max(axis=1, initial=0.0)
    group = np.arange(count)
    for number in np.argsort(-share, kind="stable"):
        one, other = group[between[number]]
        if one != other and (share[number] >= HARDLY or not (carried[one] and carried[other])):
            group[group == other] = one
            carried[one] |= carried[other]
    return group[cloud.part[pairs[:, 0]]] == group[cloud.part[pairs[:, 1]]]
