"""Trees of bones that turn and slide, and surfaces that follow them with fixed weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..kinematics.base import Array

__all__ = ["Skeleton", "Skin", "along_chain", "blend_matrix", "rotation_matrices", "smoothed"]


def rotation_matrices(turns: Array) -> Array:
    """Rotation vectors Float[...,3] (radians) to matrices Float[...,3,3]."""
    angle = np.sqrt(np.einsum("...i,...i->...", turns, turns))
    small = angle < 1e-8
    safe = np.where(small, 1.0, angle)
    along = np.where(small, 1.0, np.sin(safe) / safe)
    across = np.where(small, 0.5, (1.0 - np.cos(safe)) / safe**2)
    x, y, z = turns[..., 0], turns[..., 1], turns[..., 2]
    matrix = across[..., None, None] * (turns[..., :, None] * turns[..., None, :])
    cosine = 1.0 - across * angle**2
    for row in range(3):
        matrix[..., row, row] += cosine
    for row, column, value in ((2, 1, x), (0, 2, y), (1, 0, z)):
        matrix[..., row, column] += along * value
        matrix[..., column, row] -= along * value
    return matrix


@dataclass(frozen=True)
class Skeleton:
    """Bones that turn about their heads: parents Int[B] (-1: none; a parent comes before its children), heads
    Float[B,3] at rest."""

    parents: NDArray[np.int64]
    heads: Array

    @cached_property
    def _levels(self) -> list[NDArray[np.int64]]:
        depth = np.zeros(len(self.parents), dtype=np.int64)
        for bone, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                depth[bone] = depth[parent] + 1
        return [np.flatnonzero(depth == level) for level in range(int(depth.max()) + 1)]

    def transforms(self, turns: Array, shifts: Array | None = None) -> Array:
        """Rotation vectors Float[n,B,3] and shifts Float[n,B,3], both in the axes of the parent bone, which at rest
        are those of the object, to transforms Float[n,B,3,4] of rest positions."""
        result = np.empty((*turns.shape[:2], 3, 4))
        result[..., :3] = rotation_matrices(turns)
        result[..., 3] = self.heads - (result[..., :3] @ self.heads[:, :, None])[..., 0]
        if shifts is not None:
            result[..., 3] += shifts
        for level in self._levels[1:]:
            parent = result[:, self.parents[level]]
            own = parent[..., :3] @ result[:, level]
            own[..., 3] += parent[..., 3]
            result[:, level] = own
        return result


@dataclass(frozen=True)
class Skin:
    """A surface Float[V,3] on a skeleton, with weights of V rows and B columns that sum to 1."""

    skeleton: Skeleton
    vertices: Array
    weights: sparse.csr_matrix

    def posed(self, turns: Array, shifts: Array | None = None) -> Array:
        """Positions Float[n,V,3]; the rest itself where nothing turns or slides."""
        transforms = self.skeleton.transforms(turns, shifts)
        count, bones = transforms.shape[:2]
        # Moves rather than positions are blended, so that rest is exact where the weights sum to 1 only nearly.
        transforms[..., :3] -= np.eye(3)
        table = transforms.transpose(1, 0, 2, 3).reshape(bones, -1)
        blended = np.asarray(self.weights @ table).reshape(-1, 3 * count, 4)
        moves = (blended[..., :3] @ self.vertices[:, :, None])[..., 0] + blended[..., 3]
        return self.vertices + moves.reshape(-1, count, 3).transpose(1, 0, 2)


def along_chain(first: int, count: int, place: Array, softness: float = 1.0) -> tuple[NDArray[np.int64], Array]:
    """Two bones Int[V,2] and their weights Float[V,2] for places along a chain of `count` bones from `first`, counted
    in bones from 0 to `count`. softness: part of a bone over which one gives way to the next; 0 is a sharp joint."""
    middle = np.clip(place - 0.5, 0.0, count - 1.0)
    lower = np.minimum(np.floor(middle), max(count - 2, 0))
    share = np.clip((middle - lower - 0.5) / max(softness, 1e-6) + 0.5, 0.0, 1.0)
    bones = first + np.stack([lower, np.minimum(lower + 1, count - 1)], axis=1).astype(np.int64)
    return bones, np.stack([1.0 - share, share], axis=1)


def smoothed(weights: sparse.csr_matrix, triangles: NDArray[np.int64], rounds: int) -> sparse.csr_matrix:
    """Weights averaged with those of the neighbours along edges, as a painter's smooth brush does."""
    count = weights.shape[0]
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    rows, columns = np.concatenate([edges, edges[:, ::-1]]).T
    near = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(count, count))
    degree = np.maximum(np.asarray(near.sum(axis=1)).ravel(), 1e-9)
    average = sparse.diags(0.5 / degree) @ near + sparse.diags(np.where(degree > 0.5, 0.5, 1.0))
    dense = weights.toarray()
    for _ in range(rounds):
        dense = average @ dense
    return sparse.csr_matrix(dense)


def blend_matrix(bones: Sequence[NDArray[np.int64]], shares: Sequence[Array], count: int) -> sparse.csr_matrix:
    """Two bones and shares for each vertex, Int[V,2] and Float[V,2] in pieces, as one matrix of `count` columns."""
    index, value = np.concatenate(bones), np.concatenate(shares)
    rows = np.arange(0, 2 * len(index) + 1, 2)
    matrix = sparse.csr_matrix((value.ravel(), index.ravel(), rows), shape=(len(index), count))
    matrix.sum_duplicates()
    return matrix
