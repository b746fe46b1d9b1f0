"""Closest points on triangles, and gaps between two surfaces by alternating projection."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from .broad_phase import near_places
from .mesh import cross
from .poisson_disk import separated

__all__ = ["closest_on_triangles", "surface_gaps"]

# Triangles of which the closest is sought, by the distance of their centres.
_CANDIDATES = 12
# Projections from one surface to the other and back; two crossing planes at 45 degrees halve the gap each
# time.
_ROUNDS = 10
# A pair of points is the nearest when a round brings it less than this much closer (in the unit box).
_SETTLED = 1e-5


def closest_on_triangles(
    places: NDArray[np.float64], a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Closest point, Float[n,3], of each triangle (corners Float[n,3]) to each place, row by row."""
    best = np.full(len(places), np.inf)
    result = np.empty_like(places)
    for start, end in ((a, b), (b, c), (c, a)):
        along = end - start
        squared = np.einsum("ni,ni->n", along, along)
        fraction = np.einsum("ni,ni->n", places - start, along) / np.where(squared > 0, squared, 1.0)
        point = start + np.clip(fraction, 0.0, 1.0)[:, None] * along
        distance = np.einsum("ni,ni->n", places - point, places - point)
        nearer = distance < best
        best[nearer], result[nearer] = distance[nearer], point[nearer]

    normal = cross(b - a, c - a)
    squared = np.einsum("ni,ni->n", normal, normal)
    flat = squared == 0
    squared = np.where(flat, 1.0, squared)
    foot = places - (np.einsum("ni,ni->n", places - a, normal) / squared)[:, None] * normal
    within = ~flat
    for start, end in ((a, b), (b, c), (c, a)):
        within &= np.einsum("ni,ni->n", cross(end - start, foot - start), normal) >= 0.0
    result[within] = foot[within]
    return result


def surface_gaps(
    first: NDArray[np.float64],
    first_part: NDArray[np.int64],
    second: NDArray[np.float64],
    second_part: NDArray[np.int64],
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    part: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gap Float[n] between the surfaces of two parts near two of their points, and its middle Float[n,3].

    Alternating projection from the given points (Float[n,3] each): it ends at the nearest pair of points
    around there, and at zero where the surfaces touch or cross.
    """
    if len(first) == 0:
        return np.empty(0), np.empty((0, 3))
    centroid = points[triangles].mean(axis=1)
    reach = np.sqrt(((points[triangles] - centroid[:, None]) ** 2).sum(axis=2).max())
    span = np.sqrt(((first - second) ** 2).sum(axis=1).max())
    rows = np.flatnonzero(near_places(centroid, np.concatenate([first, second]), span + 2.0 * reach))
    tree = cKDTree(separated(centroid[rows], part[rows]))
    most = int(np.bincount(part[rows]).max())
    count = min(_CANDIDATES, most, len(rows))

    def project(places: NDArray[np.float64], onto: NDArray[np.int64]) -> NDArray[np.float64]:
        found = rows[tree.query(separated(places, onto), k=count)[1].reshape(len(places), count)]
        corners = triangles[found]
        tiled = np.repeat(places, count, axis=0)
        point = closest_on_triangles(tiled, *(points[corners[..., k].ravel()] for k in range(3)))
        point = point.reshape(len(places), count, 3)
        distance = ((point - places[:, None]) ** 2).sum(axis=2)
        # With few triangles nearby, those of another part are among the candidates.
        distance[part[found] != onto[:, None]] = np.inf
        return point[np.arange(len(places)), distance.argmin(axis=1)]

    here, there = first.copy(), second.copy()
    gap = np.full(len(first), np.inf)
    moving = np.arange(len(first))
    for _ in range(_ROUNDS):
        there[moving] = project(here[moving], second_part[moving])
        here[moving] = project(there[moving], first_part[moving])
        shorter = np.sqrt(((here[moving] - there[moving]) ** 2).sum(axis=1))
        settled = gap[moving] - shorter <= _SETTLED
        gap[moving] = shorter
        moving = moving[~settled]
        if len(moving) == 0:
            break
    return gap, 0.5 * (here + there)
