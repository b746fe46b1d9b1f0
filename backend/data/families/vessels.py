"""Bottles and jars, dispensers, pots, kettles and buckets."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..local_frame import upward
from ..moving_object import MovingObject
from ..shapes import Piece, box, cylinder, moved, revolved, sphere, swept, turned
from .fittings import add_knob
from .pieces import handle, round_container

__all__ = ["bottle", "bucket", "dispenser", "kettle", "pot"]


def _body(rng: np.random.Generator, radius: float, height: float, neck: float) -> list[list[float]]:
    """A bottle's profile, rows (radius, height): straight, bellied or tapered, then a shoulder and a neck."""
    shoulder = rng.uniform(0.55, 0.9) * height
    waist = rng.uniform(0.75, 1.1) * radius
    rows = [[0.9 * radius, 0.0], [radius, 0.03 * height], [waist, 0.4 * shoulder], [radius, shoulder]]
    round_off = np.linspace(0.0, 0.5 * np.pi, int(rng.integers(2, 5)))[1:]
    below_neck = shoulder + rng.uniform(0.3, 0.9) * (height - shoulder)
    for angle in round_off:
        share = np.sin(angle)
        rows.append([neck + (radius - neck) * np.cos(angle), shoulder + (below_neck - shoulder) * share])
    rows.append([neck, height])
    return rows


def bottle(rng: np.random.Generator) -> MovingObject:
    """A bottle or jar whose cap turns and lifts, is pulled off, only turns, or is hinged at its edge."""
    radius, height = rng.uniform(0.03, 0.08), rng.uniform(0.08, 0.35)
    neck = radius * rng.uniform(0.25, 1.0)
    segments = int(rng.choice([10, 16, 24]))
    builder = Builder()
    rows = _body(rng, radius, height, neck)
    if rng.random() < 0.3:  # with an inside
        wall = 0.1 * neck
        rows += [[neck - wall, height], [max(0.2 * neck, rows[3][0] - wall), rows[3][1]], [0.8 * radius, wall]]
    around = 4 if rng.random() < 0.15 else segments
    builder.add(0, revolved(rows, around))
    if rng.random() < 0.4:
        low, high = np.sort(rng.uniform(0.1, 0.5, 2)) * height
        builder.add(0, cylinder(1.02 * radius, low, high + 0.02 * height, around, capped=False), 3)
    tall = rng.uniform(0.05, 0.25) * height
    width = neck * rng.uniform(1.05, 1.4)
    low = height - rng.uniform(0.3, 1.0) * tall
    cap = _cap(rng, width, low, low + tall, segments)
    habit = rng.random()
    stroke = rng.uniform(1.0, 2.5) * tall
    if habit < 0.4:  # turns and lifts: two joints, one after the other
        lifted = builder.part(0, "prismatic", (0, 0, 1), limits=(0.0, stroke))
        part = builder.part(lifted, "continuous", (0, 0, 1))
    elif habit < 0.72:
        part = builder.part(0, "prismatic", (0, 0, 1), limits=(0.0, stroke))
    elif habit < 0.82:
        part = builder.part(0, "continuous", (0, 0, 1))
    else:
        limit = np.radians(rng.uniform(80, 180))
        part = builder.part(0, "revolute", (-1, 0, 0), (0, width, low), (0.0, limit))
    builder.add(part, cap, 1)
    return builder.build(rng, "bottle", "bottle")


def _cap(rng: np.random.Generator, radius: float, low: float, high: float, segments: int) -> list[Piece]:
    taper = rng.uniform(0.8, 1.0)
    pieces = [cylinder(radius, low, high, segments, taper * radius)]
    habit = rng.random()
    if habit < 0.3:  # grooves
        count = 12
        groove = box((0.97 * radius, -0.05 * radius, low), (1.05 * radius, 0.05 * radius, high))
        pieces += [turned(groove, 2, 2 * np.pi * turn / count) for turn in range(count)]
    elif habit < 0.45:
        pieces.append(moved(cylinder(0.4 * radius, 0.0, high - low, 10, 0.2 * radius), (0, 0, high)))
    elif habit < 0.6:
        pieces.append(moved(sphere(0.7 * radius, 10), (0, 0, high)))
    return pieces


