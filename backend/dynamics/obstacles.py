"""Collider meshes: what simulated objects touch and what does not give way, still or animated."""

from __future__ import annotations

from ..geometry.collision_surface import CollisionSurface
from ..geometry.near_edges import wings
from ..geometry.near_surface import Features, NearSurface
from ..kinematics.base import Array
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
        self._kept: dict[float, Array] = {}

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

    def _moved(self, seconds: float) -> Array:
        if self._motion is not None:
            return self._motion.positions(self._drawn, seconds)
        frame = min(max(seconds * self._fps, 0.0), len(self._frames) - 1.0)
        first = int(frame)
        last = min(first + 1, len(self._frames) - 1)
        return (1.0 - (frame - first)) * self._frames[first] + (frame - first) * self._frames[last]

    def features(self, seconds: float, points: Array, reach: Array) -> Features:
        """What of it, where it is at a time, is near points Float[P,3]."""
        if self._motion is not None:
            turn, place = self._motion.pose(seconds)
            centre = self._motion.centre
            found = self._near.features((points - (centre + place)) @ turn + centre, reach)
            return Features(found.point, found.triangle, found.share, found.normal @ turn.T, found.gap)
        if self._frames is not None:
            self._near = self._near.moved(self.positions(seconds))
        return self._near.features(points, reach)

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
