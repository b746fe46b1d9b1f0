"""Pieces that many families share: slabs, open containers, handles."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..shapes import Piece, bevelled_box, box, joined, loft, rectangle

__all__ = ["container", "slab"]


def slab(rng: np.random.Generator, low: ArrayLike, high: ArrayLike) -> list[Piece]:
    """A solid cuboid: plain, bevelled or rounded."""
    habit = rng.random()
    if habit < 0.55:
        return [box(low, high)]
    size = np.asarray(high, dtype=float) - np.asarray(low, dtype=float)
    bevel = rng.uniform(0.05, 0.3) * float(size.min())
    return [bevelled_box(low, high, bevel, 2 if habit < 0.85 else 4)]


def container(rng: np.random.Generator, low: ArrayLike, high: ArrayLike, wall: float) -> list[Piece]:
    """An open box (no top): one welded shell with a wall, five boards, or five sheets without thickness."""
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    wall = min(wall, 0.3 * float((high - low).min()))
    habit = rng.random()
    if habit < 0.45:
        return [_welded_container(low, high, wall)]
    x0, y0, z0 = low
    x1, y1, z1 = high
    if habit < 0.8:
        return [
            box((x0, y0, z0), (x1, y1, z0 + wall)),
            box((x0, y0, z0), (x0 + wall, y1, z1)),
            box((x1 - wall, y0, z0), (x1, y1, z1)),
            box((x0, y0, z0), (x1, y0 + wall, z1)),
            box((x0, y1 - wall, z0), (x1, y1, z1)),
        ]
    x, y, z = np.diag(high - low)
    sheets = [
        rectangle(low, y, x),
        rectangle(low, x, z),
        rectangle(low, z, y),
        rectangle(high, -z, -x),
        rectangle(high, -y, -z),
    ]
    return [joined(*sheets)]


def _welded_container(low: np.ndarray, high: np.ndarray, wall: float) -> Piece:
    """Outside, rim and inside as one closed skin."""
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=float)
    outer = low[:2] + corners * (high - low)[:2]
    inner = low[:2] + wall + corners * ((high - low)[:2] - 2.0 * wall)
    rings = np.empty((4, 4, 3))
    rings[:2, :, :2], rings[2:, :, :2] = outer, inner
    rings[..., 2] = np.array([low[2], high[2], high[2], low[2] + wall])[:, None]
    return loft(rings)