def dispenser(rng: np.random.Generator) -> MovingObject:
    """A bottle with a pump that is pressed down and turns, or a trigger that is pulled."""
    radius, height = rng.uniform(0.03, 0.06), rng.uniform(0.1, 0.25)
    neck = rng.uniform(0.25, 0.5) * radius
    builder = Builder()
    builder.add(0, revolved(_body(rng, radius, height, neck), 16))
    builder.add(0, cylinder(1.3 * neck, height, height + 0.6 * neck, 12), 1)
    tall = rng.uniform(0.5, 1.5) * radius
    top = height + 0.6 * neck + tall
    if rng.random() < 0.75:
        stem = builder.part(0, "prismatic", (0, 0, -1), limits=(0.0, rng.uniform(0.5, 0.9) * tall))
        if rng.random() < 0.5:
            stem = builder.part(stem, "continuous", (0, 0, 1))
        spout = np.array([[0, 0, 0], [0, -0.7, 0.0], [0, -1.2, -0.1], [0, -1.4, -0.4]]) * radius + np.array(
            [0.0, 0.0, top]
        )
        head = [
            cylinder(0.35 * neck, height, top, 8),
            moved(cylinder(0.9 * neck, -0.3 * neck, 0.4 * neck, 12), (0, 0, top)),
        ]
        builder.add(stem, [*head, swept(spout, 0.3 * neck, 6, up=(1, 0, 0))], 2)
    else:
        builder.add(0, box((-neck, -1.5 * radius, top - neck), (neck, radius, top + neck)), 1)
        builder.add(0, cylinder(0.8 * neck, height, top, 8), 1)
        limit = np.radians(rng.uniform(15, 35))
        pivot = (0, -0.9 * radius, top - neck)
        trigger = builder.part(0, "revolute", (1, 0, 0), pivot, (0.0, limit))
        curve = np.array([[0, 0, 0], [0, -0.25, -0.4], [0, -0.2, -0.8], [0, -0.35, -1.1]]) * radius + np.array(pivot)
        builder.add(trigger, swept(curve, 0.4 * neck, 6, up=(1, 0, 0)), 2)
        nozzle = builder.part(0, "continuous", (0, 1, 0), (0, -1.5 * radius, top))
        tip = turned(cylinder(0.6 * neck, 0, 0.5 * neck, 6), 0, np.pi / 2)
        builder.add(nozzle, moved(tip, (0, -1.5 * radius, top)), 2)
    return builder.build(rng, "dispenser", "bottle")


def pot(rng: np.random.Generator) -> MovingObject:
    """A cooking pot or pan with side handles or a long one; its lid lifts straight up, and may turn."""
    radius, height = rng.uniform(0.08, 0.18), rng.uniform(0.05, 0.22)
    segments = int(rng.choice([16, 24]))
    builder = Builder()
    lower = rng.uniform(0.75, 1.0) * radius
    builder.add(0, round_container(rng, lower, radius, height, rng.uniform(0.002, 0.006), segments))
    level = rng.uniform(0.6, 0.92) * height
    if rng.random() < 0.6:
        reach, wide = rng.uniform(0.2, 0.4) * radius, rng.uniform(0.3, 0.5) * radius
        for side in (-1, 1):
            x = np.array([0.9 * radius, radius + reach, radius + reach, 0.9 * radius]) * side
            path = np.column_stack([x, wide * np.array([-1, -0.8, 0.8, 1]), np.full(4, level)])
            builder.add(0, swept(path, rng.uniform(0.05, 0.08) * radius, 6), 2)
    else:
        out = np.array([0.9, 2.0, rng.uniform(2.3, 3.0)]) * radius
        path = np.column_stack([out, np.zeros(3), level + np.array([0.0, 0.2, 0.3]) * height])
        builder.add(0, swept(path, 0.09 * radius, 6, up=(0, 1, 0)), 2)
    stroke = rng.uniform(0.3, 1.2) * (height + radius)
    lid = builder.part(0, "prismatic", (0, 0, 1), limits=(0.0, stroke))
    if rng.random() < 0.3:
        lid = builder.part(lid, "continuous", (0, 0, 1))
    rise = rng.uniform(0.03, 0.35) * radius
    overhang = rng.uniform(0.97, 1.05) * radius
    arc = np.linspace(0, np.pi / 2, int(rng.integers(2, 6)))
    profile = np.column_stack([overhang * np.cos(arc), height + rise * np.sin(arc)])
    profile[-1, 0] = 0.1 * radius
    builder.add(lid, revolved(profile, segments, bool(rng.random() < 0.5), True), 1)
    if rng.random() < 0.6:
        profile = np.array([[0.06, 0], [0.05, 0.1], [0.15, 0.14], [0.15, 0.22], [0.05, 0.25]]) * radius
        builder.add(lid, moved(revolved(profile, 12), (0, 0, height + rise)), 2)
    else:
        grip = handle(rng, 0.6 * radius, 0.25 * radius)
        builder.add(lid, upward((0, 0, height + 0.9 * rise)).place(grip), 2)
    return builder.build(rng, "pot", "pot")


