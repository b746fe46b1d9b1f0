"""Compiled search for what of sheets and colliders may touch: boxes in a binary tree, then points and edges.

Points x Float[P,3] m are those of the sheet and after them those of the colliders; they are looked at as they move
evenly with v Float[P,3] m/s for some seconds. A tree of boxes has its root at 1, the children of k at 2k and 2k + 1,
and up to four triangles in each of its leaves. A part of a surface that hangs together and whose normals all lie on one
side of a plane cannot touch itself (Volino, Magnenat-Thalmann 1994): `facing` has a bit for each of some directions
that all normals below a box turn to.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .distance_kernels import segment_closest, triangle_closest

__all__ = ["LEAF", "find_pairs", "refit"]

LEAF = 4
TURNED = 0.5  # cosine: normals that turn so far to a direction do so until the next search
_STEPS = np.arange(24) + 0.5
_POLAR, _AROUND = np.arccos(1.0 - 2.0 * _STEPS / 24), np.pi * (1.0 + 5.0**0.5) * _STEPS
DIRECTIONS = np.stack(  # evenly over the sphere
    [np.cos(_AROUND) * np.sin(_POLAR), np.sin(_AROUND) * np.sin(_POLAR), np.cos(_POLAR)], axis=1
)


@njit(cache=True, nogil=True)
def _bits(x, v, seconds, a, b, c):
    """Of the directions that the normal of a triangle turns to after so many seconds."""
    px, py, pz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    qx, qy, qz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
    px, py, pz = (
        px + seconds * (v[b, 0] - v[a, 0]),
        py + seconds * (v[b, 1] - v[a, 1]),
        pz + seconds * (v[b, 2] - v[a, 2]),
    )
    qx, qy, qz = (
        qx + seconds * (v[c, 0] - v[a, 0]),
        qy + seconds * (v[c, 1] - v[a, 1]),
        qz + seconds * (v[c, 2] - v[a, 2]),
    )
    nx, ny, nz = py * qz - pz * qy, pz * qx - px * qz, px * qy - py * qx
    least = TURNED * np.sqrt(nx * nx + ny * ny + nz * nz)
    bits = 0
    for k in range(len(DIRECTIONS)):
        if DIRECTIONS[k, 0] * nx + DIRECTIONS[k, 1] * ny + DIRECTIONS[k, 2] * nz > least:
            bits |= 1 << k
    return bits


@njit(cache=True, nogil=True)
def refit(x, v, seconds, triangles, order, first, low, high, ball, box_low, box_high, facing):
    """Boxes of triangles Int[F,3] and of the tree for all that is passed within `seconds`.

    Its leaves hold the triangles `order`, each from its `first` on.
    """
    leaves = len(box_low) // 2
    for leaf in range(leaves):
        box = leaves + leaf
        box_low[box] = np.inf
        box_high[box] = -np.inf
        facing[box] = -1
        for place in range(first[leaf], first[leaf + 1]):
            face = order[place]
            a, b, c = triangles[face, 0], triangles[face, 1], triangles[face, 2]
            for axis in range(3):
                p, q, r = x[a, axis], x[b, axis], x[c, axis]
                s, t, u = p + seconds * v[a, axis], q + seconds * v[b, axis], r + seconds * v[c, axis]
                low[face, axis] = min(min(p, q, r), min(s, t, u))
                high[face, axis] = max(max(p, q, r), max(s, t, u))
                box_low[box, axis] = min(box_low[box, axis], low[face, axis])
                box_high[box, axis] = max(box_high[box, axis], high[face, axis])
            _fit_ball(x, v, a, b, c, ball[face])
            facing[box] &= _bits(x, v, 0.0, a, b, c) & _bits(x, v, seconds, a, b, c)
    for box in range(leaves - 1, 0, -1):
        facing[box] = facing[2 * box] & facing[2 * box + 1]
        for axis in range(3):
            box_low[box, axis] = min(box_low[2 * box, axis], box_low[2 * box + 1, axis])
            box_high[box, axis] = max(box_high[2 * box, axis], box_high[2 * box + 1, axis])


@njit(cache=True, nogil=True)
def _fit_ball(x, v, a, b, c, ball):
    """Centre, radius, mean velocity, the largest difference from it, and the largest speed of a triangle."""
    radius = spread = fastest = 0.0
    for axis in range(3):
        ball[axis] = (x[a, axis] + x[b, axis] + x[c, axis]) / 3.0
        ball[4 + axis] = (v[a, axis] + v[b, axis] + v[c, axis]) / 3.0
    for corner in (a, b, c):
        away = off = speed = 0.0
        for axis in range(3):
            away += (x[corner, axis] - ball[axis]) ** 2
            off += (v[corner, axis] - ball[4 + axis]) ** 2
            speed += v[corner, axis] ** 2
        radius, spread, fastest = max(radius, away), max(spread, off), max(fastest, speed)
    ball[3], ball[7], ball[8] = np.sqrt(radius), np.sqrt(spread), np.sqrt(fastest)


@njit(inline="always")
def _apart(low, high, first, other_low, other_high, second, reach):
    return (
        low[first, 0] > other_high[second, 0] + reach
        or other_low[second, 0] > high[first, 0] + reach
        or low[first, 1] > other_high[second, 1] + reach
        or other_low[second, 1] > high[first, 1] + reach
        or low[first, 2] > other_high[second, 2] + reach
        or other_low[second, 2] > high[first, 2] + reach
    )


@njit(cache=True, nogil=True)
def _nearing(ball, f, other, g, seconds, reach):
    """A bound of the speed with which two triangles close; -1 where the balls around them stay farther than `reach`.

    Whatever moves may also stop: the bound is no less than the speed of either.
    """
    apart = between = 0.0
    for axis in range(3):
        apart += (ball[f, axis] - other[g, axis]) ** 2
        between += (ball[f, 4 + axis] - other[g, 4 + axis]) ** 2
    closing = max(np.sqrt(between) + ball[f, 7] + other[g, 7], ball[f, 8], other[g, 8])
    if np.sqrt(apart) - ball[f, 3] - other[g, 3] - seconds * closing > reach:
        return -1.0
    return closing


@njit(cache=True, nogil=True)
def _point_face(x, rest, point, triangles, face, reach, gap, closing, itself, notes, key, found):
    """Notes a point and a triangle that are nearer than `reach`."""
    pairs, values, keys = notes
    a, b, c = triangles[face, 0], triangles[face, 1], triangles[face, 2]
    if point in (a, b, c):
        return found
    for axis in range(3):
        p, q, r, s = x[point, axis], x[a, axis], x[b, axis], x[c, axis]
        if min(q, r, s) > p + reach or max(q, r, s) < p - reach:
            return found
    distance, _, _, _ = triangle_closest(x, point, a, b, c)
    if distance > reach:
        return found
    if found < len(pairs):
        pairs[found, 0], pairs[found, 1], pairs[found, 2], pairs[found, 3] = point, a, b, c
        values[found, 0], values[found, 1], values[found, 2], values[found, 3] = gap, 0.0, distance, closing
        values[found, 4] = -np.inf
        keys[found] = key
        if itself:
            apart, _, _, _ = triangle_closest(rest, point, a, b, c)
            values[found, 0] = min(gap, 0.8 * apart)
    return found + 1


@njit(cache=True, nogil=True)
def _edge_edge(x, rest, a, b, c, d, reach, gap, closing, itself, notes, key, found):
    """Notes two edges that are nearer than `reach`."""
    pairs, values, keys = notes
    if a in (c, d) or b in (c, d):
        return found
    for axis in range(3):
        p, q, r, s = x[a, axis], x[b, axis], x[c, axis], x[d, axis]
        if min(p, q) > max(r, s) + reach or max(p, q) < min(r, s) - reach:
            return found
    distance, _, _ = segment_closest(x, a, b, c, d)
    if distance > reach:
        return found
    if found < len(pairs):
        pairs[found, 0], pairs[found, 1], pairs[found, 2], pairs[found, 3] = a, b, c, d
        values[found, 0], values[found, 1], values[found, 2], values[found, 3] = gap, 0.0, distance, closing
        values[found, 4] = -np.inf
        keys[found] = key
        if itself:
            apart, _, _ = segment_closest(rest, a, b, c, d)
            values[found, 0] = min(gap, 0.8 * apart)
    return found + 1


@njit(cache=True, nogil=True)
def _leaves(x, seconds, rest, one, other, first_leaf, second_leaf, itself, reach, gap, points, edges, counts):
    """All pairs of the triangles of two leaves."""
    triangles, corners, sides, order, start, low, high, ball = one[:8]
    faces, owned, edged, other_order, other_start, other_low, other_high, other_ball = other[:8]
    found, crossed, count = counts[0], counts[1], len(triangles) + len(faces)
    for first in range(start[first_leaf], start[first_leaf + 1]):
        begin = other_start[second_leaf]
        if itself and first_leaf == second_leaf:
            begin = first + 1
        f = order[first]
        for second in range(begin, other_start[second_leaf + 1]):
            g = other_order[second]
            if _apart(low, high, f, other_low, other_high, g, reach):
                continue
            closing = _nearing(ball, f, other_ball, g, seconds, reach)
            if closing < 0.0:
                continue
            far = reach + seconds * closing
            for k in range(3):
                if corners[f, k]:
                    p = triangles[f, k]
                    found = _point_face(x, rest, p, faces, g, far, gap, closing, itself, points, p * count + g, found)
                if owned[g, k]:
                    p = faces[g, k]
                    found = _point_face(
                        x, rest, p, triangles, f, far, gap, closing, itself, points, p * count + f, found
                    )
                if not sides[f, k]:
                    continue
                a, b = triangles[f, k], triangles[f, (k + 1) % 3]
                for m in range(3):
                    if edged[g, m]:
                        c, d, key = faces[g, m], faces[g, (m + 1) % 3], (3 * f + k) * 3 * count + 3 * g + m
                        crossed = _edge_edge(x, rest, a, b, c, d, far, gap, closing, itself, edges, key, crossed)
    counts[0], counts[1] = found, crossed


@njit(cache=True, nogil=True)
def find_pairs(x, seconds, rest, one, other, itself, reach, gap, points, edges, counts):
    """Points near triangles and edges near edges of two surfaces within `seconds`, into (Int[n,4], Float[n,5], Int[n]).

    With each pair come values: the gap (m) that it is to keep, less where it is nearer at rest; 0; the distance;
    a bound of the speed with which it closes; no last look; and a key of its own. `one` and `other` are
    `FaceTree.arrays`; `itself`: both are the same sheet. `counts` Int[2] are how many there are, beyond the room too.
    """
    box_low, box_high, facing, whole, start, neighbour = one[8:]
    tree_low, tree_high = other[8], other[9]
    leaves, tree_leaves = len(box_low) // 2, len(tree_low) // 2
    counts[:] = 0
    stack = np.empty((4096, 2), np.int64)
    stack[0, 0], stack[0, 1], depth = 1, 1, 1
    while depth:
        depth -= 1
        k, m = stack[depth, 0], stack[depth, 1]
        if _apart(box_low, box_high, k, tree_low, tree_high, m, reach):
            continue
        if itself and whole[k] and whole[m] and facing[k] & facing[m]:
            beside = k == m
            for place in range(start[k], start[k + 1]):
                beside = beside or neighbour[place] == m
            if beside:
                continue
        if k >= leaves and m >= tree_leaves:
            _leaves(
                x, seconds, rest, one, other, k - leaves, m - tree_leaves, itself, reach, gap, points, edges, counts
            )
        elif itself and k == m:
            for first, second in ((2 * k, 2 * k), (2 * k, 2 * k + 1), (2 * k + 1, 2 * k + 1)):
                stack[depth, 0], stack[depth, 1] = first, second
                depth += 1
        elif itself:
            for first in (2 * k, 2 * k + 1):
                for second in (2 * m, 2 * m + 1):
                    stack[depth, 0], stack[depth, 1] = first, second
                    depth += 1
        elif k < leaves and (m >= tree_leaves or k <= m):
            for first in (2 * k, 2 * k + 1):
                stack[depth, 0], stack[depth, 1] = first, m
                depth += 1
        else:
            for second in (2 * m, 2 * m + 1):
                stack[depth, 0], stack[depth, 1] = k, second
                depth += 1
