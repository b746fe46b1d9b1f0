"""Surfaces of grown and sewn things: swept tubes, ribbons, rounded blocks, sheets. All outward, all by arithmetic."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kinematics.base import Array

__all__ = [
    "Indices",
    "block",
    "frames_along",
    "graft",
    "grid_triangles",
    "resampled",
    "ribbon",
    "rounded",
    "spindle",
    "sweep",
    "sweep_place",
    "sweep_triangles",
    "vector",
]

Indices = NDArray[np.int64]


def vector(x: float, y: float, z: float) -> Array:
    """The three numbers as Float[3]."""
    return np.array([x, y, z], dtype=float)


def _unit(vectors: Array) -> Array:
    return vectors / np.maximum(np.sqrt(np.einsum("...i,...i->...", vectors, vectors)), 1e-12)[..., None]


def _frozen(array: NDArray) -> NDArray:
    array.setflags(write=False)
    return array


@lru_cache(maxsize=512)
def grid_triangles(rows: int, columns: int, wrap: bool = False) -> Indices:
    """Triangles of a grid of rows * columns vertices, row after row; `wrap` closes each row to a ring."""
    i, j = np.meshgrid(np.arange(rows - 1), np.arange(columns if wrap else columns - 1), indexing="ij")
    after = (j + 1) % columns
    a, b, c, d = i * columns + j, i * columns + after, (i + 1) * columns + after, (i + 1) * columns + j
    quads = np.stack([a, b, c, d], axis=-1).reshape(-1, 4)
    return _frozen(np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]))


@lru_cache(maxsize=512)
def sweep_triangles(rings: int, sides: int) -> Indices:
    """Triangles of `sweep`, closed at both ends."""
    walls = grid_triangles(rings, sides, wrap=True)
    around, after = np.arange(sides), (np.arange(sides) + 1) % sides
    first, last = rings * sides, rings * sides + 1
    start = np.stack([np.full(sides, first), after, around], axis=1)
    end = np.stack([np.full(sides, last), around, after], axis=1) + np.array([0, 1, 1]) * (rings - 1) * sides
    return _frozen(np.concatenate([walls, start, end]))


@lru_cache(maxsize=512)
def sweep_place(rings: int, sides: int) -> Array:
    """How far along each vertex of `sweep` is, in rings, Float[rings * sides + 2]."""
    return _frozen(np.append(np.repeat(np.arange(rings, dtype=float), sides), [0.0, rings - 1.0]))


def frames_along(centres: Array, reference: ArrayLike = (0.0, 0.0, 1.0)) -> tuple[Array, Array, Array]:
    """Tangents, normals and binormals Float[...,M,3] that do not spin about the curves Float[...,M,3].

    The first normal points to `reference` as far as it can.
    """
    steps = np.diff(centres, axis=-2)
    tangent = np.empty_like(centres)
    tangent[..., 1:-1, :] = steps[..., 1:, :] + steps[..., :-1, :]
    tangent[..., 0, :], tangent[..., -1, :] = steps[..., 0, :], steps[..., -1, :]
    tangent = _unit(tangent)
    wish = np.broadcast_to(np.asarray(reference, dtype=float), tangent[..., 0, :].shape)
    normal = np.empty_like(tangent)
    for ring in range(tangent.shape[-2]):
        along = tangent[..., ring, :]
        across = wish - np.einsum("...i,...i->...", wish, along)[..., None] * along
        weak = np.einsum("...i,...i->...", across, across) < 1e-6
        if weak.any():
            # Any other direction will do where the wish lies along the curve.
            other = np.eye(3)[np.abs(along).argmin(axis=-1)]
            other = other - np.einsum("...i,...i->...", other, along)[..., None] * along
            across = np.where(weak[..., None], other, across)
        wish = _unit(across)
        normal[..., ring, :] = wish
    return tangent, normal, np.cross(tangent, normal)


def sweep(centres: Array, radii: Array, sides: int, reference: ArrayLike = (0.0, 0.0, 1.0), roll: float = 0.0) -> Array:
    """Rings about curves Float[...,M,3], with radii Float[...,M,2] along normal and binormal, and two cap vertices.

    Vertices Float[..., M * sides + 2, 3], the caps last; the normal points to `reference`, where vertex 0 is.
    """
    _, normal, binormal = frames_along(centres, reference)
    angle = roll + 2.0 * np.pi * np.arange(sides) / sides
    ring = (
        centres[..., None, :]
        + (np.cos(angle)[:, None] * normal[..., None, :]) * radii[..., 0, None, None]
        + (np.sin(angle)[:, None] * binormal[..., None, :]) * radii[..., 1, None, None]
    )
    flat = ring.reshape(*centres.shape[:-2], -1, 3)
    return np.concatenate([flat, centres[..., :1, :], centres[..., -1:, :]], axis=-2)


def spindle(rings: int, blunt: float = 0.5) -> Array:
    """Places in [0,1] and widths in [0,1] of a rounded body, Float[rings,2]: an ellipse at 0.5, fuller below."""
    angle = np.linspace(0.06, np.pi - 0.06, rings)
    return np.stack([0.5 - 0.5 * np.cos(angle), np.sin(angle) ** (2.0 * blunt)], axis=1)


def resampled(points: Array, count: int) -> Array:
    """`count` points on a smooth curve through the points Float[P,3] (Catmull-Rom), even in the parameter."""
    place = np.linspace(0.0, len(points) - 1.0, count)
    index = np.minimum(place.astype(np.int64), len(points) - 2)
    t = (place - index)[:, None]
    padded = np.concatenate([2 * points[:1] - points[1:2], points, 2 * points[-1:] - points[-2:-1]])
    a, b, c, d = (padded[index + offset] for offset in range(4))
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)


def ribbon(centres: Array, sides: Array, columns: int = 3, fold: float = 0.0) -> Array:
    """Flat strips about curves Float[...,M,3] with half widths as vectors Float[...,M,3]: Float[..., M * columns, 3].

    fold: how far the middle sinks, in half widths; triangles are those of `grid_triangles(M, columns)`.
    """
    across = np.linspace(-1.0, 1.0, columns)[:, None]
    result = centres[..., None, :] + across * sides[..., None, :]
    if fold:
        tangent = np.gradient(centres, axis=-2)
        sunk = fold * (1.0 - np.abs(across)) * _unit(np.cross(sides, tangent))[..., None, :]
        result = result + sunk * np.sqrt(np.einsum("...i,...i->...", sides, sides))[..., None, None]
    return result.reshape(*centres.shape[:-2], -1, 3)


@lru_cache(maxsize=256)
def _unit_block(x: int, y: int, z: int) -> tuple[Array, Indices]:
    """The welded surface of the cube [-1,1]^3 with its sides divided into x, y and z cells."""
    cells = (x, y, z)
    points, triangles, begin = [], [], 0
    for axis in range(3):
        first, second = (axis + 1) % 3, (axis + 2) % 3
        rows, columns = cells[first] + 1, cells[second] + 1
        u, v = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
        for side in (0, cells[axis]):
            grid = np.empty((rows * columns, 3), dtype=np.int64)
            grid[:, axis], grid[:, first], grid[:, second] = side, u.ravel(), v.ravel()
            faces = grid_triangles(rows, columns) + begin
            # The triangles of a grid look against rows x columns, which is the axis: outward at the near side alone.
            triangles.append(faces[:, ::-1] if side else faces)
            points.append(grid)
            begin += len(grid)
    lattice, index = np.unique(np.concatenate(points), axis=0, return_inverse=True)
    faces = index.reshape(-1)[np.concatenate(triangles)]
    return _frozen(2.0 * lattice / np.array(cells) - 1.0), _frozen(faces.astype(np.int64))


def block(size: ArrayLike, cells: tuple[int, int, int] = (1, 1, 1), bevel: float = 0.0) -> tuple[Array, Indices]:
    """A closed box about the origin with sides `size`, and a rounded edge of radius `bevel` where cells allow."""
    points, triangles = _unit_block(*cells)
    half = 0.5 * np.asarray(size, dtype=float)
    return (rounded(points * half, half, bevel) if bevel > 0 else points * half), triangles


def rounded(points: Array, half: Array, bevel: float) -> Array:
    """Points of a box with half sides `half`, their outer grid lines drawn to `bevel` from the edges and rounded."""
    bevel = min(bevel, 0.95 * float(half.min()))
    inner = np.clip(points, -(half - bevel), half - bevel)
    return inner + bevel * _unit(points - inner)


def graft(
    vertices: Array, triangles: Indices, loop: Indices, centres: Array, radii: Array
) -> tuple[Array, Indices, Indices]:
    """A limb grown out of a hole: rings of len(loop) vertices about the curve Float[M,3] are joined to the loop.

    loop: vertices around the hole, counter-clockwise seen from outside. Returns all vertices, all triangles, and for
    each new vertex its ring Int[N], counted from 0.
    """
    sides, rings = len(loop), len(centres)
    _, normal, binormal = frames_along(centres)
    start = vertices[loop] - vertices[loop].mean(axis=0)
    angle = np.arctan2(start @ binormal[0], start @ normal[0])
    # Even angles, turned to where the loop is on average: the strip between hole and limb does not twist.
    even = 2.0 * np.pi * np.arange(sides) / sides
    even += np.angle(np.exp(1j * (angle - even)).sum())
    ring = (
        centres[:, None]
        + np.cos(even)[:, None] * normal[:, None] * radii[:, 0, None, None]
        + np.sin(even)[:, None] * binormal[:, None] * radii[:, 1, None, None]
    ).reshape(-1, 3)
    begin = len(vertices)
    index = np.concatenate([loop, begin + np.arange(rings * sides)])
    parts = [triangles, index[grid_triangles(rings + 1, sides, wrap=True)]]
    place = np.repeat(np.arange(rings), sides)
    tip = begin + rings * sides
    last = tip - sides + np.arange(sides)
    parts.append(np.stack([np.full(sides, tip), last, np.roll(last, -1)], axis=1))
    ring = np.concatenate([ring, centres[-1:]])
    place = np.append(place, rings - 1)
    return np.concatenate([vertices, ring]), np.concatenate(parts), place