def kettle(rng: np.random.Generator) -> MovingObject:
    """A kettle or teapot: lid that lifts or is hinged, spout, a fixed or turning handle."""
    radius, height = rng.uniform(0.07, 0.11), rng.uniform(0.1, 0.22)
    segments, neck = 20, rng.uniform(0.4, 0.8) * radius
    builder = Builder()
    belly = rng.uniform(0.2, 0.5)
    rows = [[0.85 * radius, 0], [radius, belly * height], [0.5 * (neck + radius), 0.85 * height], [neck, height]]
    builder.add(0, revolved(rows, segments, True, bool(rng.random() < 0.5)))
    spout = np.array([[-0.85, 0, 0.4], [-1.3, 0, 0.65], [-1.6, 0, 0.95]]) * (radius, 1.0, height)
    builder.add(0, swept(spout, np.array([0.22, 0.15, 0.1]) * radius, 8, up=(0, 1, 0)), 0)
    rise = rng.uniform(0.05, 0.25) * radius
    cover = revolved([[1.03 * neck, height], [0.9 * neck, height + 0.6 * rise], [0.2 * neck, height + rise]], segments)
    tip = moved(sphere(0.15 * radius, 8), (0, 0, height + rise + 0.1 * radius))
    if rng.random() < 0.5:
        lid = builder.part(0, "prismatic", (0, 0, 1), limits=(0.0, rng.uniform(0.5, 1.2) * radius))
    else:
        lid = builder.part(0, "revolute", (0, 1, 0), (1.0 * neck, 0, height), (0.0, np.radians(rng.uniform(60, 110))))
    builder.add(lid, [cover, tip], 1)
    thick = rng.uniform(0.07, 0.12) * radius
    if rng.random() < 0.5:
        path = np.array([[0.9, 0, 0.8], [1.7, 0, 0.85], [1.7, 0, 0.3], [0.95, 0, 0.25]]) * (radius, 1.0, height)
        builder.add(0, swept(path, thick, 8, up=(0, 1, 0)), 2)
    else:
        _bail(builder, rng, 0.9 * radius, 0.85 * height, thick, along_y=True)
    if rng.random() < 0.4:
        builder.add(0, cylinder(1.1 * radius, -0.02, 0.0, segments), 3)
        if rng.random() < 0.5:
            spot = upward((0.7 * radius, 0, 0.1 * height))
            add_knob(builder, rng, 0, spot, 0.01, turn=1.0)
    return builder.build(rng, "kettle", "pot")


def _bail(
    builder: Builder, rng: np.random.Generator, half: float, level: float, thick: float, along_y: bool = False
) -> int:
    """A wire handle over the opening, hinged at two points of the rim; drawn upright or lying on the rim."""
    angle = np.linspace(0, np.pi, 13)
    tall = half * rng.uniform(0.9, 1.4)
    path = np.column_stack([-half * np.cos(angle), 0 * angle, tall * np.sin(angle)])
    limit = np.radians(rng.uniform(60, 95))
    tilt = float(rng.choice([0.0, 0.0, rng.uniform(-1, 1) * limit]))
    hoop = turned(swept(path, thick, 6, up=(0, 1, 0)), 0, tilt)
    pieces = [hoop]
    if rng.random() < 0.5:
        grip = turned(swept(path[4:9], 2.0 * thick, 8, up=(0, 1, 0)), 0, tilt)
        pieces.append(grip)
    axis = (1.0, 0.0, 0.0)
    if along_y:
        pieces, axis = [turned(piece, 2, np.pi / 2) for piece in pieces], (0.0, 1.0, 0.0)
    part = builder.part(0, "revolute", axis, (0, 0, level), (-limit - tilt, limit - tilt))
    builder.add(part, [moved(piece, (0, 0, level)) for piece in pieces], 2)
    for side in (-1, 1):
        ear = turned(cylinder(2 * thick, -1.2 * thick, 1.2 * thick, 8), 1, np.pi / 2)
        ear = turned(moved(ear, (side * half, 0, 0)), 2, np.pi / 2 if along_y else 0.0)
        builder.add(0, moved(ear, (0, 0, level)), 3)
    return part


def bucket(rng: np.random.Generator) -> MovingObject:
    """A pail or basket with a bail handle, or with two, and perhaps a lid that lifts."""
    radius, height = rng.uniform(0.1, 0.2), rng.uniform(0.12, 0.35)
    segments = int(rng.choice([12, 16, 24]))
    builder = Builder()
    lower = rng.uniform(0.65, 1.0) * radius
    builder.add(0, round_container(rng, lower, radius, height, rng.uniform(0.002, 0.008), segments))
    for level in rng.uniform(0.1, 0.95, int(rng.integers(0, 3))) * height:
        ring = lower + (radius - lower) * level / height
        builder.add(0, cylinder(1.02 * ring, level - 0.02 * height, level + 0.02 * height, segments, capped=False), 3)
    level = height * rng.uniform(0.88, 0.99)
    _bail(builder, rng, radius * rng.uniform(0.97, 1.03), level, rng.uniform(0.015, 0.04) * radius)
    if rng.random() < 0.2:
        lid = builder.part(0, "prismatic", (0, 0, 1), limits=(0.0, rng.uniform(0.3, 1.0) * height))
        builder.add(lid, cylinder(1.03 * radius, height, height + 0.05 * radius, segments), 1)
    return builder.build(rng, "bucket", "bucket")
