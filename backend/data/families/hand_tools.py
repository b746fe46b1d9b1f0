"""Scissors, pliers, staplers, pocket knives, eyeglasses."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..moving_object import MovingObject
from ..shapes import Piece, bevelled_box, box, cylinder, extruded, mirrored, moved, rounded_prism, swept, torus, turned
from .pieces import slab

__all__ = ["eyeglasses", "knife", "pliers", "scissors", "stapler"]


def _crossed(builder: Builder, rng: np.random.Generator, limit: float, opened: float) -> tuple[int, int]:
    """Two parts that turn against each other about Z: either both by half, or one on the other, which stays.

    Whoever draws scissors decides which half is the base, or none; training sees all three.
    """
    habit = rng.random()
    if habit < 0.5:
        first = builder.part(0, "revolute", (0, 0, 1), (0, 0, 0), (-opened / 2, (limit - opened) / 2))
        second = builder.part(0, "revolute", (0, 0, -1), (0, 0, 0), follows=first)
        return first, second
    moving = builder.part(0, "revolute", (0, 0, 1 if habit < 0.75 else -1), (0, 0, 0), (-opened, limit - opened))
    return (moving, 0) if habit < 0.75 else (0, moving)


def _spun(piece: Piece, angle: float) -> Piece:
    return turned(piece, 2, angle)


def _add_half(
    builder: Builder, part: int, pieces: list[Piece], side: float, opened: float, blades: int, lower: float = 0.0
) -> None:
    """One of two crossed halves; that of side -1 is mirrored and moved down. The first `blades` pieces have slot 1."""
    if side < 0:
        pieces = [mirrored(piece, 1) for piece in pieces]
        if lower:
            pieces = [moved(piece, (0, 0, -lower)) for piece in pieces]
    pieces = [_spun(piece, side * opened / 2) for piece in pieces]
    builder.add(part, pieces[:blades], 1)
    builder.add(part, pieces[blades:], 2)


def scissors(rng: np.random.Generator) -> MovingObject:
    """Two blades on a pivot, each with a ring; the pivot's pin is the base."""
    blade, grip = rng.uniform(0.5, 1.0), rng.uniform(0.35, 0.8)
    wide, thick = rng.uniform(0.05, 0.12), rng.uniform(0.004, 0.02)
    ring = rng.uniform(0.1, 0.2)
    opened = np.radians(rng.choice([0.0, rng.uniform(0, 40)]))
    limit = np.radians(rng.uniform(40, 90))
    builder = Builder()
    first, second = _crossed(builder, rng, limit, opened)
    seed, tube = int(rng.integers(2**32)), rng.uniform(0.12, 0.3) * ring
    for part, side in ((first, 1.0), (second, -1.0)):
        same = np.random.default_rng(seed)
        outline = [
            [blade, 0.0],
            [0.6 * blade, 0.35 * wide],
            [-0.05, 0.7 * wide],
            [-0.05, -0.3 * wide],
            [0.9 * blade, -0.02],
        ]
        pieces = [extruded(outline, 0.0, thick)]
        at = np.array([-grip, -ring * same.uniform(0.7, 1.0), 0.5 * thick])
        path = np.array(
            [
                [0.0, 0.2 * wide, 0.5 * thick],
                [-0.4 * grip, -0.2 * ring, 0.5 * thick],
                at + np.array([0.9 * ring, 0.3 * ring, 0.0]),
            ]
        )
        pieces.append(swept(path, np.linspace(0.3 * wide, tube, 3), 6))
        hoop = torus(1.0, tube / ring, 16, 6)
        stretch = same.uniform(1.0, 1.6) if side > 0 else same.uniform(0.9, 1.3)
        pieces.append(moved((hoop[0] * (stretch * ring, ring, ring), hoop[1]), at))
        _add_half(builder, part, pieces, side, opened, 1, lower=thick)
    builder.add(0, cylinder(0.3 * wide, -1.2 * thick, 1.2 * thick, 10), 3)
    return builder.build(rng, "scissors", "scissors")


