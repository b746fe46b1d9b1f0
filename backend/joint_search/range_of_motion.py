"""Range of motion of joint candidates: how far a part moves before it collides or comes off its parent.

Voxels: what others fill is every voxel that a sample of their surface is in, and what these enclose, seen from outside
without the moving part. Each point of the part has the depth in that filling at which it is drawn; new depth is a hit.
The same is asked the other way round, of the others' samples in the part's own filling, which is how a thin wall that
slices a thick door is found. Collision meshes (python-fcl) would need triangles that close and that do not overlap as
drawn; real meshes do neither, so that nearly every joint would be refused as drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from ..geometry.mesh import cross
from ..kinematics.base import Array
from .parted_shape import CELL, PartedShape
from .proposals import Proposals

__all__ = ["HIT", "SLIDES", "TURNS", "Grid", "RangeOfMotion", "Surroundings"]

TURNS = np.radians([4.0, 8.0, 13.0, 20.0, 30.0, 40.0, 50.0, 65.0, 80.0, 90.0, 110.0, 130.0, 155.0, 180.0])
SLIDES = np.array([0.008, 0.016, 0.025, 0.035, 0.05, 0.07, 0.1, 0.14, 0.19, 0.25, 0.33, 0.42, 0.52, 0.65])
HIT = 0.02  # share of the part's surface that may be in something else
_GRAZE = 0.6  # what a point counts that is in no more than the outermost voxel of something
_SLIDING = 0.3  # what a point counts at least that is deeper: what slides along a wall is on it as much as before
_DEEPEST = 4
_MARGIN = 2  # empty voxels around everything
_STATIC = 500  # samples of the others that are tried in the part
_LOOSE = 0.02  # of the diagonal: how much farther from its parent than as drawn a part still hangs on it
_FINE = 8  # steps between two coarse ones
_CHUNK = 400_000  # points moved at once


class Grid:
    """The voxels of a shape."""

    def __init__(self, shape: PartedShape) -> None:
        self._shape = shape
        self._low = shape.samples.min(axis=0) - _MARGIN * CELL
        self.cells = np.ceil((shape.samples.max(axis=0) - self._low) / CELL).astype(np.int64) + _MARGIN + 1
        flat = self.index(shape.samples.T).astype(np.int64)
        pairs, first = np.unique(flat * shape.count + shape.sample_part, return_index=True)
        self._normal = shape.sample_normals[first].astype(np.float32)
        self._cell, self._part = pairs // shape.count, pairs % shape.count
        self._distances: dict[int, NDArray[np.float32]] = {}

    def index(self, places: Array) -> NDArray[np.int32]:
        """Int[...,P]: the voxel of each place Float[...,3,P]; places outside are in an empty one at the rim."""
        flat = np.zeros(1, dtype=np.int32)
        for axis, count in enumerate(self.cells.tolist()):
            cell = (places[..., axis, :] - places.dtype.type(self._low[axis])) * places.dtype.type(1.0 / CELL)
            np.clip(cell, 0, count - 1, out=cell)
            flat = flat * np.int32(count) + cell.astype(np.int32)
        return flat

    def depth(self, parts: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """UInt8[voxels]: how deep in the filling of some parts each voxel is, 0 outside, at most `_DEEPEST`."""
        wall = np.zeros(self.cells, dtype=bool)
        wall.ravel()[self._cell[parts[self._part]]] = True
        label = ndimage.label(~wall)[0]
        filled = label != label[0, 0, 0]
        depth = filled.astype(np.uint8)
        for _ in range(_DEEPEST - 1):
            filled = ndimage.binary_erosion(filled)
            if not filled.any():
                break
            depth += filled
        return depth.ravel()

    def normals(self, parts: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Float[voxels,3]: how the surface of some parts lies in each voxel, of either sign; zero where none is."""
        found = np.zeros((int(self.cells.prod()), 3), dtype=np.float32)
        own = parts[self._part]
        found[self._cell[own]] = self._normal[own]
        return found

    def distance(self, part: int) -> NDArray[np.float32]:
        """Float[voxels]: how far each voxel's middle is from the nearest voxel of a part."""
        if part not in self._distances:
            empty = np.ones(self.cells, dtype=bool)
            empty.ravel()[self._cell[self._part == part]] = False
            self._distances[part] = (ndimage.distance_transform_edt(empty) * CELL).astype(np.float32).ravel()
        return self._distances[part]


