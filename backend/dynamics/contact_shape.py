"""Collision geometry of one object: sample points, and the triangles between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..geometry.collision_surface import CollisionSurface
from ..geometry.near_edges import wings
from ..geometry.near_surface import Features
from ..kinematics.base import Array
from .moving_surface import MovingSurface

__all__ = ["ContactShape"]


class ContactShape:
    """Contact geometry of one simulated object.

    `basis` Float[S,4H] is of the surface's vertices and, after them, of further points that only have to stay outside.
    """

    def __init__(
        self, basis: Array, surface: CollisionSurface, rest: Array, rigid: bool, rolling: np.ndarray | None = None
    ) -> None:
        """rest Float[S,3] m: what the rest handles decode to. `rigid`: the shape never changes, only its pose.

        `rolling` Bool[S]: points of wheels, which come down and go up again as they roll; None: there are none.
        """
        self.rolling = np.zeros(len(basis), dtype=np.bool_) if rolling is None else rolling
        self.basis, self.surface, self.rigid = basis, surface, rigid
        self.rest = rest
        self.wings = wings(surface.edges, surface.triangles, surface.closed)
        self._near: MovingSurface | None = None
        self._placed = rest  # the positions for which `_near` is

    def __len__(self) -> int:
        return len(self.basis)

    def positions(self, a: Array) -> Array:
        """Float[S,3] m."""
        return self.basis @ a

    def features(self, a: Array, positions: Array, points: Array, reach: Array) -> Features:
        """What of this surface, at handles `a`, is near points Float[P,3]; see `MovingSurface.features`."""
        if not self.rigid:
            return self.surface_at(positions).features(points, reach)
        # x = X @ turn + shift: the constant handle is the turn times the scale of the reference coordinates.
        turn = a[:3] / np.linalg.norm(a[0])
        shift = positions[0] - self.rest[0] @ turn
        found = self.surface_at(self.rest).features((points - shift) @ turn.T, reach)
        return replace(found, normal=found.normal @ turn)

    def surface_at(self, positions: Array) -> MovingSurface:
        """The surface with its points at these positions, which are not changed in place."""
        if self._near is None:
            self._near = MovingSurface(self.surface, self.rest)
        if self._placed is not positions:
            self._near.move(positions)
            self._placed = positions
        return self._near

    def rows(self, found: Features) -> Array:
        """Basis rows of the found surface points, Float[c,4H]."""
        corners = self.basis[self.surface.triangles[found.triangle]]
        return (found.share[:, None, :] @ corners)[:, 0]
