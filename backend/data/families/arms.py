"""Chains and trees of links: desk lamps, robot arms with grippers, telescopes, many-armed things."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..moving_object import MovingObject
from ..shapes import Piece, aimed, bevelled_box, box, cylinder, moved, revolved, rounded_prism, sphere, turned
from .pieces import slab

__all__ = ["branching_arms", "lamp", "robot_arm", "telescope"]


def _link(rng: np.random.Generator, start: np.ndarray, end: np.ndarray, thick: float, style: int) -> list[Piece]:
    """A bar between two points: round, square, twin rods, tapered, bevelled, or with a bulge."""
    along = end - start
    length = float(np.linalg.norm(along))
    if style == 0:
        pieces = [cylinder(thick, 0.0, length, 10)]
    elif style == 1:
        pieces = [box((-thick, -thick, 0), (thick, thick, length))]
    elif style == 2:
        pieces = [moved(cylinder(0.4 * thick, 0.0, length, 8), (0, side * thick, 0)) for side in (-1, 1)]
    elif style == 3:
        pieces = [cylinder(1.3 * thick, 0.0, length, 12, 0.8 * thick)]
    elif style == 4:
        pieces = [bevelled_box((-thick, -1.2 * thick, -0.3 * thick), (thick, 1.2 * thick, length), 0.4 * thick)]
    else:
        levels = np.linspace(-0.5 * thick, length + 0.5 * thick, 6)
        pieces = [revolved(np.column_stack([thick * rng.uniform(0.6, 1.6, 6), levels]), 12)]
    return [moved(aimed(piece, along), start) for piece in pieces]


def _knuckle(rng: np.random.Generator, at: np.ndarray, axis: np.ndarray, radius: float) -> list[Piece]:
    """What sits on a joint: a barrel along the axis, a ball, or nothing."""
    habit = rng.random()
    if habit < 0.5:
        return [moved(aimed(cylinder(radius, -1.2 * radius, 1.2 * radius, 12), axis), at)]
    if habit < 0.75:
        return [moved(sphere(1.2 * radius, 10), at)]
    return []


def _foot(rng: np.random.Generator, size: float) -> list[Piece]:
    habit = rng.random()
    thick = rng.uniform(0.05, 0.2) * size
    if habit < 0.5:
        return [cylinder(size, 0.0, thick, 20, rng.uniform(0.7, 1.0) * size)]
    if habit < 0.8:
        return slab(rng, (-size, -size, 0), (size, size, thick))
    return [box((-0.4 * size, -0.6 * size, -size), (0.4 * size, 0.6 * size, thick))]  # a table clamp


def lamp(rng: np.random.Generator) -> MovingObject:
    """A desk or floor lamp: one to four bars with parallel hinges, a shade that tilts, often a foot that turns."""
    builder = Builder()
    size = rng.uniform(0.08, 0.16)
    builder.add(0, _foot(rng, size))
    thick = rng.uniform(0.006, 0.018)
    style, count = int(rng.choice([0, 0, 1, 2, 2, 3, 5])), int(rng.integers(1, 5))
    part, at = 0, np.array([0.0, 0.0, 0.1 * size])
    if rng.random() < 0.5:
        limit = np.radians(rng.uniform(40, 150))
        part = builder.part(part, "revolute", (0, 0, 1), at, (-limit, limit))
    lean = rng.uniform(-0.5, 0.5)
    height = rng.uniform(0.25, 0.9)
    axis = np.array([0.0, 1.0, 0.0])
    upright = count > 1 and rng.random() < 0.3
    for number in range(count):
        limit = np.radians(rng.uniform(20, 70))
        fixed_mast = upright and number == 0
        if not fixed_mast:
            part = builder.part(part, "revolute", axis, at, (-limit, limit))
        direction = np.array([np.sin(lean), 0.0, np.cos(lean)]) if not fixed_mast else np.array([0.0, 0.0, 1.0])
        end = at + direction * height / count * rng.uniform(0.8, 1.4)
        builder.add(part, [*_knuckle(rng, at, axis, 1.5 * thick), *_link(rng, at, end, thick, style)], 1)
        at = end
        lean += rng.uniform(0.3, 1.6) * (1 if rng.random() < 0.75 else -1)
    if rng.random() < 0.85:
        limit = np.radians(rng.uniform(30, 90))
        part = builder.part(part, "revolute", axis, at, (-limit, limit))
    if rng.random() < 0.3:
        limit = np.radians(rng.uniform(40, 90))
        part = builder.part(part, "revolute", (0, 0, 1), at, (-limit, limit))
    _shade(builder, rng, part, at, lean)
    return builder.build(rng, "lamp", "chain")


def _shade(builder: Builder, rng: np.random.Generator, part: int, at: np.ndarray, lean: float) -> None:
    radius, deep = rng.uniform(0.05, 0.12), rng.uniform(0.05, 0.16)
    down = np.array([np.sin(lean), 0.0, min(np.cos(lean), -0.3)])
    habit = rng.random()
    if habit < 0.7:
        arc = np.linspace(0.2, 1.0, 5)
        profile = np.column_stack([radius * np.sin(arc * np.pi / 2), deep * arc ** rng.uniform(0.6, 2.0)])
        pieces = [revolved(profile, 16, True, False)]
        if rng.random() < 0.6:
            pieces.append(moved(sphere(0.4 * radius, 10), (0, 0, 0.55 * deep)))
    else:
        pieces = slab(rng, (-0.03, -radius, 0), (0.03, radius, 2 * deep))
    pieces.append(sphere(0.02, 8))
    builder.add(part, [moved(aimed(piece, down), at) for piece in pieces], 2)


def robot_arm(rng: np.random.Generator) -> MovingObject:
    """An industrial arm of three to seven joints, twisting and hinged in turn, with a gripper, hand or tool."""
    builder = Builder()
    size = rng.uniform(0.08, 0.14)
    builder.add(0, _foot(rng, size))
    thick = rng.uniform(0.03, 0.06)
    style = int(rng.choice([0, 1, 3, 4, 5, 5]))
    at = np.array([0.0, 0.0, 0.1 * size])
    part, count = 0, int(rng.integers(3, 8))
    direction = np.array([0.0, 0.0, 1.0])
    twisting = True
    aside = rng.choice([0.0, rng.uniform(0.8, 2.0)])  # links beside their joints instead of in line with them
    for number in range(count):
        shrink = 1.0 - 0.5 * number / count
        bar = thick * shrink
        length = rng.uniform(0.08, 0.16) if twisting else rng.uniform(0.15, 0.35)
        if number == 0 and rng.random() < 0.2:  # a gantry: the whole arm slides
            part = builder.part(part, "prismatic", (0, 1, 0), at, (-0.3, 0.3))
            builder.add(0, [box((x, -0.5, 0), (x + 0.03, 0.5, 0.03)) for x in (-size, size - 0.03)], 3)
        elif twisting:
            limit = np.radians(rng.uniform(60, 170))
            part = builder.part(part, "revolute", direction, at, (-limit, limit))
        else:
            limit = np.radians(rng.uniform(40, 120))
            part = builder.part(part, "revolute", (0, 1, 0), at, (-limit, limit))
            lean = rng.uniform(-1.0, 1.0)
            direction = np.array([np.sin(lean), 0.0, np.cos(lean)])
        axis = direction if twisting else np.array([0.0, 1.0, 0.0])
        if not twisting and aside:
            side = at + axis * aside * bar * (-1.0) ** (number // 2)
            builder.add(part, moved(aimed(cylinder(1.1 * bar, 0.0, aside * bar, 12), side - at), at), 2)
            at = side
        end = at + direction * length
        builder.add(part, _link(rng, at, end, bar, style), number % 2)
        builder.add(part, _knuckle(rng, at, axis, 1.25 * bar), 2)
        at, twisting = end, not twisting if rng.random() < 0.85 else twisting
    _gripper(builder, rng, part, at, direction, thick)
    return builder.build(rng, "robot_arm", "chain")


def _gripper(
    builder: Builder, rng: np.random.Generator, part: int, at: np.ndarray, direction: np.ndarray, thick: float
) -> None:
    """Two jaws that slide together, two or three fingers that turn, or a plain tool."""
    habit = rng.random()
    side = np.array([0.0, 1.0, 0.0])
    wide = rng.uniform(1.0, 1.8) * thick
    palm = moved(aimed(box((-0.6 * thick, -wide, 0), (0.6 * thick, wide, 0.8 * thick)), direction), at)
    builder.add(
        part,
        palm if habit < 0.8 else moved(aimed(cylinder(0.4 * thick, 0, 2 * thick, 8, 0.1 * thick), direction), at),
        3,
    )
    if habit >= 0.8:
        return
    base = at + 0.8 * thick * direction
    length, first = rng.uniform(1.0, 2.5) * thick, None
    across = np.cross(side, direction)
    for way in (-1.0, 1.0):
        place = base + side * way * 0.75 * wide
        finger = box((-0.3 * thick, -0.12 * wide, 0), (0.3 * thick, 0.12 * wide, length))
        if habit < 0.45:
            limits = (0.0, 0.6 * wide)
            new = builder.part(
                part, "prismatic", -way * side, place, limits, follows=first if rng.random() < 0.6 else None
            )
        else:
            limits = (-0.6, 0.5)
            new = builder.part(
                part, "revolute", way * across, place, limits, follows=first if rng.random() < 0.6 else None
            )
        first = new if first is None else first
        builder.add(new, moved(aimed(finger, direction), place), 3)


def telescope(rng: np.random.Generator) -> MovingObject:
    """Nested tubes or slides that draw out one after the other: aerials, columns, ladders, umbrella sticks."""
    builder = Builder()
    count, length = int(rng.integers(2, 5)), rng.uniform(0.3, 0.6)
    thick, square = rng.uniform(0.02, 0.1), rng.random() < 0.4
    part = 0
    pitch = rng.choice([0.0, rng.uniform(0.2, 1.4)])  # aimed upwards, or leaning on a joint
    direction = np.array([0.0, -np.sin(pitch), np.cos(pitch)])
    at = np.zeros(3)
    if pitch and rng.random() < 0.7:
        builder.add(0, _foot(rng, 2.5 * thick))
        yaw = builder.part(0, "revolute", (0, 0, 1), at, (-np.pi / 2, np.pi / 2)) if rng.random() < 0.5 else 0
        part = builder.part(yaw, "revolute", (1, 0, 0), at, (-pitch, np.pi / 2 - pitch))
    shown = rng.choice([0.05, rng.uniform(0.0, 0.6)])
    for number in range(count + 1):
        width = thick * (1 - 0.6 * number / (count + 1))
        offset = at + direction * length * number * shown
        if number:
            stroke = rng.uniform(0.6, 0.9) * length
            part = builder.part(part, "prismatic", direction, at, (-0.8 * shown * length, stroke - shown * length))
        piece = box((-width, -width, 0), (width, width, length)) if square else cylinder(width, 0, length, 12)
        pieces = [piece]
        if rng.random() < 0.6:
            collar = rounded_prism(np.full((2, 2), 2.3 * width), 0.9 * width, [0.93 * length, 1.0 * length], 3)
            pieces.append(collar)
        if number == count and rng.random() < 0.6:
            pieces.append(moved(sphere(1.3 * width, 8), (0, 0, length)))
        builder.add(part, [moved(aimed(each, direction), offset) for each in pieces], number % 3)
    return builder.build(rng, "telescope", "chain")


def branching_arms(rng: np.random.Generator) -> MovingObject:
    """A stem from which two to six hinged arms grow, each of one to three links: coat stands, chandeliers."""
    builder = Builder()
    height, thick = rng.uniform(0.3, 0.9), rng.uniform(0.01, 0.035)
    builder.add(0, [*_foot(rng, rng.uniform(0.1, 0.25)), cylinder(1.5 * thick, 0.0, height, 10)])
    style, seed = int(rng.integers(0, 5)), int(rng.integers(2**32))
    arms, alike = int(rng.integers(2, 7)), rng.random() < 0.6
    level = rng.uniform(0.5, 1.0) * height
    for number in range(arms):
        same = np.random.default_rng(seed) if alike else rng
        angle = 2 * np.pi * number / arms
        out = np.array([np.cos(angle), np.sin(angle), 0.0])
        axis = np.array([-np.sin(angle), np.cos(angle), 0.0])
        at = np.array([0.0, 0.0, level if alike else rng.uniform(0.3, 1.0) * height]) + 1.2 * thick * out
        part, lean = 0, same.uniform(-0.3, 2.0)
        for _ in range(int(same.integers(1, 4))):
            if same.random() < 0.8:
                limit = np.radians(same.uniform(30, 90))
                part = builder.part(part, "revolute", axis, at, (-limit, limit))
            else:
                limit = np.radians(same.uniform(40, 90))
                part = builder.part(part, "revolute", (0, 0, 1), at, (-limit, limit))
            end = at + (np.sin(lean) * out + np.array([0.0, 0.0, np.cos(lean)])) * same.uniform(0.15, 0.35)
            builder.add(part, [*_knuckle(same, at, axis, 1.2 * thick), *_link(same, at, end, 0.8 * thick, style)], 1)
            at, lean = end, lean + same.uniform(-1.0, 1.0)
        habit = same.random()
        if habit < 0.4:
            builder.add(part, moved(sphere(2.5 * thick, 10), at), 2)
        elif habit < 0.6:
            builder.add(part, moved(turned(cylinder(3 * thick, -0.01, 0.06, 12, 4 * thick), 0, 0.0), at), 2)
    return builder.build(rng, "branching_arms", "chain")
