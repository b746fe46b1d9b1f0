"""Moments of geodesic cells: area, normal, centroid and spread of the surface that each node owns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .geodesic_cells import GeodesicCells
from .mesh import triangle_areas, triangle_normals

__all__ = ["cell_moments"]


def cell_moments(
    points: NDArray[np.float64], triangles: NDArray[np.int64], cells: GeodesicCells
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Area Float[S], unit normal Float[S,3], centroid Float[S,3] and spread Float[S,3,3] of each cell.

    The normal is the main axis of sum(area n n^T), which does not care which way the faces look;
    of its two directions, the one the faces agree on more. Centroid and spread lie in the plane of the node.
    """
    count = len(cells.nodes)
    twice = triangle_normals(points, triangles)
    area = triangle_areas(points, triangles)
    owners = cells.owner[triangles]
    third = area / 3.0

    def gathered(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return sum(np.bincount(owners[:, corner], values, minlength=count) for corner in range(3))

    unit = np.divide(twice, 2.0 * area[:, None], out=np.zeros_like(twice), where=area[:, None] > 0)
    tensor = np.empty((count, 3, 3))
    for row in range(3):
        for column in range(row, 3):
            tensor[:, row, column] = tensor[:, column, row] = gathered(third * unit[:, row] * unit[:, column])
    normal = np.linalg.eigh(tensor)[1][:, :, 2]
    mean = np.stack([gathered(third * unit[:, axis]) for axis in range(3)], axis=1)
    normal *= np.where(np.einsum("si,si->s", normal, mean) < 0, -1.0, 1.0)[:, None]
    return gathered(third), normal, *_flat_moments(points, triangles, cells, third, normal)


def _flat_moments(
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    cells: GeodesicCells,
    third: NDArray[np.float64],
    normal: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Centroid Float[S,3] and spread Float[S,3,3] of cells within the plane of their node."""
    owner = cells.owner[triangles].ravel()
    corners = points[triangles]
    # The third of a triangle nearest to a corner has its centroid at 22/36 of that corner and 7/36 of the other two.
    pieces = ((7.0 * corners.sum(axis=1))[:, None] + 15.0 * corners).reshape(-1, 3) / 36.0
    weight, home = np.repeat(third, 3), points[cells.nodes]
    away = pieces - home[owner]
    away -= np.einsum("pi,pi->p", away, normal[owner])[:, None] * normal[owner]
    count = len(cells.nodes)

    def mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(owner, weight * values, minlength=count) / np.maximum(
            np.bincount(owner, weight, minlength=count), 1e-300
        )

    shift = np.stack([mean(away[:, axis]) for axis in range(3)], axis=1)
    spread = np.empty((count, 3, 3))
    for row in range(3):
        for column in range(row, 3):
            spread[:, row, column] = mean(away[:, row] * away[:, column]) - shift[:, row] * shift[:, column]
            spread[:, column, row] = spread[:, row, column]
    # What is left out within a piece, as if it were round.
    plane = np.eye(3) - normal[:, :, None] * normal[:, None, :]
    spread += (mean(weight) / (4.0 * np.pi))[:, None, None] * plane
    return home + shift, spread
