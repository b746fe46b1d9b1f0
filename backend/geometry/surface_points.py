"""Surface points in barycentric coordinates: a quasi-random even spread, or the closest to given points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from .closest_points import closest_on_triangles
from .mesh import triangle_areas
from .poisson_disk import separated

__all__ = ["BarycentricPoints", "closest_surface_points", "quasi_random_points"]

Array = NDArray[np.float64]

# Steps of the two-dimensional sequence with the lowest discrepancy (the plastic number's powers).
_STEP = np.array([0.7548776662466927, 0.5698402909980532])
_SEARCHED = 20_000  # places that stand for the triangles in the search for the nearest
_CANDIDATES = 6


@dataclass(frozen=True)
class BarycentricPoints:
    """triangle Int[n], barycentric coordinates Float[n,3] (rows sum to one), area Float[n] each point stands for."""

    triangle: NDArray[np.int64]
    barycentric: Array
    area: Array

    def interpolated(self, triangles: NDArray[np.int64], values: Array) -> Array:
        """Values at the points, Float[n,m], of values at the vertices Float[V,m]."""
        return np.einsum("nc,ncm->nm", self.barycentric, values[triangles[self.triangle]])


def quasi_random_points(vertices: Array, triangles: NDArray[np.int64], count: int) -> BarycentricPoints:
    """About `count` points, as many on each triangle as its area says; the same for the same mesh."""
    area = triangle_areas(vertices, triangles)
    # Rounding the running sum gives small triangles their due together.
    edge = np.floor(np.cumsum(area) * (count / area.sum()) + 0.5).astype(np.int64)
    several = np.diff(edge, prepend=0)
    triangle = np.repeat(np.arange(len(triangles)), several)
    order = np.arange(len(triangle)) - np.repeat(edge - several, several)
    # A triangle with a single place has it in its middle.
    first, second = np.modf(1.0 / 3.0 + order[:, None] * _STEP)[0].T
    outside = first + second > 1.0
    first, second = np.where(outside, 1.0 - first, first), np.where(outside, 1.0 - second, second)
    barycentric = np.column_stack([first, second, 1.0 - first - second])
    return BarycentricPoints(triangle, barycentric, np.full(len(triangle), area.sum() / max(len(triangle), 1)))


def closest_surface_points(
    points: Array,
    point_part: NDArray[np.int64],
    vertices: Array,
    triangles: NDArray[np.int64],
    triangle_part: NDArray[np.int64],
) -> BarycentricPoints:
    """The surface point closest to each point Float[n,3] on the triangles of its own part."""
    spread = quasi_random_points(vertices, triangles, _SEARCHED)
    # Triangles so small that no place fell on them are represented by their middles.
    missing = np.flatnonzero(np.bincount(spread.triangle, minlength=len(triangles)) == 0)
    known = np.concatenate([spread.triangle, missing])
    barycentric = np.concatenate([spread.barycentric, np.full((len(missing), 3), 1.0 / 3.0)])
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    scale = float((high - low).max())

    def apart(places: Array, part: NDArray[np.int64]) -> Array:
        return separated((places - low) / scale, part)

    middles = np.einsum("nc,nci->ni", barycentric, vertices[triangles[known]])
    near = cKDTree(apart(middles, triangle_part[known])).query(
        apart(points, point_part), k=min(_CANDIDATES, len(known))
    )
    candidates = known[near[1].reshape(len(points), -1)]
    corners = vertices[triangles[candidates]]  # (n, k, 3, 3)
    tiled = np.repeat(points, candidates.shape[1], axis=0)
    found = closest_on_triangles(tiled, *(corners[:, :, corner].reshape(-1, 3) for corner in range(3)))
    found = found.reshape(*candidates.shape, 3)
    distance = ((found - points[:, None]) ** 2).sum(axis=2)
    distance[triangle_part[candidates] != point_part[:, None]] = np.inf
    best = distance.argmin(axis=1)
    row = np.arange(len(points))
    triangle = candidates[row, best]
    barycentric = _barycentric(found[row, best], vertices[triangles[triangle]])
    return BarycentricPoints(triangle, barycentric, np.zeros(len(points)))


def _barycentric(places: Array, corners: Array) -> Array:
    """Barycentric coordinates in triangles Float[n,3,3] of points in their planes; of slivers, by least squares."""
    first, second, away = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0], places - corners[:, 0]
    aa, ab, bb = (np.einsum("ni,ni->n", x, y) for x, y in ((first, first), (first, second), (second, second)))
    pa, pb = np.einsum("ni,ni->n", away, first), np.einsum("ni,ni->n", away, second)
    small = 1e-12 * (aa + bb) + 1e-300
    aa, bb = aa + small, bb + small
    determinant = np.maximum(aa * bb - ab * ab, 1e-300)
    one = np.clip((bb * pa - ab * pb) / determinant, 0.0, 1.0)
    two = np.clip((aa * pb - ab * pa) / determinant, 0.0, 1.0)
    barycentric = np.column_stack([np.maximum(1.0 - one - two, 0.0), one, two])
    return barycentric / barycentric.sum(axis=1, keepdims=True)
