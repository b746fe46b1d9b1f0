"""Compiled: what the air does to the triangles of a sheet, and the step of its free nodes."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["blow", "finish", "predict"]


@njit(cache=True, nogil=True, fastmath=True)
def blow(x, v, mass, triangles, air, pressure, rubbing, lift, step, push):
    """Impulses of a step (N s), added to `push` Float[N,3]: drag, rubbing and lift of triangles in air Float[F,3] m/s.

    With u the air's velocity minus the triangle's, A its area and n its normal: pressure A |u_n| u_n n + rubbing A
    |u_t| u_t + lift A u_n (|u| n - u_n u / |u|), each coefficient times half the density of the air (see
    `dynamics.wind`). No term takes more than half of the velocity that it resists in one step.
    """
    for face in range(len(triangles)):
        a, b, c = triangles[face, 0], triangles[face, 1], triangles[face, 2]
        px, py, pz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        qx, qy, qz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
        nx, ny, nz = py * qz - pz * qy, pz * qx - px * qz, px * qy - py * qx
        twice = np.sqrt(nx * nx + ny * ny + nz * nz)
        if twice < 1e-300:
            continue
        nx, ny, nz = nx / twice, ny / twice, nz / twice
        ux = air[face, 0] - (v[a, 0] + v[b, 0] + v[c, 0]) / 3.0
        uy = air[face, 1] - (v[a, 1] + v[b, 1] + v[c, 1]) / 3.0
        uz = air[face, 2] - (v[a, 2] + v[b, 2] + v[c, 2]) / 3.0
        across = ux * nx + uy * ny + uz * nz
        tx, ty, tz = ux - across * nx, uy - across * ny, uz - across * nz
        along = np.sqrt(tx * tx + ty * ty + tz * tz)
        speed = np.sqrt(ux * ux + uy * uy + uz * uz)
        load = 0.5 * twice * step
        most = min(mass[a], mass[b], mass[c])  # kg: half of what all three corners carry, and less of light ones
        first = min(pressure * load * abs(across), most)
        second = min(rubbing * load * along, most)
        fx, fy, fz = (
            first * across * nx + second * tx,
            first * across * ny + second * ty,
            first * across * nz + second * tz,
        )
        if lift != 0.0 and speed > 0.0:
            third = min(max(lift * load * across, -most), most)
            side = across / speed
            fx += third * (speed * nx - side * ux)
            fy += third * (speed * ny - side * uy)
            fz += third * (speed * nz - side * uz)
        for corner in range(3):
            node = triangles[face, corner]
            push[node, 0] += fx / 3.0
            push[node, 1] += fy / 3.0
            push[node, 2] += fz / 3.0


@njit(cache=True, nogil=True, fastmath=True)
def predict(x, v, before, inverse, gravity, push, step):
    """Free flight: x += h v + h^2 (g + f / m), with h f in `push` Float[N,3] N s, which is emptied."""
    for i in range(len(inverse)):
        for axis in range(3):
            before[i, axis] = x[i, axis]
            if inverse[i] > 0.0:
                v[i, axis] += step * gravity[axis] + inverse[i] * push[i, axis]
                x[i, axis] += step * v[i, axis]
            push[i, axis] = 0.0


@njit(cache=True, nogil=True, fastmath=True)
def finish(x, before, v, inverse, step):
    """Velocities of what has moved."""
    for i in range(len(inverse)):
        for axis in range(3):
            v[i, axis] = (x[i, axis] - before[i, axis]) / step
