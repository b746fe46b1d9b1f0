"""Points on the surface of a mesh that move with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from ..geometry.mesh import triangle_areas
from ..kinematics.base import Array

__all__ = ["SurfacePoints", "sample_surface"]


@dataclass(frozen=True)
class SurfacePoints:
    """n points by the corners Int[n,3] of their triangles and their shares Float[n,3], rows summing to one."""

    corners: NDArray[np.int64]
    shares: Array

    def __len__(self) -> int:
        return len(self.corners)

    def on(self, values: Array) -> Array:
        """What the points have of values Float[V,...] given at vertices: Float[n,...]."""
        return np.einsum("nc,nc...->n...", self.shares, values[self.corners])

    def first(self, count: int) -> SurfacePoints:
        """At most `count` of them: an even choice too, as they are in no order."""
        return SurfacePoints(self.corners[:count], self.shares[:count])

    def same_as(self, other: SurfacePoints) -> bool:
        return np.array_equal(self.corners, other.corners) and np.array_equal(self.shares, other.shares)


def sample_surface(
    vertices: Array, triangles: NDArray[np.int64], count: int, rng: np.random.Generator
) -> SurfacePoints:
    """Points spread over the surface by area, all equally likely.

    One for each equal share of the area along the list of triangles, not each at random: large faces get what is due to
    them and the measure varies less from draw to draw.
    """
    area = triangle_areas(vertices, triangles)
    total = np.cumsum(area)
    if not total[-1] > 0.0:
        raise UserError("no_area.surface")
    at = rng.permutation((np.arange(count) + rng.random(count)) / count)
    chosen = np.minimum(np.searchsorted(total, at * total[-1], side="right"), len(area) - 1)
    root, along = np.sqrt(rng.random(count)), rng.random(count)
    shares = np.stack([1.0 - root, root * (1.0 - along), root * along], axis=1)
    return SurfacePoints(triangles[chosen], shares)
