"""Point clouds of the parts of a static shape, with normals, contacts and boxes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from ....geometry.mesh import cross, triangle_areas
from ....joint_search.parted_shape import PartedShape
from ....kinematics.base import Array

__all__ = ["EVEN", "NEAREST", "SAMPLES", "PartCloud", "cloud_of", "part_cloud"]

SAMPLES = 128  # points of each part
EVEN = 64  # of them, the first ones, by area; the others stand for the part's box
_DENSE = 448  # points that the others are chosen from
_THIN = 0.05  # of the longest side of a part's box: thinner sides count as so thick
NEAREST = 64  # points of other parts that are kept as those around it
_OF_ONE = 24  # of them from one part, where there are others
_SEED = 7331
# Directions to faces, edges and corners of a cube: vertices farthest along them give the box of a part, turned or not.
_WAYS = np.array(
    [[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)], float
)


@dataclass(frozen=True)
class PartCloud:
    """P parts, each of S sampled points, in the object's frame, Z up. The order of parts means nothing.

    The first EVEN points are spread by area. The others fill the box of the part stretched to a cube: handles, latches
    and rims have little area, but they stick out, and they show on which side a door hangs.
    """

    points: Array  # Float[P,S,3]
    normals: Array  # Float[P,S,3], unit; sides are not trusted
    around: NDArray[np.int64]  # Int[P,NEAREST]: points of other parts nearest to each, numbered part by part
    gaps: Array  # Float[P,P], between the sampled points of two parts
    extremes: Array  # Float[P,26,3], vertices that the box of a part is made of
    areas: Array  # Float[P]

    def __len__(self) -> int:
        return len(self.points)

    @property
    def boxes(self) -> Array:
        """Float[P,2,3], lower and upper corner of each part."""
        return np.stack([self.extremes.min(axis=1), self.extremes.max(axis=1)], axis=1)

    @property
    def frame(self) -> tuple[Array, float]:
        """The middle Float[3] of the whole box and half its longest side."""
        low, high = self.extremes.min(axis=(0, 1)), self.extremes.max(axis=(0, 1))
        return 0.5 * (low + high), max(0.5 * float((high - low).max()), 1e-12)

    def mapped(self, matrix: Array, offset: ArrayLike = 0.0, factor: float = 1.0) -> PartCloud:
        """The shape turned or mirrored by an orthogonal matrix Float[3,3], moved, and then scaled."""

        def places(points: Array) -> Array:
            return (points @ matrix.T + np.asarray(offset)) * factor

        return replace(
            self,
            points=places(self.points),
            normals=self.normals @ matrix.T,
            gaps=self.gaps * factor,
            extremes=places(self.extremes),
            areas=self.areas * factor**2,
        )


def part_cloud(
    vertices: ArrayLike, triangles: NDArray[np.int64], part: NDArray[np.int64], seed: int = _SEED
) -> PartCloud:
    """The parts of a mesh, `part` Int[F] is the part 0..P-1 of each triangle; every part has triangles."""
    vertices = np.asarray(vertices, dtype=float)
    count = int(part.max()) + 1
    area = triangle_areas(vertices, triangles)
    order = np.argsort(part, kind="stable")
    ends = np.searchsorted(part[order], np.arange(count + 1))
    sampled = [_sampled(vertices, triangles, area, order[ends[p] : ends[p + 1]], seed) for p in range(count)]
    points, normals, extremes = (np.stack(each) for each in zip(*sampled, strict=True))
    points, normals = _few(points, normals, seed)
    around, gaps = _surroundings(points)
    return PartCloud(points, normals, around, gaps, extremes, np.bincount(part, weights=area, minlength=count))


def cloud_of(shape: PartedShape, seed: int = _SEED) -> PartCloud:
    """The same of a shape as the search for joints has it, in its frame."""
    points, normals = [], []
    for part in range(shape.count):
        own = np.flatnonzero(shape.sample_part == part)
        chosen = own[np.resize(np.random.default_rng(seed).permutation(len(own)), EVEN + _DENSE)]
        points.append(shape.samples[chosen])
        normals.append(shape.sample_normals[chosen])
    places, sides = _few(np.stack(points), np.stack(normals), seed)
    around, gaps = _surroundings(places)
    low, high = shape.low[:, None], shape.high[:, None]
    corners = low + (_WAYS > 0.0) * (high - low)
    return PartCloud(places, sides, around, gaps, corners, shape.area)


def _sampled(
    vertices: Array, triangles: NDArray[np.int64], area: Array, own: NDArray[np.int64], seed: int
) -> tuple[Array, Array, Array]:
    """EVEN and then _DENSE points, normals, extreme vertices of triangles; every part has the same random numbers."""
    rng = np.random.default_rng(seed)
    weights = area[own] if area[own].sum() > 0.0 else np.ones(len(own))
    total = np.cumsum(weights)
    # Strata instead of independent draws: every bit of the surface gets its share of points.
    chosen = []
    for many in (EVEN, _DENSE):
        pick = (np.arange(many) + rng.random(many)) / many * total[-1]
        chosen.append(rng.permutation(own[np.minimum(np.searchsorted(total, pick, side="right"), len(own) - 1)]))
    chosen = np.concatenate(chosen)
    root, along = np.sqrt(rng.random(len(chosen))), rng.random(len(chosen))
    shares = np.stack([1.0 - root, root * (1.0 - along), root * along], axis=1)
    corners = vertices[triangles[chosen]]
    normal = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.sqrt(np.einsum("ni,ni->n", normal, normal)), 1e-300)[:, None]
    mine = vertices[np.unique(triangles[own])]
    return np.einsum("nk,nki->ni", shares, corners), normal, mine[np.argmax(mine @ _WAYS.T, axis=0)]


def _few(points: Array, normals: Array, seed: int) -> tuple[Array, Array]:
    """The first EVEN of each part's points Float[P,EVEN+_DENSE,3] and normals, and so many of the others that each

    next one is the farthest from those before it when the box of the part is a cube; these in random order.
    """
    dense = points[:, EVEN:]
    sides = np.ptp(dense, axis=1)
    sides = np.maximum(sides, np.maximum(_THIN * sides.max(axis=1, keepdims=True), 1e-12))
    places = (dense - dense.min(axis=1, keepdims=True)) / sides[:, None]
    part = np.arange(len(points))
    chosen = np.empty((len(points), SAMPLES - EVEN), dtype=np.int64)
    away = np.full(dense.shape[:2], np.inf)
    last = places.mean(axis=1)
    for number in range(-1, SAMPLES - EVEN):
        if number >= 0:
            chosen[:, number] = away.argmax(axis=1)
            last = places[part, chosen[:, number]]
        offset = places - last[:, None]
        distance = np.einsum("pni,pni->pn", offset, offset)
        # What is far from the middle comes first; from then on the middle does not count.
        away = distance if number < 1 else np.minimum(away, distance)
    chosen = EVEN + chosen[:, np.random.default_rng(seed).permutation(SAMPLES - EVEN)]
    chosen = np.concatenate([np.tile(np.arange(EVEN), (len(points), 1)), chosen], axis=1)
    return np.take_along_axis(points, chosen[..., None], 1), np.take_along_axis(normals, chosen[..., None], 1)


def _surroundings(points: Array) -> tuple[NDArray[np.int64], Array]:
    """The nearest points of other parts Int[P,NEAREST], and the distances between parts Float[P,P]."""
    count, samples = points.shape[:2]
    if count == 1:
        return np.zeros((1, NEAREST), dtype=np.int64), np.zeros((1, 1))
    flat = points.reshape(-1, 3)
    numbers = np.arange(len(flat)).reshape(count, samples)
    each = max(_OF_ONE, -(-NEAREST // (count - 1)))
    gaps = np.empty((count, count))
    around = np.empty((count, NEAREST), dtype=np.int64)
    for part in range(count):
        distance = cKDTree(points[part]).query(flat)[0].reshape(count, samples)
        gaps[part] = distance.min(axis=1)
        distance[part] = np.inf
        # Small parts have their points close together: a handle must not hide the frame of its door.
        nearest = np.argpartition(distance, each - 1, axis=1)[:, :each]
        numbered = np.take_along_axis(numbers, nearest, 1).ravel()
        far = np.take_along_axis(distance, nearest, 1).ravel()
        around[part] = numbered[np.argsort(far, kind="stable")[:NEAREST]]
    return around, np.minimum(gaps, gaps.T)
