"""Sliders: shapes of slider values, the values of a pose, and random plausible poses.

The shape of slider values v Float[k] lies where the object is and as it is turned. What each slider is, the provider
says (`understanding.providers`): a coordinate of the object, or a mode of what is elastic.
"""

from __future__ import annotations

import numpy as np

from ..bodies.body import Body
from ..errors import UserError
from ..geometry.surface_points import quasi_random_points
from ..kinematics.base import Array
from ..understanding.providers.slider_map import InnerSliders, SliderMap

__all__ = ["MOST_SHAPES", "Sliders"]

MOST_SHAPES = 64  # at once
EDGE_TRIANGLES = 500  # spread by area, whose edges tell how far a shape is stretched
STRETCHED = 1.3  # times its length at rest: an edge that looks stretched
MOST_STRETCHED = 0.05  # of the edges, by area
DRAWS = 20  # of one random pose, before it is made smaller instead
SMALLER = 0.8


class Sliders:
    """The sliders of one object."""

    def __init__(self, body: Body, slider_map: SliderMap) -> None:
        self._body, self._map = body, slider_map
        self.coordinates = slider_map.coordinates
        places = quasi_random_points(body.mesh.vertices, body.mesh.triangles, EDGE_TRIANGLES)
        self._corners = body.vertex_basis(body.mesh.triangles[places.triangle].ravel())
        self._lengths = self._edges(body.kinematics.handles(body.kinematics.rest()))

    def values(self, q: Array) -> Array:
        """The slider values Float[k] nearest to a pose q, within their ranges."""
        return self._clipped(self._map.values(q))

    def shapes(self, values: Array, now: Array) -> Array:
        """World handles Float[n,H,3,4] of slider values Float[n,k], clipped to their ranges, where q `now` is.

        Raises UserError.
        """
        count = len(self.coordinates.names)
        if values.ndim != 2 or values.shape[1] != count or not 0 < len(values) <= MOST_SHAPES:
            raise UserError("bad_values.shape", shape=str(values.shape), count=count, most=MOST_SHAPES)
        if not np.isfinite(values).all():
            raise UserError("bad_values.not_finite")
        world = self._body.frame.world_handles
        return np.array([world(self._map.handles(self._clipped(each), now)) for each in values.astype(np.float64)])

    def pose(self, values: Array, now: Array) -> Array | None:
        """The pose q of slider values Float[k] where q `now` is; None where sliders are no coordinates."""
        return self._map.pose(self._clipped(values), now) if isinstance(self._map, InnerSliders) else None

    def random(self, count: int, seed: int) -> np.ndarray:
        """Values float32 (count,k) of plausible poses: deviation one about the mean, within the ranges.

        Poses in which many edges are stretched are drawn again. Raises UserError where nothing can be posed.
        """
        if not self.coordinates.names:
            raise UserError("bad_values.rigid")
        if not 0 < count <= MOST_SHAPES or not 0 <= seed < 2**31:
            raise UserError("bad_values.random", count=count, seed=seed, most=MOST_SHAPES, last=2**31 - 1)
        generator = np.random.default_rng(seed)
        return np.array([self._drawn(generator) for _ in range(count)])

    def _drawn(self, generator: np.random.Generator) -> np.ndarray:
        for _ in range(DRAWS):
            away = self._map.spread * generator.normal(size=len(self._map.mean))
            values = self._clipped(self._map.mean + away).astype(np.float32)
            if self._plausible(values):
                return values
        while not self._plausible(values):
            values = np.float32(SMALLER) * values
        return values

    def _plausible(self, values: np.ndarray) -> bool:
        rest = self._body.kinematics.rest()
        edges = self._edges(self._map.handles(values.astype(np.float64), rest))
        return float((edges > STRETCHED * self._lengths).mean()) <= MOST_STRETCHED

    def _edges(self, a: Array) -> Array:
        """Their lengths for handles Float[4H,3], Float[E] m."""
        corners = (self._corners @ a).reshape(-1, 3, 3)
        return np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).ravel()

    def _clipped(self, values: Array) -> Array:
        return np.clip(values, self.coordinates.lower, self.coordinates.upper)
