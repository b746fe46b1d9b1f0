"""Furniture that no joint moves: chairs, sofas, tables, beds, shelves. Cushions and boards touch, and stay together."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..builder import Builder
from ..moving_object import MovingObject
from ..shapes import Piece, box, cylinder, moved, revolved, rounded_prism, scaled, sphere, swept, torus, turned
from .pieces import contents, legs, panel, slab

__all__ = ["bed", "bookshelf", "chair", "sofa", "stool", "table"]


def cushion_piece(rng: np.random.Generator, low: np.ndarray, high: np.ndarray) -> list[Piece]:
    """A pad between two corners: a slab, a block with round edges, or a flattened ball."""
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    habit, size = rng.random(), high - low
    if habit < 0.35:
        return slab(rng, low, high)
    middle = 0.5 * (low + high)
    if habit < 0.8:
        thin = int(size.argmin())
        flat = size[[[2, 1], [0, 2], [0, 1]][thin]]
        share, heights = np.array([0.85, 0.98, 1.0, 0.98, 0.85]), np.array([-0.5, -0.35, 0.0, 0.35, 0.5])
        pad = rounded_prism(share[:, None] * flat, 0.2 * flat.min(), heights * size[thin], 4)
        upright = pad if thin == 2 else turned(pad, 1 - thin, 0.5 * np.pi)
        return [moved(upright, middle)]
    return [moved(scaled(sphere(0.5, 12), 1.05 * size), middle)]


def _back(rng: np.random.Generator, builder: Builder, width: float, y: float, low: float, high: float) -> None:
    """A back rest that rises from the height `low` at the depth y: a board, bars between posts, slats, a hoop."""
    habit, thick = rng.random(), rng.uniform(0.015, 0.05)
    lean = rng.uniform(0.0, 0.25)
    pieces: list[Piece] = []
    half, tall = 0.5 * width, high - low
    if habit < 0.3:
        pieces = slab(rng, (-half, -thick, 0), (half, thick, tall))
    elif habit < 0.55:
        pieces = [box((side * half - thick, -thick, 0), (side * half + thick, thick, tall)) for side in (-1, 1)]
        count = int(rng.integers(2, 7))
        for x in np.linspace(-half, half, count + 2)[1:-1]:
            pieces.append(moved(cylinder(0.5 * thick, 0.0, 0.9 * tall, 8), (x, 0, 0)))
        pieces.append(box((-half, -thick, 0.85 * tall), (half, thick, tall)))
    elif habit < 0.8:
        pieces = [moved(cylinder(thick, 0.0, tall, 8), (side * half, 0, 0)) for side in (-1, 1)]
        for z in np.linspace(0.3, 0.92, int(rng.integers(1, 5))) * tall:
            pieces.append(box((-half, -0.5 * thick, z - 0.06 * tall), (half, 0.5 * thick, z + 0.06 * tall)))
    else:
        turn = np.linspace(0.0, np.pi, 13)
        path = np.stack([half * np.cos(turn), np.zeros(13), tall * np.sin(turn)], axis=1)
        pieces = [swept(path, thick, 8, up=(0, 1, 0))]
    if rng.random() < 0.35:
        depth = rng.uniform(0.02, 0.08)
        pieces += cushion_piece(
            rng, np.array([-0.85 * half, -thick - depth, 0.15 * tall]), np.array([0.85 * half, -thick, 0.95 * tall])
        )
    builder.add(0, [moved(turned(piece, 0, -lean), (0, y, low)) for piece in pieces], 1)


def _feet(rng: np.random.Generator, builder: Builder, width: float, deep: float, level: float) -> None:
    """What carries a seat or a top: four legs with or without stretchers, two sides, a pedestal, a sledge of bars."""
    habit = rng.random()
    low, high = (-width / 2, -deep / 2), (width / 2, deep / 2)
    thick = rng.uniform(0.01, 0.03)
    if habit < 0.6:
        builder.add(0, legs(rng, low, high, level), 2)
        if rng.random() < 0.35:
            z = rng.uniform(0.15, 0.5) * level
            for side in (-1, 1):
                x = side * 0.42 * width
                builder.add(0, box((x - thick, -0.42 * deep, z), (x + thick, 0.42 * deep, z + 2 * thick)), 2)
    elif habit < 0.75:
        for side in (-1, 1):
            x = side * 0.46 * width
            builder.add(0, slab(rng, (x - thick, -deep / 2, 0), (x + thick, deep / 2, level)), 2)
    elif habit < 0.9:
        radius = rng.uniform(0.25, 0.45) * min(width, deep)
        foot = rng.uniform(0.02, 0.06)
        builder.add(0, cylinder(radius, 0.0, foot, 16, rng.uniform(0.6, 1.0) * radius), 2)
        builder.add(0, cylinder(rng.uniform(0.08, 0.3) * radius, foot, level, 12), 2)
    else:
        for side in (-1, 1):
            x = side * 0.42 * width
            path = np.array([[x, -0.4 * deep, level], [x, -0.4 * deep, thick], [x, 0.4 * deep, thick]])
            builder.add(0, swept(np.concatenate([path, [[x, 0.4 * deep, level]]]), thick, 6, up=(1, 0, 0)), 2)


def chair(rng: np.random.Generator) -> MovingObject:
    """A chair with a fixed back: with or without arms, padded or not."""
    builder = Builder()
    width, deep, level = rng.uniform(0.35, 0.65), rng.uniform(0.35, 0.6), rng.uniform(0.35, 0.55)
    thick = rng.uniform(0.015, 0.06)
    _feet(rng, builder, width, deep, level)
    low, high = np.array([-width / 2, -deep / 2, level]), np.array([width / 2, deep / 2, level + thick])
    builder.add(0, slab(rng, low, high) if rng.random() < 0.8 else [cylinder(width / 2, level, level + thick, 20)], 1)
    top = level + thick
    if rng.random() < 0.5:
        pad = rng.uniform(0.02, 0.1)
        inset = np.array([0.05 * width, 0.05 * deep, 0.0])
        builder.add(0, cushion_piece(rng, low + inset + [0, 0, thick], high - inset + [0, 0, pad]), 3)
    _back(rng, builder, width * rng.uniform(0.7, 1.0), 0.47 * deep, top, top + rng.uniform(0.25, 0.75))
    if rng.random() < 0.35:
        rise, wide = rng.uniform(0.15, 0.28), rng.uniform(0.015, 0.04)
        for side in (-1, 1):
            x = side * 0.5 * width
            builder.add(0, box((x - wide, -0.4 * deep, level), (x + wide, -0.4 * deep + 2 * wide, top + rise)), 2)
            builder.add(
                0, slab(rng, (x - wide, -0.45 * deep, top + rise), (x + wide, 0.5 * deep, top + rise + wide)), 2
            )
    return builder.build(rng, "chair", "chair")


def stool(rng: np.random.Generator) -> MovingObject:
    """A stool, bench or pouffe: no back."""
    builder = Builder()
    width, deep, level = rng.uniform(0.3, 1.4), rng.uniform(0.28, 0.45), rng.uniform(0.3, 0.75)
    thick = rng.uniform(0.02, 0.12)
    if rng.random() < 0.2:
        profile = [[0.9, 0.0], [1.0, 0.2], [1.0, 0.8], [0.9, 1.0]]
        builder.add(0, revolved(np.array(profile) * [0.5 * deep, level], 20), 0)
        builder.add(
            0, torus(0.48 * deep, 0.02, 20, 6) if rng.random() < 0.5 else cylinder(0.4 * deep, level, 1.05 * level), 1
        )
        return builder.build(rng, "stool", "chair")
    _feet(rng, builder, width, deep, level)
    builder.add(0, slab(rng, (-width / 2, -deep / 2, level), (width / 2, deep / 2, level + thick)), 1)
    if rng.random() < 0.4:
        low = np.array([-0.48 * width, -0.48 * deep, level + thick])
        builder.add(0, cushion_piece(rng, low, np.array([0.48 * width, 0.48 * deep, level + 2 * thick])), 3)
    return builder.build(rng, "stool", "chair")


def sofa(rng: np.random.Generator) -> MovingObject:
    """A sofa or arm chair: base, back, arms, one to four seat cushions, loose pillows, a corner piece at times."""
    builder = Builder()
    seats = int(rng.integers(1, 5))
    each, deep = rng.uniform(0.45, 0.75), rng.uniform(0.6, 0.95)
    width, foot, base = seats * each, rng.choice([0.0, rng.uniform(0.05, 0.18)]), rng.uniform(0.15, 0.35)
    level, pad, arm = foot + base, rng.uniform(0.08, 0.22), rng.uniform(0.08, 0.25)
    if foot:
        builder.add(0, legs(rng, (-width / 2, 0), (width / 2, deep), foot), 3)
    builder.add(0, slab(rng, (-width / 2, 0, foot), (width / 2, deep, level)), 0)
    tall, back = rng.uniform(0.35, 0.6), rng.uniform(0.1, 0.25)
    builder.add(0, slab(rng, (-width / 2, deep - back, level), (width / 2, deep, level + tall)), 0)
    for side in (-1, 1) if rng.random() < 0.85 else ():
        low, high = sorted((side * width / 2, side * (width / 2 + arm)))
        top = level + rng.uniform(0.15, 0.3)
        builder.add(0, slab(rng, (low, 0, foot), (high, deep, top)), 0)
        if rng.random() < 0.3:
            roll = turned(cylinder(0.6 * arm, 0, deep, 14), 0, -0.5 * np.pi)
            builder.add(0, moved(roll, (0.5 * (low + high), 0, top)), 0)
    if rng.random() < 0.85:
        gap = rng.choice([0.0, 0.01])
        for number in range(seats):
            x = -width / 2 + number * each
            low = np.array([x + gap, 0.0, level])
            builder.add(0, cushion_piece(rng, low, np.array([x + each - gap, deep - back, level + pad])), 1)
            if rng.random() < 0.6:
                rear = np.array([x + gap, deep - back - 0.7 * pad, level + pad])
                builder.add(0, cushion_piece(rng, rear, np.array([x + each - gap, deep - back, level + 0.9 * tall])), 1)
    if rng.random() < 0.3:  # the longer side of a corner sofa
        reach = rng.uniform(0.5, 1.0)
        builder.add(0, slab(rng, (width / 2 - each, -reach, foot), (width / 2, 0, level)), 0)
        low = np.array([width / 2 - each, -reach, level])
        builder.add(0, cushion_piece(rng, low, np.array([width / 2, 0, level + pad])), 1)
    for _ in range(int(rng.integers(0, 4))):
        size, x = rng.uniform(0.15, 0.22), rng.uniform(-0.4, 0.4) * width
        pillow = scaled(sphere(1.0, 10), (size, 0.35 * size, size))
        builder.add(0, moved(turned(pillow, 0, -0.3), (x, deep - back - 0.4 * size, level + pad + 0.8 * size)), 2)
    return builder.build(rng, "sofa", "sofa")


def table(rng: np.random.Generator) -> MovingObject:
    """A table, desk or counter without drawers, perhaps with a lower shelf or things that stand on it."""
    builder = Builder()
    width, deep = rng.uniform(0.4, 2.0), rng.uniform(0.4, 1.0)
    level, thick = rng.uniform(0.3, 1.0), rng.uniform(0.01, 0.06)
    _feet(rng, builder, width, deep, level)
    if rng.random() < 0.75:
        top = slab(rng, (-width / 2, -deep / 2, level), (width / 2, deep / 2, level + thick))
    else:
        top = [scaled(cylinder(0.5, level, level + thick, 24), (width, deep, 1.0))]
    builder.add(0, top, 0)
    if rng.random() < 0.25:
        builder.add(
            0, box((-0.42 * width, -0.42 * deep, 0.3 * level), (0.42 * width, 0.42 * deep, 0.3 * level + thick)), 0
        )
    if rng.random() < 0.25:
        inner = box((-0.4 * width, -0.4 * deep, level + 0.6 * thick), (0.4 * width, 0.4 * deep, level + 1.05 * thick))
        builder.add(0, inner, 3)
    if rng.random() < 0.3:
        low = (-0.4 * width, -0.3 * deep, level + thick)
        builder.add(0, contents(rng, low, (0.4 * width, 0.3 * deep, level + thick + rng.uniform(0.1, 0.35))), 4)
    return builder.build(rng, "table", "table")


def bed(rng: np.random.Generator) -> MovingObject:
    """A bed or cot: frame, mattress, pillows, a folded blanket, head and foot boards."""
    builder = Builder()
    width, long, level = rng.uniform(0.8, 2.0), rng.uniform(1.7, 2.2), rng.uniform(0.15, 0.45)
    thick = rng.uniform(0.1, 0.3)
    _feet(rng, builder, width, long, level)
    builder.add(0, slab(rng, (-width / 2, -long / 2, level), (width / 2, long / 2, level + 0.5 * thick)), 0)
    low = np.array([-0.48 * width, -0.48 * long, level + 0.4 * thick])
    builder.add(0, cushion_piece(rng, low, np.array([0.48 * width, 0.48 * long, level + thick + 0.05])), 1)
    for side, chance in ((1, 0.9), (-1, 0.4)):
        if rng.random() < chance:
            board, _ = panel(rng, width, level + rng.uniform(0.3, 0.9), 0.04)
            builder.add(
                0, [moved(turned(piece, 0, 0.5 * np.pi), (-width / 2, side * long / 2, 0)) for piece in board], 2
            )
    pillows = int(rng.integers(1, 4))
    for x in (np.arange(pillows) - 0.5 * (pillows - 1)) * 0.9 * width / pillows:
        half = 0.4 * width / pillows
        rest = np.array([x - half, 0.25 * long, level + thick])
        builder.add(0, cushion_piece(rng, rest, np.array([x + half, 0.45 * long, level + thick + 0.16])), 3)
    if rng.random() < 0.6:
        end = rng.uniform(-0.2, 0.2) * long
        cover = slab(rng, (-0.5 * width, -0.5 * long, level + 0.7 * thick), (0.5 * width, end, level + thick + 0.08))
        builder.add(0, cover, 4)
    return builder.build(rng, "bed", "bed")


def bookshelf(rng: np.random.Generator) -> MovingObject:
    """Open shelves with or without a back, and what stands on them."""
    builder = Builder()
    width, deep, tall = rng.uniform(0.4, 1.6), rng.uniform(0.2, 0.5), rng.uniform(0.4, 2.0)
    wall, shelves = rng.uniform(0.015, 0.04), int(rng.integers(1, 6))
    for side in (-1, 1):
        x = side * (width / 2 - 0.5 * wall)
        builder.add(0, box((x - 0.5 * wall, 0, 0), (x + 0.5 * wall, deep, tall)), 0)
    if rng.random() < 0.6:
        builder.add(0, box((-width / 2, deep - wall, 0), (width / 2, deep, tall)), 0)
    levels = np.linspace(0.0, tall - wall, shelves + 1)
    for z in levels:
        builder.add(0, box((-width / 2, 0, z), (width / 2, deep, z + wall)), 0)
    for low, high in pairwise(levels):
        if rng.random() < 0.6:
            room = (width / 2 - wall, 0.9 * deep, high)
            builder.add(0, contents(rng, (-width / 2 + wall, 0.1 * deep, low + wall), room), int(rng.integers(1, 4)))
    return builder.build(rng, "bookshelf", "shelf")
