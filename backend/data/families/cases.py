"""Briefcases and tool boxes: a lid hinged along a long edge, and a handle at the edge across from it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..builder import Builder
from ..moving_object import MovingObject
from ..shapes import Piece, box, cylinder, moved, rounded_prism, swept, turned
from .pieces import container, slab

__all__ = ["briefcase"]


def briefcase(rng: np.random.Generator) -> MovingObject:
    """Two halves, lying or stood on the hinge, drawn shut or open; a bail that turns in two ears, clasps, a tray.

    Built lying: the hinge is at the rear, the handle looks along -Y.
    """
    width, depth = rng.uniform(0.3, 0.65), rng.uniform(0.2, 0.5)
    tall = rng.uniform(0.06, 0.35)
    split, wall = rng.uniform(0.35, 0.8) * tall, rng.uniform(0.004, 0.015)
    builder = Builder()
    soft = rng.random() < 0.5
    radius, corner = rng.uniform(0.02, 0.15) * min(width, depth), int(rng.integers(2, 5))
    low, high = (-width / 2, -depth / 2), (width / 2, depth / 2)
    if soft:
        builder.add(0, _shell(width, depth, radius, corner, 0.0, split, wall))
    else:
        builder.add(0, container(rng, (*low, 0.0), (*high, split), wall))
    limit = np.radians(rng.uniform(80, 180))
    opened = float(rng.choice([0.0, 0.0, rng.uniform(0.2, 1.0)])) * limit
    back = rng.choice([0.0, 0.01, 0.03])  # the pin may stand out behind
    pivot = np.array([0.0, depth / 2 + back, split])
    lid = builder.part(0, "revolute", (-1, 0, 0), pivot, (-opened, limit - opened))

    def tipped(piece: Piece) -> Piece:
        return moved(turned(moved(piece, -pivot), 0, -opened), pivot)

    gap = rng.choice([0.0, 0.002])
    rise = tall - split
    if soft:
        cover = _shell(width, depth, radius, corner, 0.0, -rise, -wall)
        lid_pieces = [(cover[0] + (0.0, 0.0, tall + gap), cover[1][:, ::-1])]
    else:
        inside = container(rng, (low[0], -high[1], 0.0), (high[0], -low[1], rise), wall)
        lid_pieces = [moved(turned(piece, 0, np.pi), (0, 0, tall + gap)) for piece in inside]
    builder.add(lid, [tipped(piece) for piece in lid_pieces], 1)
    if back:
        for x in (-0.3 * width, 0.3 * width):
            barrel = turned(cylinder(0.6 * back, -0.06 * width, 0.06 * width, 8), 1, np.pi / 2)
            builder.add(int(rng.choice([0, lid])), moved(moved(barrel, pivot), (x, 0, 0)), 4)
    for x in (-0.32 * width, 0.32 * width) if rng.random() < 0.6 else ():
        clasp = box((x - 0.02, -depth / 2 - 0.01, split + gap), (x + 0.02, -depth / 2, split + gap + 0.4 * rise))
        builder.add(lid, tipped(clasp), 4)
        if rng.random() < 0.6:
            builder.add(0, box((x - 0.022, -depth / 2 - 0.008, 0.6 * split), (x + 0.022, -depth / 2, split)), 4)
    on_lid = rng.random() < 0.2
    host, level = (lid, split + 0.5 * rise) if on_lid else (0, rng.uniform(0.5, 0.85) * split)
    if on_lid and rng.random() < 0.5:  # tool boxes are carried by their lid
        place = np.array([0.0, 0.0, tall + gap])
        _bail(builder, rng, host, place, np.eye(3), 0.5 * width, tipped, opened)
    else:
        place = np.array([0.0, -depth / 2, level])
        axes = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
        _bail(builder, rng, host, place, axes, 0.5 * width, tipped if on_lid else None, opened if on_lid else 0.0)
    if rng.random() < 0.25:
        low_tray, high_tray = (0.85 * low[0], 0.8 * low[1], 0.3 * split), (0.85 * high[0], 0.8 * high[1], 0.9 * split)
        tray = builder.part(0, "prismatic", (0, 0, 1), limits=(0.0, rng.uniform(0.5, 1.5) * split)) if opened else 0
        builder.add(tray, container(rng, low_tray, high_tray, wall), 5)
    if rng.random() < 0.5:
        builder.turn(0, -0.5 * np.pi)  # stood on its hinge, the handle above
    return builder.build(rng, "briefcase", "suitcase")


def _shell(width: float, depth: float, radius: float, corner: int, low: float, high: float, wall: float) -> Piece:
    sizes = np.array([[width, depth]] * 4)
    sizes[2:] -= 2 * abs(wall)
    return rounded_prism(sizes, radius, [low, high, high, low + wall], corner)


def _bail(
    builder: Builder,
    rng: np.random.Generator,
    host: int,
    place: np.ndarray,
    axes: np.ndarray,
    room: float,
    tipped: Callable[[Piece], Piece] | None,
    opened: float,
) -> None:
    """A handle along local x that stands out along local z, turning about the line through its feet."""
    half, out = rng.uniform(0.25, 0.75) * room, rng.uniform(0.03, 0.09)
    thick = rng.uniform(0.08, 0.2) * out
    ear = rng.uniform(0.3, 0.9) * 0.2 * out + thick
    share = np.linspace(0.0, np.pi, 9)
    if rng.random() < 0.4:
        path = np.column_stack([-half * np.cos(share), 0 * share, out * np.sin(share) ** 0.5])
    else:
        inner = rng.uniform(0.6, 0.98) * half
        path = np.array([[-half, 0, 0], [-inner, 0, 0.9 * out], [-0.8 * inner, 0, out], [0.8 * inner, 0, out]])
        path = np.vstack([path, [[inner, 0, 0.9 * out], [half, 0, 0]]])
    pieces = [swept(path, thick, 6, up=(0, 1, 0))]
    if rng.random() < 0.5:
        grip = [[-0.6 * half, 0, out], [0.6 * half, 0, out]]
        pieces.append(swept(np.array(grip), 1.8 * thick, 8, up=(0, 1, 0)))
    tilt = float(rng.choice([0.0, 0.0, rng.uniform(-1.4, 1.4)]))
    limit = max(abs(tilt), np.radians(rng.uniform(60, 95)))
    centre = place + axes[2] * ear
    ears = [box((x - 1.6 * thick, -2 * thick, -ear), (x + 1.6 * thick, 2 * thick, 1.5 * thick)) for x in (-half, half)]
    if tipped is None or not opened:
        direction, pin = axes[0], centre
    else:
        direction, pin = axes[0], tipped((centre[None], np.zeros((0, 3), int)))[0][0]
    part = (
        builder.part(host, "revolute", direction, pin, (-limit - tilt, limit - tilt)) if rng.random() < 0.85 else host
    )

    def put(piece: Piece) -> Piece:
        own = (centre + piece[0] @ axes, piece[1])
        return own if tipped is None else tipped(own)

    builder.add(part, [put(turned(piece, 0, tilt)) for piece in pieces], 3)
    if rng.random() < 0.7:
        builder.add(host, [put(piece) for piece in ears], 4)
    else:
        builder.add(host, put(slab(rng, (-1.1 * half, -3 * thick, -ear), (1.1 * half, 3 * thick, -0.5 * ear))[0]), 4)
