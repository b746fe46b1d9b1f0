"""Edge-edge proximity of two surfaces.

Sample points against triangles miss two sharp edges that cross like the blades of scissors; these pairs complete them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .box_tree import box_tree
from .edges import edge_keys
from .mesh import cross

__all__ = ["EdgeFeatures", "NearEdges", "edge_features", "on_edges", "wings"]

# Edges that enclose a smaller sine than this count as parallel: points against triangles serve them better.
_PARALLEL = 0.02
# A closest point so near an end of its edge, in shares, is that of the vertex there.
_END = 1e-9
# The sine by which a face may rise towards the other edge and its edge still count as looking there.
_NEARLY = 0.05


@dataclass(frozen=True)
class EdgeFeatures:
    """Pairs of edges whose distance has a local minimum between their ends, one a row.

    first and second Int[c]: rows of the two lists of edges; shares Float[c] of the second end of each in its closest
    point; normal Float[c,3], unit, from the second to the first; gap Float[c] in metres, negative where the edges of
    closed surfaces have passed through each other.
    """

    first: NDArray[np.int64]
    first_share: NDArray[np.float64]
    second: NDArray[np.int64]
    second_share: NDArray[np.float64]
    normal: NDArray[np.float64]
    gap: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.first)


def wings(edges: NDArray[np.int64], triangles: NDArray[np.int64], closed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Int[e,2]: the corners opposite to each edge in the closed triangles beside it, -1 where there are not two."""
    count = int(max(triangles.max(initial=0), edges.max(initial=0))) + 1
    rows = triangles[closed]
    opposite = rows[:, [2, 0, 1]].ravel()
    key = edge_keys(rows, count)
    order = np.argsort(key, kind="stable")
    key, opposite = key[order], opposite[order]
    asked = edges.min(axis=1) * count + edges.max(axis=1)
    first, last = np.searchsorted(key, asked, "left"), np.searchsorted(key, asked, "right")
    pair = np.full((len(edges), 2), -1, dtype=np.int64)
    two = np.flatnonzero(last - first == 2)
    pair[two] = opposite[first[two, None] + np.arange(2)]
    return pair


class NearEdges:
    """An index of the edges of a surface at one instant: positions Float[p,3] in metres, edges Int[e,2]."""

    def __init__(
        self, positions: NDArray[np.float64], edges: NDArray[np.int64], sides: NDArray[np.int64] | None = None
    ) -> None:
        """`sides` Int[e,2]: the wings of the edges (see `wings`) if they are to have an inner side."""
        self._positions, self._edges, self._wings = positions, edges, sides
        self._tree = box_tree(*_boxes(positions, edges))

    def features(
        self,
        positions: NDArray[np.float64],
        edges: NDArray[np.int64],
        reach: float,
        sides: NDArray[np.int64] | None = None,
    ) -> EdgeFeatures:
        """As `edge_features` of these edges (first) and its own (second)."""
        low, high = _boxes(positions, edges)
        first, second = self._tree.overlapping(low - reach, high + reach)
        return _features((positions, edges, sides), (self._positions, self._edges, self._wings), first, second, reach)


def edge_features(
    positions_a: NDArray[np.float64],
    edges_a: NDArray[np.int64],
    positions_b: NDArray[np.float64],
    edges_b: NDArray[np.int64],
    reach: float,
    wings_a: NDArray[np.int64] | None = None,
    wings_b: NDArray[np.int64] | None = None,
) -> EdgeFeatures:
    """The pairs of edges Int[e,2] of two surfaces (positions Float[p,3]) that are at most `reach` metres apart.

    With the wings of the edges (see `wings`) a pair counts where each edge looks towards the other, and as passed
    through each other where both look away; without, the edges have no inner side.
    """
    first, second = _near_pairs(_boxes(positions_a, edges_a), _boxes(positions_b, edges_b), reach)
    return _features((positions_a, edges_a, wings_a), (positions_b, edges_b, wings_b), first, second, reach)


