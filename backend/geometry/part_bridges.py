"""Bridges between parts: where they touch, and across the shortest gaps, so that they make one object."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from .closest_points import surface_gaps
from .inside import points_inside
from .poisson_disk import separated
from .ragged_arrays import run_starts
from .topology import component_boxes

__all__ = ["PartBridges", "SurfaceNodes", "join_parts"]

# Parts nearer than this share of the object's size touch: less than drawing accuracy, more than rounding.
CONTACT_GAP = 0.0025

# A bridge to a part that touches nothing is made of the nodes within this many spacings of its foot, at
# most so many.
_BRIDGE_REACH = 1.6
_BRIDGE_NODES = 3

# Neighbours among which a foreign one is sought first.
_NEAR_NEIGHBOURS = 8


@dataclass(frozen=True)
class SurfaceNodes:
    """Nodes and surface in the unit box: nodes (position Float[N,3], part Int[N]), the surface
    (points Float[P,3], triangles Int[T,3], point_part Int[P], owner Int[P]), cloud Int[M] (points spread
    evenly),
    and per part closed Bool[parts]."""

    position: NDArray[np.float64]
    part: NDArray[np.int64]
    surface_count: int
    points: NDArray[np.float64]
    triangles: NDArray[np.int64]
    point_part: NDArray[np.int64]
    owner: NDArray[np.int64]
    cloud: NDArray[np.int64]
    closed: NDArray[np.bool_]
    spacing: float


@dataclass(frozen=True)
class PartBridges:
    """pairs Int[L,2] (i < j, nodes of different parts), gaps Float[L] (between surfaces; 0 in an overlap),
    islands: how many separate islands had to be bridged, widest: the largest gap bridged."""

    pairs: NDArray[np.int64]
    gaps: NDArray[np.float64]
    islands: int
    widest: float


def join_parts(nodes: SurfaceNodes) -> PartBridges:
    """Bridges where parts touch or overlap, and over the shortest gaps between what is left."""
    part_count = len(nodes.closed)
    if part_count == 1:
        return PartBridges(np.empty((0, 2), dtype=np.int64), np.empty(0), 1, 0.0)
    touching, touching_gaps = _contacts(nodes)
    embedded = _embedded(nodes)
    pairs = np.concatenate([touching, embedded])
    gaps = np.concatenate([touching_gaps, np.zeros(len(embedded))])

    island = _islands(nodes.part[pairs], part_count)
    islands, widest = int(island.max()) + 1, 0.0
    while island.max() > 0:
        bridge_pairs, bridge_gaps = _spanning_bridges(nodes, island[nodes.point_part[nodes.cloud]])
        widest = max(widest, float(bridge_gaps.max()))
        pairs, gaps = np.concatenate([pairs, bridge_pairs]), np.concatenate([gaps, bridge_gaps])
        island = _islands(nodes.part[pairs], part_count)
    return PartBridges(*_distinct(pairs, gaps, len(nodes.position)), islands, widest)


def _contacts(nodes: SurfaceNodes) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Pairs of surface nodes of different parts whose cells touch."""
    cloud = nodes.cloud
    places, part = nodes.points[cloud], nodes.point_part[cloud]
    reach = CONTACT_GAP + 0.6 * nodes.spacing
    near = cKDTree(places).query_pairs(reach, output_type="ndarray").astype(np.int64)
    near = near[part[near[:, 0]] != part[near[:, 1]]]
    if len(near) == 0:
        return np.empty((0, 2), dtype=np.int64), np.empty(0)

    # The nearest pair of cloud points stands for its two cells.
    owners = nodes.owner[cloud[near]]
    turned = owners[:, 0] > owners[:, 1]
    near[turned], owners[turned] = near[turned][:, ::-1], owners[turned][:, ::-1]
    step = places[near[:, 0]] - places[near[:, 1]]
    distance = np.einsum("pi,pi->p", step, step)
    order = np.lexsort((near[:, 1], near[:, 0], distance, owners[:, 1], owners[:, 0]))
    near, owners = near[order], owners[order]
    first = run_starts(owners)
    near, owners = near[first], owners[first]
    low, high = _cell_boxes(nodes)
    apart = np.maximum(low[owners[:, 0]] - high[owners[:, 1]], low[owners[:, 1]] - high[owners[:, 0]])
    meeting = (apart <= CONTACT_GAP).all(axis=1)
    near, owners = near[meeting], owners[meeting]

    gap, middle = surface_gaps(
        places[near[:, 0]],
        part[near[:, 0]],
        places[near[:, 1]],
        part[near[:, 1]],
        nodes.points,
        nodes.triangles,
        nodes.point_part[nodes.triangles[:, 0]],
    )
    # Projection may slide along the surface to a contact that belongs to other cells.
    slide = np.sqrt(((middle - 0.5 * (places[near[:, 0]] + places[near[:, 1]])) ** 2).sum(axis=1))
    touching = (gap <= CONTACT_GAP) & (slide <= nodes.spacing)
    owners, gap, middle = owners[touching], gap[touching], middle[touching]
    reach_to_contact = sum(np.sqrt(((nodes.position[owners[:, end]] - middle) ** 2).sum(axis=1)) for end in range(2))
    kept = _mutually_nearest(owners, nodes.part, reach_to_contact)
    return owners[kept], gap[kept]


