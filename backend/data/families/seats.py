"""Chairs that turn and chairs that fold."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..moving_object import MovingObject
from ..shapes import Piece, aimed, box, cylinder, moved, rectangle, rounded_prism, turned
from .pieces import legs, slab, wheel

__all__ = ["folding_chair", "recliner", "swivel_chair"]


def swivel_chair(rng: np.random.Generator) -> MovingObject:
    """An office chair: seat that turns and lifts, back that tilts, castors that roll and swivel, arm rests."""
    builder = Builder()
    level, width = rng.uniform(0.42, 0.55), rng.uniform(0.4, 0.55)
    star, radius = int(rng.choice([4, 5])), rng.uniform(0.22, 0.34)
    thick = rng.uniform(0.015, 0.03)
    castor = rng.uniform(0.02, 0.035)
    rolling = rng.random() < 0.5
    for number in range(star):
        angle = 2 * np.pi * number / star
        out = np.array([np.cos(angle), np.sin(angle), 0.0])
        bar = turned(box((0, -thick, 2.2 * castor), (radius, thick, 2.2 * castor + 1.5 * thick)), 2, angle)
        builder.add(0, bar)
        if not rolling:
            builder.add(0, moved(cylinder(castor, 0, 2.2 * castor, 8), radius * out), 2)
            continue
        at = radius * out
        fork = builder.part(0, "continuous", (0, 0, 1), at)
        builder.add(
            fork, moved(box((-0.6 * castor, -1.2 * castor, castor), (0.6 * castor, castor, 2.3 * castor)), at), 3
        )
        hub = at + np.array([0.0, -0.6 * castor, castor])
        roll = builder.part(fork, "continuous", (1, 0, 0), hub)
        builder.add(roll, [moved(piece, hub) for piece in wheel(np.random.default_rng(3), castor, 1.4 * castor)], 2)
    builder.add(0, cylinder(1.6 * thick, 2 * castor, 0.6 * level, 12))
    part = 0
    if rng.random() < 0.5:
        part = builder.part(part, "prismatic", (0, 0, 1), limits=(-0.1 * level, rng.uniform(0.1, 0.3) * level))
    if rng.random() < 0.9:
        part = builder.part(part, "continuous", (0, 0, 1))
    builder.add(part, cylinder(thick, 0.3 * level, level, 10), 1)
    _seat(builder, rng, part, width, level)
    back = part
    pivot = (0, 0.45 * width, level)
    if rng.random() < 0.6:
        limit = np.radians(rng.uniform(10, 35))
        back = builder.part(part, "revolute", (-1, 0, 0), pivot, (-0.3 * limit, limit))
    tall = rng.uniform(0.3, 0.7)
    builder.add(back, box((-0.03, 0.45 * width, level), (0.03, 0.5 * width, level + 0.6 * tall)), 1)
    builder.add(
        back,
        slab(rng, (-0.45 * width, 0.4 * width, level + 0.25 * tall), (0.45 * width, 0.47 * width, level + tall)),
        4,
    )
    if rng.random() < 0.6:
        for side in (-1, 1):
            x = side * 0.52 * width
            low, high = min(x, x + side * 0.05), max(x, x + side * 0.05)
            builder.add(part, box((low, -0.05, level), (high, 0.05, level + 0.2)), 1)
            rest = part
            if rng.random() < 0.4:
                rest = builder.part(part, "prismatic", (0, 0, 1), limits=(-0.05, 0.08))
            builder.add(rest, slab(rng, (low - 0.02, -0.15, level + 0.2), (high + 0.02, 0.15, level + 0.23)), 4)
    return builder.build(rng, "swivel_chair", "chair")


def _seat(builder: Builder, rng: np.random.Generator, part: int, width: float, level: float) -> None:
    habit = rng.random()
    thick = rng.uniform(0.03, 0.1)
    if habit < 0.3:
        builder.add(part, cylinder(width / 2, level, level + thick, 20), 4)
    elif habit < 0.6:
        sizes = np.array([[0.95, 0.95], [1.0, 1.0], [0.95, 0.95]]) * width
        builder.add(part, rounded_prism(sizes, 0.2 * width, level + np.array([0, 0.5, 1]) * thick, 4), 4)
    else:
        builder.add(part, slab(rng, (-width / 2, -width / 2, level), (width / 2, width / 2, level + thick)), 4)


def _bar(start: np.ndarray, end: np.ndarray, thick: float, square: bool) -> Piece:
    length = float(np.linalg.norm(end - start))
    piece = box((-thick, -thick, 0), (thick, thick, length)) if square else cylinder(thick, 0.0, length, 8)
    return moved(aimed(piece, end - start), start)


def folding_chair(rng: np.random.Generator) -> MovingObject:
    """Two leg frames that cross, and a seat: all turn together when the chair is folded, or each for itself."""
    width, level, back = rng.uniform(0.36, 0.5), rng.uniform(0.38, 0.5), rng.uniform(0.3, 0.45)
    thick, square = rng.uniform(0.008, 0.02), rng.random() < 0.5
    builder = Builder()
    spread = rng.uniform(0.18, 0.28)
    cross = rng.uniform(0.4, 0.65) * level
    slope = spread / cross

    def rail(part: int, side: float, low: tuple[float, float], high: tuple[float, float]) -> None:
        x = side * width / 2
        builder.add(part, _bar(np.array([x, *low]), np.array([x, *high]), thick, square), 0)

    def across(part: int, y: float, z: float, half: float) -> None:
        builder.add(part, _bar(np.array([-half, y, z]), np.array([half, y, z]), 0.8 * thick, square), 0)

    top = level + back
    # The base frame rises from the front feet to the back rest; the other one from the rear feet to the seat's front.
    for side in (-1.0, 1.0):
        rail(0, side, (-spread, 0.0), (slope * (top - cross), top))
    across(0, -0.8 * spread, 0.2 * cross, width / 2)
    lean = slope * (top - cross)
    height = rng.uniform(0.1, 0.25)
    builder.add(0, slab(rng, (-width / 2, lean - 0.03, top - height), (width / 2, lean + 0.01, top)), 1)
    closed = np.radians(rng.uniform(20, 50))
    rear = builder.part(0, "revolute", (1, 0, 0), (0, 0, cross), (-0.2 * closed, closed))
    inner = 0.9 * width / 2
    reach = slope * (level - cross)
    for side in (-1.0, 1.0):
        builder.add(
            rear, _bar(np.array([side * inner, spread, 0.0]), np.array([side * inner, -reach, level]), thick, square), 2
        )
    across(rear, 0.85 * spread, 0.15 * cross, inner)
    pivot = (0, reach, level)
    fold = np.radians(rng.uniform(60, 90))
    linked = rng.random() < 0.6
    seat = builder.part(
        0,
        "revolute",
        (-1, 0, 0),
        pivot,
        (0.0, fold),
        follows=rear if linked else None,
        ratio=fold / closed if linked else 1.0,
    )
    seat_low = (-0.8 * width / 2, -reach - 0.06, level)
    if rng.random() < 0.7:
        builder.add(seat, slab(rng, seat_low, (0.8 * width / 2, reach + 0.02, level + 0.02)), 1)
    else:
        builder.add(
            seat, rectangle((seat_low[0], seat_low[1], level), (0.8 * width, 0, 0), (0, 2 * reach + 0.06, 0)), 1
        )
    return builder.build(rng, "folding_chair", "chair")


def recliner(rng: np.random.Generator) -> MovingObject:
    """An arm chair or lounger with a back that leans, a foot rest that swings up, or a sun bed with two flaps."""
    width, level, deep = rng.uniform(0.5, 0.8), rng.uniform(0.25, 0.45), rng.uniform(0.45, 0.65)
    thick, arm = rng.uniform(0.05, 0.18), rng.choice([0.0, rng.uniform(0.08, 0.15)])
    builder = Builder()
    builder.add(0, slab(rng, (-width / 2, 0, level - thick), (width / 2, deep, level)), 0)
    builder.add(0, legs(rng, (-width / 2, 0), (width / 2, deep), level - thick), 3)
    if arm:
        for side in (-1, 1):
            low, high = sorted((side * width / 2, side * (width / 2 + arm)))
            builder.add(0, slab(rng, (low, 0, 0.2 * level), (high, deep, level + rng.uniform(0.12, 0.22))), 1)
    lean, tall = np.radians(rng.uniform(5, 25)), rng.uniform(0.45, 0.75)
    pivot = np.array([0.0, deep - rng.choice([0.0, 0.5]) * thick, level])
    back = builder.part(0, "revolute", (-1, 0, 0), pivot, (-0.2, np.radians(rng.uniform(25, 65))))
    board = box((-width / 2, 0, 0), (width / 2, thick, tall)) if rng.random() < 0.5 else None
    pieces = [board] if board is not None else slab(rng, (-width / 2, 0, 0), (width / 2, thick, tall))
    if rng.random() < 0.4:
        pieces = [*pieces, *slab(rng, (-0.3 * width, -0.03, 0.7 * tall), (0.3 * width, thick, 1.05 * tall))]
    builder.add(back, [moved(turned(piece, 0, -lean), pivot) for piece in pieces], 2)
    if rng.random() < 0.7:
        hinge = np.array([0.0, 0.0, level - rng.choice([0.0, 1.0]) * thick])
        drop = rng.uniform(0.25, 0.4)
        flat = rng.random() < 0.3  # drawn stretched out
        opened = np.pi / 2 if flat else 0.0
        rest = builder.part(0, "revolute", (-1, 0, 0), hinge, (-opened, np.radians(rng.uniform(90, 100)) - opened))
        flap = box((-width / 2, -0.3 * thick, -min(drop, 0.9 * hinge[2])), (width / 2, 0.3 * thick, 0.0))
        builder.add(rest, moved(turned(flap, 0, -opened), hinge), 2)
    return builder.build(rng, "recliner", "chair")