def pliers(rng: np.random.Generator) -> MovingObject:
    """Two thick jaws and long handles, closed at the jaws when drawn or a little open."""
    jaw, grip = rng.uniform(0.2, 0.5), rng.uniform(0.6, 1.0)
    wide, thick = rng.uniform(0.06, 0.12), rng.uniform(0.05, 0.12)
    limit, opened = np.radians(rng.uniform(25, 70)), np.radians(rng.choice([0.0, rng.uniform(0, 25)]))
    builder = Builder()
    first, second = _crossed(builder, rng, limit, opened)
    spread, tip = rng.uniform(0.1, 0.35), rng.uniform(0.1, 0.6)
    radius = rng.uniform(0.25, 0.5) * wide
    bend = rng.uniform(-0.05, 0.1)
    for part, side in ((first, 1.0), (second, -1.0)):
        outline = [
            [jaw, 0.0],
            [jaw, tip * wide],
            [0.0, wide],
            [-wide, 0.4 * wide],
            [-wide, -0.6 * wide],
            [0.0, -0.6 * wide],
            [0.3 * wide, 0.0],
        ]
        head = extruded(outline, -thick / 2, thick / 2)
        points = np.linspace(0.0, 1.0, 5)
        y = -0.3 * wide - spread * points + bend * np.sin(np.pi * points)
        path = np.column_stack([-0.5 * wide - grip * points, y, np.zeros(5)])
        pieces = [head, swept(path, radius, 6)]
        if rng.random() < 0.6:
            pieces.append(swept(path[2:], 1.4 * radius, 8))
        _add_half(builder, part, pieces, side, opened, 2)
    builder.add(0, cylinder(0.5 * wide, -0.6 * thick, 0.6 * thick, 12), 3)
    return builder.build(rng, "pliers", "scissors")


def stapler(rng: np.random.Generator) -> MovingObject:
    """A base, an arm hinged at the rear, sometimes a magazine on the same pin, or one that slides in the arm."""
    length, width = rng.uniform(0.12, 0.2), rng.uniform(0.02, 0.045)
    base, arm = rng.uniform(0.004, 0.015), rng.uniform(0.012, 0.045)
    rise = rng.uniform(0.012, 0.04)
    builder = Builder()
    half = width / 2
    ends = (-rng.uniform(0.0, 0.12) * length, rng.uniform(0.9, 1.15) * length)  # of the base
    builder.add(0, slab(rng, (ends[0], -1.1 * half, 0), (ends[1], 1.1 * half, base)))
    rear = rng.uniform(0.1, 0.3) * length
    if rng.random() < 0.7:
        for side in (-1, 1):
            low, high = sorted((side * half, side * 1.15 * half))
            builder.add(0, box((0.02 * length, low, 0), (rear, high, rise + rng.uniform(0.2, 0.6) * arm)))
    else:  # a block between the two
        builder.add(0, box((0.02 * length, -0.7 * half, 0), (rear, 0.7 * half, rise)))
    if rng.random() < 0.4:  # the anvil
        builder.add(0, box((0.85 * length, -0.6 * half, base), (0.95 * length, 0.6 * half, base + 0.003)), 3)
    pivot = (rng.uniform(0.02, 0.16) * length, 0, rise + rng.uniform(-0.4, 0.5) * arm)
    limit = np.radians(rng.uniform(20, 180) if rng.random() < 0.5 else rng.uniform(15, 60))
    tilt = np.arctan2(0.5 * rise, length)
    top = builder.part(0, "revolute", (0, -1, 0), pivot, (-tilt, limit))
    share = np.linspace(0.0, 1.0, 7)
    hump = rng.uniform(0.2, 1.0) * np.sin(np.pi * (0.15 + 0.75 * share)) + rng.uniform(0.3, 0.7)
    ridge = np.column_stack([(0.98 - 0.93 * share) * length, arm * hump / hump.max()])
    cover = [[0, 0], [0.98 * length, 0], *ridge.tolist()]
    shell = turned(extruded(cover, -half, half), 0, np.pi / 2)
    if rng.random() < 0.3:
        cover = [[0, 0], [0.98 * length, 0], [0.9 * length, 0.7 * arm], [0.5 * length, arm], [0.1 * length, arm]]
        shell = turned(extruded(cover, -half, half), 0, np.pi / 2)
    builder.add(top, moved(shell, (0, 0, rise)), 1)
    deep = rng.uniform(0.15, 0.5) * arm
    low, high = rise - deep, rise + rng.choice([0.0, 0.3]) * arm
    magazine = (
        (rng.uniform(0.0, 0.15) * length, -0.8 * half, low),
        (rng.uniform(0.85, 1.0) * length, 0.8 * half, high),
    )
    habit = rng.random()
    if habit < 0.2:
        builder.add(top, box(*magazine), 2)
    elif habit < 0.85:
        part = builder.part(0, "revolute", (0, -1, 0), pivot, (-0.7 * tilt, 0.8 * limit))
        builder.add(part, box(*magazine), 2)
        if rng.random() < 0.4:
            tongue = box((0.9 * length, -0.5 * half, low - 0.2 * deep), (1.02 * length, 0.5 * half, low + 0.5 * deep))
            builder.add(part, tongue, 2)
    else:
        part = builder.part(top, "prismatic", (1, 0, 0), pivot, (0.0, rng.uniform(0.3, 0.7) * length))
        builder.add(part, box(*magazine), 2)
    if rng.random() < 0.75:
        pin = turned(cylinder(rng.uniform(0.1, 0.25) * arm, -1.25 * half, 1.25 * half, 8), 0, np.pi / 2)
        builder.add(0, moved(pin, pivot), 3)
    return builder.build(rng, "stapler", "stapler")


