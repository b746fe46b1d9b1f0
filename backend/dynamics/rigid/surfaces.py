"""Collision surfaces of rigid bodies and colliders, one after the other in plain arrays, each in a frame of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...geometry.box_tree import BoxTree, box_tree
from ...geometry.collision_surface import CollisionSurface
from ...geometry.feature_index import index_features
from ...geometry.near_edges import wings
from ...kinematics.base import Array

__all__ = ["MOST_LEVELS", "Surfaces", "packed"]

MOST_LEVELS = 10  # of a tree with eight branches: a thousand million items


class Surfaces(NamedTuple):
    """n surfaces. Numbers of points, features and boxes count through all; `*_start` Int[n+1] where each begins.

    See `FeatureIndex` for features, `BoxTree` for trees: `boxes` Float[nodes,6,8], `levels` Int[n,10+1] where the
    levels of each tree begin among them, -1 after the last, `order` Int[leaves,8].
    """

    points: Array  # Float[P,3] m
    point_start: np.ndarray
    triangles: np.ndarray  # Int[F,3]
    features: np.ndarray  # Int[F,8]
    meeting: np.ndarray  # Int[G]
    border: np.ndarray  # Bool[G]
    normals: Array  # Float[G,3], pseudo-normals
    parts: np.ndarray  # Int[F], the one-sided part of each triangle, -1 for two-sided ones
    edges: np.ndarray  # Int[E,2]
    edge_start: np.ndarray
    wings: np.ndarray  # Int[E,2], -1: none
    triangle_boxes: Array
    triangle_levels: np.ndarray
    triangle_order: np.ndarray
    edge_boxes: Array
    edge_levels: np.ndarray
    edge_order: np.ndarray
    size: Array  # Float[n] m


class _Trees:
    """Trees one after the other."""

    def __init__(self) -> None:
        self._boxes: list[Array] = [np.zeros((0, 6, 8))]
        self._orders: list[np.ndarray] = [np.zeros((0, 8), dtype=np.int64)]
        self._levels: list[np.ndarray] = []
        self._nodes = self._leaves = 0

    def add(self, tree: BoxTree, first_item: int) -> None:
        levels = np.full(MOST_LEVELS + 2, -1)
        levels[-1] = self._leaves  # where its leaves begin
        for depth, boxes in enumerate(tree.levels):
            levels[depth] = self._nodes
            self._nodes += len(boxes)
            self._boxes.append(boxes)
        self._levels.append(levels)
        self._orders.append(np.where(tree.order >= 0, tree.order + first_item, -1))
        self._leaves += len(tree.order)

    def arrays(self) -> tuple[Array, np.ndarray, np.ndarray]:
        return (
            np.concatenate(self._boxes),
            np.array(self._levels, dtype=np.int64).reshape(-1, MOST_LEVELS + 2),
            np.concatenate(self._orders).astype(np.int64),
        )


def packed(parts: Sequence[tuple[CollisionSurface, Array]]) -> Surfaces:
    """Of surfaces, each with its points Float[p,3] (m) in its own frame."""
    points, triangles, features, meeting, border, normals, bodies, edges, sides, sizes = ([] for _ in range(10))
    point_start, edge_start, feature_start, triangle_start = [0], [0], 0, 0
    triangle_trees, edge_trees = _Trees(), _Trees()
    for surface, places in parts:
        index = index_features(surface.triangles, surface.closed, places)
        corners = places[surface.triangles]
        points.append(places)
        triangles.append(surface.triangles + point_start[-1])
        features.append(index.of_triangle + feature_start)
        meeting.append(index.meeting)
        border.append(index.border)
        normals.append(index.pseudo_normals(corners, np.arange(index.count)))
        bodies.append(index.body)
        edges.append(surface.edges + point_start[-1])
        pair = wings(surface.edges, surface.triangles, surface.closed)
        sides.append(np.where(pair >= 0, pair + point_start[-1], -1))
        sizes.append(float(np.ptp(places, axis=0).max()))
        triangle_trees.add(box_tree(corners.min(axis=1), corners.max(axis=1)), triangle_start)
        ends = places[surface.edges]
        edge_trees.add(box_tree(ends.min(axis=1), ends.max(axis=1)), edge_start[-1])
        point_start.append(point_start[-1] + len(places))
        edge_start.append(edge_start[-1] + len(surface.edges))
        feature_start += index.count
        triangle_start += len(surface.triangles)

    def joined(arrays: list[np.ndarray], width: tuple[int, ...], kind: type) -> np.ndarray:
        return np.ascontiguousarray(np.concatenate([np.zeros((0, *width), dtype=kind), *arrays]).astype(kind))

    return Surfaces(
        joined(points, (3,), float),
        np.array(point_start, dtype=np.int64),
        joined(triangles, (3,), np.int64),
        joined(features, (8,), np.int64),
        joined(meeting, (), np.int64),
        joined(border, (), np.bool_),
        joined(normals, (3,), float),
        joined(bodies, (), np.int64),
        joined(edges, (2,), np.int64),
        np.array(edge_start, dtype=np.int64),
        joined(sides, (2,), np.int64),
        *triangle_trees.arrays(),
        *edge_trees.arrays(),
        np.array(sizes, dtype=float),
    )
