"""How deep one mesh is in another, measured by brute force and by other formulas than the contact code uses.

Inside is where the winding number (the solid angle of the surface over 4 pi) is not zero; distances are to every
triangle in turn. For meshes of a few thousand faces.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["deepest", "distances", "surface_samples", "surfaces_cross", "winding_numbers"]

Array = NDArray[np.float64]
Arrays = tuple[Array, NDArray[np.int64]]

# Points times triangles that are looked at together.
_TOGETHER = 400_000


def winding_numbers(points: Array, mesh: Arrays) -> Array:
    """Float[n]: how often the surface winds round each point; 1 inside a closed outward mesh, 0 outside.

    Solid angle of a triangle (van Oosterom and Strackee): tan(omega / 2) = det(a, b, c) / (|a||b||c| + (a.b)|c| + ...).
    """
    vertices, triangles = mesh
    result = np.empty(len(points))
    for rows in _chunks(len(points), len(triangles)):
        a, b, c = (vertices[triangles[:, corner]][None] - points[rows, None] for corner in range(3))
        la, lb, lc = (np.linalg.norm(corner, axis=2) for corner in (a, b, c))
        volume = (a * np.cross(b, c)).sum(axis=2)
        below = la * lb * lc + (a * b).sum(axis=2) * lc + (b * c).sum(axis=2) * la + (c * a).sum(axis=2) * lb
        result[rows] = np.arctan2(volume, below).sum(axis=1) / (2.0 * np.pi)
    return result


def distances(points: Array, mesh: Arrays) -> Array:
    """Float[n]: the distance of each point to the nearest triangle."""
    vertices, triangles = mesh
    a, b, c = (vertices[triangles[:, corner]] for corner in range(3))
    normal = np.cross(b - a, c - a)
    twice_area = np.linalg.norm(normal, axis=1)
    flat = twice_area <= 1e-14 * np.maximum(((b - a) ** 2).sum(axis=1), ((c - a) ** 2).sum(axis=1))
    normal = normal / np.where(flat, 1.0, twice_area)[:, None]
    best = np.empty(len(points))
    for rows in _chunks(len(points), len(triangles)):
        at = points[rows, None]
        nearest = np.full((at.shape[0], len(triangles)), np.inf)
        above = ((at - a) * normal).sum(axis=2)
        over = np.broadcast_to(~flat, above.shape).copy()
        for start, end in ((a, b), (b, c), (c, a)):
            along = end - start
            length = (along**2).sum(axis=1)
            share = ((at - start) * along).sum(axis=2) / np.where(length > 0, length, 1.0)
            away = at - start - np.clip(share, 0.0, 1.0)[:, :, None] * along
            nearest = np.minimum(nearest, np.linalg.norm(away, axis=2))
            over &= ((at - start) * np.cross(normal, along)).sum(axis=2) >= 0.0
        nearest = np.where(over, np.minimum(nearest, np.abs(above)), nearest)
        best[rows] = nearest.min(axis=1)
    return best


def deepest(mesh: Arrays, solid: Arrays, spacing: float | None = None) -> float:
    """The depth in metres of the deepest vertex of a mesh in a closed one, 0.0 if none is inside.

    With a spacing, points of its faces about so far apart are looked at too.
    """
    points = mesh[0] if spacing is None else np.concatenate([mesh[0], surface_samples(mesh, spacing)])
    low, high = solid[0].min(axis=0), solid[0].max(axis=0)
    points = points[((points >= low) & (points <= high)).all(axis=1)]
    inside = points[np.abs(winding_numbers(points, solid)) > 0.5]
    return float(distances(inside, solid).max(initial=0.0))


def surface_samples(mesh: Arrays, spacing: float) -> Array:
    """Points on the faces, at most `spacing` metres apart along their edges."""
    vertices, triangles = mesh
    samples = []
    for a, b, c in vertices[triangles]:
        longest = max(np.linalg.norm(b - a), np.linalg.norm(c - b), np.linalg.norm(a - c))
        count = max(int(np.ceil(longest / spacing)), 1)
        i, j = np.meshgrid(np.arange(count + 1), np.arange(count + 1), indexing="ij")
        u, v = i[i + j <= count] / count, j[i + j <= count] / count
        samples.append(a + u[:, None] * (b - a) + v[:, None] * (c - a))
    return np.concatenate(samples)


def surfaces_cross(first: Arrays, second: Arrays) -> bool:
    """Whether an edge of one mesh passes through a face of the other."""
    return _edges_pierce(first, second) or _edges_pierce(second, first)


def _edges_pierce(first: Arrays, second: Arrays) -> bool:
    """By signed volumes: the ends lie on different sides of the face, and the line passes its three sides alike."""
    vertices, triangles = first
    edges = np.unique(
        np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])), axis=0
    )
    a, b, c = (second[0][second[1][:, corner]] for corner in range(3))
    for rows in _chunks(len(edges), len(a)):
        start, end = vertices[edges[rows, 0]][:, None], vertices[edges[rows, 1]][:, None]
        sides = _volume(start, a, b, c) * _volume(end, a, b, c) < 0.0
        turns = np.stack([_volume(start, end, *pair) for pair in ((a, b), (b, c), (c, a))])
        if (sides & ((turns > 0.0).all(axis=0) | (turns < 0.0).all(axis=0))).any():
            return True
    return False


def _volume(a: Array, b: Array, c: Array, d: Array) -> Array:
    return ((b - a) * np.cross(c - a, d - a)).sum(axis=-1)


def _chunks(points: int, triangles: int) -> list[slice]:
    size = max(_TOGETHER // max(triangles, 1), 1)
    return [slice(start, start + size) for start in range(0, points, size)]
