"""Places on a triangle mesh as shares of the corners of their triangles: an even spread, or the nearest to points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from .closest_points import closest_on_triangles
from .mesh import triangle_areas
from .poisson_disk import separated

__all__ = ["SurfacePlaces", "nearest_places", "spread_places"]

Array = NDArray[np.float64]

# Steps of the two-dimensional sequence with the lowest discrepancy (the plastic number's powers).
_STEP = np.array([0.7548776662466927, 0.5698402909980532])
_SEARCHED = 20_000  # places that stand for the triangles in the search for the nearest
_CANDIDATES = 6


@dataclass(frozen=True)
class SurfacePlaces:
    """triangle Int[n], share Float[n,3] of its corners (sums to one), area Float[n] that each place stands for."""

    triangle: NDArray[np.int64]
    share: Array
    area: Array

    def mixed(self, triangles: NDArray[np.int64], values: Array) -> Array:
        """Values at the places Float[n,m] of values at the vertices Float[V,m]."""
        return np.einsum("nc,ncm->nm", self.share, values[triangles[self.triangle]])


def spread_places(vertices: Array, triangles: NDArray[np.int64], count: int) -> SurfacePlaces:
    """About `count` places, as many on each triangle as its area says; the same for the same mesh."""
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
    share = np.column_stack([first, second, 1.0 - first - second])
    return SurfacePlaces(triangle, share, np.full(len(triangle), area.sum() / max(len(triangle), 1)))


def nearest_places(
    points: Array,
    point_part: NDArray[np.int64],
    vertices: Array,
    triangles: NDArray[np.int64],
    triangle_part: NDArray[np.int64],
) -> SurfacePlaces:
    """The place nearest to each point Float[n,3] on the triangles of its own part."""
    spread = spread_places(vertices, triangles, _SEARCHED)
    # Triangles so small that no place fell on them are represented by their middles.
    missing = np.flatnonzero(np.bincount(spread.triangle, minlength=len(triangles)) == 0)
    known = np.concatenate([spread.triangle, missing])
    shares = np.concatenate([spread.share, np.full((len(missing), 3), 1.0 / 3.0)])
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    scale = float((high - low).max())

    def apart(places: Array, part: NDArray[np.int64]) -> Array:
        return separated((places - low) / scale, part)

    middles = np.einsum("nc,nci->ni", shares, vertices[triangles[known]])
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
    share = _shares(found[row, best], vertices[triangles[triangle]])
    return SurfacePlaces(triangle, share, np.zeros(len(points)))


def _shares(places: Array, corners: Array) -> Array:
    """Shares of the corners Float[n,3,3] of places in their planes; of slivers, by least squares."""
    first, second, away = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0], places - corners[:, 0]
    aa, ab, bb = (np.einsum("ni,ni->n", x, y) for x, y in ((first, first), (first, second), (second, second)))
    pa, pb = np.einsum("ni,ni->n", away, first), np.einsum("ni,ni->n", away, second)
    small = 1e-12 * (aa + bb) + 1e-300
    aa, bb = aa + small, bb + small
    determinant = np.maximum(aa * bb - ab * ab, 1e-300)
    one = np.clip((bb * pa - ab * pb) / determinant, 0.0, 1.0)
    two = np.clip((aa * pb - ab * pa) / determinant, 0.0, 1.0)
    share = np.column_stack([np.maximum(1.0 - one - two, 0.0), one, two])
    return share / share.sum(axis=1, keepdims=True)
