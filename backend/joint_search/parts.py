"""Parts of a static mesh without labels: loose parts, or bulges of one piece, merged by a fitted score."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..geometry.loose_parts import loose_parts
from ..geometry.mesh import triangle_areas
from ..kinematics.base import Array
from .bulges import bulges
from .parted_shape import PartedShape, parted_shape
from .piece_pairs import pair_features, touching_pairs
from .score import shipped_pair_score

__all__ = ["find_parts", "joined", "pieces_of"]

_SURE = 1.5  # log-odds: a part too many does less harm than two parts that move apart made one
_SEVERAL = 0.25  # power of the number of pairs: a board that touches four others is surer to be one with them
_MOST_PIECES = 160  # beyond these the smallest join what is nearest to them


def find_parts(vertices: Array, triangles: NDArray[np.int64], slots: NDArray[np.int64]) -> NDArray[np.int64]:
    """Int[F]: the part of each face of a mesh with vertices Float[V,3] and material slots Int[F]."""
    piece = pieces_of(vertices, triangles)
    if piece.max() == 0:
        return bulges(vertices, triangles)
    shape = parted_shape(vertices, triangles, piece, coarse=True)
    count = shape.count
    area = triangle_areas(vertices, triangles)
    by_slot = np.bincount(piece * (int(slots.max()) + 1) + slots, area, count * (int(slots.max()) + 1))
    slot = by_slot.reshape(count, -1).argmax(axis=1)
    pairs = touching_pairs(shape)
    if len(pairs) == 0:
        return piece
    odds = shipped_pair_score().log_odds(pair_features(shape, slot, pairs))
    return joined(count, pairs, odds, _weight(shape, pairs))[piece]


def _weight(shape: PartedShape, pairs: NDArray[np.int64]) -> Array:
    """Float[E]: what a pair counts when two groups are compared: the smaller piece's size."""
    return shape.sizes[pairs].min(axis=1) ** 0.5


def pieces_of(vertices: Array, triangles: NDArray[np.int64]) -> NDArray[np.int64]:
    """Int[F]: the loose part of each face; of very many, small ones count with the nearest large one."""
    of_face = np.unique(loose_parts(vertices, triangles)[triangles[:, 0]], return_inverse=True)[1].reshape(-1)
    count = int(of_face.max()) + 1
    if count <= _MOST_PIECES:
        return of_face
    area = np.bincount(of_face, triangle_areas(vertices, triangles), count)
    large = np.zeros(count, dtype=bool)
    large[np.argsort(-area, kind="stable")[:_MOST_PIECES]] = True
    middles = vertices[triangles].mean(axis=1)
    weight = np.maximum(np.bincount(of_face, minlength=count), 1)
    centre = np.stack([np.bincount(of_face, middles[:, axis], count) for axis in range(3)], axis=1) / weight[:, None]
    host = np.arange(count)
    kept = large[of_face]
    host[~large] = of_face[kept][cKDTree(middles[kept]).query(centre[~large])[1]]
    return np.unique(host[of_face], return_inverse=True)[1].reshape(-1)


def joined(count: int, pairs: NDArray[np.int64], odds: Array, weight: Array) -> NDArray[np.int64]:
    """Int[N]: the group of each piece, by greedy contraction: the two groups that are surest to move together become

    one, as long as that is more than `_SURE`: the mean log-odds of the pairs between them, times a power of how many
    there are. pairs Int[E,2], odds and weight Float[E].
    """
    total, mass, touching = np.zeros((count, count)), np.zeros((count, count)), np.zeros((count, count))
    for (one, other), value, part in zip(pairs.tolist(), odds, weight, strict=True):
        total[one, other] = total[other, one] = value * part
        mass[one, other] = mass[other, one] = part
        touching[one, other] = touching[other, one] = 1.0
    group = np.arange(count)
    alive = np.ones(count, dtype=bool)
    for _ in range(count - 1):
        sure = np.where(mass > 0.0, total / np.maximum(mass, 1e-12) * touching**_SEVERAL, -np.inf)
        sure[~alive] = -np.inf
        sure[:, ~alive] = -np.inf
        one, other = np.unravel_index(int(sure.argmax()), sure.shape)
        if sure[one, other] <= _SURE:
            break
        for table in (total, mass, touching):
            table[one] += table[other]
            table[:, one] += table[:, other]
            table[one, one] = 0.0
        alive[other] = False
        group[group == other] = one
    return np.unique(group, return_inverse=True)[1].reshape(-1)