def _cell_boxes(nodes: SurfaceNodes) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bounding boxes, Float[S,3] low and high, of the triangles that each surface node owns a corner of."""
    corners = nodes.points[nodes.triangles]
    face_low, face_high = corners.min(axis=1), corners.max(axis=1)
    low = np.full((nodes.surface_count, 3), np.inf)
    high = np.full((nodes.surface_count, 3), -np.inf)
    for corner in range(3):
        owner = nodes.owner[nodes.triangles[:, corner]]
        order = np.argsort(owner, kind="stable")
        starts = run_starts(owner[order])
        owner = owner[order[starts]]
        low[owner] = np.minimum(low[owner], np.minimum.reduceat(face_low[order], starts))
        high[owner] = np.maximum(high[owner], np.maximum.reduceat(face_high[order], starts))
    return low, high


def _mutually_nearest(
    pairs: NDArray[np.int64], part: NDArray[np.int64], distance: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Pairs that are the nearest for one of their nodes, among those to the same other part."""
    kept = np.zeros(len(pairs), dtype=bool)
    for end in range(2):
        order = np.lexsort((pairs[:, 1 - end], distance, part[pairs[:, 1 - end]], pairs[:, end]))
        node, other = pairs[order, end], part[pairs[order, 1 - end]]
        first = np.ones(len(order), dtype=bool)
        first[1:] = (node[1:] != node[:-1]) | (other[1:] != other[:-1])
        kept[order[first]] = True
    return kept


def _embedded(nodes: SurfaceNodes) -> NDArray[np.int64]:
    """Surface nodes inside another closed part, each with the nearest node of that part."""
    places, part = nodes.position[: nodes.surface_count], nodes.part[: nodes.surface_count]
    closed = np.flatnonzero(nodes.closed)
    if len(closed) == 0:
        return np.empty((0, 2), dtype=np.int64)
    low, high = component_boxes(nodes.points, nodes.point_part)
    inner, holder = _points_in_boxes(places, low[closed], high[closed])
    holder = closed[holder]
    other = holder != part[inner]
    inner, holder = inner[other], holder[other]
    triangle_part = nodes.point_part[nodes.triangles[:, 0]]
    held = points_inside(places[inner], holder, nodes.points, nodes.triangles, triangle_part)
    inner, holder = inner[held], holder[held]
    if len(inner) == 0:
        return np.empty((0, 2), dtype=np.int64)
    nearest = cKDTree(separated(nodes.position, nodes.part)).query(separated(places[inner], holder))[1]
    return np.sort(np.stack([inner, nearest], axis=1), axis=1)


