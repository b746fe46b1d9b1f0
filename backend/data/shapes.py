"""Mesh pieces to build objects from: every one is (vertices Float[V,3], triangles Int[F,3]), outward, Z up."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kinematics.base import Array

__all__ = [
    "Piece",
    "aimed",
    "bevelled_box",
    "box",
    "cylinder",
    "disc",
    "extruded",
    "joined",
    "loft",
    "mirrored",
    "moved",
    "rectangle",
    "revolved",
    "rounded_prism",
    "scaled",
    "sphere",
    "swept",
    "torus",
    "turned",
]

Piece = tuple[Array, NDArray[np.int64]]

_BOX_CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
_BOX_TRIANGLES = np.array(
    [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ]
)  # fmt: skip


def box(low: ArrayLike, high: ArrayLike) -> Piece:
    """An axis-parallel cuboid between two corners."""
    low = np.asarray(low, dtype=float)
    return low + _BOX_CORNERS * (np.asarray(high, dtype=float) - low), _BOX_TRIANGLES


def rectangle(corner: ArrayLike, first: ArrayLike, second: ArrayLike) -> Piece:
    """A sheet without thickness that spans two edge vectors from a corner; its normal is first x second."""
    corner, first, second = (np.asarray(each, dtype=float) for each in (corner, first, second))
    return np.stack([corner, corner + first, corner + first + second, corner + second]), np.array(
        [[0, 1, 2], [0, 2, 3]]
    )


@cache
def _loft_triangles(rings: int, around: int, closed: bool, looped: bool, first: bool, last: bool) -> NDArray[np.int64]:
    """Triangles between successive rings; `closed` rings meet themselves, a `looped` loft meets its first ring."""
    i, k = np.meshgrid(
        np.arange(rings if looped else rings - 1), np.arange(around if closed else around - 1), indexing="ij"
    )
    above, beside = (i + 1) % rings, (k + 1) % around
    a, b, c, d = (row * around + column for row, column in ((i, k), (i, beside), (above, beside), (above, k)))
    triangles = [np.stack([a, b, c], axis=-1).reshape(-1, 3), np.stack([a, c, d], axis=-1).reshape(-1, 3)]
    fan = np.stack([np.zeros(around - 2, int), np.arange(1, around - 1), np.arange(2, around)], axis=1)
    if first:
        triangles.append(fan[:, ::-1])
    if last:
        triangles.append(fan + (rings - 1) * around)
    result = np.concatenate(triangles)
    result.setflags(write=False)
    return result


def loft(rings: Array, closed: bool = True, looped: bool = False, first: bool = True, last: bool = True) -> Piece:
    """Skin over rings Float[m,k,3], counter-clockwise seen from the last one; `first` and `last` close the ends."""
    count, around = rings.shape[:2]
    ends = closed and not looped
    return rings.reshape(-1, 3), _loft_triangles(count, around, closed, looped, first and ends, last and ends)


def _circle(segments: int) -> Array:
    angle = np.arange(segments) * (2.0 * np.pi / segments)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def revolved(profile: ArrayLike, segments: int = 16, first: bool = True, last: bool = True) -> Piece:
    """A profile of rows (radius, height), bottom to top along the outside, turned about Z."""
    profile = np.asarray(profile, dtype=float)
    rings = np.empty((len(profile), segments, 3))
    rings[..., :2] = profile[:, None, :1] * _circle(segments)
    rings[..., 2] = profile[:, 1:]
    return loft(rings, first=first, last=last)


def cylinder(
    radius: float, low: float, high: float, segments: int = 16, top: float | None = None, capped: bool = True
) -> Piece:
    """A cylinder about Z between two heights; with `top`, the radius of its upper end, a cone."""
    return revolved([[radius, low], [radius if top is None else top, high]], segments, capped, capped)


def disc(radius: float, height: float, segments: int = 16) -> Piece:
    """A flat round sheet that looks up."""
    ring = np.column_stack([radius * _circle(segments), np.full(segments, height)])
    return loft(ring[None], first=False)


def sphere(radius: float, segments: int = 12, low: float = -1.0, high: float = 1.0) -> Piece:
    """A ball about the origin, or its layer between the heights `low` and `high` (of radius 1)."""
    tilt = np.linspace(np.arcsin(low), np.arcsin(high), max(3, segments // 2 + 1))
    return revolved(radius * np.stack([np.cos(tilt), np.sin(tilt)], axis=1), segments)


def torus(radius: float, thickness: float, segments: int = 20, around: int = 8) -> Piece:
    """A ring about Z; `thickness` is the radius of its tube."""
    turn = _circle(segments)
    tube = _circle(around)
    rings = np.empty((segments, around, 3))
    # The tube's circle runs from outside downwards, so that the skin faces outwards.
    rings[..., :2] = (radius + thickness * tube[None, :, :1]) * turn[:, None, :]
    rings[..., 2] = thickness * tube[None, :, 1]
    return loft(rings[::-1], looped=True)


def _rounded_outline(width: float, depth: float, radius: float, corner: int) -> Array:
    """Float[4 corner,2]: a rectangle about the origin with rounded (corner > 2), cut (2) or sharp (1) corners."""
    turn = (np.arange(corner) + 0.5 * (corner == 1)) / max(1, corner - 1) * 0.5 * np.pi
    arc = np.stack([np.cos(turn), np.sin(turn)], axis=1) if corner > 1 else np.ones((1, 2))
    inner = np.array([0.5 * width - radius, 0.5 * depth - radius])
    outline = []
    for quarter, sign in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)]):
        cosine, sine = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter]
        rotated = np.stack([arc[:, 0] * cosine - arc[:, 1] * sine, arc[:, 0] * sine + arc[:, 1] * cosine], axis=1)
        outline.append(np.array(sign) * inner + radius * rotated)
    return np.concatenate(outline)


def rounded_prism(sizes: ArrayLike, radius: float, heights: ArrayLike, corner: int = 3) -> Piece:
    """An upright block with rounded corners: `sizes` rows (width, depth) of its sections at `heights`."""
    sizes = np.asarray(sizes, dtype=float)
    rings = np.empty((len(sizes), 4 * corner, 3))
    for ring, (width, depth) in enumerate(sizes):
        rings[ring, :, :2] = _rounded_outline(width, depth, min(radius, 0.49 * min(width, depth)), corner)
    rings[..., 2] = np.asarray(heights, dtype=float)[:, None]
    return loft(rings)


def extruded(outline: ArrayLike, low: float, high: float) -> Piece:
    """A flat outline Float[k,2], counter-clockwise and visible from its first corner, between two heights."""
    outline = np.asarray(outline, dtype=float)
    rings = np.empty((2, len(outline), 3))
    rings[..., :2] = outline
    rings[0, :, 2], rings[1, :, 2] = low, high
    return loft(rings)


def bevelled_box(low: ArrayLike, high: ArrayLike, bevel: float, corner: int = 2) -> Piece:
    """A cuboid whose edges are cut (corner = 2) or whose upright ones are rounded (corner > 2)."""
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    size = high - low
    bevel = min(bevel, 0.45 * float(size.min()))
    full = _rounded_outline(size[0], size[1], bevel, corner)
    inset = _rounded_outline(size[0] - bevel, size[1] - bevel, 0.5 * bevel, corner)
    rings = np.empty((4, len(full), 3))
    rings[[0, 3], :, :2], rings[[1, 2], :, :2] = inset, full
    rings[..., 2] = np.array([low[2], low[2] + 0.5 * bevel, high[2] - 0.5 * bevel, high[2]])[:, None]
    rings[..., :2] += 0.5 * (low + high)[:2]
    return loft(rings)


def swept(
    path: ArrayLike, radius: ArrayLike, around: int = 8, closed: bool = False, up: ArrayLike = (0, 0, 1)
) -> Piece:
    """A tube along a path Float[m,3] of the radius given (one, or one for each point; two rows: oval half-axes)."""
    path = np.asarray(path, dtype=float)
    along = np.roll(path, -1, axis=0) - np.roll(path, 1, axis=0) if closed else np.gradient(path, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    # One side vector carried along: plane paths, which are all that is swept here, do not twist.
    normal = np.asarray(up, dtype=float)
    if np.abs(along @ normal).max() > 0.9:
        normal = np.cross(along[0], along[len(along) // 2])
        if np.linalg.norm(normal) < 1e-6:
            normal = np.eye(3)[np.abs(along).max(axis=0).argmin()]
    side = np.cross(normal, along)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    other = np.cross(along, side)
    radii = np.broadcast_to(np.asarray(radius, dtype=float).T, (len(path), 2)) if np.ndim(radius) == 2 else None
    wide, tall = (radii[:, 0], radii[:, 1]) if radii is not None else (np.broadcast_to(radius, len(path)),) * 2
    circle = _circle(around)
    rings = path[:, None] + (
        circle[None, :, :1] * (wide[:, None] * side)[:, None] + circle[None, :, 1:] * (tall[:, None] * other)[:, None]
    )
    return loft(rings, looped=closed)


def moved(piece: Piece, offset: ArrayLike) -> Piece:
    """The piece elsewhere."""
    return piece[0] + np.asarray(offset, dtype=float), piece[1]


def scaled(piece: Piece, factor: ArrayLike) -> Piece:
    """The piece multiplied by one factor, or by one for each axis (all positive)."""
    return piece[0] * np.asarray(factor, dtype=float), piece[1]


def turned(piece: Piece, axis: int, angle: float) -> Piece:
    """The piece turned about a coordinate axis (0, 1, 2) through the origin, radians."""
    first, second = (axis + 1) % 3, (axis + 2) % 3
    cosine, sine = np.cos(angle), np.sin(angle)
    vertices = piece[0].copy()
    vertices[:, first] = cosine * piece[0][:, first] - sine * piece[0][:, second]
    vertices[:, second] = sine * piece[0][:, first] + cosine * piece[0][:, second]
    return vertices, piece[1]


def aimed(piece: Piece, direction: ArrayLike) -> Piece:
    """The piece turned so that its Z points along `direction`."""
    z = np.asarray(direction, dtype=float)
    z = z / np.linalg.norm(z)
    helper = np.array([1.0, 0.0, 0.0]) if abs(z[0]) < 0.7 else np.array([0.0, 1.0, 0.0])
    y = np.cross(z, helper)
    y /= np.linalg.norm(y)
    return piece[0] @ np.stack([np.cross(y, z), y, z]), piece[1]


def mirrored(piece: Piece, axis: int) -> Piece:
    """The piece reflected in the plane through the origin across `axis`, still outward."""
    vertices = piece[0].copy()
    vertices[:, axis] *= -1.0
    return vertices, piece[1][:, ::-1]


def joined(*pieces: Piece) -> Piece:
    """Several pieces as one, which later counts as a single shell."""
    starts = np.cumsum([0, *(len(piece[0]) for piece in pieces[:-1])])
    return (
        np.concatenate([piece[0] for piece in pieces]),
        np.concatenate([piece[1] + start for piece, start in zip(pieces, starts, strict=True)]),
    )