def knife(rng: np.random.Generator) -> MovingObject:
    """A pocket knife whose blades fold out of the handle, or a cutter whose blade slides out of it."""
    length, width, thick = rng.uniform(0.08, 0.2), rng.uniform(0.012, 0.03), rng.uniform(0.008, 0.02)
    builder = Builder()
    blade = rng.uniform(0.8, 0.95) * length
    edge = 0.12 * thick
    if rng.random() < 0.4:
        builder.add(0, slab(rng, (0, -width / 2, -thick / 2), (length, width / 2, thick / 2)))
        shown = rng.choice([0.0, rng.uniform(0.1, 0.6)]) * blade
        part = builder.part(0, "prismatic", (1, 0, 0), (0, 0, 0), (-shown, 0.9 * blade - shown))
        outline = [
            [0.1 * length, -0.35 * width],
            [length, -0.35 * width],
            [length - 0.5 * width, 0.35 * width],
            [0.1 * length, 0.35 * width],
        ]
        builder.add(part, moved(extruded(outline, -edge, edge), (shown, 0, 0)), 1)
        at = shown + rng.uniform(0.2, 0.35) * length
        builder.add(part, box((at, -0.15 * width, 0), (at + 0.08 * length, 0.15 * width, 0.7 * thick)), 2)
        return builder.build(rng, "knife", "knife")
    for side in (-1, 1):  # two scales with a gap for the blades
        plate = rounded_prism(np.full((2, 2), (length, width)), 0.4 * width, [0.15 * thick, 0.5 * thick], 4)
        plate = plate if side > 0 else mirrored(plate, 2)
        builder.add(0, moved(plate, (length / 2, 0, 0)))
    builder.add(0, box((0, -0.45 * width, -0.15 * thick), (length, -0.3 * width, 0.15 * thick)), 3)
    count = int(rng.choice([1, 1, 1, 2, 3]))
    for number in range(count):
        near = number % 2 == 0
        pivot = 0.06 * length if near else 0.94 * length
        way = 1.0 if near else -1.0
        opened = np.pi * rng.choice([0.0, 0.0, rng.uniform(0.3, 1.0)])
        limit = np.pi * rng.uniform(0.8, 1.0)
        opened = min(opened, limit)
        part = builder.part(0, "revolute", (0, 0, way), (pivot, 0, 0), (-opened, limit - opened))
        reach = blade * rng.uniform(0.7, 1.0)
        outline = np.array(
            [
                [0, -0.3 * width],
                [0.75 * reach, -0.3 * width],
                [reach, 0.1 * width],
                [0.8 * reach, 0.35 * width],
                [0, 0.3 * width],
            ]
        )
        level = (number - 0.5 * (count - 1)) * 0.09 * thick
        piece = extruded(outline, level - 0.3 * edge, level + 0.3 * edge)
        piece = piece if near else mirrored(piece, 0)
        builder.add(part, moved(_spun(piece, way * opened), (pivot, 0, 0)), 1)
        builder.add(0, moved(cylinder(0.12 * width, -0.55 * thick, 0.55 * thick, 8), (pivot, 0, 0)), 2)
    return builder.build(rng, "knife", "knife")


