"""Pieces that many families share: slabs, open containers, panels, handles, knobs, wheels, legs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..shapes import (
    Piece,
    bevelled_box,
    box,
    cylinder,
    disc,
    joined,
    loft,
    mirrored,
    moved,
    rectangle,
    revolved,
    rounded_prism,
    scaled,
    sphere,
    swept,
    torus,
    turned,
)

__all__ = [
    "bar_handle",
    "carcass",
    "container",
    "contents",
    "frame_boards",
    "handle",
    "knob",
    "legs",
    "lying",
    "panel",
    "round_container",
    "slab",
    "wheel",
]


def slab(rng: np.random.Generator, low: ArrayLike, high: ArrayLike) -> list[Piece]:
    """A solid cuboid: plain, bevelled or rounded."""
    habit = rng.random()
    if habit < 0.55:
        return [box(low, high)]
    size = np.asarray(high, dtype=float) - np.asarray(low, dtype=float)
    bevel = rng.uniform(0.05, 0.3) * float(size.min())
    return [bevelled_box(low, high, bevel, 2 if habit < 0.85 else 4)]


def frame_boards(low: ArrayLike, high: ArrayLike, border: float, back: float, front: float) -> list[Piece]:
    """Four boards around the rectangle low..high (local x, y), between two heights in z."""
    (x0, y0), (x1, y1) = low, high
    return [
        box((x0, y0, back), (x0 + border, y1, front)),
        box((x1 - border, y0, back), (x1, y1, front)),
        box((x0 + border, y0, back), (x1 - border, y0 + border, front)),
        box((x0 + border, y1 - border, back), (x1 - border, y1, front)),
    ]


def panel(rng: np.random.Generator, width: float, height: float, thickness: float) -> tuple[list[Piece], list[Piece]]:
    """A door, lid or front on 0..width, 0..height, 0..thickness: its body and its inset (glass, filling, trim)."""
    habit = rng.random()
    if habit < 0.45:
        return slab(rng, (0, 0, 0), (width, height, thickness)), []
    if habit < 0.52:
        return [rectangle((0, 0, rng.choice([0.0, 0.5, 1.0]) * thickness), (width, 0, 0), (0, height, 0))], []
    border = rng.uniform(0.08, 0.25) * min(width, height)
    if habit < 0.75:
        boards = frame_boards((0, 0), (width, height), border, 0.0, thickness)
        if rng.random() < 0.5:
            boards = [joined(*boards)]
        inset = 0.5 * border if rng.random() < 0.5 else border
        middle = 0.5 * thickness
        corner = (inset, inset, middle)
        if rng.random() < 0.5:
            return boards, [rectangle(corner, (width - 2 * inset, 0, 0), (0, height - 2 * inset, 0))]
        filling = box((inset, inset, 0.3 * thickness), (width - inset, height - inset, 0.7 * thickness))
        return boards, [filling]
    body = slab(rng, (0, 0, 0), (width, height, thickness))
    rise = rng.uniform(0.1, 0.4) * thickness
    low, high = (border, border), (width - border, height - border)
    if habit < 0.88:
        return body, frame_boards(low, high, rng.uniform(0.1, 0.3) * border, thickness - rise, thickness + rise)
    return body, [box((*low, thickness - rise), (*high, thickness + rise))]


def container(rng: np.random.Generator, low: ArrayLike, high: ArrayLike, wall: float) -> list[Piece]:
    """An open box (no top): one welded shell with a wall, five boards, or five sheets without thickness."""
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    wall = min(wall, 0.3 * float((high - low).min()))
    habit = rng.random()
    if habit < 0.45:
        return [_welded_container(low, high, wall)]
    x0, y0, z0 = low
    x1, y1, z1 = high
    if habit < 0.8:
        return [
            box((x0, y0, z0), (x1, y1, z0 + wall)),
            box((x0, y0, z0), (x0 + wall, y1, z1)),
            box((x1 - wall, y0, z0), (x1, y1, z1)),
            box((x0, y0, z0), (x1, y0 + wall, z1)),
            box((x0, y1 - wall, z0), (x1, y1, z1)),
        ]
    x, y, z = np.diag(high - low)
    sheets = [
        rectangle(low, y, x),
        rectangle(low, x, z),
        rectangle(low, z, y),
        rectangle(high, -z, -x),
        rectangle(high, -y, -z),
    ]
    return [joined(*sheets)]


def _welded_container(low: np.ndarray, high: np.ndarray, wall: float) -> Piece:
    """Outside, rim and inside as one closed skin."""
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=float)
    outer = low[:2] + corners * (high - low)[:2]
    inner = low[:2] + wall + corners * ((high - low)[:2] - 2.0 * wall)
    rings = np.empty((4, 4, 3))
    rings[:2, :, :2], rings[2:, :, :2] = outer, inner
    rings[..., 2] = np.array([low[2], high[2], high[2], low[2] + wall])[:, None]
    return loft(rings)


def contents(rng: np.random.Generator, low: ArrayLike, high: ArrayLike) -> list[Piece]:
    """Books, cans and boxes that stand in a space side by side along x, from its floor up."""
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    count = int(rng.integers(1, 7))
    edges = np.sort(rng.uniform(low[0], high[0], 2 * count)).reshape(-1, 2)
    size = high - low
    pieces = []
    for left, right in edges:
        back = low[1] + rng.uniform(0.4, 1.0) * size[1]
        top = low[2] + rng.uniform(0.2, 0.9) * size[2]
        radius = 0.5 * min(right - left, back - low[1])
        if rng.random() < 0.5:
            pieces.append(box((left, low[1], low[2]), (right, back, top)))
        else:
            pieces.append(moved(cylinder(radius, low[2], top, 10), (0.5 * (left + right), 0.5 * (low[1] + back), 0)))
    return pieces


def carcass(rng: np.random.Generator, low: ArrayLike, high: ArrayLike, wall: float) -> list[Piece]:
    """A cabinet body that is open towards -Y."""
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    # An open box whose opening is turned from +Z to -Y: local (x, y, z) becomes (x, -z, y).
    pieces = container(rng, (low[0], low[2], -high[1]), (high[0], high[2], -low[1]), wall)
    return [turned(piece, 0, 0.5 * np.pi) for piece in pieces]


def round_container(
    rng: np.random.Generator, radius: float, top: float, height: float, wall: float, segments: int
) -> list[Piece]:
    """An open round vessel on the floor, from `radius` below to the radius `top` above; sheet or with a wall."""
    if rng.random() < 0.3:
        return [cylinder(radius, 0.0, height, segments, top, capped=False), disc(radius, 0.0, segments)]
    wall = min(wall, 0.3 * min(radius, top, height))
    outside = [[radius, 0.0], [top, height]]
    inside = [[top - wall, height], [radius - wall, wall]]
    return [revolved(outside + inside, segments)]


def handle(rng: np.random.Generator, length: float, reach: float) -> list[Piece]:
    """A grip along local y about the origin of a face, standing out by `reach`."""
    habit = rng.random()
    half, thick = 0.5 * length, rng.uniform(0.12, 0.3) * reach
    if habit < 0.25:
        return slab(rng, (-1.5 * thick, -half, 0), (1.5 * thick, half, reach))
    if habit < 0.5:
        posts = [box((-thick, y - thick, 0), (thick, y + thick, reach)) for y in (-0.8 * half, 0.8 * half)]
        return [*posts, *slab(rng, (-1.2 * thick, -half, reach - 1.6 * thick), (1.2 * thick, half, reach))]
    if habit < 0.75:
        rise = np.array([0.0, 0.75, 1.0, 1.0, 0.75, 0.0]) * (reach - thick)
        along = np.array([-1.0, -0.95, -0.75, 0.75, 0.95, 1.0]) * half
        path = np.stack([np.zeros(6), along, rise], axis=1)
        return [swept(path, thick, int(rng.choice([4, 6, 8])), up=(1, 0, 0))]
    radius = min(0.4 * length, reach)
    return [knob_profile(rng, radius, reach)]


def bar_handle(rng: np.random.Generator, length: float, reach: float) -> list[Piece]:
    """A long grip along local y about the origin of a face: straight or bowed, round or flat, on two posts."""
    thick = rng.uniform(0.12, 0.3) * reach
    bow = rng.choice([0.0, rng.uniform(0.1, 0.5)]) * reach
    share = np.linspace(-1.0, 1.0, 9)
    middle = reach - thick - bow * share**2
    path = np.stack([np.zeros(9), 0.5 * length * share, middle], axis=1)
    flat = rng.uniform(0.4, 2.5) if rng.random() < 0.4 else 1.0
    bar = swept(path, np.array([[flat * thick] * 9, [thick] * 9]), int(rng.choice([4, 6, 8])), up=(1, 0, 0))
    foot, end = rng.uniform(0.7, 0.98) * 0.5 * length, float(reach - thick - bow)
    return [bar, *(box((-thick, y - thick, 0), (thick, y + thick, end + 0.5 * bow)) for y in (-foot, foot))]


def knob_profile(rng: np.random.Generator, radius: float, height: float) -> Piece:
    """A round pull on local z = 0."""
    segments = int(rng.choice([8, 12, 16]))
    habit = rng.random()
    if habit < 0.4:
        return cylinder(radius, 0.0, height, segments, rng.uniform(0.75, 1.0) * radius)
    if habit < 0.7:
        neck = rng.uniform(0.3, 0.7) * radius
        profile = [[neck, 0.0], [neck, 0.4 * height], [radius, 0.55 * height], [radius, 0.85 * height]]
        return revolved([*profile, [0.7 * radius, height]], segments)
    ball = moved(scaled(sphere(1.0, segments), (radius, radius, 0.4 * height)), (0, 0, 0.6 * height))
    return joined(cylinder(0.4 * radius, 0.0, 0.4 * height, segments), ball)


def knob(rng: np.random.Generator, radius: float, height: float) -> list[Piece]:
    """A knob to turn about local z: round, with a mark or a grip that shows its angle."""
    pieces = [knob_profile(rng, radius, height)]
    habit = rng.random()
    width = rng.uniform(0.08, 0.2) * radius
    if habit < 0.55:
        pieces.append(box((-width, 0.2 * radius, 0.9 * height), (width, 0.9 * radius, 1.08 * height)))
    elif habit < 0.95:
        pieces.append(box((-1.2 * width, -0.95 * radius, 0.3 * height), (1.2 * width, 0.95 * radius, 1.5 * height)))
    return pieces


def lying(piece: Piece) -> Piece:
    """A piece whose Z is turned to X: wheels and axles across."""
    return turned(piece, 1, 0.5 * np.pi)


def wheel(rng: np.random.Generator, radius: float, width: float) -> list[Piece]:
    """A wheel about the origin with its axis along X: solid, with a tyre and hub, or with spokes."""
    segments = int(rng.choice([12, 16, 20, 24]))
    half = 0.5 * width
    habit = rng.random()
    if habit < 0.35:
        profile = [[0.85 * radius, -half], [radius, -0.7 * half], [radius, 0.7 * half], [0.85 * radius, half]]
        pieces = [revolved(profile, segments)]
        if rng.random() < 0.7:
            hub = rng.uniform(0.2, 0.5) * radius
            pieces.append(cylinder(hub, -1.1 * half, 1.1 * half, 10))
            bolts = int(rng.integers(3, 7))
            pieces += [
                moved(cylinder(0.08 * radius, -1.15 * half, 1.15 * half, 6), 0.6 * radius * _around(turn, bolts))
                for turn in range(bolts)
            ]
        return [lying(piece) for piece in pieces]
    tube = min(half, 0.3 * radius)
    tyre = torus(radius - tube, tube, segments, 8)
    hub = rng.uniform(0.12, 0.3) * radius
    pieces = [tyre, cylinder(hub, -half, half, 10)]
    count = int(rng.integers(3, 9))
    spoke = rng.uniform(0.03, 0.1) * radius
    bar = box((0.5 * hub, -spoke, -0.5 * spoke), (radius - tube, spoke, 0.5 * spoke))
    pieces += [turned(bar, 2, 2.0 * np.pi * turn / count) for turn in range(count)]
    return [lying(piece) for piece in pieces]


def _around(turn: int, count: int) -> np.ndarray:
    angle = 2.0 * np.pi * turn / count
    return np.array([np.cos(angle), np.sin(angle), 0.0])


def legs(rng: np.random.Generator, low: ArrayLike, high: ArrayLike, height: float) -> list[Piece]:
    """Four feet under the corners of a rectangle (x, y), from the height 0 up; square, round or slanted."""
    (x0, y0), (x1, y1) = low, high
    thick = rng.uniform(0.04, 0.1) * min(x1 - x0, y1 - y0)
    inset = thick + rng.uniform(0.0, 0.1) * min(x1 - x0, y1 - y0)
    habit = rng.random()
    if habit < 0.4:
        foot = box((-thick, -thick, 0), (thick, thick, height))
    elif habit < 0.7:
        foot = cylinder(rng.uniform(0.5, 1.0) * thick, 0.0, height, int(rng.choice([6, 8, 12])), thick)
    else:
        lower = rounded_prism(np.full((2, 2), 1.6 * thick), 0.2 * thick, [0.0, height], 2)
        lower[0][: len(lower[0]) // 2, :2] -= rng.uniform(0.0, 0.8) * thick
        foot = lower
    right = mirrored(foot, 0)
    return [
        moved(foot, (x0 + inset, y0 + inset, 0)),
        moved(right, (x1 - inset, y0 + inset, 0)),
        moved(mirrored(foot, 1), (x0 + inset, y1 - inset, 0)),
        moved(mirrored(right, 1), (x1 - inset, y1 - inset, 0)),
    ]
