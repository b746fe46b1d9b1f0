"""Two edges in compiled code: the local minimum of their distance between their ends, as `near_edges` defines it."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from ...kinematics.base import Array

__all__ = ["crossing"]

PARALLEL = 0.02  # the sine below which edges count as parallel
END = 1e-9  # of an edge: nearer to its end its vertex serves
NEARLY = 0.05  # the sine by which a face may rise towards the other edge


@njit(cache=True, nogil=True)
def _side(points: Array, edge: np.ndarray, pair: np.ndarray, direction: Array, sign: float) -> tuple[bool, float]:
    """Whether an edge looks along sign * direction, and how far it may have passed another that way."""
    if pair[0] < 0 or pair[1] < 0:
        return True, -np.inf
    start, end = points[edge[0]], points[edge[1]]
    length = 0.0
    for axis in range(3):
        length += (end[axis] - start[axis]) ** 2
    length = max(length, 1e-300)
    low, high, steepest = np.inf, -np.inf, -np.inf
    for side in range(2):
        wing = points[pair[side]]
        along = 0.0
        for axis in range(3):
            along += (wing[axis] - start[axis]) * (end[axis] - start[axis])
        along /= length
        rise = square = 0.0
        for axis in range(3):
            across = wing[axis] - start[axis] - along * (end[axis] - start[axis])
            rise += sign * across * direction[axis]
            square += across * across
        steepest = max(steepest, rise - NEARLY * math.sqrt(square))
        low, high = min(low, rise), max(high, rise)
    looking = steepest <= 0.0
    return looking, high if not looking and low >= 0.0 else -np.inf


@njit(cache=True, nogil=True)
def crossing(
    points_a: Array,
    edge_a: np.ndarray,
    wings_a: np.ndarray,
    points_b: Array,
    edge_b: np.ndarray,
    wings_b: np.ndarray,
    reach: float,
    values: Array,
) -> bool:
    """Whether two edges, both of points in one frame, are near each other.

    values Float[6]: the share of the second end in the closest point of each, the unit normal from the second to the
    first, and the gap (m), negative where the edges of closed surfaces have passed through each other.
    """
    start_a, end_a, start_b, end_b = points_a[edge_a[0]], points_a[edge_a[1]], points_b[edge_b[0]], points_b[edge_b[1]]
    aa = ab = bb = a = b = 0.0
    normal = values[2:5]
    for axis in range(3):
        along_a, along_b = end_a[axis] - start_a[axis], end_b[axis] - start_b[axis]
        between = start_a[axis] - start_b[axis]
        aa += along_a * along_a
        ab += along_a * along_b
        bb += along_b * along_b
        a += along_a * between
        b += along_b * between
        y, z = (axis + 1) % 3, (axis + 2) % 3
        normal[axis] = (end_a[y] - start_a[y]) * (end_b[z] - start_b[z]) - (end_a[z] - start_a[z]) * (
            end_b[y] - start_b[y]
        )
    determinant = normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2
    if determinant <= PARALLEL**2 * aa * bb:
        return False
    share_a, share_b = (ab * b - bb * a) / determinant, (aa * b - ab * a) / determinant
    if not (END < share_a < 1.0 - END and END < share_b < 1.0 - END):
        return False
    signed = 0.0
    for axis in range(3):
        signed += (start_a[axis] - start_b[axis]) * normal[axis]
    signed /= math.sqrt(determinant)
    gap = abs(signed)
    if gap > reach:
        return False
    scale = (1.0 if signed >= 0.0 else -1.0) / math.sqrt(determinant)
    for axis in range(3):
        normal[axis] *= scale
    faced_a, beyond_a = _side(points_a, edge_a, wings_a, normal, -1.0)
    faced_b, beyond_b = _side(points_b, edge_b, wings_b, normal, 1.0)
    looking = faced_a and faced_b
    if not looking and gap > min(beyond_a, beyond_b):
        return False
    values[0], values[1], values[5] = share_a, share_b, gap if looking else -gap
    if not looking:
        for axis in range(3):
            normal[axis] = -normal[axis]
    return True
