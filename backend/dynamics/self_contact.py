"""Self-contact detection: folds, told from neighbours on the surface and the other side of the material."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from ..geometry.feature_index import index_features
from ..geometry.near_edges import EdgeFeatures, edge_features, on_edges
from ..geometry.near_surface import Features
from ..kinematics.base import Array
from .contact_shape import ContactShape
from .latent_solver import LatentState
from .proximity_bounds import FALL, travel
from .rigid_placement import nearest_rotation
from .self_contact_kernels import AtRest

__all__ = ["SelfContactSearch"]

NEIGHBOURHOOD = 4.0  # median edge lengths: what is nearer than this along a sheet at rest is the same place
THICKNESS = 0.25  # of the size: what lies behind a face at rest and nearer than this is the other side of the material
WATCHED = 0.03  # of the size: how near a fold is before its points are asked about at every step
SUNK = 5.0  # margins: what is deeper behind a face has not come there through it


class SelfContactSearch:
    """Self-contact search of one object.

    Every point is near its own surroundings at all times, so asking about all of them is dear. A full search looks as
    far as WATCHED; until the shape has changed by half of what that is more than a step needs, only the points it found
    can come into contact.
    """

    def __init__(self, shape: ContactShape, size: float, margin: float) -> None:
        """`size` of the object and contact `margin`, m."""
        self._shape, self._size, self._margin = shape, size, margin
        self._same_place = _close_along(shape, size)
        self.at_rest = _at_rest(shape, self._same_place, 2.0 * margin, THICKNESS * size)
        self._searched: Array | None = None  # the shape of the last full search, without its turn and place
        self._reached = 0.0  # m, how far that search looked
        self._shape_now: Array | None = None
        self._speed, self._step = 0.0, 0.0  # m/s and s, of the last change of the shape
        self._foreseen = 0.0  # m, how far two points may come nearer in this step
        self._watched = np.zeros(0, dtype=np.int64)

    def folds(self, now: LatentState, step: float, widen: float) -> Features | None:
        """Those of the object's own points at its own surface that are contacts with itself; None without any."""
        positions = now.positions
        shape = self._unturned(positions)
        if self._shape_now is None:
            self._speed = float(now.speeds.max())
        elif self._step and not np.array_equal(shape, self._shape_now):
            self._speed = travel(self._shape_now, shape) / self._step
        self._shape_now, self._step = shape, step
        if widen == 1.0:
            self._foreseen = 3.0 * step * self._speed + FALL * step**2
        reach = 6.0 * self._margin + self._foreseen
        if self._searched is None or 2.0 * travel(self._searched, shape) + reach > self._reached:
            self._reached = max(WATCHED * self._size, 3.0 * reach)
            surface, sunk = self._shape.surface_at(positions), SUNK * self._margin
            self._watched = surface.near_folds(positions, self.at_rest, self._reached, sunk)
            self._searched = shape
        if self._watched.size == 0:
            return None
        found = self._features(now, self._watched, reach)
        chosen = self._folded(found)
        if chosen.size == 0:
            return None
        return Features(
            found.point[chosen], found.triangle[chosen], found.share[chosen], found.normal[chosen], found.gap[chosen]
        )

    def crossings(self, now: LatentState) -> tuple[EdgeFeatures, np.ndarray]:
        """Edges of the object that come near each other where it is folded, and the edges Int[e,2] they are of."""
        shape = self._shape
        folded = np.isin(shape.surface.edges, self._watched).all(axis=1)
        edges, sides = shape.surface.edges[folded], shape.wings[folded]
        reach = 6.0 * self._margin + self._foreseen
        found = edge_features(now.positions, edges, now.positions, edges, reach, sides, sides)
        first, second = edges[found.first], edges[found.second]
        joined = (first[:, :, None] == second[:, None, :]).any(axis=(1, 2))
        near = self._same_place[first[:, 0], second[:, 0]] | self._same_place[first[:, 1], second[:, 1]]
        # At rest on each other or through the material: not a fold.
        ends = on_edges(shape.rest, first, found.first_share) - on_edges(shape.rest, second, found.second_share)
        apart = np.sqrt((ends**2).sum(axis=1))
        chosen = (found.first < found.second) & ~joined & ~near & (apart > 2.0 * self._margin)
        chosen &= found.gap > -SUNK * self._margin
        return EdgeFeatures(*(getattr(found, each.name)[chosen] for each in fields(EdgeFeatures))), edges

    def overlooked(self, after: LatentState) -> bool:
        """Whether the shape has changed by more in the step than was foreseen; the next search then foresees it."""
        closer = 2.0 * travel(self._shape_now, self._unturned(after.positions))
        if closer <= self._foreseen + 5.0 * self._margin:
            return False
        self._foreseen = 1.5 * closer
        return True

    def _unturned(self, positions: Array) -> Array:
        """Positions Float[S,3] turned and moved back as near to the rest shape as they get."""
        rest = self._shape.rest - self._shape.rest.mean(axis=0)
        away = positions - positions.mean(axis=0)
        return away @ nearest_rotation(away.T @ rest)

    def _features(self, now: LatentState, points: np.ndarray, reach: float) -> Features:
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
        nearest = triangles[found.triangle, found.share.argmax(axis=1)]
        same = np.where(closed, apart < 2.0 * self._margin, self._same_place[found.point, nearest])
        return np.flatnonzero(~own & ~through & ~same & (found.gap > -SUNK * self._margin))


def _at_rest(shape: ContactShape, same_place: np.ndarray, touching: float, thickness: float) -> AtRest:
    surface, rest = shape.surface, shape.rest
    index = index_features(surface.triangles, surface.closed, rest[: len(surface.vertices)])
    a, b, c = rest[surface.triangles].transpose(1, 0, 2)
    sides = np.maximum(np.linalg.norm(b - a, axis=1), np.linalg.norm(c - a, axis=1))
    normals = np.cross(b - a, c - a)
    columns = (np.ascontiguousarray(rest), normals, sides, surface.closed, same_place, index.starts, index.around)
    return AtRest(*columns, touching, thickness)


def _close_along(shape: ContactShape, size: float) -> np.ndarray:
    """Bool[S,p]: points and vertices of the surface that are near each other at rest, measured along the surface."""
    triangles, rest = shape.surface.triangles, shape.rest
    count = len(shape.surface.vertices)
    pairs = np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    length = np.linalg.norm(rest[pairs[:, 0]] - rest[pairs[:, 1]], axis=1)
    limit = min(NEIGHBOURHOOD * float(np.median(length)), THICKNESS * size)
    graph = csr_matrix((np.maximum(length, 1e-12), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    near = np.isfinite(dijkstra(graph, directed=False, limit=limit))
    # Points between the vertices are where the nearest vertex is.
    return near[cKDTree(rest[:count]).query(rest)[1]]
