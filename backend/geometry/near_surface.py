"""Point-surface proximity: all local minima of the distance from points to a triangle surface.

Of each triangle within reach the closest point is found exactly. It lies inside the face, on an edge or at a corner. A
minimum over the whole surface is a point that all triangles that meet there agree on: where one of them has a nearer
point, an edge between two coplanar faces or the rim of a table would push sideways (a ghost contact). A point in the
corner of floor and wall has two minima, one on each, and both are kept. Of minima in nearly the same direction only the
nearest is: it forbids what the others do, and a bowl of small flat faces pushes no harder than a smooth one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from .box_tree import BoxTree, box_tree
from .feature_index import FeatureIndex, index_features
from .ragged_arrays import run_starts

__all__ = ["Features", "NearSurface"]

# A corner with a smaller share than this in a point of a triangle does not count for where on it the point lies:
# above the edge between two faces rounding would let both of them or none have it.
_NO_SHARE = 1e-7
# Nearer than this part of the size of the surface the direction to the closest point is rounding.
_TOUCHING = 1e-9
# Minima count as in the same direction up to 15 degrees.
_SAME_DIRECTION = np.cos(np.radians(15.0))
# A triangle whose height is less than this part of its length is taken for its three edges.
_FLATTENED = 1e-12


@dataclass(frozen=True)
class Features:
    """Local minima of the distance from points to a surface, one a row, sorted by point and then by distance.

    point Int[c] and triangle Int[c]; share Float[c,3] of the corners in the closest point; normal Float[c,3], unit,
    from the surface towards the side the point may be on; gap Float[c] in metres, negative inside a closed part.
    """

    point: NDArray[np.int64]
    triangle: NDArray[np.int64]
    share: NDArray[np.float64]
    normal: NDArray[np.float64]
    gap: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.point)


class NearSurface:
    """A triangle surface at one instant: triangles Int[F,3] with three different corners each, welded.

    closed Bool[F]: one-sided, wound outward (cavity walls towards the cavity); the others have two sides.
    positions Float[p,3] in metres.
    """

    def __init__(self, triangles: NDArray[np.int64], closed: NDArray[np.bool_], positions: NDArray[np.float64]) -> None:
        self._index: FeatureIndex = index_features(triangles, closed, positions)
        self._corners = positions[triangles]
        self._size = _size_of(positions)
        self._tree: BoxTree = box_tree(self._corners.min(axis=1), self._corners.max(axis=1))
        self._places: cKDTree | None = None

    def moved(self, positions: NDArray[np.float64]) -> NearSurface:
        """The same surface with its points elsewhere, Float[p,3]."""
        result = object.__new__(NearSurface)
        result._index = self._index
        result._corners = positions[self._index.triangles]
        result._size = _size_of(positions)
        a, b, c = (result._corners[:, corner] for corner in range(3))
        low, high = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
        result._tree = self._tree.fitted(low, high)
        result._places = None
        return result

    @property
    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The lowest and the highest corner of the box around it, Float[3] each."""
        return self._tree.bounds

    def points_in(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.int64]:
        """Int[n]: its points in the box between two corners Float[3]."""
        rows = self._tree.overlapping(low[None], high[None])[1]
        place = self._corners[rows]
        return np.unique(self._index.triangles[rows][((place >= low) & (place <= high)).all(axis=2)])

    def features(
        self, points: NDArray[np.float64], reach: NDArray[np.float64], depth: NDArray[np.float64] | None = None
    ) -> Features:
        """The local minima within reach Float[P] (metres) of points Float[P,3].

        With a depth Float[P] (metres), points inside closed parts are found so far below the surface.
        """
        search = reach
        if depth is not None:
            # No farther than to the nearest point of the surface, which takes in the nearest place on it.
            nearest = self._nearest_corner(points, float(depth.max(initial=0.0)))
            search = np.maximum(reach, np.minimum(depth, nearest))
        slack = search + _TOUCHING * self._size
        pieces = [self._features(*pairs, points, slack) for pairs in self._tree.around(points, slack)]
        found = Features(*(np.concatenate(rows) for rows in zip(*map(_columns, (_NOTHING, *pieces)), strict=True)))
        low = reach if depth is None else np.maximum(reach, depth)
        kept = (found.gap <= reach[found.point]) & (found.gap >= -low[found.point])
        return found if kept.all() else Features(*(column[kept] for column in _columns(found)))

    def _nearest_corner(self, points: NDArray[np.float64], limit: float) -> NDArray[np.float64]:
        """Float[P]: how far the nearest corner of a triangle is, infinite beyond the limit."""
        if self._places is None:
            used = np.unique(self._index.triangles, return_index=True)[1]
            self._places = cKDTree(self._corners.reshape(-1, 3)[used], balanced_tree=False, compact_nodes=False)
        return self._places.query(points, distance_upper_bound=limit)[0]

    def _features(
        self,
        point: NDArray[np.int64],
        triangle: NDArray[np.int64],
        points: NDArray[np.float64],
        radius: NDArray[np.float64],
    ) -> Features:
        """Features of candidate pairs, sorted by point; each point comes with all triangles in its reach."""
        corners = (self._corners[triangle] - points[point, None]).transpose(1, 2, 0)
        share, place, squared = _closest(*np.ascontiguousarray(corners))
        within = np.flatnonzero(squared <= radius[point] ** 2)
        point, triangle, squared = point[within], triangle[within], squared[within]
        share, place = share[:, within], place[:, within]
        held = share > _NO_SHARE
        feature = self._index.of_triangle[triangle, held[0] + 2 * held[1] + 4 * held[2]]
        kept = self._local_minima(point, feature, squared)
        point, triangle, feature = point[kept], triangle[kept], feature[kept]
        return self._sided(point, triangle, feature, share.T[kept], -place.T[kept])

    def _local_minima(
        self, point: NDArray[np.int64], feature: NDArray[np.int64], squared: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Rows that are minima, one for each place, sorted by point and distance."""
        key = point * self._index.count + feature
        order = np.argsort(key)
        first = run_starts(key[order])
        agreeing = np.diff(np.append(first, len(key)))
        ordered = squared[order]
        place = np.repeat(np.arange(len(first)), agreeing)
        best = np.flatnonzero(ordered == np.minimum.reduceat(ordered, first)[place]) if len(first) else first
        row = order[best[run_starts(place[best])]]
        agreed = agreeing == self._index.meeting[feature[row]]
        by_distance = np.lexsort((squared[row], point[row]))
        row, agreed = row[by_distance], agreed[by_distance]
        # The nearest of all is a minimum, whatever rounding says.
        agreed[run_starts(point[row])] = True
        return row[agreed]

    def _sided(
        self,
        point: NDArray[np.int64],
        triangle: NDArray[np.int64],
        feature: NDArray[np.int64],
        share: NDArray[np.float64],
        offset: NDArray[np.float64],
    ) -> Features:
        """The minima on the outer side of closed parts; offset Float[c,3] leads from the surface to the point."""
        distance = np.sqrt(np.einsum("ci,ci->c", offset, offset))
        touching = distance <= _TOUCHING * self._size
        body = self._index.body[triangle]
        asked = np.flatnonzero((body >= 0) | touching)
        # Of a sheet, whose faces may be wound against each other, that of the face.
        looked_at = np.where(body < 0, self._index.of_triangle[triangle, 7], feature)
        outward = self._index.pseudo_normals(self._corners, looked_at[asked])
        front = np.ones(len(point), dtype=bool)
        front[asked] = (np.einsum("ci,ci->c", offset[asked], outward) >= 0.0) | touching[asked] | (body[asked] < 0)
        normal = offset / np.where(touching, 1.0, distance)[:, None]
        normal[touching] = outward[touching[asked]]
        normal[~normal.any(axis=1)] = (0.0, 0.0, 1.0)  # touching a face without area: any direction is as good

        # The nearest minimum on a closed part tells on which side of it the point is; beyond the rim of an open
        # surface with one side there is neither.
        lost = ~front & self._index.border[feature]
        group = point * (len(self._index.body) + 1) + np.where(lost, -1, body) + 1
        order = np.argsort(group, kind="stable")
        nearest = order[run_starts(group[order])]
        sunk = np.sort(nearest[~front[nearest] & ~lost[nearest]])
        deepest = sunk[run_starts(point[sunk])]
        # A point inside has that one row alone; one outside meets only what faces it.
        kept = front & ~np.isin(point, point[deepest])
        kept[deepest] = True
        sign = np.where(front, 1.0, -1.0)
        normal *= sign[:, None]
        rows = _distinct(np.flatnonzero(kept), point, normal)
        return Features(point[rows], triangle[rows], share[rows], normal[rows], (distance * sign)[rows])


def _size_of(positions: NDArray[np.float64]) -> float:
    return float((positions.max(axis=0) - positions.min(axis=0)).max())


def _distinct(rows: NDArray[np.int64], point: NDArray[np.int64], normal: NDArray[np.float64]) -> NDArray[np.int64]:
    """Of the rows, sorted by point and distance, those that no nearer one has the direction of."""
    kept = []
    while len(rows):
        at = point[rows]
        fresh = np.concatenate([[True], at[1:] != at[:-1]])
        nearest = rows[fresh]
        kept.append(nearest)
        blocking = nearest[np.cumsum(fresh) - 1]
        other = np.einsum("ci,ci->c", normal[rows], normal[blocking]) < _SAME_DIRECTION
        rows = rows[other & ~fresh]
    return np.sort(np.concatenate(kept)) if kept else rows


def _dot(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    return first[0] * second[0] + first[1] * second[1] + first[2] * second[2]


def _cross(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack(
        [
            first[1] * second[2] - first[2] * second[1],
            first[2] * second[0] - first[0] * second[2],
            first[0] * second[1] - first[1] * second[0],
        ]
    )


def _closest(
    a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The point of each triangle closest to the origin: shares Float[3,n], place Float[3,n], squared distance Float[n].

    Corners Float[3,n], one row an axis. The best of the three edges, or the foot of the perpendicular if the face
    holds it, so that slivers cannot lead astray.
    """
    corners = (a, b, c)
    share = np.zeros_like(a)
    place = np.empty_like(a)
    best = np.full(a.shape[1], np.inf)
    sides = []
    for first, second in ((0, 1), (1, 2), (2, 0)):
        start, side = corners[first], corners[second] - corners[first]
        sides.append(side)
        length = _dot(side, side)
        along = np.clip(-_dot(start, side) / np.where(length > 0.0, length, 1.0), 0.0, 1.0)
        here = start + along * side
        squared = _dot(here, here)
        nearer = squared < best
        best = np.where(nearer, squared, best)
        place = np.where(nearer, here, place)
        share[first] = np.where(nearer, 1.0 - along, share[first])
        share[second] = np.where(nearer, along, share[second])
        share[3 - first - second] = np.where(nearer, 0.0, share[3 - first - second])

    normal = _cross(sides[0], -sides[2])
    area = _dot(normal, normal)
    areas = np.stack([_dot(normal, _cross(b, c)), _dot(normal, _cross(c, a)), _dot(normal, _cross(a, b))])
    thick = area > (_FLATTENED * np.maximum(_dot(sides[0], sides[0]), _dot(sides[2], sides[2]))) ** 2
    over = np.flatnonzero((areas > 0.0).all(axis=0) & thick)
    foot = normal[:, over] * (_dot(normal[:, over], a[:, over]) / area[over])
    squared = _dot(foot, foot)
    lower = squared <= best[over]
    over, foot, squared = over[lower], foot[:, lower], squared[lower]
    best[over] = squared
    place[:, over] = foot
    share[:, over] = areas[:, over] / areas[:, over].sum(axis=0)
    return share, place, best


def _columns(found: Features) -> tuple[NDArray[np.generic], ...]:
    return found.point, found.triangle, found.share, found.normal, found.gap


_NOTHING = Features(
    np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty((0, 3)), np.empty((0, 3)), np.empty(0)
)
