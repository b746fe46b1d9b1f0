"""Decimation by edge collapse, onto points of the surface itself.

Very dense surfaces are clustered first; then edges collapse in rounds (see `edge_collapse`) until few enough points are
left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .clustering import clusters, followed, representatives
from .edge_collapse import independent_collapses
from .quadrics import face_quadrics, rim_quadrics

__all__ = ["decimated"]

# A piece takes about so many points, so there are at most `most` / 8 pieces with faces; the others share a quarter of
# the points.
_LEAST_PIECE = 8
_POINTS_ALONE = 4
# Surfaces with more points than this many times what is asked for are clustered to that many first.
_CLUSTERED = 8
# Faces whose quadrics are gathered together, so that they stay in the processor's cache.
_TOGETHER = 1 << 15


def decimated(
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    closed: NDArray[np.bool_],
    component: NDArray[np.int64],
    area: NDArray[np.float64],
    most: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Kept points Int[p], about `most` or fewer, triangles Int[f,3] into them and closed Bool[f].

    points Float[P,3] in the unit box, all of them in triangles; closed Bool[F]; component Int[P] of each point and
    area Float[C] of each component. Where there are more pieces than the points suffice for, the smallest ones are
    left with points alone.
    """
    extreme = np.zeros(len(points), dtype=bool)
    extreme[_extremes(points)] = True
    biggest = np.zeros(len(area), dtype=bool)
    biggest[np.argsort(-area, kind="stable")[: most // _LEAST_PIECE]] = True
    large = biggest[component]
    small = np.flatnonzero(~large)
    if len(small) > most // _POINTS_ALONE:
        evenly = np.arange(len(small)) % (-(-len(small) * _POINTS_ALONE // most)) == 0
        small = small[evenly | extreme[small]]
    rows, number = np.flatnonzero(large), np.cumsum(large) - 1
    faces = large[triangles[:, 0]]
    kept, triangles, closed = _collapsed(
        points[rows], number[triangles[faces]], closed[faces], component[rows], extreme[rows], most - len(small)
    )
    return np.concatenate([rows[kept], small]), triangles, closed


def _collapsed(
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    closed: NDArray[np.bool_],
    component: NDArray[np.int64],
    fixed: NDArray[np.bool_],
    most: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """As `decimated`; fixed Bool[P] are the points that stay."""
    if len(points) > _CLUSTERED * most:
        cluster = clusters(points, triangles, component, _CLUSTERED * most)
        quadric = _gathered_quadrics(points, triangles, closed, cluster)
        alive = representatives(points, cluster, quadric, fixed)
        triangles, closed = followed(triangles, closed, cluster)
        points, fixed = points[alive], fixed[alive]
    else:
        alive = np.arange(len(points))
        quadric = _gathered_quadrics(points, triangles, closed, alive)
    remaining, careful = np.ones(len(alive), dtype=bool), True
    while (excess := int(remaining.sum()) - most) > 0:
        gone, kept = independent_collapses(points, triangles, quadric, fixed, excess, careful)
        if len(gone) == 0:
            if not careful:
                break
            careful = False
            continue
        quadric[:, kept] += quadric[:, gone]
        target = np.arange(len(alive))
        target[gone] = kept
        remaining[gone] = False
        triangles, closed = followed(triangles, closed, target)
    number = np.cumsum(remaining) - 1
    return alive[remaining], number[triangles], closed


def _gathered_quadrics(
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    closed: NDArray[np.bool_],
    group: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Float[14,G]: the quadrics of the faces and rims at the points of each group, group Int[P] of the points."""
    result = np.zeros((14, int(group.max()) + 1))

    def gather(ends: NDArray[np.int64], rows: NDArray[np.float64]) -> None:
        for end in group[ends].T:
            for total, row in zip(result, rows, strict=True):
                total += np.bincount(end, row, len(total))

    for start in range(0, len(triangles), _TOGETHER):
        some = triangles[start : start + _TOGETHER]
        gather(some, face_quadrics(points, some))
    gather(*rim_quadrics(points, triangles[~closed]))
    return result


def _extremes(points: NDArray[np.float64]) -> NDArray[np.int64]:
    """The points that reach farthest in 26 directions: on them the object would rest."""
    signs = np.array([(a, b, c) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1) if (a, b, c) > (0, 0, 0)])
    heights = [points @ direction for direction in signs.astype(float)]
    return np.unique([end for height in heights for end in (height.argmin(), height.argmax())])
