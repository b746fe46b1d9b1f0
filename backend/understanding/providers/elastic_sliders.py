"""Sliders of an elastic object: the softest eigenmodes phi_i of its stiffness in the metric of its mass, at rest.

    q(v) = sum_i v_i s_i phi_i,    s_i such that v_i = 1 moves the surface by 0.1 w_1 / w_i of the size, RMS by area,

so that a mode of a higher frequency w_i moves less, as it does in nature.
"""

from __future__ import annotations

import numpy as np

from ...bodies.body import Body
from ...dynamics.rigid_placement import RigidPlacement
from ...dynamics.stiffness import LaggedStiffness
from ...geometry.surface_points import quasi_random_points
from ...kinematics.base import Array
from ...kinematics.elastic import ElasticKinematics
from .slider_map import Coordinates

__all__ = ["ElasticSliders"]

MOST_MODES = 12
MODE_MOTION = 0.1  # of the size, RMS
MODE_RANGE = 2.0
SURFACE_POINTS = 3000
SOFT_FLOOR = 1e-6  # of the highest squared frequency in use: loose parts of a free object have none of their own


class ElasticSliders:
    """The softest modes, as many as there are sliders."""

    def __init__(self, body: Body, placement: RigidPlacement, stiffness: LaggedStiffness) -> None:
        kinematics = body.kinematics
        assert isinstance(kinematics, ElasticKinematics)
        first = placement.motions.shape[1]
        squares = stiffness.squared_frequencies[first : first + MOST_MODES]
        squares = np.maximum(squares, SOFT_FLOOR * squares[-1])
        modes = stiffness.modes[:, first : first + MOST_MODES]
        # An eigenvector has no sign of its own.
        modes = modes * np.sign(modes[np.abs(modes).argmax(axis=0), np.arange(modes.shape[1])])
        places = quasi_random_points(body.mesh.vertices, body.mesh.triangles, SURFACE_POINTS)
        corners = body.mesh.triangles[places.triangle]
        rows = body.vertex_basis(corners.ravel()).reshape(*corners.shape, -1)
        rows = np.einsum("nc,ncm->nm", places.barycentric, rows) @ kinematics.reduction
        moved = np.tensordot(rows, modes.reshape(rows.shape[1], 3, -1), axes=1)  # (n, 3, k)
        length = np.sqrt((moved**2).sum(axis=1).mean(axis=0))
        wanted = MODE_MOTION * body.size * np.sqrt(squares[0] / squares)
        self._modes, self._scale = modes, wanted / np.maximum(length, 1e-12 * length.max())
        count = len(squares)
        names = tuple(f"Mode {number}" for number in range(1, count + 1))
        ends = np.full(count, MODE_RANGE)
        self.coordinates = Coordinates(names, ("mode",) * count, -ends, ends)
        self.mean, self.spread = np.zeros(count), np.ones(count)
        self._kinematics, self._placement = kinematics, placement

    def handles(self, values: Array, now: Array) -> Array:
        a = self._kinematics.handles(self._modes @ (self._scale * values))
        if not self._placement.free:
            return a
        return self._placement.moved(a, *self._placement.motion(self._kinematics.handles(now)))

    def values(self, q: Array) -> Array:
        if self._placement.free:
            a = self._kinematics.handles(q)
            turn, shift = self._placement.motion(a)
            q = self._placement.coordinates(self._placement.moved(a, turn.T, -turn.T @ shift))
        return (self._modes.T @ q) / self._scale
