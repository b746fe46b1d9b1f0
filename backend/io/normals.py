"""Vertex normals of a moving surface."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..geometry.mesh import cross

__all__ = ["surface_normals", "turned_with_surface"]


def surface_normals(positions: NDArray[np.floating], triangles: NDArray[np.integer]) -> NDArray[np.float64]:
    """Unit normals Float[V,3] by the areas of the faces around each vertex; zero where there are none."""
    points = np.asarray(positions, dtype=np.float64)
    first = points[triangles[:, 0]]
    area = cross(points[triangles[:, 1]] - first, points[triangles[:, 2]] - first)
    total = np.stack(
        [np.bincount(triangles.ravel(), np.repeat(area[:, axis], 3), minlength=len(points)) for axis in range(3)],
        axis=1,
    )
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return np.divide(total, length, out=np.zeros_like(total), where=length > 0.0)


def turned_with_surface(
    normals: NDArray[np.floating], before: NDArray[np.float64], after: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Drawn normals Float[V,3], turned by the shortest way in which the surface's own went from `before` to `after`.

    For unit b and a that way is n + (c x n) + c x (c x n) / (1 + a.b) with c = b x a.
    """
    axis = cross(before, after)
    cosine = np.einsum("vi,vi->v", before, after)[:, None]
    across = cross(axis, np.asarray(normals, dtype=np.float64))
    turned = normals + across + cross(axis, across) / np.maximum(1.0 + cosine, 1e-6)
    length = np.linalg.norm(turned, axis=1, keepdims=True)
    return np.divide(turned, length, out=np.zeros_like(turned), where=length > 0.0)
