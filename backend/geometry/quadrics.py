"""Quadric errors (Garland and Heckbert 1997): the summed squared distances of a place to the planes of faces.

With unit normal n, offset d and weight w of each plane: sum w (n . x + d)^2 = x^T A x + 2 b . x + c. Quadrics are
columns Float[14,n]: xx yy zz xy yz zx of A, b, c, the summed area and the summed normals, weighted by area, of faces.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .edges import edge_keys
from .mesh import cross, triangle_normals

__all__ = ["face_quadrics", "quadric_error", "rim_quadrics"]

# How much more a rim counts than a strip of surface as wide as it is long.
_RIM = 10.0


def face_quadrics(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.float64]:
    """Quadrics of triangles, Float[14,F], weighted by twice their area."""
    normal = triangle_normals(points, triangles)
    area = np.sqrt(np.einsum("fi,fi->f", normal, normal))
    return _planes(normal / np.where(area > 0.0, area, 1.0)[:, None], points[triangles[:, 0]], area, area)


def rim_quadrics(
    points: NDArray[np.float64], triangles: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Edges Int[n,2] with one face, and their quadrics: the plane through the edge that stands on the face."""
    start, end = triangles.ravel(), triangles[:, [1, 2, 0]].ravel()
    _, place, count = np.unique(edge_keys(triangles, len(points)), return_index=True, return_counts=True)
    rim = place[count == 1]
    edges = np.stack([start[rim], end[rim]], axis=1)
    corners = points[triangles[rim // 3]]
    along = points[edges[:, 1]] - points[edges[:, 0]]
    upright = cross(cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), along)
    length = np.sqrt(np.einsum("ei,ei->e", upright, upright))
    upright /= np.where(length > 0.0, length, 1.0)[:, None]
    weight = _RIM * np.einsum("ei,ei->e", along, along)
    return edges, _planes(upright, points[edges[:, 0]], weight, np.zeros_like(weight))


def quadric_error(quadric: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Float[n]: the error of each quadric at its place Float[n,3]."""
    x, y, z = places.T
    xx, yy, zz, xy, yz, zx, bx, by, bz, c = quadric[:10]
    return (
        x * (xx * x + 2.0 * (xy * y + zx * z + bx)) + y * (yy * y + 2.0 * (yz * z + by)) + z * (zz * z + 2.0 * bz) + c
    )


def _planes(
    unit: NDArray[np.float64],
    on_plane: NDArray[np.float64],
    weight: NDArray[np.float64],
    area: NDArray[np.float64],
) -> NDArray[np.float64]:
    offset = -np.einsum("fi,fi->f", unit, on_plane)
    x, y, z = unit.T
    rows = (x * x, y * y, z * z, x * y, y * z, z * x, x * offset, y * offset, z * offset, offset**2)
    return np.concatenate([np.stack(rows) * weight, [area, x * area, y * area, z * area]])
