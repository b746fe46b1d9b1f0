"""Cabinets, wardrobes, desks and tables with drawers and doors in mixed layouts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..builder import Builder
from ..local_frame import LocalFrame, front
from ..moving_object import MovingObject
from ..shapes import box, moved, swept
from .fittings import add_drawer, add_hinged_panel, add_wheel
from .pieces import carcass, contents, handle, legs, panel, slab

__all__ = ["cabinet", "desk", "drawer_cabinet"]


def cabinet(rng: np.random.Generator) -> MovingObject:
    """A carcass divided at random into columns and rows; each cell is a drawer, one or two doors, or a shelf."""
    width, depth, height = rng.uniform(0.4, 1.6), rng.uniform(0.3, 0.7), rng.uniform(0.35, 2.0)
    columns = int(rng.integers(1, 2 + round(width / 0.5)))
    rows = int(rng.integers(1, 2 + min(4, round(height / 0.3))))
    return _furniture(rng, "cabinet", (width, depth, height), columns, rows, 0.45)


def drawer_cabinet(rng: np.random.Generator) -> MovingObject:
    """A chest of drawers: one or two columns, all drawers."""
    width, depth, height = rng.uniform(0.3, 1.2), rng.uniform(0.3, 0.6), rng.uniform(0.3, 1.2)
    return _furniture(
        rng, "drawer_cabinet", (width, depth, height), int(rng.integers(1, 3)), int(rng.integers(1, 6)), 1.0
    )


def desk(rng: np.random.Generator) -> MovingObject:
    """A table top on legs or on pedestals, with drawers or doors below it."""
    width, depth, height = rng.uniform(0.8, 1.8), rng.uniform(0.4, 0.9), rng.uniform(0.4, 0.85)
    top = rng.uniform(0.015, 0.06)
    builder = Builder()
    overhang = rng.uniform(0.0, 0.05)
    size = (width / 2 + overhang, depth + overhang)
    builder.add(0, slab(rng, (-size[0], -overhang, height - top), (size[0], size[1], height)))
    habit = rng.random()
    if habit < 0.45:  # an apron with drawers, on legs
        drop = rng.uniform(0.1, 0.2)
        builder.add(0, legs(rng, (-width / 2, 0), (width / 2, depth), height - top), 0)
        _fill(
            builder,
            rng,
            (-width / 2, 0, height - top - drop),
            (width / 2, depth, height - top),
            int(rng.integers(1, 4)),
            1,
            1.0,
        )
    else:
        pedestal = rng.uniform(0.25, 0.4) * width
        sides = [-1, 1] if habit > 0.7 else [int(rng.choice([-1, 1]))]
        foot = rng.choice([0.0, 0.08])
        for side in sides:
            left = -width / 2 if side < 0 else width / 2 - pedestal
            low, high = (left, 0, foot), (left + pedestal, depth, height - top)
            _fill(builder, rng, low, high, 1, int(rng.integers(1, 5)), 0.8)
            if foot:
                feet = legs(rng, (left, 0), (left + pedestal, depth), foot)
                builder.add(0, feet, 3)
        if len(sides) == 1:
            edge = -sides[0] * width / 2
            inner = edge + sides[0] * 0.03
            builder.add(0, box((min(edge, inner), 0, 0), (max(edge, inner), depth, height - top)))
        if rng.random() < 0.5:
            builder.add(0, box((-width / 2, depth - 0.02, 0.4 * height), (width / 2, depth, height - top)))
    return builder.build(rng, "desk", "drawer")


def _furniture(
    rng: np.random.Generator, name: str, size: tuple[float, float, float], columns: int, rows: int, drawers: float
) -> MovingObject:
    width, depth, height = size
    builder = Builder()
    foot = rng.choice([0.0, rng.uniform(0.03, 0.2)])
    low, high = (-width / 2, 0.0, foot), (width / 2, depth, foot + height)
    _fill(builder, rng, low, high, columns, rows, drawers)
    if foot:
        habit = rng.random()
        if habit < 0.6:
            builder.add(0, legs(rng, (low[0], 0), (high[0], depth), foot), 3)
        elif habit < 0.75:
            radius = 0.5 * foot
            for x in (low[0] + foot, high[0] - foot):
                for y in (foot, depth - foot):
                    add_wheel(builder, rng, 0, (x, y, radius), radius, radius, 3)
        else:
            builder.add(0, box((low[0] + 0.02, 0.03, 0), (high[0] - 0.02, depth, foot)), 3)
    if rng.random() < 0.3:  # a top of its own
        builder.add(0, slab(rng, (low[0] - 0.02, -0.03, high[2]), (high[0] + 0.02, depth, high[2] + 0.03)), 3)
    if rng.random() < 0.2:  # something that stands on it
        _standing(builder, rng, low[0], high[0], depth, high[2])
    return builder.build(rng, name, "drawer" if drawers == 1.0 else "cabinet")


def _standing(builder: Builder, rng: np.random.Generator, left: float, right: float, depth: float, top: float) -> None:
    """A mirror, a back board or a rail above the furniture."""
    if rng.random() < 0.5:
        builder.add(0, slab(rng, (left, depth - 0.03, top), (right, depth, top + rng.uniform(0.1, 0.6))), 4)
        return
    rise = top + rng.uniform(0.05, 0.15)
    path = np.array([[left, 0.02, rise], [left, depth, rise], [right, depth, rise], [right, 0.02, rise]])
    builder.add(0, swept(path, 0.01, 6), 4)
    builder.add(0, [moved(box((-0.01, -0.01, top), (0.01, 0.01, rise)), (x, y, 0)) for x, y in path[:, :2]], 4)


def _fill(
    builder: Builder,
    rng: np.random.Generator,
    low: tuple[float, float, float],
    high: tuple[float, float, float],
    columns: int,
    rows: int,
    drawers: float,
) -> None:
    """A carcass open to -Y and what is in it; `drawers` is the share of cells that are drawers."""
    wall = rng.uniform(0.01, 0.03)
    builder.add(0, carcass(rng, low, high, wall))
    thickness = rng.uniform(0.01, 0.03)
    inset = rng.random() < 0.5  # fronts lie between the walls, or on them
    edges = _divided(rng, low[0] + wall, high[0] - wall, columns)
    for left, right in pairwise(edges):
        if right < high[0] - 1.5 * wall:
            builder.add(0, box((right - wall / 2, 0.002, low[2]), (right + wall / 2, high[1], high[2])))
        column_rows = rows if rng.random() < 0.6 else int(rng.integers(1, rows + 1))
        levels = _divided(rng, low[2] + wall, high[2] - wall, column_rows)
        for bottom, top in pairwise(levels):
            if top < high[2] - 1.5 * wall and rng.random() < 0.7:
                builder.add(0, box((left, 0.002, top - wall / 3), (right, high[1], top + wall / 3)))
            margin = (1.0 if inset else -0.3) * wall / 2
            place = front((left + margin, thickness if inset else 0.0, bottom + margin))
            size = (right - left - 2 * margin, top - bottom - 2 * margin)
            if rng.random() < drawers or size[1] < 0.12:
                add_drawer(builder, rng, 0, place, (*size, 0.92 * (high[1] - wall)), thickness)
            else:
                _doored(builder, rng, place, size, thickness, high[1] - 2 * wall)


def _doored(
    builder: Builder,
    rng: np.random.Generator,
    place: LocalFrame,
    size: tuple[float, float],
    thickness: float,
    depth: float,
) -> None:
    """One door, two doors, a flap, or an open shelf."""
    width, height = size
    habit = rng.random()
    limit = np.radians(rng.uniform(80, 175))
    gap = rng.choice([0.0, 0.003])
    if habit < 0.1 and builder.moves:
        if rng.random() < 0.5:
            _tray(builder, rng, place, size, depth)
        return
    if habit > 0.94:
        _sliding_doors(builder, rng, place, size, thickness)
        return
    if width > 1.1 * height and habit < 0.35:
        hinge = str(rng.choice(["bottom", "top"]))
        add_hinged_panel(builder, rng, 0, place, (width, height, thickness), hinge, np.radians(rng.uniform(70, 100)))
    elif width > 0.7 * height and habit < 0.75:
        seed = rng.integers(2**32)  # both doors look the same
        half = (width / 2 - gap, height, thickness)
        add_hinged_panel(builder, np.random.default_rng(seed), 0, place, half, "left", limit)
        right = place.at(width / 2 + gap, 0)
        add_hinged_panel(builder, np.random.default_rng(seed), 0, right, half, "right", limit)
    else:
        hinge = str(rng.choice(["left", "right"]))
        add_hinged_panel(builder, rng, 0, place, (width, height, thickness), hinge, limit)
    for share in rng.uniform(0.2, 0.8, int(rng.integers(0, 3))):  # shelves behind
        corner, opposite = place.point(0, share * height, -depth), place.point(width, share * height + 0.01, -0.01)
        builder.add(0, box(np.minimum(corner, opposite), np.maximum(corner, opposite)))


def _tray(
    builder: Builder, rng: np.random.Generator, place: LocalFrame, size: tuple[float, float], depth: float
) -> None:
    """A shelf without a front that draws out, like those for keyboards, or things on a shelf that stays."""
    width, height = size
    board = place.place(box((0, 0, -0.95 * depth), (width, 0.02, -0.01)))
    part = 0
    if rng.random() < 0.6:
        part = builder.part(0, "prismatic", place.axes[2], place.origin, (0.0, rng.uniform(0.5, 0.9) * depth))
    builder.add(part, board, 3)
    corner, opposite = (
        place.point(0.1 * width, 0.02, -0.85 * depth),
        place.point(0.9 * width, 0.9 * height, -0.1 * depth),
    )
    if rng.random() < 0.5:
        builder.add(part, contents(rng, np.minimum(corner, opposite), np.maximum(corner, opposite)), 4)


def _sliding_doors(
    builder: Builder, rng: np.random.Generator, place: LocalFrame, size: tuple[float, float], thickness: float
) -> None:
    """Two doors one before the other; each slides over its neighbour."""
    width, height = size
    half, overlap = 0.5 * width, rng.uniform(0.0, 0.04) * width
    seed = int(rng.integers(2**32))
    for side in (0, 1):
        same = np.random.default_rng(seed)
        leaf = place.at(side * (half - overlap), 0.0, side * 1.1 * thickness)
        direction = leaf.axes[0] * (1.0 if side == 0 else -1.0)
        part = builder.part(0, "prismatic", direction, leaf.origin, (0.0, same.uniform(0.7, 0.95) * half))
        body, inset = panel(same, half + overlap, height, thickness)
        builder.add(part, leaf.place(body), 1)
        builder.add(part, leaf.place(inset), 2)
        if same.random() < 0.7:
            spot = leaf.at(0.1 * half if side == 0 else 0.9 * half, 0.5 * height, thickness)
            builder.add(part, spot.place(handle(same, 0.2 * height, 0.5 * thickness + 0.005)), 3)


def _divided(rng: np.random.Generator, low: float, high: float, count: int) -> np.ndarray:
    """`count` intervals from low to high: equal, or of random sizes."""
    sizes = np.ones(count) if rng.random() < 0.5 else rng.uniform(0.5, 1.5, count)
    return low + (high - low) * np.concatenate([[0.0], np.cumsum(sizes) / sizes.sum()])
