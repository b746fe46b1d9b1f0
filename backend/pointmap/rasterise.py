"""Z-buffer rasterisation of all triangles at once, by the rows of pixels that they cross.

A pixel is covered where its centre lies inside. Every triangle is cut into one span for each row of pixel centres that
it crosses; the spans' ends lie on its edges. Edges are computed from the lower of their ends, and spans have their left
end and not their right one, so neighbours with a common edge leave no pixel out and share none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["NOTHING", "nearest"]

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

NOTHING = -1
_MOST_FRAGMENTS = 2_000_000  # at once, 100 MB


@dataclass(frozen=True, eq=False)
class _Spans:
    """Pixels of one row that one triangle covers, from column `begin` to before `end`."""

    triangle: Int64
    row: Int64
    begin: Int64
    end: Int64


def nearest(corners: Float64, nearness: Float64, least: float, height: int, width: int) -> NDArray[np.int32]:
    """The triangle that is seen at each pixel, Int[height,width], or NOTHING.

    `corners` Float[F,3,2] are pixel coordinates, `nearness` Float[F,3] is linear over the picture and grows towards the
    camera: 1/z in perspective, -z else. What has less than `least` is too far away to be seen. Of triangles at the same
    place the first one is seen.
    """
    spans = _spans(corners, height, width)
    slopes = _slopes(corners, nearness)
    low, high = nearness.min(axis=1), nearness.max(axis=1)
    best = np.full(height * width, least)
    seen = np.full(height * width, NOTHING, dtype=np.int32)
    for part in _parts(spans):
        lengths = part.end - part.begin
        triangle = part.triangle
        x = part.begin + 0.5 - corners[triangle, 0, 0]
        y = part.row + 0.5 - corners[triangle, 0, 1]
        start = nearness[triangle, 0] + slopes[triangle, 0] * x + slopes[triangle, 1] * y
        first = np.cumsum(lengths) - lengths
        step = np.arange(lengths.sum()) - np.repeat(first, lengths)
        pixel = np.repeat(part.row * width + part.begin, lengths) + step
        value = np.repeat(start, lengths) + np.repeat(slopes[triangle, 0], lengths) * step
        # What is seen almost from its edge is steep: rounding must not carry it in front of its own corners.
        np.clip(value, np.repeat(low[triangle], lengths), np.repeat(high[triangle], lengths), out=value)
        before = best[pixel]
        np.maximum.at(best, pixel, value)
        won = np.flatnonzero((value == best[pixel]) & (value > before))[::-1]
        seen[pixel[won]] = np.repeat(triangle, lengths)[won]
    return seen.reshape(height, width)


def _slopes(corners: Float64, nearness: Float64) -> Float64:
    """How the nearness of each triangle changes a pixel to the right and a pixel down, Float[F,2]; flat ones: 0."""
    b, c = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    area = b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0]
    to_b, to_c = (nearness[:, 1:] - nearness[:, :1]).T
    across = np.stack([to_b * c[:, 1] - to_c * b[:, 1], to_c * b[:, 0] - to_b * c[:, 0]], axis=1)
    return np.divide(across, area[:, None], out=np.zeros_like(across), where=area[:, None] != 0.0)


def _spans(corners: Float64, height: int, width: int) -> _Spans:
    """All that is not empty, by triangles."""
    by_height = np.argsort(corners[:, :, 1], axis=1, kind="stable")
    (x0, x1, x2), (y0, y1, y2) = np.moveaxis(np.take_along_axis(corners, by_height[:, :, None], axis=1), (1, 2), (1, 0))
    top, bottom = (np.clip(np.ceil(y - 0.5), 0, height).astype(np.int64) for y in (y0, y2))
    inside = (corners[:, :, 0].max(axis=1) > 0.0) & (corners[:, :, 0].min(axis=1) < width)
    counts = np.where(inside, bottom - top, 0)
    triangle = np.repeat(np.arange(len(corners)), counts)
    row = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts - top, counts)

    def lean(xa: Float64, ya: Float64, xb: Float64, yb: Float64) -> Float64:
        return np.divide(xb - xa, yb - ya, out=np.zeros_like(xa), where=yb > ya)

    centre = row + 0.5
    upper = centre < y1[triangle]
    long_edge = x0[triangle] + lean(x0, y0, x2, y2)[triangle] * (centre - y0[triangle])
    upper_edge = x0[triangle] + lean(x0, y0, x1, y1)[triangle] * (centre - y0[triangle])
    lower_edge = x1[triangle] + lean(x1, y1, x2, y2)[triangle] * (centre - y1[triangle])
    short_edge = np.where(upper, upper_edge, lower_edge)
    left, right = np.minimum(long_edge, short_edge), np.maximum(long_edge, short_edge)
    begin, end = (np.clip(np.ceil(x - 0.5), 0, width).astype(np.int64) for x in (left, right))
    kept = end > begin
    return _Spans(triangle[kept], row[kept], begin[kept], end[kept])


def _parts(spans: _Spans):
    """The spans in portions of about _MOST_FRAGMENTS pixels."""
    total = np.cumsum(spans.end - spans.begin)
    first = 0
    while first < len(total):
        before = total[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(total, before + _MOST_FRAGMENTS, side="right")))
        chosen = slice(first, last)
        yield _Spans(spans.triangle[chosen], spans.row[chosen], spans.begin[chosen], spans.end[chosen])
        first = last
