"""Things that fold in two: laptops and other shells, books, suitcases and briefcases."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..local_frame import front, upward
from ..moving_object import MovingObject
from ..shapes import Piece, box, cylinder, moved, rectangle, rounded_prism, turned
from .fittings import add_wheel, button_grid
from .pieces import handle, slab

__all__ = ["flip_phone", "laptop", "suitcase"]


def laptop(rng: np.random.Generator) -> MovingObject:
    """A base with a keyboard and touch pad and a screen hinged at its rear edge; drawn closed or standing open."""
    width = rng.uniform(0.25, 0.45)
    depth = width * rng.uniform(0.6, 0.8)
    base, screen = rng.uniform(0.008, 0.03), rng.uniform(0.004, 0.015)
    builder = Builder()
    low, high = (-width / 2, 0.0, 0.0), (width / 2, depth, base)
    builder.add(0, slab(rng, low, high) if rng.random() < 0.6 else _rounded_plate(rng, width, depth, 0, base))
    _keyboard(builder, rng, width, depth, base)
    opened = rng.uniform(70, 130) if rng.random() < 0.7 else 0.0
    limit = rng.uniform(max(90, opened), 180 if rng.random() < 0.8 else 355)
    back, level = depth * rng.choice([1.0, rng.uniform(0.93, 1.0)]), base + rng.choice([0.0, 0.5, -0.5]) * screen
    lid = builder.part(0, "revolute", (-1, 0, 0), (0, back, level), (np.radians(-opened), np.radians(limit - opened)))
    gap = rng.choice([0.0, 0.001])
    shell = _rounded_plate(rng, width, back, base + gap, base + gap + screen)
    if rng.random() < 0.6:
        shell = slab(rng, (-width / 2, 0, base + gap), (width / 2, back, base + gap + screen))
    border = rng.uniform(0.03, 0.1) * width
    face = box if rng.random() < 0.4 else None
    inner = -0.0005 if rng.random() < 0.5 else 0.0005
    corner = (-width / 2 + border, border, base + gap + inner)
    glass = (
        box(corner, (width / 2 - border, back - border, base + gap + 0.3 * screen))
        if face
        else rectangle(corner, (0, back - 2 * border, 0), (width - 2 * border, 0, 0))
    )
    pieces: list[tuple[list[Piece], int]] = [(shell, 1), ([glass], 4)]
    if rng.random() < 0.4:  # a badge on the back
        badge = moved(cylinder(0.04 * width, 0, 0.001, 12), (0, back / 2, base + gap + screen))
        pieces.append(([badge], 5))
    barrels = rng.random() < 0.5
    for group, slot in pieces:
        builder.add(lid, [_tilted(piece, (0, back, level), np.radians(opened)) for piece in group], slot)
    if barrels:
        radius = rng.uniform(0.5, 1.0) * max(screen, 0.006)
        for share in (-0.3, 0.3):
            barrel = turned(cylinder(radius, -0.08 * width, 0.08 * width, 8), 1, np.pi / 2)
            builder.add(int(rng.choice([0, lid])), moved(barrel, (share * width, back, level)), 5)
    return builder.build(rng, "laptop", "laptop")


def _rounded_plate(rng: np.random.Generator, width: float, depth: float, low: float, high: float) -> list[Piece]:
    taper = rng.uniform(0.9, 1.0)
    sizes = np.array([[taper * width, taper * depth], [width, depth], [width, depth]])
    plate = rounded_prism(sizes, 0.05 * width, [low, 0.5 * (low + high), high], 4)
    return [moved(plate, (0, depth / 2, 0))]


def _tilted(piece: Piece, pivot: tuple[float, float, float], angle: float) -> Piece:
    """Turned about the line along -X through `pivot`."""
    pivot_array = np.array(pivot)
    return moved(turned(moved(piece, -pivot_array), 0, -angle), pivot_array)


def _keyboard(builder: Builder, rng: np.random.Generator, width: float, depth: float, top: float) -> None:
    """Keys as many small boxes or as a single sheet; they stay still. A touch pad below them."""
    left, right, low, high = -0.44 * width, 0.44 * width, rng.uniform(0.4, 0.5) * depth, 0.9 * depth
    habit = rng.random()
    if habit < 0.5:
        columns, rows = int(rng.integers(10, 16)), int(rng.integers(4, 7))
        step = np.array([(right - left) / columns, (high - low) / rows])
        key = box((0.1 * step[0], 0.1 * step[1], 0), (0.9 * step[0], 0.9 * step[1], 0.002))
        corners = np.array([[left + x * step[0], low + y * step[1], top] for x in range(columns) for y in range(rows)])
        builder.add(0, [moved(key, corner) for corner in corners], 2)
    elif habit < 0.8:
        builder.add(0, rectangle((left, low, top + 0.0005), (right - left, 0, 0), (0, high - low, 0)), 2)
    if rng.random() < 0.7:
        pad = rng.uniform(0.15, 0.25) * width
        builder.add(0, box((-pad, 0.1 * depth, top - 0.001), (pad, 0.85 * low, top + 0.0005)), 3)


def flip_phone(rng: np.random.Generator) -> MovingObject:
    """Two slabs of like size: a flip phone or game console (hinged), a slider phone, or a compact."""
    width, depth, thick = rng.uniform(0.05, 0.2), rng.uniform(0.08, 0.12), rng.uniform(0.008, 0.02)
    builder = Builder()
    builder.add(0, slab(rng, (-width / 2, 0, 0), (width / 2, depth, thick)))
    low, high = (-width / 2, 0, thick), (width / 2, depth, thick + rng.uniform(0.5, 1.0) * thick)
    if rng.random() < 0.7:
        limit = np.radians(rng.uniform(120, 180))
        lid = builder.part(0, "revolute", (-1, 0, 0), (0, depth, thick), (0.0, limit))
        barrel = turned(cylinder(0.4 * thick, -0.3 * width, 0.3 * width, 10), 1, np.pi / 2)
        builder.add(int(rng.choice([0, lid])), moved(barrel, (0, depth, thick)), 3)
    else:
        lid = builder.part(0, "prismatic", (0, 1, 0), (0, 0, 0), (0.0, rng.uniform(0.3, 0.6) * depth))
    builder.add(lid, slab(rng, low, high), 1)
    builder.add(
        lid, rectangle((-0.4 * width, 0.1 * depth, high[2] + 1e-4), (0.8 * width, 0, 0), (0, 0.8 * depth, 0)), 4
    )
    if rng.random() < 0.7:
        counts = (int(rng.integers(3, 5)), int(rng.integers(3, 5)))
        face = upward((-0.4 * width, 0.1 * depth, thick))
        if rng.random() < 0.5:
            button_grid(builder, rng, 0, face, (0.8 * width, 0.5 * depth), counts, 0.001)
        else:
            spots = [(x, y) for x in np.linspace(0.1, 0.7, counts[0]) for y in np.linspace(0.05, 0.45, counts[1])]
            keys = [
                moved(box((0, 0, 0), (0.1 * width, 0.06 * depth, 0.0008)), (x * width, y * depth, 0)) for x, y in spots
            ]
            builder.add(0, face.place(keys), 2)
    return builder.build(rng, "flip_phone", "laptop")


def suitcase(rng: np.random.Generator) -> MovingObject:
    """Two halves with a hinge along one side; a handle that turns or telescopes, clasps, wheels.

    Built lying: the handle looks along -Y, the lid lies above; cases with wheels are then stood up.
    """
    width, height, depth = rng.uniform(0.35, 0.6), rng.uniform(0.3, 0.75), rng.uniform(0.08, 0.3)
    standing = rng.random() < 0.5
    builder = Builder()
    split = rng.uniform(0.4, 0.8) * depth
    corner, rounding = int(rng.integers(2, 5)), rng.uniform(0.03, 0.2) * min(width, height)
    wall = rng.uniform(0.003, 0.01)
    sizes = np.array([[width, height]] * 4)
    sizes[[2, 3]] -= 2 * wall
    builder.add(0, rounded_prism(sizes, rounding, [0.0, split, split, wall], corner))
    pivot, axis = (0.0, height / 2, split), (-1.0, 0.0, 0.0)
    if standing:  # cases that stand are hinged along their side
        pivot, axis = (width / 2, 0.0, split), (0.0, 1.0, 0.0)
    lid = builder.part(0, "revolute", axis, pivot, (0.0, np.radians(rng.uniform(70, 180))))
    above = split + rng.choice([0.0, 0.002])
    cover = rounded_prism(sizes, rounding, [depth, above, above, depth - wall], corner)
    builder.add(lid, (cover[0], cover[1][:, ::-1]), 1)
    if rng.random() < 0.5:
        for x in np.linspace(-0.35, 0.35, int(rng.integers(2, 6))) * width:
            builder.add(
                lid, box((x - 0.008, -0.42 * height, depth - 0.002), (x + 0.008, 0.42 * height, depth + 0.006)), 2
            )
    edge = front((0.0, -height / 2, 0.5 * split))
    carry = 0
    if rng.random() < 0.5:
        turn = np.radians(rng.uniform(60, 90))
        carry = builder.part(0, "revolute", edge.axes[0], edge.origin, (-turn, turn))
    grip = handle(rng, rng.uniform(0.25, 0.45) * width, rng.uniform(0.03, 0.06))
    builder.add(carry, edge.turned(1).place(grip), 3)
    for x in (-0.3 * width, 0.3 * width) if rng.random() < 0.5 else ():
        clasp = 0
        hinge = (x, -height / 2, split - 0.02)
        if rng.random() < 0.5:
            clasp = builder.part(0, "revolute", (1, 0, 0), hinge, (0.0, np.radians(90)))
        builder.add(clasp, box((x - 0.02, -height / 2 - 0.008, split - 0.02), (x + 0.02, -height / 2, split + 0.02)), 4)
    if standing:
        _luggage_gear(builder, rng, width, height, split)
        builder.turn(0, -0.5 * np.pi)
    return builder.build(rng, "suitcase", "suitcase")


def _luggage_gear(builder: Builder, rng: np.random.Generator, width: float, height: float, split: float) -> None:
    """A telescopic handle of one or two stages below the case (its back, once stood up), and wheels at its far end."""
    if rng.random() < 0.75:
        bars, stage, stages = rng.uniform(0.2, 0.35) * width, 0, int(rng.integers(1, 3))
        length = rng.uniform(0.6, 0.85) * height
        top = -height / 2 - 0.01
        for number in range(stages):
            stroke = rng.uniform(0.4, 0.8) * length / stages
            stage = builder.part(stage, "prismatic", (0, -1, 0), (0, 0, 0), (0.0, stroke))
            size = 0.008 - 0.002 * number
            for side in (-bars, bars):
                builder.add(
                    stage, box((side - size, top, -0.012 - size), (side + size, top + length, -0.012 + size)), 3
                )
        builder.add(stage, slab(rng, (-bars - 0.02, top - 0.03, -0.025), (bars + 0.02, top, 0.0)), 3)
    radius = rng.uniform(0.02, 0.035)
    for side in (-0.42, 0.42):
        for level in (0.15, 0.85):
            add_wheel(
                builder, rng, 0, (side * width, height / 2 + 0.6 * radius, level * split), radius, 0.8 * radius, 4
            )
