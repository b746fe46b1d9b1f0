"""What speaks for and against a candidate, in numbers: shape of the part, place of the axis, contact, free way.

All are free of the unit of length, and the same when an axis is turned round. The rows of a part are compared with each
other only, and one more row stands for "does not move against its parent".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..kinematics.base import Array
from .parted_shape import PartedShape
from .range_of_motion import HIT, Trial

__all__ = ["FEATURES", "PartFacts", "asymmetry", "describe", "part_facts"]

_NEAR = 0.03  # of the diagonal: as near to an axis is on it
_PROBES = 96  # points by which symmetry is judged
_PROBE_TURNS = np.radians([50.0, 137.0])
_SEEN = (1, 4, 7, 10)  # steps whose hits are told
_DENSE, _LEAST_OUT = 1500, 5  # points in which handles are sought, and how many of them make one
_ALIKE = 0.06  # of the size: extents that differ by less are those of twins
FEATURES = 93


@dataclass(frozen=True, eq=False)
class PartFacts:
    """What the candidates of a part share."""

    part: int
    parent: int
    contact: Array  # Float[n,3]
    values: Array  # Float[m]


def _sorted_extents(shape: PartedShape) -> Array:
    return np.sort(shape.high - shape.low, axis=1)


def part_facts(shape: PartedShape, part: int, parents: NDArray[np.int64], contact: Array) -> PartFacts:
    """Size, place, contact, and how many parts are like it."""
    parent = int(parents[part])
    extents, size = _sorted_extents(shape), shape.sizes[part]
    whole = shape.high.max(axis=0) - shape.low.min(axis=0)
    twins = (np.abs(extents - extents[part]).max(axis=1) < _ALIKE * size).sum() - 1
    low, high = np.maximum(shape.low[part], shape.low[parent]), np.minimum(shape.high[part], shape.high[parent])
    thick = np.maximum(shape.high - shape.low, 0.01)
    inside = np.maximum(high - low + 0.01, 0.0).prod() / (thick[part] + 0.01).prod()
    centre = 0.5 * (shape.low + shape.high)[part]
    depth, above = 0, parent
    while above >= 0:
        depth, above = depth + 1, int(parents[above])
    tall = shape.high[part, 2] - shape.low[part, 2]
    values = [
        np.log(size),
        *(extents[part, :2] / max(extents[part, 2], 1e-6)),
        tall / size,
        np.log(shape.area[part] / max(shape.area[parent], 1e-12) + 1e-4),
        np.log(size / shape.sizes[parent]),
        min(twins, 4) / 4.0,
        np.log1p(shape.count),
        min(inside, 1.0),
        centre[2] / whole[2] if whole[2] > 0.0 else 0.0,
        np.linalg.norm(centre[:2]) / max(np.linalg.norm(whole[:2]), 1e-6),
        min(depth, 4) / 4.0,
        np.log1p((parents == part).sum()),
        np.log1p((shape.gaps[part] < 0.02).sum()),
        min(shape.gaps[part, parent], 0.1) * 20.0,
        np.linalg.norm(np.ptp(contact, axis=0)) / size,
        np.log(shape.area[part] / size**2 + 1e-4),
    ]
    return PartFacts(part, parent, contact, np.array(values, dtype=float))


def _line_distance(points: Array, axis: Array, pivot: Array) -> Array:
    """points Float[n,3], axis and pivot Float[C,3] -> Float[C,n]."""
    square = (points**2).sum(axis=1) - 2.0 * pivot @ points.T + (pivot**2).sum(axis=1)[:, None]
    along = axis @ points.T - (axis * pivot).sum(axis=1)[:, None]
    return np.sqrt(np.maximum(square - along**2, 0.0))


def _turned(points: Array, axis: Array, pivot: Array, angle: float) -> Array:
    """Float[C,n,3]."""
    arm = points[None] - pivot[:, None]
    along = np.einsum("cni,ci->cn", arm, axis)[..., None] * axis[:, None]
    across = arm - along
    side = np.cross(axis[:, None], across)
    return pivot[:, None] + along + np.cos(angle) * across + np.sin(angle) * side


def asymmetry(points: Array, tree: cKDTree, axis: Array, pivot: Array, size: float) -> Array:
    """Float[C]: how far points of a part are from itself when it is turned about each axis, over its size."""
    probes = points[:: max(1, len(points) // _PROBES)]
    away = np.zeros(len(axis))
    for angle in _PROBE_TURNS:
        moved = _turned(probes, axis, pivot, angle)
        away += tree.query(moved.reshape(-1, 3))[0].reshape(len(axis), -1).mean(axis=1)
    return away / len(_PROBE_TURNS) / size


def _handle(points: Array, normals: Array) -> tuple[Array, float]:
    """Where what stands out of a flat part is, seen from its middle; and how flat the part is without it."""
    spread = points - points.mean(axis=0)
    facing = normals.T @ normals
    normal = np.linalg.eigh(facing)[1][:, -1]
    height = spread @ normal
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    low, high = np.quantile(height, [0.2, 0.8])
    slack = 0.25 * (high - low) + 0.01
    out = (height < low - slack) | (height > high + slack)
    if out.sum() < _LEAST_OUT or out.mean() > 0.35:
        return np.zeros(3), 0.0
    body = points[~out]
    offset = points[out].mean(axis=0) - 0.5 * (body.min(axis=0) + body.max(axis=0))
    return offset - normal * (offset @ normal), float(np.linalg.norm(middle - points.mean(axis=0)))


def _dense(shape: PartedShape, part: int) -> tuple[Array, Array]:
    """Points and normals Float[n,3] of a part: many more than `shape.points`, of which a thin bar has hardly one."""
    own = np.flatnonzero(shape.sample_part == part)
    own = own[:: max(1, len(own) // _DENSE)]
    return shape.samples[own], shape.sample_normals[own]


def _two_sides(values: Array, free: Array) -> tuple[Array, Array]:
    """Float[C,2,...] -> that of the freer way, that of the other; free Int[C]."""
    row = np.arange(len(values))
    return values[row, free], values[row, 1 - free]


def describe(shape: PartedShape, facts: PartFacts, trial: Trial) -> Array:
    """Float[C+1,F]: a row for each candidate; the last one for being fixed."""
    found = trial.proposals
    part, parent = facts.part, facts.parent
    points, normals, size = shape.points[part], shape.normals[part], shape.sizes[part]
    axis, pivot, turns = found.axis, found.pivot, found.turns
    count = len(axis)
    scale = np.where(turns, np.pi, max(size, 0.05))[:, None]

    reach = [
        trial.reach(limit, attached) / scale for limit, attached in ((HIT, True), (0.5 * HIT, True), (0.06, False))
    ]
    free = np.where(reach[0][:, 1] + 0.2 * reach[2][:, 1] >= reach[0][:, 0] + 0.2 * reach[2][:, 0], 1, 0)
    sides = [each for pair in reach for each in _two_sides(np.minimum(pair, 2.0), free)]
    hits = [np.minimum(each[:, _SEEN], 1.0) for each in _two_sides(trial.hit, free)]
    loose = [np.minimum(each[:, _SEEN] * 10.0, 2.0) for each in _two_sides(trial.away, free)]
    held = [np.minimum(each[:, _SEEN], 1.5) for each in _two_sides(trial.attached, free)]

    facing = np.abs(axis @ normals.T)  # (C, P)
    along = points @ axis.T  # (P, C)
    length = np.ptp(along, axis=0)
    arm = points[None] - pivot[:, None]
    arm -= np.einsum("cni,ci->cn", arm, axis)[..., None] * axis[:, None]
    radius = np.linalg.norm(arm, axis=2)
    middle = 0.5 * (shape.low + shape.high)
    offset = middle[part] - pivot
    offset -= (offset * axis).sum(axis=1)[:, None] * axis
    far = np.maximum(radius.max(axis=1), 1e-6)

    contact = facts.contact[:: max(1, len(facts.contact) // 250)]
    spread = contact - contact.mean(axis=0)
    power, frame = np.linalg.eigh(spread.T @ spread / len(contact))
    widths = np.sqrt(np.maximum(power, 0.0)) / size
    from_contact = _line_distance(contact, axis, pivot)
    rms = np.sqrt((from_contact**2).mean(axis=1))
    its = shape.points[parent]
    from_parent = _line_distance(its, axis, pivot)
    beside = axis @ its.T
    level = (beside > along.min(axis=0)[:, None] - 0.02) & (beside < along.max(axis=0)[:, None] + 0.02)
    from_parent = np.where(level, from_parent, 1.0)

    handle, _ = _handle(*_dense(shape, part))
    outward = middle[part] - middle[parent]
    away = outward / max(float(np.linalg.norm(outward)), 1e-3)
    sign = np.where(free == 1, 1.0, -1.0)
    # How the middle of the part goes at first, in its freer way.
    going = np.where(turns[:, None], np.cross(axis, offset) / size, axis) * sign[:, None]
    rises = np.where(turns, ((1.0 - np.cos(1.0)) * -offset[:, 2] / size + np.sin(1.0) * going[:, 2]), going[:, 2])
    least = np.where(turns, rms, np.inf).min(initial=np.inf)
    uneven = asymmetry(points, cKDTree(points), axis, np.where(turns[:, None], pivot, middle[part]), size)
    turning = np.where(turns, uneven, np.inf)

    own = np.column_stack(
        [
            turns,
            np.abs(axis[:, 2]),
            np.abs(axis).max(axis=1),
            length / size,
            facing.mean(axis=1),
            (facing > 0.98).mean(axis=1),
            (facing < 0.12).mean(axis=1),
            np.abs(axis @ frame[:, ::-1]),
            from_contact.mean(axis=1) / size,
            rms / size,
            np.where(turns, (rms - least) / size, 0.0),
            np.minimum(from_contact.min(axis=1) * 10.0, 2.0),
            (from_contact < _NEAR).mean(axis=1),
            (from_contact < 0.15 * size).mean(axis=1),
            np.minimum(from_parent.min(axis=1) * 10.0, 2.0),
            (from_parent < _NEAR).mean(axis=1),
            (radius < _NEAR).mean(axis=1),
            (radius < 0.1 * size).mean(axis=1),
            np.linalg.norm(offset, axis=1) / size,
            np.linalg.norm(offset, axis=1) / far,
            radius.mean(axis=1) / far,
            radius.std(axis=1) / far,
            radius.min(axis=1) / far,
            offset[:, 2] / size,
            np.abs(offset[:, 2]) / size,
            offset @ away / size,
            offset @ handle / size**2 * 10.0,
            np.full(count, np.linalg.norm(handle) / size),
            np.minimum(uneven * 10.0, 2.0),
            np.where(turns, np.minimum((uneven - turning.min(initial=1.0)) * 10.0, 2.0), 0.0),
            going[:, 2],
            rises,
            going @ away,
            np.abs(axis @ away),
            np.linalg.norm(outward) * np.ones(count) / size,
            going @ (middle[part] / max(float(np.linalg.norm(middle[part])), 1e-3)),
            *sides,
            *hits,
            *loose,
            *held,
        ]
    )
    ranges = (
        np.where(turns[:, None], 0.0, reach[0]).max(initial=0.0),
        np.where(turns[:, None], reach[0], 0.0).max(initial=0.0),
    )
    common = np.concatenate(
        [
            facts.values,
            widths,
            [min(ranges[0], 2.0), ranges[1], (reach[0].max(axis=1) > 0.05).mean()],
            [min(float(turning.min(initial=1.0)) * 10.0, 2.0)],
        ]
    )
    rows = np.zeros((count + 1, 1 + own.shape[1] + len(common)))
    rows[:count, 1 : 1 + own.shape[1]] = own
    rows[count, 0] = 1.0
    rows[:, 1 + own.shape[1] :] = common
    return rows
