"""Compiled distances: a point and a triangle, two segments; all of points x Float[P,3] by their numbers."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["segment_closest", "triangle_closest"]


@njit(inline="always")
def _ratio(part, whole):
    """0 of what has no extent: colliders may have faces without area and edges without length."""
    return part / whole if whole > 0.0 else 0.0


@njit(cache=True, nogil=True)
def triangle_closest(x, p, a, b, c):
    """Distance (m) of a point from a triangle and the shares of its corners in the closest point."""
    abx, aby, abz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    acx, acy, acz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
    apx, apy, apz = x[p, 0] - x[a, 0], x[p, 1] - x[a, 1], x[p, 2] - x[a, 2]
    d1 = abx * apx + aby * apy + abz * apz
    d2 = acx * apx + acy * apy + acz * apz
    bb = abx * abx + aby * aby + abz * abz
    bc = abx * acx + aby * acy + abz * acz
    cc = acx * acx + acy * acy + acz * acz
    d3, d4 = d1 - bb, d2 - bc
    d5, d6 = d1 - bc, d2 - cc
    vc = d1 * d4 - d3 * d2
    vb = d5 * d2 - d1 * d6
    va = d3 * d6 - d5 * d4
    if d1 <= 0.0 and d2 <= 0.0:
        v, w = 0.0, 0.0
    elif d3 >= 0.0 and d4 <= d3:
        v, w = 1.0, 0.0
    elif d6 >= 0.0 and d5 <= d6:
        v, w = 0.0, 1.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        v, w = _ratio(d1, d1 - d3), 0.0
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        v, w = 0.0, _ratio(d2, d2 - d6)
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        w = _ratio(d4 - d3, (d4 - d3) + (d5 - d6))
        v = 1.0 - w
    else:
        v, w = _ratio(vb, va + vb + vc), _ratio(vc, va + vb + vc)
    rx, ry, rz = apx - v * abx - w * acx, apy - v * aby - w * acy, apz - v * abz - w * acz
    return np.sqrt(rx * rx + ry * ry + rz * rz), 1.0 - v - w, v, w


@njit(cache=True, nogil=True)
def segment_closest(x, a, b, c, d):
    """Distance (m) of two segments and where along each, from 0 to 1, they are closest."""
    ux, uy, uz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    vx, vy, vz = x[d, 0] - x[c, 0], x[d, 1] - x[c, 1], x[d, 2] - x[c, 2]
    wx, wy, wz = x[a, 0] - x[c, 0], x[a, 1] - x[c, 1], x[a, 2] - x[c, 2]
    uu = ux * ux + uy * uy + uz * uz
    vv = vx * vx + vy * vy + vz * vz
    uv = ux * vx + uy * vy + uz * vz
    uw = ux * wx + uy * wy + uz * wz
    vw = vx * wx + vy * wy + vz * wz
    across = uu * vv - uv * uv
    s = 0.0
    if across > 1e-12 * uu * vv:
        s = min(max((uv * vw - vv * uw) / across, 0.0), 1.0)
    t = _ratio(uv * s + vw, vv)
    if t < 0.0:
        t = 0.0
        s = min(max(_ratio(-uw, uu), 0.0), 1.0)
    elif t > 1.0:
        t = 1.0
        s = min(max(_ratio(uv - uw, uu), 0.0), 1.0)
    rx, ry, rz = wx + s * ux - t * vx, wy + s * uy - t * vy, wz + s * uz - t * vz
    return np.sqrt(rx * rx + ry * ry + rz * rz), s, t
