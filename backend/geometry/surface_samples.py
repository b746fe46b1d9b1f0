"""Random surface points, stratified by area; small loose parts get more than the share of their area."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .mesh import triangle_areas

__all__ = ["SurfaceSamples", "sample_surface"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SurfaceSamples:
    """N surface points as barycentric combinations, so that they can be followed to any state."""

    corners: NDArray[np.int64]  # Int[N,3], vertices of each point's triangle
    barycentric: Array  # Float[N,3]
    triangle: NDArray[np.int64]  # Int[N]
    used: NDArray[np.bool_]  # Bool[V], vertices of the surface that was sampled


def sample_surface(
    vertices: Array,
    triangles: NDArray[np.int64],
    shell: NDArray[np.int64],
    rng: np.random.Generator,
    count: int,
    left_out: NDArray[np.bool_] | None = None,
) -> SurfaceSamples:
    """Random points of the surface; small shells get more than their area's share.

    A triangle is chosen with a probability of its area over the square root of its shell's area. Shells that are
    `left_out`, Bool[shells], get none.
    """
    area = triangle_areas(vertices, triangles)
    face_shell = shell[triangles[:, 0]]
    shell_area = np.bincount(face_shell, weights=area, minlength=int(shell.max()) + 1)
    weight = area / np.sqrt(np.maximum(shell_area, 1e-12 * shell_area.max()))[face_shell]
    used = np.zeros(len(vertices), dtype=bool)
    used[triangles] = True
    if left_out is not None:
        weight[left_out[face_shell]] = 0.0
        used &= ~left_out[shell]
    total = np.cumsum(weight)
    # Strata instead of independent draws: every part of the surface gets its share of points.
    pick = (np.arange(count) + rng.random(count)) / count * total[-1]
    triangle = np.minimum(np.searchsorted(total, pick, side="right"), len(triangles) - 1)
    triangle = rng.permutation(triangle)
    root, along = np.sqrt(rng.random(count)), rng.random(count)
    barycentric = np.stack([1.0 - root, root * (1.0 - along), root * along], axis=1)
    return SurfaceSamples(triangles[triangle], barycentric, triangle, used)
