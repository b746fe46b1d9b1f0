"""Decimation by edge collapse, onto points of the surface itself.

Edges collapse into one of their ends, many at a time: those that cost least in quadric error among all that they would
touch. A collapse that turns a face over, or that changes how the surface hangs together, is left out, so the two sides
of a thin plate never meet.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .clustering import clusters, followed, representatives
from .mesh import cross
from .quadrics import face_quadrics, quadric_error, rim_quadrics
from .ragged_arrays import expand

__all__ = ["decimated"]

# A piece takes about so many points, so there are at most `most` / 8 pieces with faces; the others share a quarter of
# the points.
_LEAST_PIECE = 8
_POINTS_ALONE = 4
# Surfaces with more points than this many times what is asked for are clustered to that many first.
_CLUSTERED = 8
_SHUFFLE = 0x9E3779B1
# Of the points that could go, this part may in one round.
_CHEAPEST = 0.5
# How much the length of an edge counts beside its quadric error, both squared: flat ground may bend later.
_EVEN = 1e-4
# Faces whose quadrics are gathered together, so that they stay in the processor's cache.
_TOGETHER = 1 << 15
# A face is folded over where this is the cosine between it and what it stands for, or less. Around such faces and
# around edges with more than two, any collapse is an improvement, and costs so much of what it would elsewhere.
_FOLDED = 0.1
_TANGLED = 0.01
# A face may turn by this cosine in one collapse, and not become thinner than this height over its length.
_TURN = 0.3
_THIN = 0.05


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
        gone, kept = _collapses(points, triangles, quadric, fixed, excess, careful)
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


def _collapses(
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    quadric: NDArray[np.float64],
    fixed: NDArray[np.bool_],
    most: int,
    careful: bool,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Points that go, Int[n] with n <= most, and the neighbours they go to; no two of them share a neighbour.

    Careful: only where the surface does not turn over and hangs together as before, unless it is tangled there anyhow.
    """
    count = len(points)
    start, end = triangles.ravel(), triangles[:, [1, 2, 0]].ravel()
    keys, edge, faces = np.unique(
        np.minimum(start, end) * count + np.maximum(start, end), return_inverse=True, return_counts=True
    )
    edge = edge.reshape(-1, 3)
    ends = np.stack([keys // count, keys % count])
    lonely = np.zeros(len(keys), dtype=bool)  # edges of a triangle without neighbours, which would be gone
    lonely[edge[(faces[edge] == 1).all(axis=1)]] = True
    rim, tangled = np.zeros(count, dtype=bool), np.full(count, not careful)
    rim[ends[:, faces == 1]] = True
    tangled[ends[:, faces > 2]] = True
    tangled[triangles[_folded(points, triangles, quadric)]] = True

    # Each edge both ways: `gone` moves to `kept`.
    gone, kept = np.concatenate([ends, ends[::-1]], axis=1)
    faces, lonely = np.tile(faces, 2), np.tile(lonely, 2)
    allowed = ~fixed[gone] & (~rim[gone] | (faces == 1)) & ~lonely
    gone, kept, faces = gone[allowed], kept[allowed], faces[allowed]
    step = points[kept] - points[gone]
    cost = quadric_error(quadric[:, gone], points[kept]) + quadric_error(quadric[:, kept], points[kept])
    cost += _EVEN * quadric[10, gone] * np.einsum("ei,ei->e", step, step)
    cost[tangled[gone]] *= _TANGLED
    if len(cost) == 0:
        return gone, kept
    cheapest = np.full(count, np.inf)
    np.minimum.at(cheapest, gone, cost)
    cheap = cost <= np.quantile(cheapest[np.isfinite(cheapest)], _CHEAPEST)
    gone, kept, faces, cost = gone[cheap], kept[cheap], faces[cheap], cost[cheap]
    good = tangled[gone] | ~_turns_over(points, triangles, gone, kept)
    gone, kept, faces, cost = gone[good], kept[good], faces[good], cost[good]
    order = np.lexsort((cost, gone))
    best = order[np.unique(gone[order], return_index=True)[1]]
    gone, kept, faces, cost = gone[best], kept[best], faces[best], cost[best]

    # Both ends of an edge have only the far corners of its faces in common, else the surface would pinch.
    around = np.concatenate([ends, ends[::-1]], axis=1)
    around = around[1][np.argsort(around[0], kind="stable")], np.bincount(around[0], minlength=count)
    owner, neighbour = _ring(around, gone)
    pair = np.minimum(neighbour, kept[owner]) * count + np.maximum(neighbour, kept[owner])
    common = np.bincount(owner, _among(pair, keys), len(gone))
    simple = tangled[gone] | (common == faces)
    gone, kept, cost = gone[simple], kept[simple], cost[simple]

    owner, neighbour = _ring(around, gone)
    # Where costs rise steadily from one place only the lowest would win: costs within a factor of two are shuffled.
    shuffled = (gone * _SHUFFLE) & 0xFFFFFF
    rank = np.empty(len(gone), dtype=np.int64)
    rank[np.lexsort((shuffled, np.frexp(cost)[1]))] = np.arange(len(gone))
    first = np.full(count, len(gone), dtype=np.int64)
    np.minimum.at(first, neighbour, rank[owner])
    np.minimum.at(first, gone, rank)
    free = (np.bincount(owner, first[neighbour] != rank[owner], len(gone)) == 0) & (first[gone] == rank)
    chosen = np.flatnonzero(free)
    chosen = chosen[np.argsort(rank[chosen])][:most]
    return gone[chosen], kept[chosen]


def _ring(
    around: tuple[NDArray[np.int64], NDArray[np.int64]], points: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The neighbours of points: rows of `points` and neighbours, as pairs."""
    neighbours, counts = around
    owner, number = expand(counts[points])
    return owner, neighbours[(np.cumsum(counts) - counts)[points][owner] + number]


def _among(values: NDArray[np.int64], ordered: NDArray[np.int64]) -> NDArray[np.bool_]:
    place = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    return ordered[place] == values


def _folded(
    points: NDArray[np.float64], triangles: NDArray[np.int64], quadric: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Bool[F]: faces that look the other way than the surface that their corners stand for."""
    first = points[triangles[:, 0]]
    normal = cross(points[triangles[:, 1]] - first, points[triangles[:, 2]] - first)
    meant = quadric[11:, triangles].sum(axis=2).T
    return np.einsum("fi,fi->f", normal, meant) < -_FOLDED * _length(normal) * _length(meant)


def _turns_over(
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    gone: NDArray[np.int64],
    kept: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Bool[n]: whether a face turns too far, or becomes a sliver, when a point moves to its neighbour."""
    corner = np.argsort(triangles.ravel(), kind="stable")
    counts = np.bincount(triangles.ravel(), minlength=len(points))
    owner, number = expand(counts[gone])
    corner = corner[(np.cumsum(counts) - counts)[gone][owner] + number]
    face, place = corner // 3, corner % 3
    second, third = triangles[face, (place + 1) % 3], triangles[face, (place + 2) % 3]
    staying = (second != kept[owner]) & (third != kept[owner])
    owner, second, third = owner[staying], points[second[staying]], points[third[staying]]
    across = third - second
    here, there = points[gone[owner]] - second, points[kept[owner]] - second
    before, after = cross(across, here), cross(across, there)
    area_before, area_after = _length(before), _length(after)
    turned = np.einsum("fi,fi->f", before, after) < _TURN * area_before * area_after
    longest = np.maximum(np.maximum(_length(across), _length(there)), _length(there - across))
    thin = (area_after < _THIN * longest**2) & (area_after < area_before)
    return np.bincount(owner, turned | thin, len(gone)) > 0


def _length(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.sqrt(np.einsum("ni,ni->n", rows, rows))
