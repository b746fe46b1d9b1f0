"""Inextensible cloth: a grid of springs pulled back to their lengths from wherever a smooth field moves it.

Projective dynamics without inertia: edges are turned to their own lengths one by one, then all vertices are fitted to
them at once by a matrix that depends on the grid and its pins alone and is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..kinematics.base import Array

__all__ = ["Sheet", "grid_places", "refined", "sheet_on"]

# Pull towards the place asked for, against 1 of an edge: first firmly, so that low waves follow it, then from where
# that led as good as not at all, so that lengths win.
_HOLDS = (0.03, 0.002)
_PIN = 100.0
_SHEAR = 0.4
_ROUNDS = 10


@lru_cache(maxsize=64)
def _edges(rows: int, columns: int) -> tuple[NDArray[np.int64], Array]:
    """Edges Int[E,2] of a grid along rows, columns and both diagonals, and their weights Float[E]."""
    number = np.arange(rows * columns).reshape(rows, columns)
    straight = [(number[:-1], number[1:]), (number[:, :-1], number[:, 1:])]
    slanted = [(number[:-1, :-1], number[1:, 1:]), (number[1:, :-1], number[:-1, 1:])]
    pairs = [np.stack([a.ravel(), b.ravel()], axis=1) for a, b in straight + slanted]
    weight = np.repeat([1.0, _SHEAR], [len(pairs[0]) + len(pairs[1]), len(pairs[2]) + len(pairs[3])])
    return np.concatenate(pairs), weight


@lru_cache(maxsize=128)
def _system(rows: int, columns: int, pins: bytes, hold: float) -> tuple[sparse.csr_matrix, sparse.csr_matrix, Array]:
    """Differences along edges (E x V), their weighted transpose, and the inverse of the fit (V x V)."""
    edges, weight = _edges(rows, columns)
    count, index = rows * columns, np.arange(len(edges))
    signs = np.repeat([1.0, -1.0], len(edges))
    places = np.concatenate([index, index]), np.concatenate([edges[:, 1], edges[:, 0]])
    difference = sparse.csr_matrix((signs, places), shape=(len(edges), count))
    back = sparse.csr_matrix(difference.T @ sparse.diags(weight))
    held = np.frombuffer(pins, dtype=bool)
    fit = (back @ difference).toarray() + np.diag(np.where(held, _PIN, hold))
    return difference, back, np.linalg.inv(fit)


@dataclass(frozen=True)
class Sheet:
    """rows * columns vertices, some of them pinned (Bool[V]), with the length of every edge (Float[E])."""

    rows: int
    columns: int
    pinned: NDArray[np.bool_]
    lengths: Array

    def drawn_back(self, wanted: Array, rounds: int = _ROUNDS) -> Array:
        """Positions Float[n,V,3] near those wanted, with edges of nearly their own lengths; pins are where wanted."""
        count = len(wanted)
        asked = wanted.transpose(1, 0, 2).reshape(-1, 3 * count)
        pinned, places = self.pinned[:, None], asked
        for hold in _HOLDS:
            difference, back, inverse = _system(self.rows, self.columns, self.pinned.tobytes(), hold)
            pull = np.where(pinned, _PIN * asked, hold * places)
            for _ in range(rounds // len(_HOLDS)):
                steps = (difference @ places).reshape(-1, count, 3)
                norm = np.sqrt(np.einsum("eni,eni->en", steps, steps))
                steps *= (self.lengths[:, None] / np.maximum(norm, 1e-9))[..., None]
                places = inverse @ (back @ steps.reshape(len(steps), -1) + pull)
        return places.reshape(-1, count, 3).transpose(1, 0, 2)

    def resting(self, places: Array) -> Sheet:
        """The same sheet, whose lengths are those it has at the places Float[V,3]."""
        return Sheet(self.rows, self.columns, self.pinned, _lengths(self.rows, self.columns, places))


def _lengths(rows: int, columns: int, places: Array) -> Array:
    edges, _ = _edges(rows, columns)
    return np.linalg.norm(places[edges[:, 1]] - places[edges[:, 0]], axis=1)


def sheet_on(flat: Array, rows: int, columns: int, pinned: NDArray[np.bool_]) -> Sheet:
    """A sheet that has its lengths where it lies at the places Float[V,3]."""
    return Sheet(rows, columns, pinned, _lengths(rows, columns, flat))


def grid_places(rows: int, columns: int) -> tuple[Array, Array]:
    """Parameters of the vertices in [0,1], row by row: down Float[V] and along Float[V]."""
    down, along = np.meshgrid(np.linspace(0.0, 1.0, rows), np.linspace(0.0, 1.0, columns), indexing="ij")
    return down.ravel(), along.ravel()


@lru_cache(maxsize=64)
def _refinement(count: int, factor: int) -> Array:
    """Cubic interpolation (Catmull-Rom) from `count` samples to (count - 1) * factor + 1, a matrix."""
    place = np.linspace(0.0, count - 1.0, (count - 1) * factor + 1)
    index = np.minimum(place.astype(np.int64), count - 2)
    t = place - index
    shares = np.stack([-t + 2 * t**2 - t**3, 2 - 5 * t**2 + 3 * t**3, t + 4 * t**2 - 3 * t**3, t**3 - t**2], axis=1) / 2
    matrix = np.zeros((len(place), count + 2))
    for offset in range(4):
        matrix[np.arange(len(place)), index + offset] += shares[:, offset]
    # Beyond the ends the samples go on straight.
    result = matrix[:, 1:-1].copy()
    result[:, 0] += 2.0 * matrix[:, 0]
    result[:, 1] -= matrix[:, 0]
    result[:, -1] += 2.0 * matrix[:, -1]
    result[:, -2] -= matrix[:, -1]
    return result


def refined(places: Array, rows: int, columns: int, factor: int) -> Array:
    """Grids Float[n, rows * columns, 3] with `factor` times as many cells along each side, on smooth surfaces."""
    if factor == 1:
        return places
    grid = places.reshape(-1, rows, columns * 3)
    grid = _refinement(rows, factor) @ grid
    grid = grid.reshape(len(grid), -1, columns, 3)
    grid = _refinement(columns, factor) @ grid
    return grid.reshape(len(grid), -1, 3)
