"""Features of joint candidates: shape of the part, place of the axis, contact, range of motion; named columns.

All are dimensionless, and the same when an axis is reversed. The rows of a part are compared with each other only, and
one more row stands for "fixed to its parent".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..kinematics.base import Array
from .parted_shape import PartedShape
from .range_of_motion import HIT, RangeOfMotion

__all__ = ["COLUMNS", "PartFacts", "asymmetry", "candidate_features", "part_facts"]

_NEAR = 0.03  # of the diagonal: as near to an axis is on it
_PROBES = 96  # points by which symmetry is judged
_PROBE_ANGLES = np.radians([50.0, 137.0])
_STEPS = (1, 4, 7, 10)  # of the range of motion, whose collisions are columns
_DENSE, _LEAST_OUT = 1500, 5  # points in which handles are detected, and how many of them make one
_ALIKE = 0.06  # of the size: extents that differ by less are those of twins

_FREE, _OTHER = "free", "other"  # the direction in which a candidate goes farther, and the opposite one


def _by_step(name: str) -> list[str]:
    return [f"{name}_{direction}_{step}" for direction in (_FREE, _OTHER) for step in _STEPS]


_OF_MOTION = (
    *(f"{name}_{direction}" for name in ("range", "strict_range", "loose_range") for direction in (_FREE, _OTHER)),
    *_by_step("collision"),
    *_by_step("detachment"),
    *_by_step("attachment"),
)
_OF_PART = (
    "part_size",
    "part_thin_extent",
    "part_middle_extent",
    "part_tallness",
    "part_area_over_parent",
    "part_size_over_parent",
    "part_twins",
    "part_count",
    "part_box_in_parent",
    "part_height",
    "part_eccentricity",
    "part_depth_in_tree",
    "part_children",
    "part_neighbours",
    "part_gap_to_parent",
    "part_contact_size",
    "part_area_over_size",
)
# What all candidates of a part have in common, and the row that it is fixed too.
_SHARED = (
    *_OF_PART,
    "contact_thickness",
    "contact_width",
    "contact_length",
    "longest_slide",
    "longest_turn",
    "movable_share",
    "least_asymmetry",
)
COLUMNS = (
    "fixed",
    "revolute",
    "axis_vertical",
    "axis_aligned",
    "part_length_along_axis",
    "normals_along_axis",
    "normals_parallel_share",
    "normals_perpendicular_share",
    "axis_along_contact_length",
    "axis_along_contact_width",
    "axis_along_contact_thickness",
    "contact_distance_mean",
    "contact_distance_rms",
    "contact_distance_rms_over_least",
    "contact_distance_min",
    "contact_share_on_axis",
    "contact_share_near_axis",
    "parent_distance_min",
    "parent_share_on_axis",
    "part_share_on_axis",
    "part_share_near_axis",
    "centre_offset",
    "centre_offset_over_radius",
    "radius_mean",
    "radius_deviation",
    "radius_min",
    "centre_above_axis",
    "centre_vertical_distance",
    "centre_offset_from_parent",
    "handle_opposite_axis",
    "handle_offset",
    "asymmetry",
    "asymmetry_over_least",
    "motion_up",
    "motion_up_at_one_radian",
    "motion_from_parent",
    "axis_from_parent",
    "parent_distance",
    "motion_outward",
    *_OF_MOTION,
    *_SHARED,
)
"""Names of the features, in the order of the weights file."""


@dataclass(frozen=True, eq=False)
class PartFacts:
    """Features that all candidates of a part share."""

    part: int
    parent: int
    contact: Array  # Float[n,3]
    values: dict[str, float]  # by column


def _sorted_extents(shape: PartedShape) -> Array:
    return np.sort(shape.high - shape.low, axis=1)


def part_facts(shape: PartedShape, part: int, parents: NDArray[np.int64], contact: Array) -> PartFacts:
    """Size, place and contact of a part, and how many parts are like it."""
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
    return PartFacts(part, parent, contact, dict(zip(_OF_PART, map(float, values), strict=True)))


def _line_distance(points: Array, axis: Array, pivot: Array) -> Array:
    """points Float[n,3], axis and pivot Float[C,3] -> Float[C,n]."""
    square = (points**2).sum(axis=1) - 2.0 * pivot @ points.T + (pivot**2).sum(axis=1)[:, None]
    along = axis @ points.T - (axis * pivot).sum(axis=1)[:, None]
    return np.sqrt(np.maximum(square - along**2, 0.0))


def _rotated(points: Array, axis: Array, pivot: Array, angle: float) -> Array:
    """Float[C,n,3]."""
    arm = points[None] - pivot[:, None]
    along = np.einsum("cni,ci->cn", arm, axis)[..., None] * axis[:, None]
    across = arm - along
    side = np.cross(axis[:, None], across)
    return pivot[:, None] + along + np.cos(angle) * across + np.sin(angle) * side


def asymmetry(points: Array, tree: cKDTree, axis: Array, pivot: Array, size: float) -> Array:
    """Rotational asymmetry Float[C]: how far points rotated about each axis are from their part, over its size."""
    probes = points[:: max(1, len(points) // _PROBES)]
    away = np.zeros(len(axis))
    for angle in _PROBE_ANGLES:
        moved = _rotated(probes, axis, pivot, angle)
        away += tree.query(moved.reshape(-1, 3))[0].reshape(len(axis), -1).mean(axis=1)
    return away / len(_PROBE_ANGLES) / size


def _handle(points: Array, normals: Array) -> Array:
    """Handle of a flat part: offset Float[3] of what protrudes from the middle of the rest; zero where nothing does."""
    spread = points - points.mean(axis=0)
    facing = normals.T @ normals
    normal = np.linalg.eigh(facing)[1][:, -1]
    height = spread @ normal
    low, high = np.quantile(height, [0.2, 0.8])
    slack = 0.25 * (high - low) + 0.01
    out = (height < low - slack) | (height > high + slack)
    if out.sum() < _LEAST_OUT or out.mean() > 0.35:
        return np.zeros(3)
    body = points[~out]
    offset = points[out].mean(axis=0) - 0.5 * (body.min(axis=0) + body.max(axis=0))
    return offset - normal * (offset @ normal)


def _dense(shape: PartedShape, part: int) -> tuple[Array, Array]:
    """Points and normals Float[n,3] of a part: many more than `shape.points`, of which a thin bar has hardly one."""
    own = np.flatnonzero(shape.sample_part == part)
    own = own[:: max(1, len(own) // _DENSE)]
    return shape.samples[own], shape.sample_normals[own]


def _two_sides(values: Array, free: NDArray[np.int64]) -> tuple[Array, Array]:
    """Float[C,2,...] -> that of the freer direction, that of the other; free Int[C]."""
    row = np.arange(len(values))
    return values[row, free], values[row, 1 - free]


@dataclass(frozen=True, eq=False)
class _Frame:
    """Geometry that several columns are computed from, of the C candidates of one part."""

    revolute: NDArray[np.bool_]  # Bool[C]
    axis: Array  # Float[C,3]
    size: float
    points: Array  # Float[P,3]
    middle: Array  # Float[3] of the part's box
    offset: Array  # Float[C,3] from the axis to the middle
    outward: Array  # Float[3] from the parent's middle to the part's
    along: Array  # Float[P,C] positions along the axes

    @property
    def from_parent(self) -> Array:
        """Unit vector Float[3]; shorter where the middles nearly coincide."""
        return self.outward / max(float(np.linalg.norm(self.outward)), 1e-3)


def _frame(shape: PartedShape, facts: PartFacts, motion: RangeOfMotion) -> _Frame:
    part, found = facts.part, motion.proposals
    middle = 0.5 * (shape.low + shape.high)
    offset = middle[part] - found.pivot
    offset -= (offset * found.axis).sum(axis=1)[:, None] * found.axis
    points = shape.points[part]
    outward = middle[part] - middle[facts.parent]
    return _Frame(
        found.turns, found.axis, shape.sizes[part], points, middle[part], offset, outward, points @ found.axis.T
    )


def _ranges(motion: RangeOfMotion, size: float) -> tuple[list[Array], NDArray[np.int64]]:
    """Ranges Float[C,2] by three limits, over half a turn or the size, and the freer direction Int[C]."""
    scale = np.where(motion.proposals.turns, np.pi, max(size, 0.05))[:, None]
    limits = ((HIT, True), (0.5 * HIT, True), (0.06, False))
    reach = [motion.reach(limit, attached) / scale for limit, attached in limits]
    free = np.where(reach[0][:, 1] + 0.2 * reach[2][:, 1] >= reach[0][:, 0] + 0.2 * reach[2][:, 0], 1, 0)
    return reach, free


def _motion_columns(motion: RangeOfMotion, reach: list[Array], free: NDArray[np.int64]) -> dict[str, Array]:
    """Ranges, and what a candidate hits and how it stays attached on its way."""
    columns = [each for pair in reach for each in _two_sides(np.minimum(pair, 2.0), free)]
    for values, factor, most in (
        (motion.collision, 1.0, 1.0),
        (motion.detachment, 10.0, 2.0),
        (motion.attachment, 1.0, 1.5),
    ):
        for side in _two_sides(values, free):
            columns += list(np.minimum(side[:, _STEPS] * factor, most).T)
    return dict(zip(_OF_MOTION, columns, strict=True))


def _shape_columns(shape: PartedShape, facts: PartFacts, frame: _Frame, pivot: Array) -> dict[str, Array]:
    """The axis in the part, and the part around the axis."""
    axis, size, points, offset = frame.axis, frame.size, frame.points, frame.offset
    facing = np.abs(axis @ shape.normals[facts.part].T)  # (C, P)
    arm = points[None] - pivot[:, None]
    arm -= np.einsum("cni,ci->cn", arm, axis)[..., None] * axis[:, None]
    radius = np.linalg.norm(arm, axis=2)
    far = np.maximum(radius.max(axis=1), 1e-6)
    return {
        "revolute": frame.revolute,
        "axis_vertical": np.abs(axis[:, 2]),
        "axis_aligned": np.abs(axis).max(axis=1),
        "part_length_along_axis": np.ptp(frame.along, axis=0) / size,
        "normals_along_axis": facing.mean(axis=1),
        "normals_parallel_share": (facing > 0.98).mean(axis=1),
        "normals_perpendicular_share": (facing < 0.12).mean(axis=1),
        "part_share_on_axis": (radius < _NEAR).mean(axis=1),
        "part_share_near_axis": (radius < 0.1 * size).mean(axis=1),
        "centre_offset": np.linalg.norm(offset, axis=1) / size,
        "centre_offset_over_radius": np.linalg.norm(offset, axis=1) / far,
        "radius_mean": radius.mean(axis=1) / far,
        "radius_deviation": radius.std(axis=1) / far,
        "radius_min": radius.min(axis=1) / far,
        "centre_above_axis": offset[:, 2] / size,
        "centre_vertical_distance": np.abs(offset[:, 2]) / size,
    }


def _contact_columns(shape: PartedShape, facts: PartFacts, frame: _Frame, pivot: Array) -> dict[str, Any]:
    """The axis in the contact with the parent, and its distance from the parent."""
    axis, size, along = frame.axis, frame.size, frame.along
    contact = facts.contact[:: max(1, len(facts.contact) // 250)]
    spread = contact - contact.mean(axis=0)
    power, principal = np.linalg.eigh(spread.T @ spread / len(contact))
    thickness, width, length = np.sqrt(np.maximum(power, 0.0)) / size
    aligned = np.abs(axis @ principal[:, ::-1])
    distance = _line_distance(contact, axis, pivot)
    rms = np.sqrt((distance**2).mean(axis=1))
    least = np.where(frame.revolute, rms, np.inf).min(initial=np.inf)
    its = shape.points[facts.parent]
    from_parent = _line_distance(its, axis, pivot)
    beside = axis @ its.T
    level = (beside > along.min(axis=0)[:, None] - 0.02) & (beside < along.max(axis=0)[:, None] + 0.02)
    from_parent = np.where(level, from_parent, 1.0)
    return {
        "axis_along_contact_length": aligned[:, 0],
        "axis_along_contact_width": aligned[:, 1],
        "axis_along_contact_thickness": aligned[:, 2],
        "contact_distance_mean": distance.mean(axis=1) / size,
        "contact_distance_rms": rms / size,
        "contact_distance_rms_over_least": np.where(frame.revolute, (rms - least) / size, 0.0),
        "contact_distance_min": np.minimum(distance.min(axis=1) * 10.0, 2.0),
        "contact_share_on_axis": (distance < _NEAR).mean(axis=1),
        "contact_share_near_axis": (distance < 0.15 * size).mean(axis=1),
        "parent_distance_min": np.minimum(from_parent.min(axis=1) * 10.0, 2.0),
        "parent_share_on_axis": (from_parent < _NEAR).mean(axis=1),
        "contact_thickness": thickness,
        "contact_width": width,
        "contact_length": length,
    }


def _direction_columns(shape: PartedShape, facts: PartFacts, frame: _Frame, free: NDArray[np.int64]) -> dict[str, Any]:
    """Where the middle of the part goes at first in its freer direction, against gravity, parent and handle."""
    axis, size, offset, away = frame.axis, frame.size, frame.offset, frame.from_parent
    handle = _handle(*_dense(shape, facts.part))
    sign = np.where(free == 1, 1.0, -1.0)
    going = np.where(frame.revolute[:, None], np.cross(axis, offset) / size, axis) * sign[:, None]
    turned = (1.0 - np.cos(1.0)) * -offset[:, 2] / size + np.sin(1.0) * going[:, 2]
    return {
        "centre_offset_from_parent": offset @ away / size,
        "handle_opposite_axis": offset @ handle / size**2 * 10.0,
        "handle_offset": np.linalg.norm(handle) / size,
        "motion_up": going[:, 2],
        "motion_up_at_one_radian": np.where(frame.revolute, turned, going[:, 2]),
        "motion_from_parent": going @ away,
        "axis_from_parent": np.abs(axis @ away),
        "parent_distance": np.linalg.norm(frame.outward) / size,
        "motion_outward": going @ (frame.middle / max(float(np.linalg.norm(frame.middle)), 1e-3)),
    }


def _symmetry_columns(frame: _Frame, pivot: Array) -> dict[str, Any]:
    """How far the part is from a solid of revolution about the axis."""
    through = np.where(frame.revolute[:, None], pivot, frame.middle)
    uneven = asymmetry(frame.points, cKDTree(frame.points), frame.axis, through, frame.size)
    least = np.where(frame.revolute, uneven, np.inf).min(initial=1.0)
    return {
        "asymmetry": np.minimum(uneven * 10.0, 2.0),
        "asymmetry_over_least": np.where(frame.revolute, np.minimum((uneven - least) * 10.0, 2.0), 0.0),
        "least_asymmetry": min(float(least) * 10.0, 2.0),
    }


def candidate_features(shape: PartedShape, facts: PartFacts, motion: RangeOfMotion) -> Array:
    """Features Float[C+1,F] by COLUMNS: a row for each candidate, the last one for being fixed."""
    frame, pivot = _frame(shape, facts, motion), motion.proposals.pivot
    reach, free = _ranges(motion, frame.size)
    revolute = frame.revolute[:, None]
    columns: dict[str, Any] = {
        **facts.values,
        **_shape_columns(shape, facts, frame, pivot),
        **_contact_columns(shape, facts, frame, pivot),
        **_direction_columns(shape, facts, frame, free),
        **_symmetry_columns(frame, pivot),
        **_motion_columns(motion, reach, free),
        "longest_slide": min(np.where(revolute, 0.0, reach[0]).max(initial=0.0), 2.0),
        "longest_turn": np.where(revolute, reach[0], 0.0).max(initial=0.0),
        "movable_share": (reach[0].max(axis=1) > 0.05).mean(),
    }
    count = len(frame.axis)
    rows = np.zeros((count + 1, len(COLUMNS)))
    rows[count, 0] = 1.0
    for number, name in enumerate(COLUMNS[1:], 1):
        rows[: count + (name in _SHARED), number] = columns[name]
    return rows
