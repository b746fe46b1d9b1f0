"""Static mesh with labelled parts, sampled for the joint search: points, boxes, contacts.

Positions are in a frame of its own: the middle of the box at 0, the diagonal 1, Z up. Nothing here asks for volumes or
for the side that a normal looks to: meshes are open, and double-sided.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..geometry.mesh import cross, triangle_areas
from ..geometry.surface_points import quasi_random_points
from ..kinematics.base import Array

__all__ = ["CELL", "CONTACT", "PartedShape", "parted_shape"]

CELL = 1.0 / 112.0  # side of a voxel, of the diagonal
CONTACT = 0.012  # of the diagonal: what is this much farther than the nearest still counts as contact
_POINTS = 320  # of each part
_FAR = 0.04  # of the diagonal: gaps from here on are those of boxes
_PER_CELL = 8  # samples on an area of a voxel's face: a wall of voxels has no holes then
_MOST_SAMPLES = 1_500_000
_SAMPLES_PER_PART = 1500  # at least


@dataclass(frozen=True, eq=False)
class PartedShape:
    """N parts. `points` Float[N,P,3] evenly spread on each, `normals` Float[N,P,3] of either sign, `area` Float[N];

    `samples` Float[S,3] of all surfaces at less than a voxel's distance, with `sample_part` Int[S] and `sample_normals`
    Float[S,3].
    """

    centre: Array  # Float[3], of the frame, in the mesh's unit
    diagonal: float
    points: Array
    normals: Array
    area: Array
    samples: Array
    sample_part: NDArray[np.int64]
    sample_normals: Array
    low: Array  # Float[N,3], boxes
    high: Array

    @property
    def count(self) -> int:
        return len(self.points)

    @cached_property
    def sizes(self) -> Array:
        """Float[N]: diagonals of the parts' boxes."""
        return np.maximum(np.linalg.norm(self.high - self.low, axis=1), 1e-6)

    @cached_property
    def trees(self) -> list[cKDTree]:
        """Of the samples of each part."""
        own = (self.samples[self.sample_part == part] for part in range(self.count))
        # Built for a few questions each: sorting well would take longer than it saves.
        return [cKDTree(some, 24, compact_nodes=False, balanced_tree=False) for some in own]

    @cached_property
    def gaps(self) -> Array:
        """Float[N,N]: how far apart parts are, to the density of the samples, or their boxes where these are far apart;

        infinite on the diagonal.
        """
        gaps = np.full((self.count, self.count), np.inf)
        for part in range(self.count):
            for other in range(part):
                apart = np.maximum(self.low[part] - self.high[other], self.low[other] - self.high[part])
                bound = float(np.linalg.norm(np.maximum(apart, 0.0)))
                gaps[part, other] = bound
                if bound < _FAR:
                    small, large = (part, other) if self.trees[part].n <= self.trees[other].n else (other, part)
                    places = self._few(small)
                    beside = (places > self.low[large] - _FAR) & (places < self.high[large] + _FAR)
                    places = places[beside.all(axis=1)]
                    found = self.trees[large].query(places, distance_upper_bound=_FAR)[0]
                    gaps[part, other] = max(bound, float(found.min(initial=_FAR)))
                gaps[other, part] = gaps[part, other]
        return gaps

    def _few(self, part: int) -> Array:
        places = np.asarray(self.trees[part].data)
        return places[:: max(1, len(places) // (1500 if self.count < 30 else 500))]

    def contact(self, part: int, other: int) -> Array:
        """Float[n,3]: the samples of `part` that are nearest to the other one; at least one."""
        places = self._few(part)
        gap = self.gaps[part, other]
        bound = gap + 2.0 * CONTACT if gap < _FAR else np.inf
        away = self.trees[other].query(places, distance_upper_bound=bound)[0]
        return places[away <= away.min() + CONTACT] if np.isfinite(away).any() else places

    def to_frame(self, positions: Array) -> Array:
        return (positions - self.centre) / self.diagonal

    def from_frame(self, positions: Array) -> Array:
        return positions * self.diagonal + self.centre


def parted_shape(
    vertices: Array, triangles: NDArray[np.int64], label: NDArray[np.int64], coarse: bool = False
) -> PartedShape:
    """vertices Float[V,3], triangles Int[F,3], label Int[F] from 0, each number used by some face.

    `coarse`: with a quarter of the samples, which is enough for what touches what, not for voxels.
    """
    per_cell, least = (2, 400) if coarse else (_PER_CELL, _SAMPLES_PER_PART)
    used = vertices[np.unique(triangles)]
    low, high = used.min(axis=0), used.max(axis=0)
    centre, diagonal = 0.5 * (low + high), float(np.linalg.norm(high - low))
    places = (vertices - centre) / diagonal
    areas = triangle_areas(places, triangles)
    count = int(label.max()) + 1
    points, normals, samples, sample_part, sample_normals, boxes = [], [], [], [], [], []
    for part in range(count):
        own = triangles[label == part]
        corners = places[own]
        boxes.append((corners.min(axis=(0, 1)), corners.max(axis=(0, 1))))
        area = float(areas[label == part].sum())
        if area < 1e-14:  # faces without area: a wire still is somewhere
            points.append(corners.reshape(-1, 3)[np.arange(_POINTS) % (3 * len(corners))])
            normals.append(np.tile([0.0, 0.0, 1.0], (_POINTS, 1)))
            samples.append(corners.reshape(-1, 3))
            sample_normals.append(np.tile([0.0, 0.0, 1.0], (3 * len(corners), 1)))
            sample_part.append(np.full(3 * len(corners), part))
            continue
        few = quasi_random_points(places, own, _POINTS)
        chosen = np.resize(np.arange(len(few.triangle)), _POINTS)
        side = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        side /= np.maximum(np.linalg.norm(side, axis=1), 1e-30)[:, None]
        points.append(few.interpolated(own, places)[chosen])
        normals.append(side[few.triangle[chosen]])
        wanted = per_cell * area / CELL**2
        share = min(1.0, _MOST_SAMPLES * area / max(areas.sum(), 1e-30) / max(wanted, 1.0))
        many = quasi_random_points(places, own, int(max(wanted * share, least)))
        samples.append(many.interpolated(own, places))
        sample_normals.append(side[many.triangle])
        sample_part.append(np.full(len(many.triangle), part))
    return PartedShape(
        centre,
        diagonal,
        np.stack(points),
        np.stack(normals),
        np.array([areas[label == part].sum() for part in range(count)]),
        np.concatenate(samples),
        np.concatenate(sample_part),
        np.concatenate(sample_normals),
        np.stack([low for low, _ in boxes]),
        np.stack([high for _, high in boxes]),
    )