@dataclass(frozen=True, eq=False)
class RangeOfMotion:
    """Collision and contact of C candidates at 2 S steps, S against the axis (nearest first) and S along it."""

    proposals: Proposals
    turns: Array  # Float[S], radians
    slides: Array  # Float[S], of the diagonal
    collision: Array  # Float[C,2,S], share of the part in something that it was not in as drawn
    attachment: Array  # Float[C,2,S], points near the parent, over those as drawn
    detachment: Array  # Float[C,2,S], how much farther from the parent its nearest point is than as drawn

    @cached_property
    def steps(self) -> Array:
        """Float[C,S]: radians, or of the diagonal."""
        return np.where(self.proposals.turns[:, None], self.turns, self.slides)

    def reach(self, hit: float = HIT, attached: bool = True) -> Array:
        """Float[C,2]: how far it goes either way."""
        free = self.collision <= hit
        if attached:
            free &= self.detachment <= _LOOSE
        steps = np.logical_and.accumulate(free, axis=2).sum(axis=2)
        padded = np.concatenate([np.zeros((len(self.collision), 1)), self.steps], axis=1)
        return np.take_along_axis(padded, steps, axis=1)


def _poses(proposals: Proposals, some: slice, turns: Array, slides: Array) -> NDArray[np.float32]:
    """Float[c,2S,3,4]."""
    turning, axis, pivot = (each[some] for each in (proposals.turns, proposals.axis, proposals.pivot))
    angle = np.concatenate([-turns, turns])
    slide = np.concatenate([-slides, slides])
    zero = np.zeros(len(axis))
    x, y, z = axis.T
    skew = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=1).reshape(-1, 1, 3, 3)
    turn = np.eye(3) + np.sin(angle)[:, None, None] * skew + (1.0 - np.cos(angle))[:, None, None] * (skew @ skew)
    turn = np.where(turning[:, None, None, None], turn, np.eye(3))
    shift = np.where(
        turning[:, None, None],
        pivot[:, None] - np.einsum("csij,cj->csi", turn, pivot),
        slide[:, None] * axis[:, None],
    )
    return np.concatenate([turn, shift[..., None]], axis=3).astype(np.float32)


class _Velocities:
    """How places move by some candidates, and how squarely that is on surfaces."""

    def __init__(self, proposals: Proposals, some: slice) -> None:
        self._turning, self._axis, self._pivot = (
            each[some].astype(kind)
            for each, kind in ((proposals.turns, bool), (proposals.axis, np.float32), (proposals.pivot, np.float32))
        )

    def normal_component(self, candidate: NDArray[np.int64], places: Array, normals: Array) -> NDArray[np.float32]:
        """Float[n] of places and normals Float[n,3]: 1 straight on, 0 along the surface."""
        axis = self._axis[candidate]
        velocities = np.where(self._turning[candidate, None], cross(axis, places - self._pivot[candidate]), axis)
        speed = np.maximum(np.sqrt(np.einsum("ni,ni->n", velocities, velocities)), 1e-9)
        return np.abs(np.einsum("ni,ni->n", velocities, normals)) / speed

    def normal_components(self, places: Array, normals: Array) -> NDArray[np.float32]:
        """Float[c,P]. It is the same all the way: normal and velocity turn together."""
        count = len(self._axis)
        pairs = np.repeat(np.arange(count), len(places))
        return self.normal_component(pairs, np.tile(places, (count, 1)), np.tile(normals, (count, 1))).reshape(
            count, -1
        )


def _collisions(
    depth: NDArray[np.uint8],
    drawn: NDArray[np.uint8],
    cell: NDArray[np.int64],
    there: NDArray[np.float32],
    normals: tuple[NDArray[np.float32], NDArray[np.float32]],
    places: NDArray[np.float32],
    velocities: _Velocities,
) -> Array:
    """Float[c,S]: the share of P places that are newly in something.

    A place in its outermost voxel counts by how squarely the one surface or the other stands in the way: `normals` of
    the places Float[P,3] and of the voxels they are in now (`cell` Int[c,S,P]), where the places are `there`
    Float[c,S,3,P] and were `places` Float[P,3].
    """
    own, its = normals
    candidate, step, place = np.nonzero(depth[cell] > drawn)
    now = cell[candidate, step, place]
    weight = velocities.normal_components(places, own)[candidate, place]
    weight = np.maximum(weight, velocities.normal_component(candidate, there[candidate, step, :, place], its[now]))
    weight = np.where(depth[now] >= 2, np.maximum(weight, _SLIDING), _GRAZE * weight)
    count, steps = cell.shape[:2]
    return np.bincount(candidate * steps + step, weight, count * steps).reshape(count, steps) / len(places)


