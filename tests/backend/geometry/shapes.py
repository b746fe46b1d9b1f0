"""Meshes with known answers, made by arithmetic alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Arrays = tuple[NDArray[np.float64], NDArray[np.int64]]


def box(size: ArrayLike = (1.0, 1.0, 1.0), centre: ArrayLike = (0.0, 0.0, 0.0)) -> Arrays:
    """Eight vertices, twelve triangles, outward."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [(a, b, c) for a, b, c, _ in sides] + [(a, c, d) for a, _, c, d in sides]
    return corners * np.asarray(size) + np.asarray(centre), np.array(triangles)


def torus(around: int, across: int, radius: float = 1.0, thickness: float = 0.35) -> Arrays:
    """around * across vertices, outward; volume 2 pi^2 radius thickness^2."""
    u, v = np.meshgrid(np.arange(around) * 2 * np.pi / around, np.arange(across) * 2 * np.pi / across, indexing="ij")
    ring = radius + thickness * np.cos(v)
    vertices = np.stack([ring * np.cos(u), ring * np.sin(u), thickness * np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = np.arange(around)[:, None], np.arange(across)[None]
    a, b = i * across + j, (i + 1) % around * across + j
    c, d = (i + 1) % around * across + (j + 1) % across, i * across + (j + 1) % across
    return vertices, _quads(a, b, c, d)


def ball(rings: int, radius: float = 1.0) -> Arrays:
    """A sphere with a vertex at each pole, outward."""
    segments = 2 * rings
    theta = np.pi * np.arange(1, rings) / rings
    phi = 2 * np.pi * np.arange(segments) / segments
    band = np.stack(
        [
            np.sin(theta)[:, None] * np.cos(phi),
            np.sin(theta)[:, None] * np.sin(phi),
            np.repeat(np.cos(theta)[:, None], segments, axis=1),
        ],
        axis=-1,
    ).reshape(-1, 3)
    vertices = radius * np.concatenate([band, [[0, 0, 1], [0, 0, -1]]])
    i, j = np.arange(rings - 2)[:, None], np.arange(segments)[None]
    a, b = i * segments + j, (i + 1) * segments + j
    c, d = (i + 1) * segments + (j + 1) % segments, i * segments + (j + 1) % segments
    north, south = len(band), len(band) + 1
    first, last = np.arange(segments), np.arange(segments) + (rings - 2) * segments
    caps = [
        np.stack([np.full(segments, north), first, np.roll(first, -1)], axis=1),
        np.stack([np.full(segments, south), np.roll(last, -1), last], axis=1),
    ]
    return vertices, np.concatenate([_quads(a, b, c, d), *caps])


def sheet(across: int, along: int, width: float = 1.0, length: float = 1.0) -> Arrays:
    """across * along vertices in the plane z = 0, looking up."""
    x, y = np.meshgrid(np.linspace(0, width, across), np.linspace(0, length, along), indexing="ij")
    vertices = np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3)
    i, j = np.arange(across - 1)[:, None], np.arange(along - 1)[None]
    a = i * along + j
    return vertices, _quads(a, a + along, a + along + 1, a + 1)


def folded_sheet(gap: float, across: int = 20, along: int = 200) -> Arrays:
    """A sheet of length 2 folded to a U whose halves, of length 1 along x, are `gap` apart."""
    vertices, triangles = sheet(across, along, 0.5, 2.0 + np.pi * gap / 2)
    distance = vertices[:, 1]
    angle = np.clip((distance - 1.0) / (gap / 2), 0.0, np.pi)
    straight = np.minimum(distance, 1.0) - np.maximum(distance - 1.0 - np.pi * gap / 2, 0.0)
    x = straight + gap / 2 * np.sin(angle)
    z = gap / 2 * (1.0 - np.cos(angle))
    return np.stack([x, vertices[:, 0], z], axis=1), triangles


def blocks(filled: ArrayLike, *lines: ArrayLike) -> Arrays:
    """The closed surface of the filled cells Bool[nx,ny,nz] of a grid with the given grid lines."""
    filled = np.pad(np.asarray(filled, dtype=bool), 1)
    lines = [np.asarray(line, dtype=float) for line in lines]
    shape = np.array([len(line) for line in lines])
    triangles = []
    for axis in range(3):
        for step, inside in ((1, filled), (-1, filled)):
            outside = ~np.roll(filled, -step, axis=axis)
            cells = np.argwhere(inside & outside) - 1
            corner = cells.copy()
            corner[:, axis] += step > 0
            u, v = np.zeros(3, dtype=int), np.zeros(3, dtype=int)
            u[(axis + 1) % 3], v[(axis + 2) % 3] = 1, 1
            if step < 0:
                u, v = v, u
            ring = [np.ravel_multi_index((corner + offset).T, shape) for offset in (0 * u, u, u + v, v)]
            triangles.append(_quads(*ring))
    triangles = np.concatenate(triangles)
    grid = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 3)
    used, triangles = np.unique(triangles, return_inverse=True)
    return grid[used], triangles.reshape(-1, 3)


def soup(count: int, size: float = 0.05, seed: int = 0) -> Arrays:
    """Loose triangles, each with three vertices of its own."""
    random = np.random.default_rng(seed)
    centre = random.uniform(-1, 1, (count, 1, 3))
    vertices = (centre + random.normal(0, size, (count, 3, 3))).reshape(-1, 3)
    return vertices, np.arange(3 * count).reshape(-1, 3)


def joined(*meshes: Arrays) -> Arrays:
    """Several meshes in one, without welding."""
    starts = np.cumsum([0] + [len(vertices) for vertices, _ in meshes[:-1]])
    return (
        np.concatenate([vertices for vertices, _ in meshes]),
        np.concatenate([triangles + start for (_, triangles), start in zip(meshes, starts, strict=True)]),
    )


def split(mesh: Arrays) -> Arrays:
    """Each face with vertices of its own, as in an STL file."""
    vertices, triangles = mesh
    return vertices[triangles].reshape(-1, 3), np.arange(triangles.size).reshape(-1, 3)


def _quads(a: NDArray, b: NDArray, c: NDArray, d: NDArray) -> NDArray[np.int64]:
    corners = [np.broadcast_to(corner, np.broadcast_shapes(a.shape, b.shape)).ravel() for corner in (a, b, c, d)]
    return np.concatenate([np.stack([corners[0], *corners[k : k + 2]], axis=1) for k in (1, 2)])
