"""Cabinets and tables with drawers and doors."""

from __future__ import annotations

import itertools

import numpy as np

from ..builder import Builder
from ..moving import MovingObject
from ..shapes import box
from .pieces import container, slab

__all__ = ["drawer_cabinet"]


def drawer_cabinet(rng: np.random.Generator) -> MovingObject:
    """A carcass that is open at the front (-Y) with drawers one above the other."""
    width, depth, height = rng.uniform(0.4, 1.2), rng.uniform(0.3, 0.7), rng.uniform(0.4, 1.2)
    wall = rng.uniform(0.01, 0.03)
    builder = Builder()
    builder.add(
        0,
        [
            box((-width / 2, 0, 0), (-width / 2 + wall, depth, height)),
            box((width / 2 - wall, 0, 0), (width / 2, depth, height)),
            box((-width / 2, 0, 0), (width / 2, depth, wall)),
            box((-width / 2, 0, height - wall), (width / 2, depth, height)),
            box((-width / 2, depth - wall, 0), (width / 2, depth, height)),
        ],
    )
    count = int(rng.integers(1, 6))
    edges = np.linspace(wall, height - wall, count + 1)
    gap = rng.uniform(0.002, 0.008)
    for low, high in itertools.pairwise(edges):
        stroke = rng.uniform(0.5, 0.9) * depth
        part = builder.part(0, "prismatic", (0, -1, 0), (0, 0, 0), (0, stroke))
        inner = width / 2 - wall - gap
        builder.add(
            part, container(rng, (-inner, 0, low + gap), (inner, depth - 2 * wall, high - 3 * gap), wall / 2), 1
        )
        builder.add(part, slab(rng, (-inner, -wall, low + gap), (inner, 0, high - gap)), 2)
        middle = (low + high) / 2
        builder.add(part, slab(rng, (-0.05, -wall - 0.03, middle - 0.01), (0.05, -wall, middle + 0.01)), 3)
    return builder.build(rng, "drawer_cabinet", "drawer")
