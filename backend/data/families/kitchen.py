"""Ovens one above the other, and boxes for the worktop with a door beside their controls."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..local_frame import LocalFrame, front
from ..moving_object import MovingObject
from ..shapes import box, cylinder, disc, moved, rectangle, torus
from .controls import add_controls, add_fascia, add_knob_row, add_racks
from .fittings import add_drawer, add_leaf
from .pieces import carcass, contents, legs, slab

__all__ = ["counter_oven", "stacked_oven"]


def stacked_oven(rng: np.random.Generator) -> MovingObject:
    """One to three doors above each other that fold down, bars along their upper edges; drawers, panels, controls."""
    width, depth = rng.uniform(0.45, 0.95), rng.uniform(0.35, 0.75)
    left, door = -width / 2, rng.uniform(0.012, 0.06)
    builder = Builder()
    hollow = rng.random() < 0.6
    sheet = rng.choice([0.0, 0.004, 0.012])
    same = int(rng.integers(2**32))  # all doors have the same handles
    bottom = rng.choice([0.0, rng.uniform(0.03, 0.12)])
    if bottom:
        builder.add(0, box((left + 0.02, 0.04, 0), (-left - 0.02, depth, bottom)), 5)
    level = bottom
    kinds = [str(rng.choice(["door", "door", "door", "drawer", "panel"])) for _ in range(int(rng.integers(1, 4)))]
    if "door" not in kinds:
        kinds[int(rng.integers(len(kinds)))] = "door"
    for kind in kinds:
        tall = rng.uniform(0.22, 0.7) if kind == "door" else rng.uniform(0.1, 0.25)
        low, high = (left, 0.0, level), (-left, depth, level + tall)
        place, size = front((left + sheet, 0, level + sheet)), (width - 2 * sheet, tall - 2 * sheet, door)
        if kind == "panel" or (kind == "door" and not hollow):
            builder.add(0, slab(rng, low, high))
        else:
            builder.add(0, carcass(rng, low, high, rng.uniform(0.01, 0.03)))
        if kind == "drawer":
            add_drawer(builder, rng, 0, place, (*size[:2], 0.85 * depth), door, gap=0.01)
        elif kind == "door":
            way = "bottom" if rng.random() < 0.94 else str(rng.choice(["left", "right"]))
            limit = np.radians(rng.uniform(75, 100))
            part = add_leaf(builder, np.random.default_rng(same), place, size, way, limit)
            if rng.random() < 0.5:
                pane = place.at(0.12 * width, 0.2 * tall, 1.01 * door)
                builder.add(part, pane.place(rectangle((0, 0, 0), (0.74 * width, 0, 0), (0, 0.45 * tall, 0))), 6)
            if hollow:
                add_racks(builder, rng, (left + 0.03, 0.03, level), (-left - 0.03, 0.9 * depth, level + tall))
        level += tall
    if rng.random() < 0.75:  # what the doors are worked by, above them
        strip = rng.uniform(0.05, 0.16)
        lean = float(rng.choice([0.0, rng.uniform(0.1, 0.7)]))
        add_fascia(builder, rng, (left, -door * rng.choice([0.0, 1.0]), level), (width, depth, strip), lean)
        level += strip
    if rng.random() < 0.4:  # burners
        for x in (-0.22 * width, 0.22 * width):
            for y in (0.3 * depth, 0.72 * depth):
                builder.add(0, moved(cylinder(0.13 * min(width, depth), 0.0, 0.012, 12), (x, y, level)), 6)
    if rng.random() < 0.25:
        builder.add(0, slab(rng, (left, depth - 0.05, level), (-left, depth, level + rng.uniform(0.04, 0.2))), 5)
    return builder.build(rng, "stacked_oven", "appliance")


def counter_oven(rng: np.random.Generator) -> MovingObject:
    """A box with a door beside a panel: hinged at the side that is away from the panel, or folding down."""
    width, depth, height = rng.uniform(0.35, 0.65), rng.uniform(0.25, 0.5), rng.uniform(0.18, 0.38)
    wall, door = rng.uniform(0.006, 0.025), rng.uniform(0.003, 0.04)
    panel = rng.uniform(0.12, 0.35) * width
    mirrored = rng.random() < 0.12  # a panel on the left
    side = -1.0 if mirrored else 1.0
    builder = Builder()
    inner = sorted((-side * width / 2, side * (width / 2 - panel)))
    outer = sorted((side * (width / 2 - panel), side * width / 2))
    builder.add(0, carcass(rng, (inner[0], 0, 0), (inner[1], depth, height), wall))
    out = rng.choice([0.0, door])
    builder.add(0, slab(rng, (outer[0], -out, 0), (outer[1], depth, height)))
    if rng.random() < 0.5:
        builder.add(0, [moved(foot, (0, 0, -0.02)) for foot in legs(rng, (inner[0], 0), (outer[1], depth), 0.02)], 5)
    margin = rng.choice([0.0, rng.uniform(0.02, 0.2)]) * height  # a door smaller than the front
    if margin:
        builder.add(0, _border(inner, height, margin, 0.01), 5)
    size = (inner[1] - inner[0] - 2 * margin, height - 2 * margin, door)
    place = front((inner[0] + margin, 0 if not margin or rng.random() < 0.5 else door, margin))
    folds = rng.random() < 0.25
    away = "right" if mirrored else "left"
    limit = np.radians(rng.uniform(80, 95) if folds else rng.uniform(80, 170))
    part = add_leaf(builder, rng, place, size, "bottom" if folds else away, limit, bare=0.05 if folds else 0.4)
    if rng.random() < 0.5:
        pane = place.at(0.12 * size[0], 0.15 * size[1], 1.01 * door)
        builder.add(part, pane.place(rectangle((0, 0, 0), (0.76 * size[0], 0, 0), (0, 0.7 * size[1], 0))), 6)
    face = LocalFrame(np.array([outer[0], -out - 0.001, 0.0]), front((0, 0, 0)).axes)
    if folds or rng.random() < 0.3:
        add_knob_row(builder, rng, _column(face, panel), height, panel)
    else:
        add_controls(builder, rng, face, (panel, height), upright=True)
    middle = np.array([sum(inner) / 2, 0.52 * depth, wall + 0.002])
    if folds:
        add_racks(builder, rng, (inner[0] + wall, 0.02, wall), (inner[1] - wall, 0.9 * depth, height - wall))
    elif rng.random() < 0.75:
        _turntable(builder, rng, middle, 0.42 * min(inner[1] - inner[0] - 2 * wall, depth), height - 2 * wall)
    return builder.build(rng, "counter_oven", "appliance")


def _border(inner: list[float], height: float, margin: float, thick: float) -> list:
    """A frame around the opening."""
    (x0, x1), y = inner, (0.0, thick)
    return [
        box((x0, y[0], 0), (x1, y[1], margin)),
        box((x0, y[0], height - margin), (x1, y[1], height)),
        box((x0, y[0], margin), (x0 + margin, y[1], height - margin)),
        box((x1 - margin, y[0], margin), (x1, y[1], height - margin)),
    ]


def _column(face: LocalFrame, width: float) -> LocalFrame:
    """The same face with its local x running up: rows on it are columns."""
    x, y, z = face.axes
    return LocalFrame(face.point(width, 0.0, 0.0), np.stack([y, -x, z]))


def _turntable(builder: Builder, rng: np.random.Generator, at: np.ndarray, radius: float, space: float) -> None:
    """A round plate that turns, on a ring with rollers or a foot, bare or with something on it."""
    part = builder.part(0, "continuous", (0, 0, 1), at)
    lift = rng.choice([0.0, rng.uniform(0.02, 0.12) * space])
    rise = lift + rng.uniform(0.0, 0.06) * space
    if rng.random() < 0.4:
        builder.add(part, moved(disc(radius, rise, 20), at), 6)
    else:
        builder.add(part, moved(cylinder(0.85 * radius, lift, rise + 0.004, 20, radius), at), 6)
        if rng.random() < 0.5:
            builder.add(part, moved(torus(radius, 0.02 * radius, 20, 6), at + np.array([0, 0, rise + 0.004])), 6)
    if lift and rng.random() < 0.7:
        builder.add(part, moved(cylinder(0.12 * radius, 0.0, lift, 8), at), 5)
        if rng.random() < 0.5:
            builder.add(part, moved(torus(0.6 * radius, 0.3 * lift, 20, 6), at + np.array([0, 0, 0.5 * lift])), 5)
            wheels = [(np.cos(a), np.sin(a)) for a in np.radians([30, 150, 270])]
            spots = [at + 0.6 * radius * np.array([x, y, 0.0]) for x, y in wheels]
            builder.add(part, [moved(cylinder(0.08 * radius, 0.0, lift, 8), spot) for spot in spots], 5)
    if rng.random() < 0.3:
        span, top = 0.45 * radius, at[2] + rise + 0.005
        low, high = (at[0] - span, at[1] - span, top), (at[0] + span, at[1] + span, top + 0.6 * (space - rise))
        builder.add(part, contents(rng, low, high), 7)
