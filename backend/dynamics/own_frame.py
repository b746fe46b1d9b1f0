"""A frame that turns and moves along with what bends: motions of its points by handles, without their common part."""

from __future__ import annotations

import numpy as np

from ..kinematics.base import Array
from .rigid_placement import nearest_rotation

__all__ = ["OwnFrame"]

NO_WEIGHT = 1e-9  # of a handle: less does not bend


class OwnFrame:
    """The frame of points with a basis Float[S,4H] and rest places Float[S,3] m."""

    def __init__(self, basis: Array, rest: Array, carriers: tuple[int, ...] | None) -> None:
        """`carriers`: the handles whose weights sum to one, the others bend; None: all are, and do."""
        count = basis.shape[1] // 4
        self._basis = basis
        self._carriers = 4 * np.arange(count)[slice(None) if carriers is None else list(carriers)] + 3
        self._mean = basis.mean(axis=0)
        self._centre = rest.mean(axis=0)
        away = rest - self._centre
        self._spread = away.T @ basis  # sum_v (X_v - mean) phi_v
        self._inertia = np.trace(away.T @ away) * np.eye(3) - away.T @ away
        self._ranges = np.ptp(basis, axis=0)
        weights = np.abs(basis[:, 3::4])
        if carriers is None:
            self.bends = np.ones(len(basis), dtype=bool)
        else:
            self.bends = np.delete(weights, list(carriers), axis=1).max(axis=1, initial=0.0) > NO_WEIGHT

    def still(self, handles: Array, rate: Array | None = None) -> tuple[Array, Array]:
        """Handles Float[4H,3] turned and moved back as near to rest as they get, and their rate without the common
        motion."""
        turn = nearest_rotation((self._spread @ handles).T)
        here = handles @ turn
        here[self._carriers] -= self._mean @ here - self._centre
        if rate is None:
            return here, np.zeros_like(here)
        rate = rate @ turn
        flow = self._spread @ rate  # sum_v (X_v - mean) v_v^T
        momentum = np.array([flow[1, 2] - flow[2, 1], flow[2, 0] - flow[0, 2], flow[0, 1] - flow[1, 0]])
        x, y, z = np.linalg.lstsq(self._inertia, momentum, rcond=None)[0]
        rate -= here @ np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
        rate[self._carriers] -= self._mean @ rate
        return here, rate

    def positions(self, handles: Array) -> Array:
        """Of the points, Float[S,3] m."""
        return self._basis @ handles

    def most_change(self, change: Array) -> float:
        """By how much two points come nearer each other at most where handles change by Float[4H,3], m."""
        return float(self._ranges @ np.sqrt((change**2).sum(axis=1)))
