"""Vertices of a mesh that stand out from what is left of it after a decimation: they would sink into a flat ground."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

__all__ = ["standing_out"]

_ROUNDS = 12


def standing_out(
    vertices: NDArray[np.float64], kept: NDArray[np.int64], by: float, most: int = 500
) -> NDArray[np.int64]:
    """The vertices, Int[n], that have to join the `kept` ones for no other to be outside their convex hull by more
    than `by` (m): of what is above each face the farthest, then again. At most `most` of them.
    """
    added = np.zeros(0, dtype=np.int64)
    try:
        outer = ConvexHull(vertices).vertices
        for _ in range(_ROUNDS):
            faces = ConvexHull(vertices[np.concatenate([kept, added])]).equations
            above = vertices[outer] @ faces[:, :3].T + faces[:, 3]
            highest = np.argsort(-above.max(axis=0))
            highest = highest[above.max(axis=0)[highest] > by]
            fresh = np.unique(outer[above.argmax(axis=0)[highest[: most - len(added)]]])
            if fresh.size == 0:
                break
            added = np.concatenate([added, fresh])
    except QhullError:  # all in one plane, where nothing stands out
        pass
    return added
