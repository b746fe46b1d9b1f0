"""Compiled sweeps of what a sheet does by itself: its membrane, and tethers to what is held.

All of positions x Float[N,3] m are changed in place; `inverse` Float[N] 1/kg is zero of what is held.
"""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["stretch_paths", "tether"]


@njit(cache=True, nogil=True, fastmath=True)
def stretch_paths(x, inverse, start, node, length, compliance, slack, work):
    """Each path is brought to its lengths at once: S r = -C, S = J M^-1 J^T + compliance, a tridiagonal matrix.

    `length` and `compliance` Float[n] are of the edge that ends at each place; `work` Float[m,6] is for the longest.
    """
    for path in range(len(start) - 1):
        begin, end = start[path], start[path + 1]
        i = node[begin]
        px, py, pz = x[i, 0], x[i, 1], x[i, 2]
        before = inverse[i]
        ux = uy = uz = 0.0
        for place in range(begin + 1, end):
            row = place - begin
            j = node[place]
            qx, qy, qz = x[j, 0], x[j, 1], x[j, 2]
            dx, dy, dz = qx - px, qy - py, qz - pz
            now = np.sqrt(dx * dx + dy * dy + dz * dz) + 1e-30
            share = 1.0 / now
            dx *= share
            dy *= share
            dz *= share
            off = length[place] - now
            if off > 0.0:
                off *= slack
            w = inverse[j]
            pivot = before + w + compliance[place]
            if row > 1:
                link = -before * (ux * dx + uy * dy + uz * dz)
                pivot -= link * link * work[row - 1, 4]
                off -= link * work[row - 1, 4] * work[row - 1, 3]
                work[row - 1, 5] = link
            work[row, 0] = dx
            work[row, 1] = dy
            work[row, 2] = dz
            work[row, 3] = off
            work[row, 4] = 1.0 / max(pivot, 1e-300)
            ux, uy, uz = dx, dy, dz
            px, py, pz = qx, qy, qz
            before = w
        _move_back(x, inverse, node, begin, end, work)


@njit(cache=True, nogil=True, fastmath=True)
def _move_back(x, inverse, node, begin, end, work):
    """Back substitution of a path's system, whose solution moves the nodes."""
    later = lx = ly = lz = 0.0
    for place in range(end - 1, begin, -1):
        row = place - begin
        value = work[row, 3]
        if place < end - 1:
            value -= work[row, 5] * later
        later = value * work[row, 4]
        fx, fy, fz = later * work[row, 0], later * work[row, 1], later * work[row, 2]
        j = node[place]
        w = inverse[j]
        x[j, 0] += w * (fx - lx)
        x[j, 1] += w * (fy - ly)
        x[j, 2] += w * (fz - lz)
        lx, ly, lz = fx, fy, fz
    i = node[begin]
    x[i, 0] -= inverse[i] * lx
    x[i, 1] -= inverse[i] * ly
    x[i, 2] -= inverse[i] * lz


@njit(cache=True, nogil=True, fastmath=True)
def tether(x, inverse, node, held, length):
    """Nodes stay within `length` Float[n] m of what is held: so far they can get without being stretched."""
    for number in range(len(node)):
        i, j = node[number], held[number]
        dx, dy, dz = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
        square = dx * dx + dy * dy + dz * dz
        if square <= length[number] * length[number] or inverse[i] == 0.0:
            continue
        share = 1.0 - length[number] / np.sqrt(square)
        x[i, 0] -= share * dx
        x[i, 1] -= share * dy
        x[i, 2] -= share * dz
