"""Things that turn: fans, clocks, globes, valves."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..local_frame import LocalFrame, front, upward
from ..moving_object import MovingObject
from ..shapes import Piece, box, cylinder, extruded, moved, rounded_prism, sphere, swept, torus, turned
from .fittings import add_knob
from .pieces import slab

__all__ = ["clock", "fan", "globe", "hand_wheel"]


def fan(rng: np.random.Generator) -> MovingObject:
    """Blades on a hub before a motor: table, ceiling or wall fan, windmill, propeller; the head may tilt and swing."""
    builder = Builder()
    height, radius = rng.uniform(0.2, 1.2), rng.uniform(0.15, 0.5)
    part = 0
    at = np.array([0.0, 0.0, height])
    ceiling = rng.random() < 0.3
    axis = np.array([0.0, 0.0, 1.0]) if ceiling else np.array([0.0, -1.0, 0.0])
    if ceiling:
        builder.add(
            0, [cylinder(0.02, height, height + 0.3, 8), moved(cylinder(0.08, 0, 0.05, 14), (0, 0, height + 0.28))]
        )
    elif rng.random() < 0.3:
        sizes = np.array([[0.8, 0.8], [0.4, 0.4]]) * radius
        builder.add(0, moved(rounded_prism(sizes, 0.05, [0, height + 0.1], 2), (0, 0.22 * radius, 0)))
    else:
        builder.add(0, [cylinder(0.5 * radius, 0, 0.03, 20), cylinder(0.02, 0, height, 10)])
        if rng.random() < 0.5:
            limit = np.radians(rng.uniform(30, 60))
            part = builder.part(part, "revolute", (0, 0, 1), at, (-limit, limit))
        if rng.random() < 0.5:
            limit = np.radians(rng.uniform(15, 40))
            part = builder.part(part, "revolute", (1, 0, 0), at, (-limit, limit))
    face = LocalFrame(at, upward(at).axes if ceiling else front(at).axes)
    builder.add(part, face.place(cylinder(0.15 * radius, -0.2 * radius, 0.06 * radius, 14)), 1)
    rotor = builder.part(part, "continuous", axis, at)
    hub = cylinder(0.14 * radius, 0.06 * radius, 0.2 * radius, 14)
    count, pitch = int(rng.integers(2, 7)), np.radians(rng.uniform(5, 40))
    wide, root = rng.uniform(0.1, 0.35) * radius, rng.uniform(0.1, 0.25) * radius
    outline = [
        [root, -0.3 * wide],
        [0.8 * radius, -wide],
        [radius, -0.3 * wide],
        [radius, 0.4 * wide],
        [root, 0.3 * wide],
    ]
    flat = extruded(outline, -0.006 * radius, 0.006 * radius)
    blade = moved(turned(flat, 0, pitch), (0, 0, 0.13 * radius))
    builder.add(rotor, face.place([hub, *[turned(blade, 2, 2 * np.pi * turn / count) for turn in range(count)]]), 2)
    if not ceiling and rng.random() < 0.5:
        rings = [moved(torus(1.1 * radius, 0.015 * radius, 20, 5), (0, 0, z)) for z in (0.0, 0.3 * radius)]
        bars = []
        for turn in range(int(rng.integers(6, 14))):
            angle = turn * 2.4
            end = 1.1 * radius * np.array([np.cos(angle), np.sin(angle), 0.0])
            path = np.stack([0.0 * end, 0.6 * end, end])
            path[:, 2] = np.array([0.32, 0.32, 0.15]) * radius
            bars.append(swept(path, 0.006 * radius, 4, up=(0.31, 0.95, 0.1)))
        builder.add(part, face.place([*rings, *bars]), 3)
    if not ceiling and rng.random() < 0.3:
        add_knob(builder, rng, 0, upward((0, -0.3 * radius, 0.03)), 0.06 * radius)
    return builder.build(rng, "fan", "wheel")


def clock(rng: np.random.Generator) -> MovingObject:
    """A dial with two or three hands, round or square, on a wall, in a case with a pendulum, or on two bells."""
    radius = rng.uniform(0.1, 0.3)
    builder = Builder()
    face = front((0, 0, radius))
    thick = rng.uniform(0.05, 0.3) * radius
    if rng.random() < 0.6:
        builder.add(
            0, face.place([cylinder(radius, -thick, 0, 24), moved(torus(radius, 0.06 * radius, 24, 6), (0, 0, 0))])
        )
    else:
        builder.add(0, face.place(slab(rng, (-radius, -radius, -thick), (radius, radius, 0))))
    if rng.random() < 0.7:
        mark = box((0.8 * radius, -0.015 * radius, 0), (0.92 * radius, 0.015 * radius, 0.01 * radius))
        builder.add(0, face.place([turned(mark, 2, turn * np.pi / 6) for turn in range(12)]), 2)
    for number, reach in enumerate((0.55, 0.85, 0.9)[: int(rng.integers(2, 4))]):
        hand = builder.part(0, "continuous", face.axes[2], face.origin)
        level = (0.03 + 0.03 * number) * radius
        wide = (0.05, 0.035, 0.012)[number] * radius
        outline = [
            [-wide, -0.1 * radius],
            [wide, -0.1 * radius],
            [0.6 * wide, reach * radius],
            [-0.6 * wide, reach * radius],
        ]
        piece = extruded(outline, level, level + 0.015 * radius)
        builder.add(hand, face.place(turned(piece, 2, rng.uniform(0, 2 * np.pi))), 1)
    builder.add(0, face.place(cylinder(0.05 * radius, 0, 0.14 * radius, 10)), 3)
    habit = rng.random()
    if habit < 0.3:
        drop, limit = rng.uniform(1.5, 3.0) * radius, np.radians(rng.uniform(8, 25))
        case = box((-0.8 * radius, 0.2 * thick, -drop), (0.8 * radius, thick, radius))
        builder.add(0, case, 4)
        swing = builder.part(0, "revolute", (0, 1, 0), (0, 0, 0), (-limit, limit))
        bob = turned(cylinder(0.3 * radius, -0.02, 0.02, 16), 0, np.pi / 2)
        builder.add(swing, [box((-0.01, -0.01, -0.8 * drop), (0.01, 0.01, 0)), moved(bob, (0, 0, -0.8 * drop))], 5)
    elif habit < 0.5:
        bells = [
            moved(sphere(0.35 * radius, 12, 0.0), (x, 0.5 * thick, 1.95 * radius))
            for x in (-0.5 * radius, 0.5 * radius)
        ]
        builder.add(
            0,
            [
                *bells,
                box((-0.6 * radius, 0, -0.1 * radius), (-0.4 * radius, thick, 0.3 * radius)),
                box((0.4 * radius, 0, -0.1 * radius), (0.6 * radius, thick, 0.3 * radius)),
            ],
            4,
        )
    return builder.build(rng, "clock", "wheel")


def globe(rng: np.random.Generator) -> MovingObject:
    """A ball in a bow on a foot; turns about a leaning axis, the bow may turn as well; also gyroscopes with rings."""
    radius = rng.uniform(0.1, 0.3)
    tilt = rng.choice([0.0, 0.41, rng.uniform(0, 0.8)])
    axis = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    level = radius * rng.uniform(1.3, 2.0)
    centre = np.array([0.0, 0.0, level])
    builder = Builder()
    builder.add(
        0,
        [
            cylinder(0.6 * radius, 0, 0.06 * radius, 20, 0.5 * radius),
            cylinder(0.06 * radius, 0, level - 1.1 * radius, 8),
        ],
    )
    bow_part, count = 0, int(rng.choice([0, 0, 1, 2]))
    gap = 1.08
    for number in range(count):
        gap += 0.12
        direction = (axis, np.array([0.0, 1.0, 0.0]))[number % 2]
        bow_part = builder.part(bow_part, "continuous", direction, centre)
        ring = torus(gap * radius, 0.04 * radius, 24, 6)
        piece = turned(ring, 0, np.pi / 2) if number % 2 == 0 else ring
        builder.add(bow_part, moved(piece, centre), 1)
    if count == 0 or rng.random() < 0.7:
        arc = np.linspace(tilt - np.pi, tilt, 16) if rng.random() < 0.7 else np.linspace(0, 2 * np.pi, 24)
        reach = (gap + 0.06) * radius
        path = centre + reach * np.column_stack([np.sin(arc), 0 * arc, np.cos(arc)])
        builder.add(0, swept(path, 0.05 * radius, 6, up=(0, 1, 0)), 1)
    ball = builder.part(bow_part, "continuous", axis, centre)
    pieces: list[Piece] = [moved(sphere(radius, int(rng.choice([12, 16, 20]))), centre)]
    pin = [cylinder(0.04 * radius, -1.15 * radius, 1.15 * radius, 8)]
    lean = turned(pin[0], 1, tilt)
    pieces.append(moved(lean, centre))
    for angle in rng.uniform(0, 2 * np.pi, int(rng.integers(0, 5))):  # raised land
        patch = sphere(1.02 * radius, 8, 0.8, 1.0)
        patch = turned(turned(patch, 0, rng.uniform(0.3, 2.8)), 2, angle)
        pieces.append(moved(patch, centre))
    builder.add(ball, pieces, 2)
    return builder.build(rng, "globe", "wheel")


def hand_wheel(rng: np.random.Generator) -> MovingObject:
    """A valve, a ship's wheel or a crank on a pipe or a stand, sometimes with a screw that lifts."""
    radius = rng.uniform(0.1, 0.3)
    builder = Builder()
    pipe = rng.uniform(0.2, 0.5) * radius
    upright = rng.random() < 0.6
    builder.add(0, turned(cylinder(pipe, -1.5 * radius, 1.5 * radius, 14), 1, np.pi / 2))
    builder.add(0, cylinder(0.7 * pipe, 0, 2 * pipe, 12))
    top = (0, 0, 2 * pipe + 0.15 * radius)
    part = 0
    if rng.random() < 0.3:
        part = builder.part(0, "prismatic", (0, 0, 1), limits=(0.0, rng.uniform(0.2, 0.5) * radius))
    part = builder.part(part, "continuous", (0, 0, 1))
    builder.add(part, moved(cylinder(0.1 * radius, -0.3 * radius, 0.06 * radius, 8), top), 1)
    count = int(rng.integers(2, 7))
    bar = box((0, -0.04 * radius, -0.03 * radius), (radius, 0.04 * radius, 0.03 * radius))
    if rng.random() < 0.7:
        builder.add(part, moved(torus(radius, 0.07 * radius, 24, 6), top), 1)
        builder.add(part, [moved(turned(bar, 2, 2 * np.pi * turn / count), top) for turn in range(count)], 1)
    else:
        builder.add(part, moved(bar, top), 1)
        grip = (0.92 * radius, 0.0, top[2])
        spin = builder.part(part, "continuous", (0, 0, 1), grip) if rng.random() < 0.5 else part
        builder.add(spin, moved(cylinder(0.07 * radius, 0, 0.5 * radius, 10), grip), 2)
    if not upright:
        builder.turn(0, np.pi / 2)
    return builder.build(rng, "hand_wheel", "wheel")