class Surroundings:
    """One part with what it carries, between all the others."""

    def __init__(self, shape: PartedShape, grid: Grid, part: int, parent: int, moved: NDArray[np.bool_]) -> None:
        """`moved` Bool[N]: the part and what hangs on it."""
        self._grid, self._alone = grid, int(moved.sum()) == 1  # the part carries nothing
        # What is carried counts by its surface.
        share = np.maximum(shape.area[moved] / max(shape.area[moved].sum(), 1e-30), 0.05)
        count = shape.points.shape[1]
        number = np.concatenate(
            [
                one * count + np.arange(max(24, int(count * min(own, 1.0))))
                for one, own in zip(np.flatnonzero(moved), share, strict=True)
            ]
        )
        self._points = shape.points.reshape(-1, 3)[number].astype(np.float32)
        self._normals = shape.normals.reshape(-1, 3)[number].astype(np.float32)
        self._others, self._own = grid.depth(~moved), grid.depth(moved)
        self._others_normals, self._own_normals = grid.normals(~moved), grid.normals(moved)
        self._drawn = self._others[grid.index(self._points.T)]

        low, high = self._points.min(axis=0), self._points.max(axis=0)
        margin = 0.25 * float((high - low).max()) + 0.03
        inside = (shape.samples > low - margin) & (shape.samples < high + margin)
        numbers = np.flatnonzero(~moved[shape.sample_part] & inside.all(axis=1))
        chosen = numbers[:: max(1, len(numbers) // _STATIC)]
        self._static = shape.samples[chosen].astype(np.float32)
        self._static_normals = shape.sample_normals[chosen].astype(np.float32)
        self._static_drawn = self._own[grid.index(self._static.T)]
        # Both shares count surface over the part's surface.
        self._static_weight = len(numbers) / max(1, int(moved[shape.sample_part].sum()))

        self._far = grid.distance(parent)
        self._body = shape.points[part].astype(np.float32)
        drawn_far = self._far[grid.index(self._body.T)]
        self._nearest = float(drawn_far.min())
        self._close = self._nearest + 1.5 * CELL
        self._at_rest = max(1, int((drawn_far <= self._close).sum()))

    def swept(self, proposals: Proposals, turns: Array = TURNS, slides: Array = SLIDES) -> RangeOfMotion:
        """All candidates; `turns` and `slides` Float[S], rising from the first step."""
        grid, count, steps = self._grid, len(proposals.axis), 2 * len(turns)
        collision, attachment, detachment = (np.zeros((count, steps)) for _ in range(3))
        chunk = max(1, _CHUNK // (steps * max(len(self._points), len(self._static), 1)))
        for first in range(0, count, chunk):
            some = slice(first, first + chunk)
            poses = _poses(proposals, some, turns, slides)
            velocities = _Velocities(proposals, some)
            turn, shift = poses[..., :3], poses[..., 3:]
            there = turn @ self._points.T + shift
            cell = grid.index(there)
            normals = self._normals, self._others_normals
            collision[some] = _collisions(self._others, self._drawn, cell, there, normals, self._points, velocities)
            if len(self._static):
                back = turn.swapaxes(-1, -2) @ (self._static.T - shift)
                normals = self._static_normals, self._own_normals
                share = _collisions(
                    self._own, self._static_drawn, grid.index(back), back, normals, self._static, velocities
                )
                collision[some] += self._static_weight * share
            body = cell if self._alone else grid.index(turn @ self._body.T + shift)
            far = self._far[body]
            attachment[some] = (far <= self._close).sum(axis=-1) / self._at_rest
            detachment[some] = far.min(axis=-1) - self._nearest
        pair = (count, 2, len(turns))
        return RangeOfMotion(
            proposals, turns, slides, collision.reshape(pair), attachment.reshape(pair), detachment.reshape(pair)
        )

    def reach(self, proposals: Proposals) -> tuple[float, float]:
        """How far a single candidate goes against and along its axis, between the coarse steps too."""
        coarse = TURNS if proposals.turns[0] else SLIDES
        known = self.swept(proposals).reach()[0]
        ends = np.concatenate([[0.0], coarse, coarse[-1:]])
        fine = [
            np.linspace(ends[last], ends[last + 1], _FINE + 1)[1:] for last in np.searchsorted(ends[:-1], known - 1e-9)
        ]
        steps = np.unique(np.concatenate([coarse, *fine]))
        lower, upper = self.swept(proposals, steps, steps).reach()[0]
        return float(lower), float(upper)
