"""Plausibility of random states: stretch of edges, new self-intersections and tears; no ground truth needed.

States come from the prior, no coordinate more than two deviations from its mean. What the drawn shape has of
intersections counts for nothing; only those that are new do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..geometry.box_tree import box_tree
from ..geometry.mesh import cross
from ..geometry.topology import coincident
from ..kinematics.base import Array
from .row_candidates import StateCandidate
from .subject import Subject

__all__ = ["Plausibility", "crossings", "plausibility", "plausible_summary"]

STATES = 10
WITHIN = 2.0  # deviations of the prior
STRETCHED = 0.1  # more than this share longer or shorter
TORN = 0.04  # growth of the distance of neighbours: 2 % of the object's longest side
TORN_STRETCH = 0.5  # and of their distance at rest: a long edge that stretches a little is no tear
SHORTEST = 1e-4  # edges below, in the normalised frame, have no length to speak of
QUANTILES = (0.5, 0.9, 0.95, 0.99)
_SEED = 4
_MOST_EDGES = 20_000  # whose crossings are counted


@dataclass(frozen=True)
class Plausibility:
    """Of the random states of one object."""

    name: str
    category: str
    within_stretch: float  # share of edges that stretch by less than STRETCHED
    stretch: dict[str, float]  # quantiles of |length / rest length - 1|
    new_crossings: float  # edges through faces that were not there at rest, per edge
    torn: float  # share of pairs of neighbours that tear apart
    widest_tear: float  # the largest growth of the distance of neighbours, longest side two

    def as_json(self) -> dict[str, Any]:
        return dict(vars(self))


def plausibility(subject: Subject, candidate: StateCandidate, states: int = STATES) -> Plausibility:
    """Of `states` random states."""
    q = candidate.random_coordinates(subject.rng(_SEED), states, WITHIN)
    shapes = np.stack([candidate.shape(each) for each in q])
    edges = _edges(subject.triangles)
    before = _lengths(subject.vertices, edges)
    long = before > SHORTEST
    after = np.stack([_lengths(shape, edges) for shape in shapes])
    stretch = np.abs(after[:, long] / before[long] - 1.0)

    near = np.concatenate([edges, _seams(subject)])
    apart = _lengths(subject.vertices, near)
    growth = np.stack([_lengths(shape, near) for shape in shapes]) - apart
    torn = (growth > TORN) & (growth > TORN_STRETCH * apart)

    counted = edges[:: 1 + len(edges) // _MOST_EDGES]
    at_rest = crossings(subject.vertices, subject.triangles, counted)
    fresh = [len(np.setdiff1d(crossings(shape, subject.triangles, counted), at_rest)) for shape in shapes]
    return Plausibility(
        name=subject.name,
        category=subject.category,
        within_stretch=float((stretch < STRETCHED).mean()),
        stretch={f"{share:g}": float(np.quantile(stretch, share)) for share in QUANTILES},
        new_crossings=float(np.mean(fresh)) / len(counted),
        torn=float(torn.mean()),
        widest_tear=float(max(growth.max(initial=0.0), 0.0)),
    )


def plausible_summary(results: dict[str, Sequence[Plausibility]]) -> dict[str, Any]:
    """Means over objects by row, and the objects."""
    figures = ("within_stretch", "new_crossings", "torn", "widest_tear")
    rows = {
        row: {figure: float(np.mean([getattr(each, figure) for each in some])) for figure in figures}
        | {"stretch": {key: float(np.mean([each.stretch[key] for each in some])) for key in some[0].stretch}}
        | {"objects": len(some)}
        for row, some in results.items()
    }
    return {"rows": rows, "per_object": {row: [each.as_json() for each in some] for row, some in results.items()}}


def _edges(triangles: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each edge once, Int[e,2]."""
    pairs = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    return np.unique(pairs, axis=0)


def _lengths(vertices: Array, pairs: NDArray[np.int64]) -> Array:
    return np.linalg.norm(vertices[pairs[:, 1]] - vertices[pairs[:, 0]], axis=1)


def _seams(subject: Subject) -> NDArray[np.int64]:
    """Pairs Int[s,2] of vertices of one loose part that lie at the same place: its seams of texture and normals."""
    first = coincident(subject.vertices / 2.0)
    doubled = np.flatnonzero(first != np.arange(len(first)))
    same = subject.shell[first[doubled]] == subject.shell[doubled]
    return np.stack([first[doubled], doubled], axis=1)[same]


def crossings(vertices: Array, triangles: NDArray[np.int64], edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which edges Int[e,2] pass through the inside of which triangles, as numbers edge * F + triangle, ascending.

    A triangle that shares a corner with the edge, or a place with one of its ends, does not count.
    """
    corners, ends = vertices[triangles], vertices[edges]
    tree = box_tree(corners.min(axis=1), corners.max(axis=1))
    edge, face = tree.overlapping(ends.min(axis=1), ends.max(axis=1))
    start, along = ends[edge, 0], ends[edge, 1] - ends[edge, 0]
    a = corners[face, 0]
    first, second = corners[face, 1] - a, corners[face, 2] - a
    # Moeller and Trumbore, open at every rim: what only touches has not passed through.
    across = cross(along, second)
    determinant = _dot(first, across)
    away = start - a
    turned = cross(away, first)
    with np.errstate(divide="ignore", invalid="ignore"):
        u, v, t = (_dot(*pair) / determinant for pair in ((away, across), (along, turned), (second, turned)))
        rim = 1e-6
        inside = (u > rim) & (v > rim) & (u + v < 1.0 - rim) & (t > rim) & (t < 1.0 - rim)
    inside &= np.abs(determinant) > 1e-300
    return np.sort(edge[inside] * len(triangles) + face[inside])


def _dot(first: Array, second: Array) -> Array:
    return np.einsum("ni,ni->n", first, second)
