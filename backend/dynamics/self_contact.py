"""An object's contact with itself: which closenesses are folds, and which points are worth asking about."""

from __future__ import annotations

import numpy as np

from ..geometry.near_surface import Features
from ..kinematics.base import Array
from .actor import Instant
from .contact_shape import ContactShape

__all__ = ["FoldWatch"]

NEIGHBOURHOOD = 4.0  # median edge lengths: what is nearer than this on a sheet at rest is the same place
THICKNESS = 0.25  # of the size: what lies behind a face at rest and nearer than this is the other side of the material
WATCHED = 0.03  # of the size: how near a fold is before its points are asked about at every step


class FoldWatch:
    """Finds where one object comes near itself.

    Every point is near its own surroundings at all times, so asking about all of them is dear. A full search looks as
    far as WATCHED; until the shape has changed by half of what that is more than a step needs, only the points it found
    can come into contact.
    """

    def __init__(self, shape: ContactShape, size: float, margin: float) -> None:
        """`size` of the object and contact `margin`, m."""
        self._shape, self._size, self._margin = shape, size, margin
        triangles, rest = shape.surface.triangles, shape.rest
        self._edge = float(np.median(np.linalg.norm(rest[triangles[:, 0]] - rest[triangles[:, 1]], axis=1)))
        self._searched: Array | None = None  # the shape of the last full search, without its turn and place
        self._reached = 0.0  # m, how far that search looked
        self._before: Array | None = None
        self._watched = np.zeros(0, dtype=np.int64)

    def folds(self, now: Instant, step: float, widen: float) -> tuple[Features, np.ndarray] | None:
        """Features of the object's own points, and which rows of them are contacts with itself; None without any."""
        positions = now.positions
        shape = self._unturned(positions)
        speed = now.speeds.max() if self._before is None or step == 0.0 else 0.0
        if self._before is not None and step > 0.0:
            speed = 1.5 * float(np.sqrt(((shape - self._before) ** 2).sum(axis=1).max())) / step
        self._before = shape
        reach = 6.0 * self._margin + widen * (2.0 * step * speed + 9.81 * step**2)
        changed = (
            np.inf if self._searched is None else float(np.sqrt(((shape - self._searched) ** 2).sum(axis=1).max()))
        )
        if 2.0 * changed + reach > self._reached:
            self._reached = max(WATCHED * self._size, 3.0 * reach)
            found = self._features(now, np.arange(len(positions)), self._reached)
            self._watched = np.unique(found.point[self._folded(found)])
            self._searched = shape
        if self._watched.size == 0:
            return None
        found = self._features(now, self._watched, reach)
        chosen = self._folded(found)
        return (found, chosen) if chosen.size else None

    def _unturned(self, positions: Array) -> Array:
        """Positions Float[S,3] turned and moved back as near to the rest shape as they get."""
        rest = self._shape.rest - self._shape.rest.mean(axis=0)
        away = positions - positions.mean(axis=0)
        left, _, right = np.linalg.svd(away.T @ rest)
        return away @ (left @ np.diag([1.0, 1.0, np.sign(np.linalg.det(left @ right))]) @ right)

    def _features(self, now: Instant, points: np.ndarray, reach: float) -> Features:
        found = self._shape.features(now.handles, now.positions, now.positions[points], np.full(len(points), reach))
        return Features(points[found.point], found.triangle, found.share, found.normal, found.gap)

    def _folded(self, found: Features) -> np.ndarray:
        """Rows Int[m] that are not the point's own neighbourhood or the other side of its material."""
        triangles, rest = self._shape.surface.triangles, self._shape.rest
        corners = rest[triangles[found.triangle]]
        offset = rest[found.point] - (found.share[:, None, :] @ corners)[:, 0]
        apart = np.sqrt((offset**2).sum(axis=1))
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        ahead = (offset * normal).sum(axis=1) > 0.0
        closed = self._shape.surface.closed[found.triangle]
        own = (triangles[found.triangle] == found.point[:, None]).any(axis=1)
        through = closed & ~ahead & (apart < THICKNESS * self._size)
        # A gap in the drawn shape (two blades) is a contact however narrow; neighbours on one smooth sheet are not.
        same = apart < np.where(closed, 2.0 * self._margin, min(NEIGHBOURHOOD * self._edge, THICKNESS * self._size))
        return np.flatnonzero(~own & ~through & ~same & (found.gap > -5.0 * self._margin))
