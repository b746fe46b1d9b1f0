"""Furniture whose fronts say by their grips how they open: side-hinged, folding up or down, or sliding in rails."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..local_frame import LocalFrame, front
from ..moving_object import MovingObject
from ..shapes import box
from .fittings import add_drawer, add_leaf
from .pieces import carcass, legs, slab

__all__ = ["sideboard"]


def sideboard(rng: np.random.Generator) -> MovingObject:
    """A row, a stack or a grid of cells of any proportions: doors, flaps, sliding fronts, drawers and open ones."""
    width, depth, height = rng.uniform(0.3, 2.0), rng.uniform(0.2, 0.7), rng.uniform(0.25, 1.8)
    wall, front_thick = rng.uniform(0.01, 0.04), rng.uniform(0.008, 0.035)
    foot = rng.choice([0.0, rng.uniform(0.04, 0.2)])
    hollow = rng.random() < 0.6
    builder = Builder()
    left = -width / 2
    if foot:
        builder.add(0, legs(rng, (left, 0), (-left, depth), foot), 5)
    if hollow:
        builder.add(0, carcass(rng, (left, 0, foot), (-left, depth, foot + height), wall))
    else:
        builder.add(0, slab(rng, (left, 0, foot), (-left, depth, foot + height)))
    columns = int(rng.integers(1, 2 + min(3, int(width / 0.35))))
    rows = int(rng.integers(1, 2 + min(3, int(height / 0.3))))
    xs = _cuts(rng, left + wall, -left - wall, columns)
    zs = _cuts(rng, foot + wall, foot + height - wall, rows)
    kinds = ("door", "door", "flap", "drawer", "open", "sliding")
    chosen = [str(kind) for kind in rng.choice(kinds, columns * rows)]
    if all(kind == "open" for kind in chosen):
        chosen[int(rng.integers(len(chosen)))] = str(rng.choice(["door", "flap", "sliding"]))
    inset = hollow and bool(rng.random() < 0.5)  # fronts lie between the boards, or before them
    seed = int(rng.integers(2**32))
    for number, kind in enumerate(chosen):
        column, row = number % columns, number // columns
        low, high = (xs[column], zs[row]), (xs[column + 1], zs[row + 1])
        if hollow and column:
            builder.add(0, box((low[0] - wall / 2, 0.003, low[1]), (low[0] + wall / 2, depth, high[1])))
        if hollow and row:
            builder.add(0, box((low[0], 0.003, low[1] - wall / 2), (high[0], depth, low[1] + wall / 2)))
        same = np.random.default_rng(seed) if rng.random() < 0.8 else rng
        _cell(builder, rng, same, kind, low, high, depth, front_thick, wall if inset else 0.3 * wall, inset)
    return builder.build(rng, "sideboard", "cabinet")


def _cuts(rng: np.random.Generator, low: float, high: float, count: int) -> np.ndarray:
    shares = np.cumsum(rng.uniform(0.5, 1.5, count))
    return low + (high - low) * np.append(0.0, shares / shares[-1])


def _cell(
    builder: Builder,
    rng: np.random.Generator,
    same: np.random.Generator,
    kind: str,
    low: tuple[float, float],
    high: tuple[float, float],
    depth: float,
    thick: float,
    margin: float,
    inset: bool,
) -> None:
    """What closes the opening low..high (x, z); `same` draws its look."""
    gap = 0.5 * margin
    place = front((low[0] + gap, thick if inset else 0.0, low[1] + gap))
    size = (high[0] - low[0] - 2 * gap, high[1] - low[1] - 2 * gap, thick)
    if kind == "drawer":
        add_drawer(builder, same, 0, place, (*size[:2], 0.8 * depth), thick)
    elif kind == "flap":
        way = str(rng.choice(["bottom", "bottom", "top"]))
        add_leaf(builder, same, place, size, way, np.radians(rng.uniform(75, 110)), corner=0.2)
    elif kind == "door" and (rng.random() < 0.4 or size[0] > 2.0 * size[1]):
        limit = np.radians(rng.uniform(80, 170))
        half = ((size[0] - 0.004) / 2, size[1], thick)
        look = int(same.integers(2**32))
        for way, shift in (("left", 0.0), ("right", half[0] + 0.004)):
            add_leaf(builder, np.random.default_rng(look), place.at(shift, 0), half, way, limit, corner=0.5)
    elif kind == "door":
        way = str(rng.choice(["left", "right"]))
        add_leaf(builder, same, place, size, way, np.radians(rng.uniform(80, 170)), corner=0.5)
    elif kind == "sliding":
        _sliding(builder, rng, same, place, size)


def _sliding(
    builder: Builder, rng: np.random.Generator, same: np.random.Generator, place: LocalFrame, size: tuple
) -> None:
    """Two or three fronts in rails one behind the other; one of them may stay."""
    width, height, thick = size
    count = 2 if rng.random() < 0.75 else 3
    step = width / count
    lap = rng.uniform(0.0, 0.12) * step
    still = int(rng.integers(count)) if rng.random() < 0.3 else -1
    look = int(same.integers(2**32))
    for number in range(count):
        start, end = max(0.0, number * step - lap), min(width, (number + 1) * step + lap)
        level = (0.0 if number % 2 else 1.05) * thick
        own, dims = place.at(start, 0.0, level), (end - start, height, thick)
        if number == still:
            builder.add(0, own.place(slab(rng, (0, 0, 0), dims)), 1)
            continue
        way = "slides_right" if number < count / 2 else "slides_left"
        add_leaf(builder, np.random.default_rng(look), own, dims, way, rng.uniform(0.7, 0.98) * step, bare=0.25)
    if rng.random() < 0.5:
        for y in (-0.02, height):
            builder.add(0, place.place(box((0, y, 0.0), (width, y + 0.02, 2.2 * thick))), 5)