def _points_in_boxes(
    places: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Index pairs (place, box) with the place inside the box."""
    # Boxes are looked up by their circumscribed balls, in octaves of size so that small ones do not find
    # everything.
    centre, radius = 0.5 * (low + high), 0.5 * np.sqrt(((high - low) ** 2).sum(axis=1))
    octave = np.floor(np.log2(np.maximum(radius, 1e-6))).astype(np.int64)
    tree = cKDTree(places)
    found_place, found_box = [], []
    for level in np.unique(octave):
        boxes = np.flatnonzero(octave == level)
        hits = tree.sparse_distance_matrix(cKDTree(centre[boxes]), radius[boxes].max(), output_type="ndarray")
        place, box = hits["i"].astype(np.int64), boxes[hits["j"]]
        held = ((places[place] >= low[box]) & (places[place] <= high[box])).all(axis=1)
        found_place.append(place[held])
        found_box.append(box[held])
    place, box = np.concatenate(found_place), np.concatenate(found_box)
    order = np.lexsort((box, place))
    return place[order], box[order]


def _islands(part_pairs: NDArray[np.int64], part_count: int) -> NDArray[np.int64]:
    graph = coo_matrix((np.ones(len(part_pairs)), (part_pairs[:, 0], part_pairs[:, 1])), shape=(part_count,) * 2)
    return connected_components(graph, directed=False)[1].astype(np.int64)


def _spanning_bridges(nodes: SurfaceNodes, island: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """One round of Boruvka's spanning tree: each island is linked to its nearest neighbour.

    island Int[M]: of each cloud point.
    """
    cloud = nodes.cloud
    places, part = nodes.points[cloud], nodes.point_part[cloud]
    distance, partner = _nearest_foreign(places, island)
    order = np.lexsort((np.arange(len(cloud)), distance, island))
    here = order[run_starts(island[order])]
    there = partner[here]
    # Two islands that chose each other share one bridge.
    here, there = np.unique(np.sort(np.stack([here, there], axis=1), axis=1), axis=0).T
    gap, middle = surface_gaps(
        places[here],
        part[here],
        places[there],
        part[there],
        nodes.points,
        nodes.triangles,
        nodes.point_part[nodes.triangles[:, 0]],
    )
    gap = np.minimum(gap, np.sqrt(((places[here] - places[there]) ** 2).sum(axis=1)))

    # The feet of a bridge are a few nodes around it on either side, each with the nearest one opposite.
    tree = cKDTree(separated(nodes.position, nodes.part))
    pairs = [np.stack([nodes.owner[cloud[here]], nodes.owner[cloud[there]]], axis=1)]
    gaps = [gap]
    reach = 0.5 * gap + _BRIDGE_REACH * nodes.spacing
    for near_part, far_part in ((part[here], part[there]), (part[there], part[here])):
        foot_distance, foot = tree.query(separated(middle, near_part), k=_BRIDGE_NODES)
        row, column = np.nonzero(foot_distance <= reach[:, None])
        foot = foot[row, column]
        opposite = tree.query(separated(nodes.position[foot], far_part[row]))[1]
        fits = (nodes.part[foot] == near_part[row]) & (nodes.part[opposite] == far_part[row])
        pairs.append(np.stack([foot, opposite], axis=1)[fits])
        gaps.append(gap[row][fits])
    return np.sort(np.concatenate(pairs), axis=1), np.concatenate(gaps)


def _nearest_foreign(
    places: NDArray[np.float64], island: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Distance and index of the nearest point of another island, for points that can be their island's best.

    The rest has an infinite distance. Numbers of different islands differ in at least one binary digit, so
    a search between the points with digit 0 and those with digit 1, for each digit, meets every foreign
    pair.
    """
    count = min(_NEAR_NEIGHBOURS, len(places))
    distance, index = cKDTree(places).query(places, k=count)
    foreign = island[index] != island[:, None]
    first = foreign.argmax(axis=1)
    rows = np.arange(len(places))
    best = np.where(foreign.any(axis=1), distance[rows, first], np.inf)
    partner = index[rows, first]
    # Any other point is at least as far from a foreign one as from its last neighbour; it matters only
    # where its island has nothing nearer.
    of_island = np.full(int(island.max()) + 1, np.inf)
    np.minimum.at(of_island, island, best)
    open_points = np.isinf(best) & (distance[:, -1] < of_island[island])

    for digit in range(int(island.max()).bit_length()):
        one = (island >> digit) & 1 == 1
        for asking, answering in ((one & open_points, ~one), (~one & open_points, one)):
            if not asking.any():
                continue
            asking, answering = np.flatnonzero(asking), np.flatnonzero(answering)
            distance, index = cKDTree(places[answering]).query(places[asking])
            nearer = distance < best[asking]
            best[asking[nearer]], partner[asking[nearer]] = distance[nearer], answering[index[nearer]]
    return best, partner


def _distinct(
    pairs: NDArray[np.int64], gaps: NDArray[np.float64], node_count: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Each pair once, sorted, with its smallest gap."""
    key = pairs[:, 0] * node_count + pairs[:, 1]
    order = np.lexsort((gaps, key))
    first = run_starts(key[order])
    return pairs[order[first]], gaps[order[first]]
