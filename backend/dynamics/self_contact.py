"""Self-contact detection: folds, told from neighbours on the surface and the other side of the material."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from ..geometry.feature_index import index_features
from ..geometry.near_edges import EdgeFeatures, edge_features, on_edges
from ..geometry.near_surface import Features
from ..kinematics.base import Array
from .contact_shape import ContactShape
from .fold_groups import FoldGroups, Look
from .fold_kernels import IN_FRONT, AtRest, fill_foldable
from .latent_solver import LatentState
from .own_frame import OwnFrame
from .proximity_bounds import FALL

__all__ = ["Folds", "SelfContactSearch"]

NEIGHBOURHOOD = 4.0  # median edge lengths: what is nearer than this along a sheet at rest is the same place
THICKNESS = 0.25  # of the size: what lies behind a face at rest and nearer than this is the other side of the material
SUNK = 5.0  # margins: what is deeper behind a face has not come there through it
NEAR = 6.0  # margins: contacts are looked for this far beyond what motion tells
EDGES = 0.03  # of the size: edges are looked for no farther, what is faster is met by points
SPARE = 5.0  # margins of these that an unforeseen motion may use up
AHEAD = 1.5  # of the way that speeds tell


@dataclass(frozen=True)
class Folds:
    """Points at their own surface; `fresh` Bool[c]: of those that were not near it a step ago."""

    found: Features
    fresh: np.ndarray


class SelfContactSearch:
    """Self-contact search of one object.

    First the change of its handles since the last look is asked whether anything can have come near; then groups of
    its surface; and of those that are near each other the points.
    """

    def __init__(self, shape: ContactShape, size: float, margin: float, carriers: tuple[int, ...] | None) -> None:
        """`size` of the object and contact `margin`, m; `carriers`: its handles whose weights sum to one, None: all."""
        self._shape, self._size, self._margin = shape, size, margin
        self._frame = OwnFrame(shape.basis, shape.rest, carriers)
        self.at_rest = self._drawn()
        self.groups = FoldGroups(shape, self.at_rest)
        self._seen: tuple[Array, float] | None = None  # handles of the last look in its own frame, and its slack in m
        self._here: Array | None = None  # handles at the begin of the step, in its own frame
        self._look: Look | None = None  # the look at the begin of the step, where one was needed
        self._least = 0.0  # m, how far is looked for at least
        self._further = 0.0  # m, how much nearer something came in this step than was foreseen
        self._met = np.zeros(len(shape), dtype=bool)  # points that were near folds

    def folds(self, now: LatentState, step: float, widen: float) -> Folds | None:
        """Those of the object's own points at its own surface that are contacts with itself; None without any.

        `widen` looks farther than speeds say, for a step in which something came nearer than that.
        """
        here, rate = self._frame.still(now.handles, now.rate)
        self._further = 0.0 if widen == 1.0 else self._further
        self._here, self._look = here, None
        self._least = NEAR * self._margin + widen * FALL * step**2 + self._further
        way = AHEAD * widen * step * rate
        if self._seen is not None:
            seen, slack = self._seen
            if self._frame.most_change(here - seen) + self._frame.most_change(way) + self._least < slack:
                self._met = np.zeros_like(self._met)
                return None
        self._look_around(here, way)
        reached = self.groups.marked(self._look, self._frame.positions(here), SUNK * self._margin)
        met, self._met = self._met, reached > 0.0
        points = np.flatnonzero(self._met)
        if points.size == 0:
            return None
        found = self._shape.features(now.handles, now.positions, now.positions[points], reached[points])
        found = Features(points[found.point], found.triangle, found.share, found.normal, found.gap)
        chosen = self._folded(found)
        if chosen.size == 0:
            return None
        found = Features(*(getattr(found, each.name)[chosen] for each in fields(Features)))
        return Folds(found, ~met[found.point])

    def crossings(self, now: LatentState) -> tuple[EdgeFeatures, np.ndarray]:
        """Edges of the object that come near each other where it is folded, and the edges Int[e,2] they are of."""
        shape, look = self._shape, self._look
        folded = self.groups.near_points(look)[shape.surface.edges].all(axis=1)
        edges, sides = shape.surface.edges[folded], shape.wings[folded]
        reach = min(float(look.foreseen.max(initial=0.0)), EDGES * self._size)
        found = edge_features(now.positions, edges, now.positions, edges, reach, sides, sides)
        first, second = edges[found.first], edges[found.second]
        joined = (first[:, :, None] == second[:, None, :]).any(axis=(1, 2))
        near = self._same_place[first[:, 0], second[:, 0]] | self._same_place[first[:, 1], second[:, 1]]
        near |= ~(self.at_rest.bends[first].any(axis=1) | self.at_rest.bends[second].any(axis=1))
        # At rest on each other or through the material: not a fold.
        ends = on_edges(shape.rest, first, found.first_share) - on_edges(shape.rest, second, found.second_share)
        apart = np.sqrt((ends**2).sum(axis=1))
        chosen = (found.first < found.second) & ~joined & ~near & (apart > 2.0 * self._margin)
        chosen &= found.gap > -SUNK * self._margin
        return EdgeFeatures(*(getattr(found, each.name)[chosen] for each in fields(EdgeFeatures))), edges

    def overlooked(self, after: LatentState) -> bool:
        """Whether something came nearer in the step than was foreseen; the next search then foresees it."""
        there = self._frame.still(after.handles)[0]
        seen, slack = self._seen
        if self._frame.most_change(there - seen) < slack:
            return False
        if self._look is None:
            self._look_around(self._here, np.zeros_like(self._here))
        moved = self._frame.positions(there) - self._frame.positions(self._here)
        self._further = 1.5 * self.groups.beyond(self._look, moved, SPARE * self._margin)
        return self._further > 0.0

    def _look_around(self, here: Array, way: Array) -> None:
        strayed, ahead = self._frame.positions(here) - self._shape.rest, self._shape.basis @ way
        self._look = self.groups.look(strayed, ahead, self._least)
        self._seen = (here, self._look.slack)

    def _folded(self, found: Features) -> np.ndarray:
        """Rows Int[m] that are not the point's own neighbourhood or the other side of its material."""
        triangles, rest = self._shape.surface.triangles, self._shape.rest
        corners = rest[triangles[found.triangle]]
        offset = rest[found.point] - (found.share[:, None, :] @ corners)[:, 0]
        apart = np.sqrt((offset**2).sum(axis=1))
        ahead = (offset * self.at_rest.normals[found.triangle]).sum(axis=1) > IN_FRONT * apart
        closed = self._shape.surface.closed[found.triangle]
        may = np.empty(len(found), dtype=bool)
        fill_foldable(self.at_rest, triangles, found.point, found.triangle, may)
        through = closed & ~ahead & (apart < THICKNESS * self._size)
        # A gap in the drawn shape (two blades) is a contact however narrow; neighbours on one smooth sheet are not.
        same = apart < 2.0 * self._margin
        if not closed.all():
            nearest = triangles[found.triangle, found.share.argmax(axis=1)]
            same = np.where(closed, same, self._same_place[found.point, nearest])
        return np.flatnonzero(may & ~through & ~same & (found.gap > -SUNK * self._margin))

    @cached_property
    def _same_place(self) -> np.ndarray:
        """Bool[S,p]: points and vertices of the surface that are near each other at rest, along the surface."""
        triangles, rest = self._shape.surface.triangles, self._shape.rest
        count = len(self._shape.surface.vertices)
        pairs = np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
        length = np.linalg.norm(rest[pairs[:, 0]] - rest[pairs[:, 1]], axis=1)
        limit = min(NEIGHBOURHOOD * float(np.median(length)), THICKNESS * self._size)
        graph = csr_matrix((np.maximum(length, 1e-12), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
        near = np.isfinite(dijkstra(graph, directed=False, limit=limit))
        # Points between the vertices are where the nearest vertex is.
        return near[cKDTree(rest[:count]).query(rest)[1]]

    def _drawn(self) -> AtRest:
        surface, rest = self._shape.surface, self._shape.rest
        index = index_features(surface.triangles, surface.closed, rest[: len(surface.vertices)])
        a, b, c = rest[surface.triangles].transpose(1, 0, 2)
        normals = np.cross(b - a, c - a)
        return AtRest(
            np.ascontiguousarray(rest),
            normals / np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None],
            np.maximum(np.linalg.norm(b - a, axis=1), np.linalg.norm(c - a, axis=1)),
            surface.closed,
            np.zeros((0, 0), dtype=bool) if surface.closed.all() else self._same_place,
            self._frame.bends,
            index.starts,
            index.around,
            2.0 * self._margin,
            THICKNESS * self._size,
        )
