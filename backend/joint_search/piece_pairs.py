"""Features of pairs of touching pieces, by which pieces that move together are merged to parts; named columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..kinematics.base import Array
from .parted_shape import PartedShape

__all__ = ["PAIR_COLUMNS", "pair_features", "touching_pairs"]

_TOUCHING = 0.02  # of the diagonal
_NEIGHBOURS = 2  # a piece that touches nothing is compared with as many of the nearest
_ON = 0.012
_FLUSH = 0.004
PAIR_COLUMNS = (
    "gap",
    "small_contact_share",
    "large_contact_share",
    "contact_length",
    "contact_width",
    "contact_thickness",
    "small_size",
    "size_ratio",
    "area_ratio",
    "small_thin_extent",
    "small_middle_extent",
    "large_thin_extent",
    "large_middle_extent",
    "small_box_in_large",
    "flush_sides",
    "same_material",
    "twins",
    "small_has_twins",
    "small_neighbours",
    "large_neighbours",
    "piece_count",
    "vertical_distance",
    "small_above_large",
    "distance",
    "small_farthest_offset",
    "small_height",
    "normals_parallel",
    "contact_size",
    "small_area_share",
    "large_area_share",
)
"""Names of the features, in the order of the weights file."""


def touching_pairs(shape: PartedShape) -> NDArray[np.int64]:
    """Int[E,2], the smaller piece first."""
    near = shape.gaps < _TOUCHING
    order = np.argsort(shape.gaps, axis=1, kind="stable")[:, :_NEIGHBOURS]
    alone = np.flatnonzero(~near.any(axis=1))
    near[np.repeat(alone, order.shape[1]), order[alone].ravel()] = True
    np.fill_diagonal(near, False)
    pairs = np.argwhere(np.triu(near | near.T))
    turned = shape.area[pairs[:, 0]] > shape.area[pairs[:, 1]]
    pairs[turned] = pairs[turned][:, ::-1]
    return pairs


def pair_features(shape: PartedShape, slot: NDArray[np.int64], pairs: NDArray[np.int64]) -> Array:
    """Features Float[E,F] by PAIR_COLUMNS; slot Int[N]: the material of most of each piece."""
    extents = np.sort(shape.high - shape.low, axis=1)
    whole = shape.high.max(axis=0) - shape.low.min(axis=0)
    centre = 0.5 * (shape.low + shape.high)
    several = len(np.unique(slot)) > 1
    touches = np.bincount(pairs.ravel(), minlength=shape.count)
    rows = []
    for small, large in pairs.tolist():
        own, its = shape.points[small], shape.points[large]
        gap = shape.gaps[small, large]
        bound = _ON + gap
        here = shape.trees[large].query(own, distance_upper_bound=bound)[0] < np.inf
        there = shape.trees[small].query(its, distance_upper_bound=bound)[0] < np.inf
        contact = np.concatenate([own[here], its[there]])
        spread = np.zeros(3)
        if len(contact) > 2:
            spread = np.sqrt(np.maximum(np.linalg.eigvalsh(np.cov(contact.T))[::-1], 0.0))
        size, other = shape.sizes[small], shape.sizes[large]
        low = np.maximum(shape.low[small], shape.low[large])
        high = np.minimum(shape.high[small], shape.high[large])
        thick = np.maximum(shape.high - shape.low, 0.004)
        inside = np.maximum(high - low + 0.004, 0.0).prod() / (thick[small] + 0.004).prod()
        flush = (np.abs(shape.low[small] - shape.low[large]) < _FLUSH).sum()
        flush += (np.abs(shape.high[small] - shape.high[large]) < _FLUSH).sum()
        between = centre[small] - centre[large]
        rows.append(
            [
                min(gap, 0.1) * 50.0,
                here.mean(),
                there.mean(),
                *(spread / size),
                np.log(size),
                np.log(size / other),
                np.log(shape.area[small] / max(shape.area[large], 1e-12) + 1e-5),
                *(extents[small, :2] / max(extents[small, 2], 1e-6)),
                *(extents[large, :2] / max(extents[large, 2], 1e-6)),
                min(inside, 1.0),
                flush / 6.0,
                several * (1.0 if slot[small] == slot[large] else -1.0),
                float(np.abs(extents[small] - extents[large]).max() < 0.05 * other),
                float((np.abs(extents - extents[small]).max(axis=1) < 0.05 * size).sum() > 1),
                np.log(touches[small]),
                np.log(touches[large]),
                np.log(shape.count),
                abs(between[2]) / max(whole[2], 1e-6),
                between[2] / max(whole[2], 1e-6),
                np.linalg.norm(between) / other,
                (centre[small] / np.maximum(whole, 1e-6)).max(),
                (centre[small] / np.maximum(whole, 1e-6))[2],
                np.abs(shape.normals[small] @ shape.normals[large][:64].T).max(axis=1).mean(),
                np.linalg.norm(np.ptp(contact, axis=0)) / size if len(contact) else 0.0,
                shape.area[small] / shape.area.sum(),
                shape.area[large] / shape.area.sum(),
            ]
        )
    return np.array(rows, dtype=float).reshape(-1, len(PAIR_COLUMNS))
