"""Rims of wheels: the circles that a turning part was drawn as polygons of, as points close enough to roll on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

__all__ = ["rim_points"]

Floats = NDArray[np.float64]

FEWEST_CORNERS = 8  # of a polygon that stands for a circle
SAME = 1e-3  # of the largest radius: corners of one polygon are as far from the axis, and as far along it
UNEVEN = 1.2  # the widest gap between neighbouring corners over their mean
MOST_POINTS = 256


def rim_points(points: Floats, axis: Floats, origin: Floats, sagitta: float) -> tuple[NDArray[np.int64], Floats]:
    """Points Float[m,3] on the outermost circles about an axis that points Float[n,3] are regular polygons of.

    `axis` is a unit vector. Chords between neighbours stay within `sagitta` (m) of the circle. Int[m]: for each new
    point, one of those that its polygon was drawn with.
    """
    from_axis = points - origin
    along = from_axis @ axis
    outwards = from_axis - along[:, None] * axis
    radius = np.linalg.norm(outwards, axis=1)
    places, found = [np.zeros(0, dtype=np.int64)], [np.zeros((0, 3))]
    for ring in _outermost(list(_polygons(along, radius, outwards, axis)), along, radius):
        mean = float(radius[ring].mean())
        count = min(int(np.ceil(np.pi * np.sqrt(0.5 * mean / sagitta))), MOST_POINTS)
        one = outwards[ring[0]] / radius[ring[0]]
        angle = 2.0 * np.pi * np.arange(count) / count
        circle = np.cos(angle)[:, None] * one + np.sin(angle)[:, None] * np.cross(axis, one)
        places.append(np.full(count, ring[0]))
        found.append(origin + along[ring].mean() * axis + mean * circle)
    return np.concatenate(places), np.concatenate(found)


def _polygons(along: Floats, radius: Floats, outwards: Floats, axis: Floats) -> Iterator[NDArray[np.int64]]:
    """The corners Int[k] of each regular polygon about the axis."""
    near = SAME * max(float(radius.max(initial=0.0)), 1e-300)
    for level in _runs(np.arange(len(along)), along, near):
        for ring in _runs(level, radius, near):
            if len(ring) < FEWEST_CORNERS or radius[ring].min() < near:
                continue
            first = outwards[ring[0]]
            angle = np.sort(np.arctan2(outwards[ring] @ np.cross(axis, first), outwards[ring] @ first))
            gaps = np.diff(angle, append=angle[0] + 2.0 * np.pi) * radius[ring].mean()
            corners = int((gaps > near).sum())  # several vertices may be drawn at one
            if corners >= FEWEST_CORNERS and gaps.max() < UNEVEN * gaps.sum() / corners:
                yield ring


def _runs(chosen: NDArray[np.int64], value: Floats, near: float) -> list[NDArray[np.int64]]:
    """Points whose values follow each other closely, each such run."""
    order = chosen[np.argsort(value[chosen], kind="stable")]
    return np.split(order, np.flatnonzero(np.diff(value[order]) > near) + 1)


def _outermost(rings: list[NDArray[np.int64]], along: Floats, radius: Floats) -> list[NDArray[np.int64]]:
    """Those on the convex outline of the section along the axis: nothing rolls on the others."""
    section = np.array([(along[ring[0]], radius[ring[0]]) for ring in rings])
    if len(rings) < 2:
        return rings
    try:
        corners = ConvexHull(np.concatenate([section, section * [1.0, -1.0]])).vertices
    except QhullError:  # all in one plane across the axis
        return [rings[int(section[:, 1].argmax())]]
    return [rings[place] for place in sorted(set(corners[corners < len(rings)].tolist()))]
