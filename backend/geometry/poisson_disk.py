"""Poisson-disk sampling of a surface: an even choice among the points of the surface itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from .mesh import cross
from .ragged_arrays import run_starts
from .topology import Surface

__all__ = [
    "LATTICE_DENSITY",
    "choose_spacing",
    "grid_representatives",
    "point_normals",
    "poisson_disk_subset",
    "separated",
]

# Surface nodes per squared spacing when nodes keep `_LEAST_DISTANCE` spacings apart (measured on planes,
# spheres and tori), and nodes per cubed spacing of a body-centred lattice whose nearest neighbours are one
# spacing apart.
_SURFACE_DENSITY = 1.2
_LEAST_DISTANCE = 0.75
LATTICE_DENSITY = 3.0 * np.sqrt(3.0) / 4.0

# Surface cells per spacing: fine enough to be choosy, coarse enough that millions of points become thousands.
_CELLS_PER_SPACING = 3.0

# Points whose normals differ by more than this cosine do not crowd each other out (the two sides of a thin
# plate), except where they are so near that only opposite sides may both stay (the rim of a plate and its
# faces).
_SIMILAR_NORMAL = 0.2
_RIM_DISTANCE = 0.35
_RIM_NORMAL = -0.3


def choose_spacing(surface: Surface, target_nodes: int, crowding: float = 1.0) -> tuple[float, float]:
    """The node spacing, in the unit box, at which the whole object gets about `target_nodes` nodes,
    and how many of them are expected on the surface.

    Each component has at least one node, so an object of many components gets more than the target.
    crowding: how many more nodes the surface was seen to take than its area says (folds, rims, small parts).
    """
    goal = max(float(target_nodes), 1.25 * len(surface.area))
    # Interior nodes keep half a spacing away from the surface; taken as for a ball of the same volume and
    # area.
    ball_radius = 3.0 * surface.volume / surface.area

    def on_surface(spacing: float) -> NDArray[np.float64]:
        return np.maximum(1.0, crowding * _SURFACE_DENSITY * surface.area / spacing**2)

    def inside(spacing: float) -> NDArray[np.float64]:
        with np.errstate(divide="ignore", invalid="ignore"):
            kept = np.where(ball_radius > 0, np.clip(1.0 - 0.5 * spacing / ball_radius, 0.0, 1.0) ** 3, 0.0)
        return LATTICE_DENSITY * surface.volume * kept / spacing**3

    low, high = 1e-6, 1.0
    for _ in range(60):
        middle = float(np.sqrt(low * high))
        crowded = (on_surface(middle) + inside(middle)).sum() > goal
        low, high = (middle, high) if crowded else (low, middle)
    return high, float(on_surface(high).sum())


def point_normals(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.float64]:
    """Unit normals weighted by the angle of each face at the point, Float[P,3]; zero where faces cancel out.

    Weighted by area instead, a rim would look like whichever of its two sides has the larger faces.
    """
    corners = [points[triangles[:, corner]] for corner in range(3)]
    face_normal = cross(corners[1] - corners[0], corners[2] - corners[0])
    twice_area = np.sqrt(np.einsum("fi,fi->f", face_normal, face_normal))
    face_normal /= np.where(twice_area > 0, twice_area, 1.0)[:, None]
    total = np.zeros_like(points)
    for corner in range(3):
        ahead = corners[(corner + 1) % 3] - corners[corner]
        behind = corners[(corner + 2) % 3] - corners[corner]
        angle = np.arctan2(twice_area, np.einsum("fi,fi->f", ahead, behind))
        for axis in range(3):
            total[:, axis] += np.bincount(triangles[:, corner], angle * face_normal[:, axis], minlength=len(points))
    length = np.sqrt(np.einsum("pi,pi->p", total, total))[:, None]
    return np.divide(total, length, out=np.zeros_like(total), where=length > 1e-9)


def separated(points: NDArray[np.float64], component: NDArray[np.int64]) -> NDArray[np.float64]:
    """The points with each component translated away from the others, so that one k-d tree serves all of them.

    The unit box is one wide, so components four apart never meet within any radius that is asked for.
    """
    return points + np.stack([4.0 * component, np.zeros(len(points)), np.zeros(len(points))], axis=1)


def grid_representatives(
    points: NDArray[np.float64],
    normals: NDArray[np.float64],
    component: NDArray[np.int64],
    chosen: NDArray[np.int64],
    original_count: int,
    spacing: float,
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """One of the `chosen` points for each component, surface cell and main direction, with its priority.

    The lower the priority the better: extreme points of the component, then vertices of the mesh itself
    (indices below `original_count`), then points added by refinement; within these by a fixed hash.
    """
    priority = _hash(chosen) >> np.uint64(2)
    priority[chosen >= original_count] |= np.uint64(2 << 62)
    ordinary = np.ones(len(chosen), dtype=bool)
    ordinary[_extremes(points[chosen], component[chosen])] = False
    priority[ordinary & (chosen < original_count)] |= np.uint64(1 << 62)

    cells_per_side = int(np.clip(np.ceil(_CELLS_PER_SPACING / spacing), 1, 4096)) + 1
    cell = ((points[chosen] + 0.5) * (cells_per_side - 1)).astype(np.int64)
    normal = normals[chosen]
    axis = np.abs(normal).argmax(axis=1)
    direction = 2 * axis + (normal[np.arange(len(chosen)), axis] > 0)
    key = component[chosen] * 6 + direction
    for side in range(3):
        key = key * cells_per_side + cell[:, side]

    order = np.argsort(key, kind="stable")
    starts = run_starts(key[order])
    best = np.minimum.reduceat(priority[order], starts)
    group = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(order))))
    winners = order[priority[order] == best[group]]
    return chosen[winners], priority[winners]


def poisson_disk_subset(
    points: NDArray[np.float64],
    normals: NDArray[np.float64],
    component: NDArray[np.int64],
    candidates: NDArray[np.int64],
    priority: NDArray[np.uint64],
    extent: NDArray[np.float64],
    spacing: float,
) -> NDArray[np.int64]:
    """The candidates that stay, ascending by component, when none may be too near a better one.

    extent Float[C]: the longest side of each component; one smaller than the spacing is a single node. Two
    candidates compete only within one component and with similar normals, so one of each component stays.
    Equivalent to taking them in order of priority, but in a few vectorised rounds.
    """
    candidates, priority = _one_of_each_speck(component, candidates, priority, extent < spacing)
    rank = np.empty(len(candidates), dtype=np.int64)
    rank[np.lexsort((candidates, priority))] = np.arange(len(candidates))
    places = separated(points[candidates], component[candidates])
    pairs = cKDTree(places).query_pairs(_LEAST_DISTANCE * spacing, output_type="ndarray")
    normal = normals[candidates]
    likeness = np.einsum("pi,pi->p", normal[pairs[:, 0]], normal[pairs[:, 1]])
    step = places[pairs[:, 1]] - places[pairs[:, 0]]
    adjoining = np.einsum("pi,pi->p", step, step) < (_RIM_DISTANCE * spacing) ** 2
    # Where faces of opposite orientation cancel out there is no normal to tell sides apart.
    without = ~normal.any(axis=1)
    similar = likeness > np.where(adjoining, _RIM_NORMAL, _SIMILAR_NORMAL)
    pairs = pairs[similar | without[pairs].any(axis=1)]
    swap = rank[pairs[:, 0]] > rank[pairs[:, 1]]
    better, worse = np.where(swap, pairs[:, 1], pairs[:, 0]), np.where(swap, pairs[:, 0], pairs[:, 1])

    undecided = np.ones(len(candidates), dtype=bool)
    stays = np.zeros(len(candidates), dtype=bool)
    while undecided.any():
        beaten = np.zeros(len(candidates), dtype=bool)
        beaten[worse] = True
        winners = undecided & ~beaten
        stays |= winners
        undecided &= ~winners
        undecided[worse[winners[better]]] = False
        open_pairs = undecided[better] & undecided[worse]
        better, worse = better[open_pairs], worse[open_pairs]
    nodes = candidates[stays]
    return nodes[np.lexsort((nodes, component[nodes]))]


def _one_of_each_speck(
    component: NDArray[np.int64],
    candidates: NDArray[np.int64],
    priority: NDArray[np.uint64],
    speck: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """The candidates, but of each component that is a speck the best alone."""
    order = np.lexsort((candidates, priority, component[candidates]))
    owner = component[candidates[order]]
    first = np.ones(len(order), dtype=bool)
    first[1:] = owner[1:] != owner[:-1]
    kept = np.sort(order[first | ~speck[owner]])
    return candidates[kept], priority[kept]


def _extremes(points: NDArray[np.float64], component: NDArray[np.int64]) -> NDArray[np.int64]:
    """Indices of the outermost points of each component along the six axis directions."""
    order = np.argsort(component, kind="stable")
    sorted_component = component[order]
    starts = run_starts(sorted_component)
    group = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(order))))
    found = []
    for axis in range(3):
        values = points[order, axis]
        for outermost in (np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)):
            hits = np.flatnonzero(values == outermost[group])
            # The first of several equal ones.
            found.append(order[hits[run_starts(group[hits])]])
    return np.unique(np.concatenate(found))


def _hash(values: NDArray[np.int64]) -> NDArray[np.uint64]:
    """SplitMix64: a fixed shuffle of the integers."""
    mixed = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
