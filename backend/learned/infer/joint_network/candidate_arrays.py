"""Joint candidates as arrays, and their measures on the points of their part and around it."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from ....joint_search.candidates import ShapeCandidates
from ....kinematics.base import Array
from .part_cloud import EVEN, PartCloud

__all__ = ["MEASURES", "NOTHING", "CandidateArrays", "candidate_arrays", "joined", "measured"]

MEASURES = 31
_OWN, _AROUND = 48, 32  # points that are measured
_TURNS = (np.pi / 4, np.pi / 2, np.pi)  # by which a solid of revolution comes to lie on itself
_QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)
_MOST = 4.0  # what a measure counts at most


@dataclass(frozen=True)
class CandidateArrays:
    """C candidates of all parts in any order; in the object's frame, radians and its unit of length."""

    part: NDArray[np.int64]  # Int[C]
    kind: NDArray[np.int64]  # Int[C], the number in `JOINT_TYPES`: 1 revolute, 2 prismatic, 3 continuous
    axis: Array  # Float[C,3], unit
    pivot: Array  # Float[C,3], a point of the axis
    lower: Array  # Float[C]; both NaN where the range is not known
    upper: Array  # Float[C]

    def __len__(self) -> int:
        return len(self.part)

    def take(self, chosen: NDArray) -> CandidateArrays:
        """Some of them."""
        return CandidateArrays(**{field.name: getattr(self, field.name)[chosen] for field in fields(self)})


_NONE, _NOWHERE = np.zeros(0), np.zeros((0, 3))
NOTHING = CandidateArrays(_NONE.astype(np.int64), _NONE.astype(np.int64), _NOWHERE, _NOWHERE, _NONE, _NONE)


def candidate_arrays(found: ShapeCandidates, row: int) -> CandidateArrays:
    """All candidates of one part in the frame of the search, with their free ranges."""
    part = found.parts[row]
    ways, ends = part.motion.proposals, part.motion.reach()
    kind = np.where(ways.turns, 1, 2)
    return CandidateArrays(np.full(len(kind), part.part), kind, ways.axis, ways.pivot, -ends[:, 0], ends[:, 1])


def joined(*several: CandidateArrays) -> CandidateArrays:
    """All of them."""
    names = [field.name for field in fields(CandidateArrays)]
    return CandidateArrays(**{name: np.concatenate([getattr(each, name) for each in several]) for name in names})


def measured(shape: PartCloud, given: CandidateArrays) -> Array:
    """Float[C,MEASURES]: what no turn, mirror or size of the object changes, and no sign of an axis."""
    own, near = _points(shape, given)
    half = shape.frame[1]
    axis = given.axis[:, None]
    sizes = shape.boxes[:, 1] - shape.boxes[:, 0]
    reach = np.maximum(np.linalg.norm(sizes, axis=1)[given.part] * 0.5, 1e-3 * half)

    def cylindrical(points: Array) -> tuple[Array, Array]:
        offset = points - given.pivot[:, None]
        along = np.einsum("cni,ci->cn", offset, given.axis)
        across = offset - along[..., None] * axis
        return along, np.sqrt(np.einsum("cni,cni->cn", across, across))

    (along, radius), (along_near, radius_near) = cylindrical(own), cylindrical(near)
    along_out, radius_out = cylindrical(shape.points[given.part, EVEN : EVEN + _OWN])
    middle, spread = 0.5 * (along.max(1) + along.min(1)), 0.5 * np.ptp(along, axis=1)
    widest = np.maximum(radius.max(axis=1), 1e-9)
    columns = [
        *(np.quantile(radius, _QUANTILES, axis=1) / reach),
        *(np.quantile(radius_near, _QUANTILES, axis=1) / reach),
        (radius_near[:, : _AROUND // 4].mean(axis=1)) / reach,  # the very nearest: where they touch
        spread / reach,
        *(np.sort(np.abs(np.stack([along_near.max(1), along_near.min(1)]) - middle), axis=0) / reach),
        np.abs(along_near.mean(1) - middle) / reach,
        np.abs(given.axis[:, 2]),
        np.abs(given.axis).max(axis=1),
        widest / half,
        radius.mean(axis=1) / widest,
        *_likeness(own, given, widest),
        *_range(given, half),
        (radius_near < 0.15 * widest[:, None]).mean(axis=1),
        reach / half,
        # Where what sticks out is: handles are far from hinges.
        (radius_out.mean(axis=1) - radius.mean(axis=1)) / reach,
        np.abs(along_out.mean(axis=1) - middle) / reach,
    ]
    return np.clip(np.stack(columns, axis=1), -_MOST, _MOST)


def _points(shape: PartCloud, given: CandidateArrays) -> tuple[Array, Array]:
    """Points of the part of each candidate Float[C,_OWN,3], spread by area, and around it."""
    flat = shape.points.reshape(-1, 3)
    return shape.points[given.part, :_OWN], flat[shape.around[:, :: shape.around.shape[1] // _AROUND]][given.part]


def _likeness(own: Array, given: CandidateArrays, widest: Array) -> list[Array]:
    """How far points turned about the axis are from the part, over its radius: nothing for a solid of revolution."""
    offset = own - given.pivot[:, None]
    along = np.einsum("cni,ci->cn", offset, given.axis)[..., None] * given.axis[:, None]
    across = offset - along
    side = np.cross(given.axis[:, None], across)
    square = np.einsum("cni,cni->cn", offset, offset)
    result = []
    for turn in _TURNS:
        apart = np.zeros(len(own))
        for way in (1.0, -1.0) if turn < np.pi else (1.0,):  # the sign of an axis has no meaning
            turned = (along + np.cos(turn) * across + way * np.sin(turn) * side)[:, ::2]
            gap = square[:, ::2, None] + square[:, None] - 2.0 * np.einsum("cni,cmi->cnm", turned, offset)
            apart += np.sqrt(np.maximum(gap.min(axis=2), 0.0)).mean(axis=1)
        result.append(apart / (1.0 + (turn < np.pi)) / widest)
    return result


def _range(given: CandidateArrays, half: float) -> list[Array]:
    """Whether the range is known, whether it ends, how long it is and how far to each side."""
    known = ~np.isnan(given.lower)
    endless = known & ~np.isfinite(given.upper - given.lower)
    unit = np.where(given.kind == 2, half, np.pi)
    ends = np.stack([-given.lower, given.upper]) / unit
    ends = np.sort(np.where(known & ~endless, ends, 0.0), axis=0)
    return [known.astype(float), endless.astype(float), ends.sum(axis=0), ends[0], ends[1]]