def on_edges(values: NDArray[np.float64], edges: NDArray[np.int64], share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values Float[p,m] at points of edges Int[c,2], `share` Float[c] of the way along."""
    return (1.0 - share)[:, None] * values[edges[:, 0]] + share[:, None] * values[edges[:, 1]]


_Edges = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64] | None]


def _features(
    one: _Edges, other: _Edges, first: NDArray[np.int64], second: NDArray[np.int64], reach: float
) -> EdgeFeatures:
    """Features of candidate pairs of edges."""
    (positions_a, edges_a, wings_a), (positions_b, edges_b, wings_b) = one, other
    start_a, start_b = positions_a[edges_a[first, 0]], positions_b[edges_b[second, 0]]
    along_a, along_b = positions_a[edges_a[first, 1]] - start_a, positions_b[edges_b[second, 1]] - start_b
    between = start_a - start_b
    # The closest points of two lines: d/ds and d/dt of |between + s along_a - t along_b|^2 are zero.
    aa, ab, bb = _dot(along_a, along_a), _dot(along_a, along_b), _dot(along_b, along_b)
    across = cross(along_a, along_b)
    determinant = _dot(across, across)  # aa bb - ab^2, without its cancellation
    a, b = _dot(along_a, between), _dot(along_b, between)
    crossing = determinant > _PARALLEL**2 * aa * bb
    safe = np.where(crossing, determinant, 1.0)
    share_a, share_b = (ab * b - bb * a) / safe, (aa * b - ab * a) / safe
    inner = (share_a > _END) & (share_a < 1.0 - _END) & (share_b > _END) & (share_b < 1.0 - _END)
    signed = _dot(between, across) / np.sqrt(safe)
    kept = np.flatnonzero(crossing & inner & (np.abs(signed) <= reach))
    first, second, share_a, share_b = first[kept], second[kept], share_a[kept], share_b[kept]
    side = np.where(signed[kept] >= 0.0, 1.0, -1.0)
    normal = across[kept] * (side / np.sqrt(determinant[kept]))[:, None]
    gap = np.abs(signed[kept])

    looking, away = np.ones(len(first), dtype=bool), np.zeros(len(first), dtype=bool)
    if wings_a is not None and wings_b is not None:
        faced_a, beyond_a = _sides(positions_a, edges_a[first], wings_a[first], -normal)
        faced_b, beyond_b = _sides(positions_b, edges_b[second], wings_b[second], normal)
        looking, away = faced_a & faced_b, gap <= np.minimum(beyond_a, beyond_b)
    kept = np.flatnonzero(looking | away)
    sign = np.where(looking[kept], 1.0, -1.0)
    return EdgeFeatures(
        first[kept], share_a[kept], second[kept], share_b[kept], normal[kept] * sign[:, None], gap[kept] * sign
    )


def _sides(
    positions: NDArray[np.float64],
    edges: NDArray[np.int64],
    pair: NDArray[np.int64],
    direction: NDArray[np.float64],
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Whether each edge looks along its direction d Float[n,3], and how far it may have passed another edge that way.

    It looks along d if both of its faces recede from d: t . d <= 0 for the way t from the edge to the far corner of a
    face, or nearly so: where a flat face lies along an edge both ends of the line count, whichever is a hair nearer. If
    both rise, the other edge may have passed through it, or be behind the whole solid: the lower sides of two boards on
    each other look away from each other too. It has passed no farther than the faces reach. An edge of a
    sheet looks everywhere and is never passed.
    """
    solid = (pair >= 0).all(axis=1)
    at = positions[edges[:, 0]]
    along = positions[edges[:, 1]] - at
    length = np.maximum(_dot(along, along), 1e-300)
    rises, steepest = [], np.full(len(edges), -np.inf)
    for wing in pair.T:
        into = positions[wing] - at
        across = into - (_dot(into, along) / length)[:, None] * along
        rises.append(_dot(across, direction))
        steepest = np.maximum(steepest, rises[-1] - _NEARLY * np.sqrt(_dot(across, across)))
    low, high = np.minimum(*rises), np.maximum(*rises)
    looking = ~solid | (steepest <= 0.0)
    return looking, np.where(~looking & (low >= 0.0), high, -np.inf)


def _boxes(positions: NDArray[np.float64], edges: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    start, end = positions[edges[:, 0]], positions[edges[:, 1]]
    return np.minimum(start, end), np.maximum(start, end)


def _near_pairs(
    first: tuple[NDArray[np.float64], NDArray[np.float64]],
    second: tuple[NDArray[np.float64], NDArray[np.float64]],
    reach: float,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of edges whose boxes are at most `reach` apart along each axis."""
    none = np.empty(0, dtype=np.int64)
    (low_a, high_a), (low_b, high_b) = first, second
    if len(low_a) == 0 or len(low_b) == 0:
        return none, none
    low_a, high_a = low_a - reach, high_a + reach
    near_b = np.flatnonzero(((low_b <= high_a.max(axis=0)) & (high_b >= low_a.min(axis=0))).all(axis=1))
    if len(near_b) == 0:
        return none, none
    low_b, high_b = low_b[near_b], high_b[near_b]
    near_a = np.flatnonzero(((low_a <= high_b.max(axis=0)) & (high_a >= low_b.min(axis=0))).all(axis=1))
    if len(near_a) == 0:
        return none, none
    one, other = box_tree(low_b, high_b).overlapping(low_a[near_a], high_a[near_a])
    return near_a[one], near_b[other]


def _dot(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.einsum("ni,ni->n", first, second)
