"""Groups of an object's own surface: proofs that nothing of it can meet, and which points might where there is none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ..geometry.box_tree import box_tree
from ..geometry.feature_index import index_features
from ..kinematics.base import Array
from .contact_shape import ContactShape
from .fold_kernels import AtRest, Groups, SurfaceFeatures, fill_apart, look_at_pairs, mark_folds, most_beyond
from .moving_surface import MovingSurface

__all__ = ["FoldGroups", "Look"]

MOST_GROUPS = 128


@dataclass(frozen=True)
class Look:
    """Pairs of groups at one instant: Float[n] m, how far apart what can fold is at least, and how far ahead contacts
    are looked for (zero where they are not); `near` Int[m] are the pairs that have some."""

    lower: Array
    foreseen: Array
    near: np.ndarray

    @property
    def slack(self) -> float:
        """How much nearer everything may come before anything is near, m."""
        return float(self.lower.min(initial=np.inf))


class FoldGroups:
    """Those of one object. Everything is asked in a frame that turns along with it."""

    def __init__(self, shape: ContactShape, at_rest: AtRest) -> None:
        self._rest = at_rest
        triangles = shape.surface.triangles
        index = index_features(triangles, shape.surface.closed, shape.rest[: len(shape.surface.vertices)])
        self._surface = SurfaceFeatures(triangles, index.of_triangle, index.meeting)
        on_surface = _on_surface(shape, 0.25 * at_rest.touching)
        groups = _grouped(triangles, at_rest.points, len(shape.surface.vertices), on_surface)
        count = len(groups.point_start) - 1
        apart = np.empty((count, count))
        fill_apart(at_rest, triangles, groups, apart)
        apart = np.minimum(apart, apart.T)
        one, other = np.nonzero(np.triu(np.isfinite(apart)))
        pairs = np.ascontiguousarray(np.column_stack([one, other]))
        self.groups = groups._replace(pairs=pairs, apart=apart[one, other])

    def look(self, strayed: Array, ahead: Array, least: float) -> Look:
        """Which pairs come nearer than `least` (m) where points that have strayed from rest so far will go on so far,
        Float[S,3] m each."""
        lower, closing = np.empty(len(self.groups.pairs)), np.empty(len(self.groups.pairs))
        look_at_pairs(self.groups, self._rest.points, strayed, ahead, lower, closing)
        near = np.flatnonzero(lower - closing < least)
        foreseen = np.zeros(len(lower))
        foreseen[near] = closing[near] + least
        return Look(lower, foreseen, near)

    def marked(self, look: Look, positions: Array, sunk: float) -> Array:
        """How far from each point Float[S,3] folds are looked for, Float[S] m; zero where it has none.

        What is deeper than `sunk` (m) behind a face has not come there through it.
        """
        reached = np.zeros(len(positions))
        reach = look.foreseen[look.near]
        mark_folds(
            self._surface, self._rest, self.groups, np.ascontiguousarray(positions), look.near, reach, sunk, reached
        )
        return reached

    def beyond(self, look: Look, moved: Array, spare: float) -> float:
        """By how much (m) something came nearer than was looked for, and `spare`, in moving by Float[S,3] m, or 0."""
        return most_beyond(self.groups, np.ascontiguousarray(moved), look.lower, look.foreseen, spare)

    def near_points(self, look: Look) -> np.ndarray:
        """Bool[S]: those of all groups that are near another."""
        near = np.zeros(len(self._rest.points), dtype=bool)
        for group in np.unique(self.groups.pairs[look.near]):
            begin, end = self.groups.covered_start[group : group + 2]
            near[self.groups.covered[begin:end]] = True
        return near


def _grouped(triangles: np.ndarray, points: Array, vertices: int, on_surface: np.ndarray) -> Groups:
    """Neighbouring leaves of a tree of the triangles; every point `on_surface` Bool[S] is where one of its triangles,
    or the nearest, is."""
    corners = points[triangles]
    leaves = box_tree(corners.min(axis=1), corners.max(axis=1)).order
    order = leaves.reshape(min(len(leaves), MOST_GROUPS), -1)
    group = np.zeros(len(triangles), dtype=np.int64)
    for number, row in enumerate(order):
        group[row[row >= 0]] = number
    of_point = np.zeros(len(points), dtype=np.int64)
    of_point[triangles.ravel()] = np.repeat(group, 3)
    of_point[vertices:] = of_point[cKDTree(points[:vertices]).query(points[vertices:])[1]]
    count = len(order)
    of_corners = np.column_stack([np.repeat(group, 3), triangles.ravel()])
    covered = np.unique(np.vstack([of_corners, np.column_stack([of_point, np.arange(len(points))])]), axis=0)
    looked_at = np.flatnonzero(on_surface)
    return Groups(
        looked_at[np.argsort(of_point[looked_at], kind="stable")],
        _starts(of_point[looked_at], count),
        np.argsort(group, kind="stable"),
        _starts(group, count),
        np.ascontiguousarray(covered[:, 1]),
        _starts(covered[:, 0], count),
        np.zeros((0, 2), dtype=np.int64),
        np.zeros(0),
    )


def _on_surface(shape: ContactShape, tolerance: float) -> np.ndarray:
    """Bool[S]: points that are vertices of the surface or lie on it; the surface stands for those that stand out."""
    count = len(shape.surface.vertices)
    others = shape.rest[count:]
    found = MovingSurface(shape.surface, shape.rest).features(others, np.full(len(others), tolerance))
    chosen = np.ones(len(shape.rest), dtype=bool)
    chosen[count:] = False
    chosen[count + found.point] = True
    return chosen


def _starts(group: np.ndarray, count: int) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(np.bincount(group, minlength=count))])
