"""Clipping of triangles at the camera's near plane."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["clipped"]


def clipped(corners: NDArray[np.float64], near: float, far: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Triangles Float[F,3,3] (camera space) cut off at z = near, and of which one each piece is, Int[G].

    Those that lie beyond `far` are left out. A cut is computed from its two ends in the order front, behind, so that
    neighbours are cut at the same point and no gap opens between them.
    """
    z = corners[:, :, 2]
    behind = z < near
    count = behind.sum(axis=1)
    whole = (count == 0) & (z.min(axis=1) <= far)
    pieces, owners = [corners[whole]], [np.flatnonzero(whole)]

    def cut(front: NDArray[np.float64], back: NDArray[np.float64]) -> NDArray[np.float64]:
        part = (front[:, 2] - near) / (front[:, 2] - back[:, 2])
        point = front + part[:, None] * (back - front)
        point[:, 2] = near
        return point

    for number in (1, 2):
        chosen = np.flatnonzero(count == number)
        if not len(chosen):
            continue
        # Turned so that the odd corner, the one behind or the one in front, comes first.
        odd = behind[chosen] if number == 1 else ~behind[chosen]
        order = (odd.argmax(axis=1)[:, None] + np.arange(3)) % 3
        a, b, c = np.moveaxis(corners[chosen[:, None], order], 1, 0)
        if number == 1:
            ab, ac = cut(b, a), cut(c, a)
            pieces += [np.stack([ab, b, c], axis=1), np.stack([ab, c, ac], axis=1)]
            owners += [chosen, chosen]
        else:
            pieces.append(np.stack([a, cut(a, b), cut(a, c)], axis=1))
            owners.append(chosen)
    return np.concatenate(pieces), np.concatenate(owners)
