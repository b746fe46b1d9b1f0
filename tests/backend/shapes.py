"""Meshes for the tests of the simulation core; the plain ones are the geometry tests' own."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .geometry.shapes import Arrays, ball, blocks, box, folded_sheet, joined, sheet, soup, split, torus

__all__ = [
    "Arrays",
    "bar",
    "block",
    "blocks",
    "box",
    "folded_sheet",
    "joined",
    "moved",
    "scissors",
    "sheet",
    "soup",
    "sphere",
    "split",
    "torus",
]


def block(size: ArrayLike, cells: ArrayLike) -> Arrays:
    """A closed cuboid centred at the origin, size in metres, its sides divided into `cells` along each axis."""
    size, cells = np.asarray(size, dtype=float), np.asarray(cells)
    lines = [np.linspace(-0.5, 0.5, cells[axis] + 1) * size[axis] for axis in range(3)]
    return blocks(np.ones(cells, dtype=bool), *lines)


def bar(length: float = 1.0, thickness: float = 0.1, cells: int = 20) -> Arrays:
    """A square bar along x from 0 to `length`, one cell for each `cells`-th of it and 4 across."""
    vertices, triangles = block((length, thickness, thickness), (cells, 4, 4))
    return vertices + np.array([0.5 * length, 0.0, 0.0]), triangles


def sphere(vertices: int, radius: float = 0.5) -> Arrays:
    """A closed sphere of at least `vertices` vertices about the origin."""
    rings = 3
    while 2 * rings * (rings - 1) + 2 < vertices:
        rings += 1
    return ball(rings, radius)


def scissors(gap: float = 0.01) -> Arrays:
    """Two blades, 1 m long in x and 0.1 m wide in y, `gap` metres apart, that are joined by a handle at x < 0."""
    x = np.concatenate([[-0.3, -0.2, -0.1], np.linspace(0.0, 1.0, 21)])
    y = np.concatenate([np.linspace(-0.1, 0.0, 5) - gap / 2, np.linspace(0.0, 0.1, 5) + gap / 2])
    z = np.linspace(-0.05, 0.05, 5)
    filled = np.ones((len(x) - 1, len(y) - 1, len(z) - 1), dtype=bool)
    filled[3:, 4] = False
    return blocks(filled, x, y, z)


def moved(mesh: Arrays, offset: ArrayLike) -> Arrays:
    """The same mesh elsewhere."""
    return mesh[0] + np.asarray(offset), mesh[1]
