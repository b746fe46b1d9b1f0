"""Carts, cars and other things on wheels; things that turn: fans, clocks, globes, mills, valves."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..frames import Frame, front, upward
from ..moving import MovingObject
from ..shapes import Piece, bevelled_box, box, cylinder, extruded, moved, rounded_prism, sphere, swept, torus, turned
from .fittings import add_hinged_panel, add_knob, add_wheel
from .pieces import container, legs, slab

__all__ = ["car", "cart", "clock", "fan", "globe", "hand_wheel"]


def cart(rng: np.random.Generator) -> MovingObject:
    """A trolley with two or four wheels that roll, castors that swivel, a tray, a basket or a deck, and a handle."""
    width, length, level = rng.uniform(0.35, 0.7), rng.uniform(0.5, 1.1), rng.uniform(0.12, 0.4)
    radius = rng.uniform(0.05, min(0.2, 0.9 * level))
    builder = Builder()
    low, high = np.array([-width / 2, 0.0, level]), np.array([width / 2, length, level + 0.04])
    if rng.random() < 0.5:
        high[2] = level + rng.uniform(0.15, 0.45)
        builder.add(0, container(rng, low, high, 0.012))
    else:
        builder.add(0, slab(rng, low, high))
        for tier in range(int(rng.integers(0, 3))):
            at = level + 0.3 * (tier + 1)
            builder.add(0, slab(rng, (low[0], 0, at), (high[0], length, at + 0.03)))
            high[2] = at + 0.03
        builder.add(
            0,
            [
                box((x - 0.012, y - 0.012, level), (x + 0.012, y + 0.012, high[2]))
                for x in (low[0], high[0])
                for y in (0, length)
            ],
            1,
        )
    rise = high[2] + rng.uniform(0.1, 0.4)
    path = [
        [low[0], length, high[2] - 0.03],
        [low[0], length + 0.1, rise],
        [high[0], length + 0.1, rise],
        [high[0], length, high[2] - 0.03],
    ]
    bar = swept(np.array(path), 0.012, 6, up=(0, 1, 0))
    if rng.random() < 0.2:
        grip = builder.part(
            0, "revolute", (1, 0, 0), (0, length, high[2] - 0.03), (0.0, np.radians(rng.uniform(60, 150)))
        )
        builder.add(grip, bar, 2)
    else:
        builder.add(0, bar, 2)
    seed, thick = int(rng.integers(2**32)), rng.uniform(0.25, 0.7) * radius
    habit = rng.random()
    spots = [(x, y) for y in (0.12, 0.88) for x in (-1, 1)] if habit < 0.75 else [(-1, 0.3), (1, 0.3)]
    swivel = rng.random() < 0.4
    inset = 0.5 * width + (0.6 * thick if rng.random() < 0.4 else -0.8 * thick)
    axle: dict[float, int] = {}
    together = rng.random() < 0.25
    for x, share in spots:
        centre = (x * inset, share * length, radius)
        host = 0
        if swivel and share < 0.5 and habit < 0.75:
            host = builder.part(0, "continuous", (0, 0, 1), (centre[0], centre[1] - 0.3 * radius, 0))
            fork = bevelled_box(
                (-0.7 * thick, -0.4 * radius, radius),
                (0.7 * thick, 0.4 * radius, max(level, 2.05 * radius)),
                0.1 * thick,
            )
            builder.add(host, moved(fork, (centre[0], centre[1], 0)), 3)
        else:
            builder.add(
                0,
                box(
                    (centre[0] - 0.1 * radius, centre[1] - 0.1 * radius, radius),
                    (centre[0] + 0.1 * radius, centre[1] + 0.1 * radius, level),
                ),
                3,
            )
        follows = axle.get(share) if together and host == 0 else None
        axle[share] = _wheel_on(builder, seed, host, centre, radius, thick, follows)
    if habit >= 0.75:
        builder.add(0, legs(rng, (low[0], 0.6 * length), (high[0], length), level), 3)
    return builder.build(rng, "cart", "wheel")


def _wheel_on(
    builder: Builder, seed: int, host: int, centre: tuple, radius: float, thick: float, follows: int | None = None
) -> int:
    return add_wheel(builder, np.random.default_rng(seed), host, centre, radius, thick, follows=follows)


def car(rng: np.random.Generator) -> MovingObject:
    """A toy-like car, van or lorry: wheels that roll, front ones that steer, doors, bonnet, boot, a tipping bed."""
    length, width, tall = rng.uniform(1.6, 3.0), rng.uniform(0.8, 1.1), rng.uniform(0.35, 0.6)
    radius = rng.uniform(0.16, 0.28)
    builder = Builder()
    base = 0.8 * radius
    half = width / 2
    cabin = np.sort(rng.uniform(0.2, 0.8, 2)) * length
    if cabin[1] - cabin[0] < 0.3 * length:
        cabin = np.array([0.3, 0.75]) * length
    roof = base + tall + rng.uniform(0.3, 0.6)
    nose = base + tall * rng.uniform(0.6, 1.0)
    slope = rng.uniform(0.05, 0.3)
    hollow = rng.random() < 0.5
    outline = np.array([[0, base], [length, base], [length, base + tall], [0, nose]])
    sides = extruded(outline, -half, half)
    builder.add(0, (sides[0][:, [2, 0, 1]], sides[1]))
    glass = np.array(
        [[cabin[0] - slope, base + tall], [cabin[1] + slope, base + tall], [cabin[1], roof], [cabin[0], roof]]
    )
    house = extruded(glass, -0.92 * half, 0.92 * half)
    builder.add(0, (house[0][:, [2, 0, 1]], house[1]), 1)
    thick = rng.uniform(0.3, 0.6) * radius
    seed, steering = int(rng.integers(2**32)), rng.random() < 0.4
    axles = [0.18, 0.8] if rng.random() < 0.8 else [0.15, 0.68, 0.85]
    first = None
    for share in axles:
        pair = None
        for side in (-1, 1):
            centre = (side * (half - 0.2 * thick), share * length, radius)
            host = 0
            if steering and share == axles[0]:
                host = builder.part(0, "revolute", (0, 0, 1), centre, (-0.6, 0.6), follows=first)
                first = host if first is None else first
            wheel = _wheel_on(builder, seed, host, centre, radius, thick, pair if rng.random() < 0.5 else None)
            pair = wheel if pair is None else pair
    if hollow:
        for side in (-1, 1) if rng.random() < 0.7 else ():
            axes = np.array([[0, side, 0], [0, 0, 1], [side, 0, 0]], dtype=float)
            edge = cabin[0] if side > 0 else cabin[0] + 0.5 * (cabin[1] - cabin[0])
            frame = Frame(np.array([side * half, edge, base + 0.1 * tall]), axes)
            size = (0.5 * (cabin[1] - cabin[0]), 0.85 * tall, 0.02)
            add_hinged_panel(
                builder, rng, 0, frame, size, "left" if side > 0 else "right", np.radians(rng.uniform(50, 80)), slot=3
            )
        if rng.random() < 0.5:
            bonnet = upward((-0.9 * half, 0.02, base + tall + 0.001))
            deep = max(0.1, cabin[0] - slope - 0.05)
            add_hinged_panel(
                builder,
                rng,
                0,
                bonnet,
                (1.8 * half, deep, 0.02),
                str(rng.choice(["top", "bottom"])),
                np.radians(60),
                slot=3,
            )
    elif rng.random() < 0.6:  # a bed that tips over the rear axle
        bed = builder.part(0, "revolute", (1, 0, 0), (0, length, base + tall), (0.0, np.radians(rng.uniform(30, 60))))
        begin = min(cabin[1] + slope, 0.8 * length)
        tray = container(rng, (-half, begin, base + tall), (half, length, roof), 0.03)
        builder.add(bed, tray, 3)
        gate = builder.part(bed, "revolute", (-1, 0, 0), (0, length, roof), (0.0, np.radians(70)))
        builder.add(gate, box((-half, length, base + tall), (half, length + 0.02, roof)), 4)
    return builder.build(rng, "car", "wheel")


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
    face = Frame(at, upward(at).axes if ceiling else front(at).axes)
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
