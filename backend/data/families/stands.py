"""Monitors on their feet, tables with leaves that drop or slide, easels and tripods, parasols."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..local_frame import front, upward
from ..moving_object import MovingObject
from ..shapes import aimed, box, cylinder, moved, rectangle, revolved, turned
from .fittings import add_button, add_hinged_panel
from .pieces import legs, slab

__all__ = ["leaf_table", "monitor", "tripod"]


def monitor(rng: np.random.Generator) -> MovingObject:
    """A screen on a foot: it tilts, lifts, swivels and turns to portrait, or does some of that."""
    width = rng.uniform(0.4, 1.2)
    height, thick = width * rng.uniform(0.5, 0.8), rng.uniform(0.015, 0.3 if rng.random() < 0.15 else 0.08)
    level = height / 2 + rng.uniform(0.05, 0.3)
    builder = Builder()
    foot = rng.uniform(0.2, 0.4) * width
    if rng.random() < 0.5:
        builder.add(0, cylinder(foot, 0, 0.02, 20))
    else:
        builder.add(0, slab(rng, (-foot, -0.5 * foot, 0), (foot, 0.7 * foot, 0.02)))
    part = 0
    behind = 0.5 * thick + 0.03
    if rng.random() < 0.4:
        limit = np.radians(rng.uniform(30, 90))
        part = builder.part(part, "revolute", (0, 0, 1), (0, behind, 0), (-limit, limit))
    post = rng.uniform(0.02, 0.08)
    builder.add(part, box((-post, behind - 0.02, 0), (post, behind + 0.02, level)), 1)
    if rng.random() < 0.4:
        part = builder.part(part, "prismatic", (0, 0, 1), limits=(-0.5 * (level - height / 2), rng.uniform(0.05, 0.2)))
        builder.add(part, box((-0.8 * post, behind - 0.03, 0.6 * level), (0.8 * post, behind + 0.015, level + 0.05)), 2)
    hinge = (0, behind - 0.02, level)
    if rng.random() < 0.9 or part == 0:
        part = builder.part(
            part, "revolute", (-1, 0, 0), hinge, (-np.radians(rng.uniform(3, 15)), np.radians(rng.uniform(15, 40)))
        )
        knuckle = turned(cylinder(0.02, -0.06, 0.06, 10), 1, np.pi / 2)
        builder.add(part, moved(knuckle, hinge), 2)
    if rng.random() < 0.3:
        part = builder.part(part, "revolute", (0, 1, 0), hinge, (0.0, np.pi / 2))
    low, high = (-width / 2, -0.5 * thick, level - height / 2), (width / 2, 0.5 * thick, level + height / 2)
    builder.add(part, slab(rng, low, high), 3)
    border = rng.uniform(0.01, 0.05) * width
    face = front((-width / 2 + border, -0.502 * thick, low[2] + border))
    builder.add(part, face.place(rectangle((0, 0, 0), (width - 2 * border, 0, 0), (0, height - 2 * border, 0))), 4)
    if rng.random() < 0.4:
        for number in range(int(rng.integers(1, 5))):
            spot = front((0.3 * width + 0.03 * number, -0.5 * thick, low[2] + 0.4 * border))
            add_button(builder, rng, part, spot, (0.02, 0.5 * border), 0.005)
    return builder.build(rng, "monitor", "hinge")


def leaf_table(rng: np.random.Generator) -> MovingObject:
    """A table with leaves that drop at its sides or draw out, a top that lifts or turns, legs that fold."""
    width, depth, height = rng.uniform(0.5, 1.2), rng.uniform(0.5, 1.0), rng.uniform(0.35, 0.8)
    thick = rng.uniform(0.015, 0.05)
    builder = Builder()
    low, high = np.array([-width / 2, -depth / 2, height - thick]), np.array([width / 2, depth / 2, height])
    habit = rng.random()
    if habit < 0.2:  # a round or square top that turns on a column
        builder.add(0, [cylinder(0.3 * width, 0, 0.03, 20), cylinder(0.06, 0, height - thick, 12)])
        part = builder.part(0, "prismatic", (0, 0, 1), limits=(0.0, 0.3 * height)) if rng.random() < 0.5 else 0
        part = builder.part(part, "continuous", (0, 0, 1))
        if part > 1:
            builder.add(part - 1, cylinder(0.04, 0.3 * height, height - thick, 12), 1)
        top = cylinder(width / 2, low[2], high[2], 24) if rng.random() < 0.5 else box(low, high)
        builder.add(part, top, 2)
        return builder.build(rng, "leaf_table", "hinge")
    builder.add(0, legs(rng, low[:2], high[:2], height - thick), 1)
    if habit < 0.45:  # the top is a lid, with a chest below
        drop = rng.uniform(0.08, 0.2)
        builder.add(
            0, [box((low[0], y, low[2] - drop), (high[0], y + 0.02, low[2])) for y in (low[1], high[1] - 0.02)], 1
        )
        builder.add(
            0, [box((x, low[1], low[2] - drop), (x + 0.02, high[1], low[2])) for x in (low[0], high[0] - 0.02)], 1
        )
        builder.add(0, box((low[0], low[1], low[2] - drop), (high[0], high[1], low[2] - drop + 0.01)), 1)
        hinge = str(rng.choice(["top", "left"]))
        size = (width, depth, thick)
        add_hinged_panel(builder, rng, 0, upward(low), size, hinge, np.radians(rng.uniform(50, 100)), grip=False)
        return builder.build(rng, "leaf_table", "hinge")
    builder.add(0, slab(rng, low, high))
    reach = rng.uniform(0.2, 0.5) * width
    sides = (-1, 1) if rng.random() < 0.8 else (int(rng.choice([-1, 1])),)
    hanging, limit = rng.random() < 0.5, np.pi / 2
    for side in sides:
        edge = side * width / 2
        a, b = sorted((edge, edge + side * reach))
        if habit > 0.8:  # leaves below the top that draw out
            part = builder.part(0, "prismatic", (side, 0, 0), limits=(0.0, 0.9 * reach))
            a, b = sorted((edge, edge - side * reach))
            builder.add(part, box((a, low[1], low[2] - thick), (b, high[1], low[2])), 2)
            continue
        limits = (-limit, 0.0) if hanging else (0.0, limit)  # value 0 is what is drawn
        pivot = (edge, 0, height - rng.choice([0.0, 0.5, 1.0]) * thick)
        part = builder.part(0, "revolute", (0, side, 0), pivot, limits)
        leaf = box((a, low[1], low[2]), (b, high[1], high[2]))
        if hanging:
            leaf = moved(turned(moved(leaf, -np.array(pivot)), 1, side * limit), pivot)
        builder.add(part, leaf, 2)
    return builder.build(rng, "leaf_table", "hinge")


def tripod(rng: np.random.Generator) -> MovingObject:
    """Three or four legs hinged at one head, each with a drawn-out foot at times; a column, a pan or a canopy above."""
    builder = Builder()
    height, count = rng.uniform(0.5, 1.2), int(rng.integers(3, 5))
    thick, spread = rng.uniform(0.01, 0.03), np.radians(rng.uniform(10, 35))
    head = np.array([0.0, 0.0, height])
    builder.add(0, moved(cylinder(3 * thick, -2 * thick, 2 * thick, 12), head))
    seed, closed = int(rng.integers(2**32)), rng.uniform(0.0, 0.9) * spread
    together = rng.random() < 0.5
    stages, first = int(rng.integers(0, 2)), None
    for number in range(count):
        same = np.random.default_rng(seed)
        angle = 2 * np.pi * number / count + 0.3
        out = np.array([np.cos(angle), np.sin(angle), 0.0])
        across = np.array([np.sin(angle), -np.cos(angle), 0.0])
        at = head + 2.5 * thick * out
        down = np.sin(spread) * out - np.array([0.0, 0.0, np.cos(spread)])
        length = height / np.cos(spread)
        limits = (-closed - 0.05, np.radians(20))
        leg = builder.part(0, "revolute", across, at, limits, follows=first if together else None)
        first = leg if first is None else first
        upper = length * (0.6 if stages else 1.0)
        builder.add(leg, moved(aimed(cylinder(thick, 0, upper, 8), down), at), 1)
        if stages:
            foot = builder.part(leg, "prismatic", down, at, (-0.35 * length, 0.15 * length))
            builder.add(foot, moved(aimed(cylinder(0.7 * thick, 0.45 * length, length, 8), down), at), 2)
        elif same.random() < 0.5:
            builder.add(leg, moved(cylinder(1.5 * thick, -thick, thick, 8), at + length * down), 2)
    habit = rng.random()
    part = 0
    if habit < 0.7:
        part = builder.part(0, "prismatic", (0, 0, 1), limits=(0.0, rng.uniform(0.1, 0.4) * height))
        builder.add(part, cylinder(1.5 * thick, 0.7 * height, 1.2 * height, 10), 1)
    top = np.array([0.0, 0.0, 1.2 * height if habit < 0.7 else height + 2 * thick])
    if rng.random() < 0.6:
        part = builder.part(part, "continuous", (0, 0, 1), top)
    if rng.random() < 0.6:
        part = builder.part(part, "revolute", (1, 0, 0), top, (-0.6, 0.6))
    if habit < 0.4:
        lens = moved(aimed(cylinder(0.03, 0.04, 0.13, 12), (0, -1, 0)), (0, 0, 0.05))
        camera = [box((-0.06, -0.05, 0), (0.06, 0.05, 0.1)), lens]
        builder.add(part, [moved(piece, top) for piece in camera], 3)
    elif habit < 0.7:
        builder.add(part, moved(box((-0.3, -0.01, -0.05), (0.3, 0.01, 0.4)), top), 3)
    else:
        builder.add(
            part,
            moved(
                revolved([[0.4 * height, 0.0], [0.2 * height, 0.1 * height], [0.01, 0.15 * height]], 10, False, False),
                top,
            ),
            3,
        )
    return builder.build(rng, "tripod", "chain")
