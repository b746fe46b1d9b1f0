"""Compiled barrier and friction of contacts at one iterate: what acts, its gradient and the roots of its Hessian."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from ..kinematics.base import Array
from .barrier import barrier_derivatives

__all__ = ["push_and_rub"]

NO_CURVATURE = 1e-9  # of the stiffest direction of a contact: less does not resist


@njit(cache=True, nogil=True)
def push_and_rub(
    relative: Array, normal: Array, lift: Array, margin: Array, stiffness: Array, kept: Array, limit: Array,
    length: Array, chosen: np.ndarray, force: Array, of: np.ndarray, root: Array,
) -> tuple[int, int]:  # fmt: skip
    """How many contacts act and how many directions resist, which fill the last four arguments.

    relative Float[c,3] is x_first - x_second; with `kept` Float[c,3] added it is the stretch of the bristles. Where
    `limit` Float[c] N is positive a contact rubs. The rest is as in `contact_pairs.ContactForces`.
    """
    acting = roots = 0
    slip, across = np.empty(3), np.empty(3)
    for c in range(len(relative)):
        n = normal[c]
        gap = relative[c, 0] * n[0] + relative[c, 1] * n[1] + relative[c, 2] * n[2] + lift[c]
        rubs = limit[c] > 0.0
        if gap >= margin[c] and not rubs:
            continue
        chosen[acting] = c
        acting += 1
        push, steepness = barrier_derivatives(gap, margin[c], stiffness[c])
        along = sideways = 0.0
        if rubs:
            for axis in range(3):
                slip[axis] = relative[c, axis] + kept[c, axis]
            stretch = _tangents(slip, n, 1e-12 * length[c], across)
            # mu f eps F(y), F = y^2 (1 - y/3) + 1/3 below one and y above, see `friction`.
            y, hold = stretch / length[c], limit[c] / length[c]
            sideways = hold * (2.0 - y) if y < 1.0 else hold / y
            along = hold * (2.0 - 2.0 * y) if y < 1.0 else 0.0
            for axis in range(3):
                force[c, axis] = sideways * stretch * slip[axis]
        for axis in range(3):
            force[c, axis] += push * n[axis]
        least = NO_CURVATURE * max(steepness, along, sideways)
        for resistance, direction in ((steepness, n), (along, slip), (sideways, across)):
            if resistance > least:
                scale = math.sqrt(resistance)
                for axis in range(3):
                    root[roots, axis] = scale * direction[axis]
                of[roots] = c
                roots += 1
    return acting, roots


@njit(cache=True, nogil=True)
def _tangents(slip: Array, n: Array, least: float, across: Array) -> float:
    """How far a slip is across the unit normal; its direction there, and the one across both, replace the arguments.

    What is shorter than `least` has any direction.
    """
    away = slip[0] * n[0] + slip[1] * n[1] + slip[2] * n[2]
    for axis in range(3):
        slip[axis] -= away * n[axis]
    stretch = norm = math.sqrt(slip[0] ** 2 + slip[1] ** 2 + slip[2] ** 2)
    if stretch <= least:
        small = 0
        for axis in (1, 2):
            if abs(n[axis]) < abs(n[small]):
                small = axis
        for axis in range(3):
            slip[axis] = (1.0 if axis == small else 0.0) - n[small] * n[axis]
        norm, stretch = math.sqrt(1.0 - n[small] ** 2), 0.0
    for axis in range(3):
        slip[axis] /= norm
    across[0] = n[1] * slip[2] - n[2] * slip[1]
    across[1] = n[2] * slip[0] - n[0] * slip[2]
    across[2] = n[0] * slip[1] - n[1] * slip[0]
    return stretch