def _temple(rng: np.random.Generator, side: int, length: float, drop: float, tube: float) -> list[Piece]:
    """A temple of eyeglasses from its hinge at the origin, open, with the bow behind the ear."""
    points = np.linspace(0, 1, 7)
    bend = np.clip((points - 0.7) / 0.3, 0, 1)
    path = np.column_stack([-0.03 * side * length * points, length * points - 0.4 * drop * bend**2, -drop * bend**1.3])
    if rng.random() < 0.5:
        temple = swept(path, np.linspace(1.2, 0.8, 7) * tube, 6, up=(1, 0, 0))
    else:
        radii = np.column_stack([np.full(7, 0.5 * tube), np.linspace(2.5, 1.5, 7) * tube]).T
        temple = swept(path, radii, 6, up=(1, 0, 0))
    pieces = [temple]
    if rng.random() < 0.4:
        pieces.append(swept(path[-3:], 1.6 * tube, 6, up=(1, 0, 0)))
    return pieces


def eyeglasses(rng: np.random.Generator) -> MovingObject:
    """A front with two lenses and two temples that fold behind it; drawn open (as in catalogues) or folded."""
    width, height, length = rng.uniform(0.12, 0.15), rng.uniform(0.03, 0.055), rng.uniform(0.11, 0.15)
    tube = rng.uniform(0.001, 0.004)
    builder = Builder()
    lens = np.array([rng.uniform(0.36, 0.46) * width / 2 * 1.05, height / 2])
    angle = np.linspace(0, 2 * np.pi, 20, endpoint=False)
    roundness = rng.choice([2.0, 3.0, 5.0])
    cosine, sine = np.cos(angle), np.sin(angle)
    outline = np.column_stack(
        [
            np.sign(cosine) * np.abs(cosine) ** (2 / roundness) * lens[0],
            0 * angle,
            np.sign(sine) * np.abs(sine) ** (2 / roundness) * lens[1],
        ]
    )
    middle = width / 2 - lens[0] - 0.5 * tube
    rimmed, filled = rng.random() < 0.85, rng.random() < 0.7
    for side in (-1, 1):
        if rimmed:
            builder.add(0, moved(swept(outline, tube, 6, closed=True, up=(0, 1, 0)), (side * middle, 0, 0)))
        if filled or not rimmed:
            glass = turned(extruded(outline[:, [0, 2]], -0.3 * tube, 0.3 * tube), 0, np.pi / 2)
            builder.add(0, moved(glass, (side * middle, 0, 0)), 2)
    inner = middle - lens[0]
    bow = np.array([[-inner, 0, 0.2 * height], [0, -0.002, 0.32 * height], [inner, 0, 0.2 * height]])
    builder.add(0, swept(bow, 1.2 * tube, 6, up=(0, 1, 0)))
    if rng.random() < 0.5:
        pads = [
            moved(bevelled_box((-0.002, 0, -0.006), (0.002, 0.004, 0.006), 0.001), (s * inner, 0.004, -0.1 * height))
            for s in (-1, 1)
        ]
        builder.add(0, pads, 3)
    limit = np.radians(rng.uniform(80, 100))
    folded = rng.random() < 0.25
    level = rng.uniform(0.1, 0.4) * height
    offset = rng.uniform(0.002, 0.008)
    drop = rng.uniform(0.15, 0.35) * length
    for side in (-1, 1):
        pivot = np.array([side * (width / 2 + 0.5 * tube), offset, level])
        builder.add(0, moved(box((-1.2 * tube, -offset - tube, -1.2 * tube), (1.2 * tube, 0.0, 1.2 * tube)), pivot))
        way = float(side)
        limits = (-limit, 0.0) if folded else (0.0, limit)
        part = builder.part(0, "revolute", (0, 0, way), pivot, limits)
        pieces = _temple(rng, side, length, drop, tube)
        if folded:
            pieces = [_spun(piece, way * limit) for piece in pieces]
        builder.add(part, [moved(piece, pivot) for piece in pieces], 1)
    return builder.build(rng, "eyeglasses", "eyeglasses")
