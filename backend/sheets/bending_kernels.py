"""Compiled loops of bending: five-diagonal systems along paths, and frames in which curvatures turn with a sheet.

Paths are places start Int[P+1] of node Int[n]; `factor` Float[n,3] 1/m^2 are those of the place before, of it and of
the next one, with weight Float[n] N m^3, 0 at ends.
"""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["bend_paths", "factorise", "local_frames"]


@njit(cache=True, nogil=True)
def factorise(start, node, factor, weight, inverse, step, viscous, band):
    """L D L^T = M / h^2 + (1 + viscous) K of each path, into band Float[n,3]: 1 / D, two entries before it."""
    for path in range(len(start) - 1):
        begin, end = start[path], start[path + 1]
        for place in range(begin, end):
            own = beside = second = 0.0  # the matrix at (place, place), (place, place - 1), (place, place - 2)
            for row in range(max(place - 1, begin), min(place + 2, end)):
                k = factor[row, place - row + 1]
                own += (1.0 + viscous) * weight[row] * k * k
            for row in range(max(place - 1, begin), place + 1):
                if place > begin:
                    beside += (1.0 + viscous) * weight[row] * factor[row, place - row + 1] * factor[row, place - row]
            if place > begin + 1:
                second = (1.0 + viscous) * weight[place - 1] * factor[place - 1, 2] * factor[place - 1, 0]
            if inverse[node[place]] == 0.0:
                band[place, 0], band[place, 1], band[place, 2] = 0.0, 0.0, 0.0
                continue
            own += 1.0 / (inverse[node[place]] * step * step)
            low = high = 0.0
            if place > begin + 1:
                low = second * band[place - 2, 0]
                own -= low * second
            if place > begin:
                left = beside
                if place > begin + 1 and band[place - 2, 0] != 0.0:
                    left -= low * band[place - 1, 1] / band[place - 2, 0]
                high = left * band[place - 1, 0]
                own -= high * left
            band[place, 0], band[place, 1], band[place, 2] = 1.0 / own, high, low


@njit(cache=True, nogil=True, fastmath=True)
def bend_paths(x, before, inverse, start, node, factor, weight, target, viscous, band, work):
    """x += (M / h^2 + K)^-1 times the forces of curvatures to `target` Float[n,3], path by path."""
    for path in range(len(start) - 1):
        begin, end = start[path], start[path + 1]
        count = end - begin
        for place in range(count):
            work[place, 0] = work[place, 1] = work[place, 2] = 0.0
        for place in range(begin + 1, end - 1):
            i, j, k = node[place - 1], node[place], node[place + 1]
            f, g, h = factor[place, 0], factor[place, 1], factor[place, 2]
            row = place - begin
            for axis in range(3):
                c = f * x[i, axis] + g * x[j, axis] + h * x[k, axis]
                old = f * before[i, axis] + g * before[j, axis] + h * before[k, axis]
                c = weight[place] * (c - target[place, axis] + viscous * (c - old))
                work[row - 1, axis] -= f * c
                work[row, axis] -= g * c
                work[row + 1, axis] -= h * c
        for row in range(1, count):
            high, low = band[begin + row, 1], band[begin + row, 2]
            for axis in range(3):
                work[row, axis] -= high * work[row - 1, axis]
                if row > 1:
                    work[row, axis] -= low * work[row - 2, axis]
        for row in range(count - 1, -1, -1):
            place = begin + row
            for axis in range(3):
                work[row, axis] *= band[place, 0]
                if row + 1 < count:
                    work[row, axis] -= band[place + 1, 1] * work[row + 1, axis]
                if row + 2 < count:
                    work[row, axis] -= band[place + 2, 2] * work[row + 2, axis]
            j = node[place]
            if inverse[j] == 0.0:
                work[row, 0] = work[row, 1] = work[row, 2] = 0.0
            x[j, 0] += work[row, 0]
            x[j, 1] += work[row, 1]
            x[j, 2] += work[row, 2]


@njit(cache=True, nogil=True, fastmath=True)
def local_frames(x, triangles, start, node, frame, normal):
    """Along a path, across it and along the normal, as rows of frame Float[n,3,3]; `normal` is for work."""
    normal[:] = 0.0
    for face in range(len(triangles)):
        a, b, c = triangles[face, 0], triangles[face, 1], triangles[face, 2]
        px, py, pz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        qx, qy, qz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
        nx, ny, nz = py * qz - pz * qy, pz * qx - px * qz, px * qy - py * qx
        for corner in (a, b, c):
            normal[corner, 0] += nx
            normal[corner, 1] += ny
            normal[corner, 2] += nz
    for path in range(len(start) - 1):
        for place in range(start[path] + 1, start[path + 1] - 1):
            i, j, k = node[place - 1], node[place], node[place + 1]
            tx, ty, tz = x[k, 0] - x[i, 0], x[k, 1] - x[i, 1], x[k, 2] - x[i, 2]
            size = 1.0 / np.sqrt(max(tx * tx + ty * ty + tz * tz, 1e-300))
            tx, ty, tz = tx * size, ty * size, tz * size
            nx, ny, nz = normal[j, 0], normal[j, 1], normal[j, 2]
            along = nx * tx + ny * ty + nz * tz
            nx, ny, nz = nx - along * tx, ny - along * ty, nz - along * tz
            size = 1.0 / np.sqrt(max(nx * nx + ny * ny + nz * nz, 1e-300))
            nx, ny, nz = nx * size, ny * size, nz * size
            frame[place, 0, 0], frame[place, 0, 1], frame[place, 0, 2] = tx, ty, tz
            frame[place, 1, 0] = ny * tz - nz * ty
            frame[place, 1, 1] = nz * tx - nx * tz
            frame[place, 1, 2] = nx * ty - ny * tx
            frame[place, 2, 0], frame[place, 2, 1], frame[place, 2, 2] = nx, ny, nz
