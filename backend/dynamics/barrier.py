"""Logarithmic contact barrier, twice continuously differentiable and finite everywhere.

For a gap d below the margin D:  b(d) = -k (d - D)^2 ln(d / D).  Below DEEP of the margin it goes on as its own
second-order expansion, so that a step may start where something else has already moved through the gap (an animated
collider, a thing drawn into another) and Newton's iterates may pass there: a spring hundreds of times stiffer than the
barrier's middle brings them back.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from ..kinematics.base import Array

__all__ = ["barrier_derivatives", "barrier_slope"]

DEEP = 0.02


def _split(gap: Array, margin: Array) -> tuple[Array, Array]:
    """Gaps over the margin, held between DEEP and one, and how far they lie below DEEP."""
    share = gap / margin
    return np.clip(share, DEEP, 1.0), np.minimum(share - DEEP, 0.0)


def _slope(share: Array) -> Array:
    return -(2.0 * (share - 1.0) * np.log(share) + (share - 1.0) ** 2 / share)


def _curvature(share: Array) -> Array:
    ratio = (share - 1.0) / share
    return -(2.0 * np.log(share) + 4.0 * ratio - ratio**2)


def barrier_slope(gap: Array, margin: Array, stiffness: Array) -> Array:
    """db/dd (N) for gaps Float[c] (m), margins (m) and stiffnesses k (N/m); negative inside the margin."""
    share, below = _split(gap, margin)
    return stiffness * margin * (_slope(share) + _curvature(share) * below)


@njit(cache=True, nogil=True)
def barrier_derivatives(gap: float, margin: float, stiffness: float) -> tuple[float, float]:
    """db/dd (N) and d2b/dd2 (N/m, never negative) of one contact, in compiled code."""
    if gap >= margin:
        return 0.0, 0.0
    share = max(gap / margin, DEEP)
    below = min(gap / margin - DEEP, 0.0)
    ratio, log = (share - 1.0) / share, math.log(share)
    curvature = -(2.0 * log + 4.0 * ratio - ratio * ratio)
    slope = -(2.0 * (share - 1.0) * log + (share - 1.0) * ratio)
    return stiffness * margin * (slope + curvature * below), stiffness * curvature
