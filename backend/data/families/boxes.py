"""Boxes and bins with lids."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..moving import MovingObject
from .pieces import container, slab

__all__ = ["lidded_box"]


def lidded_box(rng: np.random.Generator) -> MovingObject:
    """An open container with a lid hinged at the upper edge of its back, or two flaps at opposite edges."""
    width, depth, height = rng.uniform(0.4, 1.0), rng.uniform(0.3, 0.8), rng.uniform(0.15, 0.8)
    wall, lid = rng.uniform(0.01, 0.05), rng.uniform(0.01, 0.06)
    builder = Builder()
    builder.add(0, container(rng, (-width / 2, -depth / 2, 0), (width / 2, depth / 2, height), wall))
    overhang = rng.choice([0.0, rng.uniform(0.0, 0.03)])
    limit = np.radians(rng.uniform(60, 130))
    barrel = height + rng.choice([0.0, 0.5, 1.0]) * lid
    if rng.random() < 0.75:
        part = builder.part(0, "revolute", (-1, 0, 0), (0, depth / 2, barrel), (0, limit))
        low, high = (-width / 2 - overhang, -depth / 2 - overhang), (width / 2 + overhang, depth / 2)
        builder.add(part, slab(rng, (*low, height), (*high, height + lid)), 1)
    else:
        gap = rng.choice([0.0, 0.004])
        for side in (-1, 1):
            part = builder.part(0, "revolute", (-side, 0, 0), (0, side * depth / 2, barrel), (0, limit))
            edges = sorted([side * gap, side * depth / 2])
            low, high = (-width / 2, edges[0], height), (width / 2, edges[1], height + lid)
            builder.add(part, slab(rng, low, high), 1)
    return builder.build(rng, "lidded_box", "hinge")
