"""Compiled sweeps over contacts: a gap is kept, on the side where a pair has been, with Coulomb friction.

A contact is a linear form of up to four points, n . sum_k s_k x_k: a point against a triangle (1, -b0, -b1, -b2) or an
edge against an edge (1 - s, s, t - 1, -t). Points with inverse mass 0 (what is held, colliders) are only met.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .distance_kernels import segment_closest, triangle_closest

__all__ = ["deviation", "keep_above", "keep_apart_edges", "keep_apart_points"]

INSIDE = 1e-9  # of a share: closest points this far from the ends are inside
STEEP = 1e-6  # squared sine between edges below which they count as parallel


@njit(cache=True, nogil=True)
def _push(x, before, inverse, points, shares, normal, gap, least, friction, recovery):
    """Brings the gap n . sum_k s_k x_k to `least`, or by `recovery` nearer than before the step; then friction.

    What has just slipped through comes back at once.
    """
    total = rx = ry = rz = 0.0
    for k in range(4):  # rx, ry, rz: how the pair moves in this step
        i, s = points[k], shares[k]
        total += s * s * inverse[i]
        rx += s * (x[i, 0] - before[i, 0])
        ry += s * (x[i, 1] - before[i, 1])
        rz += s * (x[i, 2] - before[i, 2])
    nx, ny, nz = normal
    across = rx * nx + ry * ny + rz * nz
    earlier = gap - across
    if -least < earlier < 0.0:
        earlier = 0.0
    push = min(least, earlier + recovery) - gap
    if push <= 0.0 or total < 1e-300:
        return
    tx, ty, tz = rx - across * nx, ry - across * ny, rz - across * nz
    slid = np.sqrt(tx * tx + ty * ty + tz * tz)
    rub = 0.0
    if slid > 0.0:
        rub = min(1.0, friction * push / slid)
    mx, my, mz = (push * nx - rub * tx) / total, (push * ny - rub * ty) / total, (push * nz - rub * tz) / total
    for k in range(4):
        i = points[k]
        share = inverse[i] * shares[k]
        x[i, 0] += share * mx
        x[i, 1] += share * my
        x[i, 2] += share * mz


@njit(cache=True, nogil=True)
def _stay(x, before, inverse, points):
    """Four points move by the mean of their ways, by mass: as they were to each other before the step."""
    total, fixed = 0.0, False
    for k in range(4):
        if inverse[points[k]] == 0.0:
            fixed = True
    mx = my = mz = 0.0
    for k in range(4):
        i = points[k]
        weight = 1.0 if fixed else 1.0 / inverse[i]
        if fixed and inverse[i] > 0.0:
            continue
        total += weight
        mx += weight * (x[i, 0] - before[i, 0])
        my += weight * (x[i, 1] - before[i, 1])
        mz += weight * (x[i, 2] - before[i, 2])
    for k in range(4):
        i = points[k]
        if inverse[i] > 0.0:
            x[i, 0] = before[i, 0] + mx / total
            x[i, 1] = before[i, 1] + my / total
            x[i, 2] = before[i, 2] + mz / total


@njit(inline="always")
def _normal(x, a, b, c):
    """Of a triangle, not of unit length."""
    ux, uy, uz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    vx, vy, vz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx


@njit(inline="always")
def _side_of_face(x, p, a, b, c):
    nx, ny, nz = _normal(x, a, b, c)
    along = nx * (x[p, 0] - x[a, 0]) + ny * (x[p, 1] - x[a, 1]) + nz * (x[p, 2] - x[a, 2])
    return 1.0 if along >= 0.0 else -1.0


@njit(cache=True, nogil=True)
def keep_apart_points(x, before, inverse, pairs, values, friction, since, step, deviation, recovery, last):
    """Points against triangles, pairs Int[n,4], with values Float[n,5] of each.

    They are the gap; the side where the point was in the last step, 0 beside the face or where nobody looked; the
    distance as it would have been at the search, and the bound of the closing speed: until then it needs no look; and
    when, after the search, the last look was. On the `last` look what has slipped through moves as one
    instead, as it was before the step; how many that were is returned.
    """
    count = 0
    for number in range(len(pairs)):
        if values[number, 2] - values[number, 3] * since - 4.0 * deviation > values[number, 0]:
            continue
        p, a, b, c = pairs[number, 0], pairs[number, 1], pairs[number, 2], pairs[number, 3]
        distance, u, v, w = triangle_closest(x, p, a, b, c)
        least = values[number, 0]
        values[number, 2] = distance + values[number, 3] * since
        if since - values[number, 4] > 1.5 * step:
            values[number, 1] = 0.0
        values[number, 4] = since
        if u > INSIDE and v > INSIDE and w > INSIDE:
            nx, ny, nz = _normal(x, a, b, c)
            size = np.sqrt(nx * nx + ny * ny + nz * nz)
            if size < 1e-300:
                continue
            if values[number, 1] == 0.0:
                values[number, 1] = _side_of_face(before, p, a, b, c)
            size = values[number, 1] / size
            nx, ny, nz = nx * size, ny * size, nz * size
            gap = nx * (x[p, 0] - x[a, 0]) + ny * (x[p, 1] - x[a, 1]) + nz * (x[p, 2] - x[a, 2])
        else:
            values[number, 1] = 0.0
            if distance < 1e-12 or distance >= least:
                continue
            gap = distance
            nx = (x[p, 0] - u * x[a, 0] - v * x[b, 0] - w * x[c, 0]) / distance
            ny = (x[p, 1] - u * x[a, 1] - v * x[b, 1] - w * x[c, 1]) / distance
            nz = (x[p, 2] - u * x[a, 2] - v * x[b, 2] - w * x[c, 2]) / distance
        if last and gap < 0.0:
            _stay(x, before, inverse, (p, a, b, c))
            count += 1
        elif gap < least and not last:
            shares = 1.0, -u, -v, -w
            _push(x, before, inverse, (p, a, b, c), shares, (nx, ny, nz), gap, least, friction, recovery)
    return count


@njit(cache=True, nogil=True)
def _across_edges(x, a, b, c, d):
    """The vector product of two edges, and the squared sine between them."""
    ux, uy, uz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    vx, vy, vz = x[d, 0] - x[c, 0], x[d, 1] - x[c, 1], x[d, 2] - x[c, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    lengths = (ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz)
    return nx, ny, nz, (nx * nx + ny * ny + nz * nz) / max(lengths, 1e-300)


@njit(cache=True, nogil=True)
def keep_apart_edges(x, before, inverse, pairs, values, friction, since, step, deviation, recovery, last):
    """Edges against edges, pairs Int[n,4]; see `keep_apart_points`."""
    count = 0
    for number in range(len(pairs)):
        least = values[number, 0]
        if values[number, 2] - values[number, 3] * since - 4.0 * deviation > least:
            continue
        a, b, c, d = pairs[number, 0], pairs[number, 1], pairs[number, 2], pairs[number, 3]
        gap, s, t = segment_closest(x, a, b, c, d)
        values[number, 2] = gap + values[number, 3] * since
        if since - values[number, 4] > 1.5 * step:
            values[number, 1] = 0.0
        values[number, 4] = since
        if s <= INSIDE or s >= 1.0 - INSIDE or t <= INSIDE or t >= 1.0 - INSIDE:
            values[number, 1] = 0.0  # the points at the ends see to that
            continue
        nx, ny, nz, steep = _across_edges(x, a, b, c, d)
        if steep > STEEP:
            if values[number, 1] == 0.0:
                mx, my, mz, _ = _across_edges(before, a, b, c, d)
                along = mx * (before[a, 0] - before[c, 0]) + my * (before[a, 1] - before[c, 1])
                along += mz * (before[a, 2] - before[c, 2])
                values[number, 1] = 1.0 if along >= 0.0 else -1.0
            size = values[number, 1] / np.sqrt(nx * nx + ny * ny + nz * nz)
            nx, ny, nz = nx * size, ny * size, nz * size
            gap = nx * (x[a, 0] - x[c, 0]) + ny * (x[a, 1] - x[c, 1]) + nz * (x[a, 2] - x[c, 2])
        elif gap > 1e-12:  # parallel: along the shortest way between them
            nx = ((1.0 - s) * x[a, 0] + s * x[b, 0] - (1.0 - t) * x[c, 0] - t * x[d, 0]) / gap
            ny = ((1.0 - s) * x[a, 1] + s * x[b, 1] - (1.0 - t) * x[c, 1] - t * x[d, 1]) / gap
            nz = ((1.0 - s) * x[a, 2] + s * x[b, 2] - (1.0 - t) * x[c, 2] - t * x[d, 2]) / gap
        else:
            continue
        if last and gap < 0.0:
            _stay(x, before, inverse, (a, b, c, d))
            count += 1
        elif gap < least and not last:
            shares = 1.0 - s, s, t - 1.0, -t
            _push(x, before, inverse, (a, b, c, d), shares, (nx, ny, nz), gap, least, friction, recovery)
    return count


@njit(cache=True, nogil=True)
def keep_above(x, before, inverse, height, friction, recovery):
    """Points Float[N,3] stay above a horizontal plane, with friction."""
    for i in range(len(inverse)):
        if inverse[i] == 0.0 or x[i, 2] >= height:
            continue
        wanted = min(height, before[i, 2] + recovery)
        push = wanted - x[i, 2]
        if push <= 0.0:
            continue
        x[i, 2] += push
        tx, ty = x[i, 0] - before[i, 0], x[i, 1] - before[i, 1]
        slid = np.sqrt(tx * tx + ty * ty)
        if slid > 0.0:
            rub = min(1.0, friction * push / slid)
            x[i, 0] -= rub * tx
            x[i, 1] -= rub * ty


@njit(cache=True, nogil=True)
def deviation(x, begin, v, seconds):
    """How far points x Float[P,3] are at most from the way on which they would have moved evenly from `begin` on, m."""
    most = 0.0
    for i in range(len(x)):
        dx, dy, dz = x[i, 0] - begin[i, 0], x[i, 1] - begin[i, 1], x[i, 2] - begin[i, 2]
        u, w, z = v[i, 0], v[i, 1], v[i, 2]
        share = min(max((dx * u + dy * w + dz * z) / max(u * u + w * w + z * z, 1e-300), 0.0), seconds)
        most = max(most, (dx - share * u) ** 2 + (dy - share * w) ** 2 + (dz - share * z) ** 2)
    return np.sqrt(most)
