"""Collider meshes, still or animated: they push simulated objects and are not moved by them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..geometry.collision_surface import CollisionSurface
from ..geometry.near_edges import EdgeFeatures, NearEdges, wings
from ..geometry.near_surface import Features, NearSurface
from ..kinematics.base import Array
from .proximity_bounds import Box, travel
from .targets import RigidMotion

__all__ = ["Obstacle"]


class Obstacle:
    """A triangle mesh that simulated objects cannot enter."""

    def __init__(
        self,
        surface: CollisionSurface,
        vertices: Array,
        friction: float,
        restitution: float,
        motion: RigidMotion | None = None,
        frames: Array | None = None,
        fps: float = 24.0,
    ) -> None:
        """vertices Float[V,3] (m) as drawn; `motion` moves them as a whole, `frames` Float[T,V,3] one by one."""
        self.surface, self.friction, self.restitution = surface, friction, restitution
        self._drawn, self._motion, self._frames, self._fps = vertices, motion, frames, fps
        self.wings = wings(surface.edges, surface.triangles, surface.closed)
        self._near = NearSurface(surface.triangles, surface.closed, vertices)
        self._edges = NearEdges(vertices, surface.edges, self.wings)
        self._at = 0.0  # s, for which `_near` and `_edges` are, where it is given frame by frame
        self._kept: dict[float, Array] = {}

    @property
    def own_points(self) -> Array:
        """Float[V,3] m in a frame that moves with it, see `placement`."""
        return self._drawn if self._motion is None else self._drawn - self._motion.centre

    def placement(self, seconds: float) -> tuple[Array, Array] | None:
        """Rotation Float[3,3] and place Float[3] m of that frame at a time; None where it changes its shape."""
        if self._frames is not None:
            return None
        if self._motion is None:
            return np.eye(3), np.zeros(3)
        turn, place = self._motion.pose(seconds)
        return turn, self._motion.centre + place

    def moves_between(self, begin: float, end: float) -> bool:
        """Whether it can be anywhere else at another time in [begin, end] (s)."""
        if self._motion is not None:
            return begin < self._motion.end and end > self._motion.begin
        return self._frames is not None and begin * self._fps < len(self._frames) - 1

    def positions(self, seconds: float) -> Array:
        """Float[V,3] m at a time."""
        if self._motion is None and self._frames is None:
            return self._drawn
        if seconds not in self._kept:
            if len(self._kept) >= 3:
                self._kept.pop(next(iter(self._kept)))
            self._kept[seconds] = self._moved(seconds)
        return self._kept[seconds]

    def travel(self, begin: float, end: float) -> float:
        """How far any of its points gets between two times (s), m."""
        return travel(self.positions(begin), self.positions(end)) if self.moves_between(begin, end) else 0.0

    def _moved(self, seconds: float) -> Array:
        if self._motion is not None:
            return self._motion.positions(self._drawn, seconds)
        frame = min(max(seconds * self._fps, 0.0), len(self._frames) - 1.0)
        first = int(frame)
        last = min(first + 1, len(self._frames) - 1)
        return (1.0 - (frame - first)) * self._frames[first] + (frame - first) * self._frames[last]

    def _posed(self, seconds: float, points: Array) -> Array:
        """Points Float[P,3] as they lie to the drawn shape; where it is given frame by frame that follows instead."""
        if self._frames is not None and self._at != seconds:
            moved = self.positions(seconds)
            self._near, self._at = self._near.moved(moved), seconds
            self._edges = NearEdges(moved, self.surface.edges, self.wings)
        if self._motion is None:
            return points
        turn, place = self._motion.pose(seconds)
        centre = self._motion.centre
        return (points - (centre + place)) @ turn + centre

    def _turned(self, seconds: float, normal: Array) -> Array:
        return normal if self._motion is None else normal @ self._motion.pose(seconds)[0].T

    def features(self, seconds: float, points: Array, reach: Array, depth: Array | None = None) -> Features:
        """What of it, where it is at a time, is near points Float[P,3]; see `NearSurface.features`."""
        found = self._near.features(self._posed(seconds, points), reach, depth)
        return replace(found, normal=self._turned(seconds, found.normal))

    def edge_features(
        self, seconds: float, positions: Array, edges: np.ndarray, reach: float, sides: np.ndarray
    ) -> EdgeFeatures:
        """Which edges Int[e,2] between positions Float[S,3] come near its own (the second ones)."""
        found = self._edges.features(self._posed(seconds, positions), edges, reach, sides)
        return replace(found, normal=self._turned(seconds, found.normal))

    def box(self, seconds: float) -> Box:
        """A box around it at a time."""
        if self._motion is None:
            self._posed(seconds, self._drawn[:1])
            return self._near.bounds
        turn, place = self._motion.pose(seconds)
        low, high = self._near.bounds
        middle = (0.5 * (low + high) - self._motion.centre) @ turn.T + self._motion.centre + place
        half = np.abs(turn) @ (0.5 * (high - low))
        return middle - half, middle + half

    def corners_in(self, seconds: float, low: Array, high: Array) -> np.ndarray:
        """Its vertices Int[n] that may lie between two corners of a box at a time."""
        if self._motion is None:
            self._posed(seconds, self._drawn[:1])
            return self._near.points_in(low, high)
        turn, place = self._motion.pose(seconds)
        centre = self._motion.centre
        middle = (0.5 * (low + high) - (centre + place)) @ turn + centre
        half = np.abs(turn.T) @ (0.5 * (high - low))
        return self._near.points_in(middle - half, middle + half)

    def carried(self, found: Features, begin: float, end: float) -> tuple[Array, Array, Array]:
        """Surface points Float[c,3] of features found at `begin` (s), then and at `end`, and normals at the end."""
        corners = self.surface.triangles[found.triangle]
        before, after = self.positions(begin), self.positions(end)
        first = (found.share[:, None, :] @ before[corners])[:, 0]
        last = (found.share[:, None, :] @ after[corners])[:, 0]
        normal = found.normal
        if self._motion is not None and self.moves_between(begin, end):
            normal = normal @ self._motion.pose(begin)[0] @ self._motion.pose(end)[0].T
        return first, last, normal
