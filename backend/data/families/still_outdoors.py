"""Vehicles' bodies, buildings and other large things that no joint moves."""

from __future__ import annotations

import numpy as np

from ...kinematics.base import Array
from ..builder import Builder
from ..moving_object import MovingObject
from ..shapes import Piece, aimed, box, cylinder, extruded, loft, moved, revolved, scaled, sphere, swept, torus, turned
from .pieces import frame_boards, slab

__all__ = ["aircraft", "boat", "building", "fence", "rock", "vehicle_body"]


def _hull(length: float, width: float, height: float, flat: float) -> Piece:
    """A boat's outside along Y, open above: sections that narrow to the bow."""
    rings = np.empty((9, 8, 3))
    for row, along in enumerate(np.linspace(-1.0, 1.0, 9)):
        half = 0.5 * width * max(1.0 - max(along, flat * -along) ** 4, 0.06)
        turn = np.linspace(np.pi, 2.0 * np.pi, 8)
        rings[row] = np.column_stack(
            [half * np.cos(turn), np.full(8, 0.5 * length * along), height * (1.0 + np.sin(turn))]
        )
    vertices, triangles = loft(rings)
    return vertices, triangles[:, ::-1]


def boat(rng: np.random.Generator) -> MovingObject:
    """A rowing boat, ship with mast and cabin, raft of logs or tubes, sledge, or canoe."""
    builder = Builder()
    length, width, height = rng.uniform(1.5, 4.0), rng.uniform(0.5, 1.4), rng.uniform(0.2, 0.6)
    habit = rng.random()
    if habit < 0.6:
        builder.add(0, _hull(length, width, height, rng.uniform(0.3, 1.0)), 0)
        for along in np.linspace(-0.5, 0.4, int(rng.integers(1, 4))):
            y = 0.5 * length * along
            builder.add(0, box((-0.42 * width, y - 0.08, 0.6 * height), (0.42 * width, y + 0.08, 0.68 * height)), 1)
        if rng.random() < 0.4:
            builder.add(0, cylinder(0.03 * length, 0.1, rng.uniform(1.5, 3.0), 8), 2)
        if rng.random() < 0.3:
            low, high = (-0.3 * width, -0.3 * length, 0.5 * height), (0.3 * width, 0.0, rng.uniform(1.5, 3.0) * height)
            builder.add(0, slab(rng, low, high), 3)
    elif habit < 0.85:
        count, radius = int(rng.integers(4, 10)), 0.5 * width / 4
        for number in range(count):
            log = turned(cylinder(radius, -0.5 * length, 0.5 * length, 10), 0, 0.5 * np.pi)
            builder.add(0, moved(log, (1.9 * radius * (number - 0.5 * count), 0, radius)), 0)
        for y in (-0.35 * length, 0.35 * length):
            reach = radius * count
            builder.add(0, box((-reach, y - 0.06, 1.8 * radius), (reach, y + 0.06, 2.3 * radius)), 1)
    else:
        for side in (-1, 1):
            path = np.array([[0, -0.5, 0.02], [0, 0.3, 0.0], [0, 0.45, 0.06], [0, 0.5, 0.2]]) * [1, length, 1]
            builder.add(0, swept(path + np.array([side * 0.4 * width, 0, 0]), 0.03, 6, up=(1, 0, 0)), 0)
            builder.add(
                0,
                [
                    box((side * 0.4 * width - 0.02, y, 0), (side * 0.4 * width + 0.02, y + 0.05, 0.25))
                    for y in (-0.5, 0.2)
                ],
                0,
            )
        builder.add(0, slab(rng, (-0.5 * width, -0.45 * length, 0.25), (0.5 * width, 0.3 * length, 0.3)), 1)
    return builder.build(rng, "boat", "vehicle")


def aircraft(rng: np.random.Generator) -> MovingObject:
    """An aeroplane, rocket or submarine without anything that turns: body, wings, fins, windows, engines."""
    builder = Builder()
    length, radius = rng.uniform(1.0, 3.0), rng.uniform(0.12, 0.35)
    nose = rng.uniform(0.1, 0.3)
    profile = np.array([[0.3, -0.5], [0.8, -0.35], [1.0, 0.0], [1.0, 0.5 - nose], [0.5, 0.5 - 0.3 * nose], [0.05, 0.5]])
    hull = revolved(profile * [radius, length], int(rng.choice([8, 12, 20])))
    upright = rng.random() < 0.35
    pieces = [hull]
    fins = int(rng.integers(3, 6)) if upright else 2
    reach, chord = rng.uniform(1.5, 6.0) * radius, rng.uniform(0.1, 0.3) * length
    for fin in range(fins):
        place = -0.5 * length if upright else rng.uniform(-0.1, 0.1) * length if fin == 0 else 0.0
        wing = np.array([[0.5 * radius, 0.0], [reach, -0.3 * chord], [reach, 0.2 * chord], [0.5 * radius, chord]])
        blade = turned(extruded(wing, -0.02, 0.02), 0, 0.5 * np.pi)
        pieces.append(turned(moved(blade, (0, 0, place)), 2, 2.0 * np.pi * fin / fins))
    if not upright:
        tail = (
            np.array([[0.0, -0.5], [1.6 * radius / length, -0.52], [1.6 * radius / length, -0.45], [0.0, -0.35]])
            * length
        )
        pieces.append(turned(turned(extruded(tail, -0.015, 0.015), 0, 0.5 * np.pi), 2, 0.5 * np.pi))
    for window in range(int(rng.integers(0, 7))):
        pieces.append(moved(sphere(0.2 * radius, 8), (0, -0.95 * radius, (0.05 * window - 0.1) * length)))
    if not upright:
        pieces = [turned(piece, 0, -0.5 * np.pi) for piece in pieces]
    builder.add(0, pieces[0], 0)
    builder.add(0, pieces[1:], 1)
    return builder.build(rng, "aircraft", "vehicle")


def vehicle_body(rng: np.random.Generator) -> MovingObject:
    """The body of a car, van, tram or locomotive without its wheels: lower and upper block, lights, bumpers, boiler."""
    builder = Builder()
    width, length, low = rng.uniform(0.7, 1.1), rng.uniform(1.4, 3.0), rng.uniform(0.25, 0.5)
    builder.add(0, slab(rng, (-width / 2, -length / 2, 0), (width / 2, length / 2, low)), 0)
    begin, end = np.sort(rng.uniform(-0.5, 0.5, 2)) * length
    end = max(end, begin + 0.3 * length)
    tall = rng.uniform(0.25, 0.8)
    inset = rng.uniform(0.0, 0.1) * width
    builder.add(0, slab(rng, (-width / 2 + inset, begin, low), (width / 2 - inset, end, low + tall)), 1)
    if rng.random() < 0.6:
        glass = [
            (-width / 2 + 0.9 * inset, begin + 0.05, low + 0.3 * tall),
            (width / 2 - 0.9 * inset, end - 0.05, low + 0.9 * tall),
        ]
        builder.add(0, box(*glass), 2)
    if rng.random() < 0.3:
        boiler = turned(cylinder(0.4 * width, begin - 0.6 * length, begin, 16), 0, -0.5 * np.pi)
        builder.add(0, moved(boiler, (0, 0, low + 0.4 * width)), 0)
        builder.add(0, cylinder(0.08 * width, low + 0.7 * width, low + width, 10, 0.12 * width), 3)
    for side in (-1, 1):
        lamp = turned(cylinder(0.07 * width, -0.02, 0.03, 10), 0, 0.5 * np.pi)
        builder.add(0, moved(lamp, (side * 0.35 * width, -length / 2, 0.6 * low)), 3)
        if rng.random() < 0.5:
            arch = turned(torus(0.15, 0.03, 14, 6), 1, 0.5 * np.pi)
            builder.add(0, [moved(arch, (side * width / 2, y * length, 0.1)) for y in (-0.3, 0.3)], 4)
    if rng.random() < 0.6:
        builder.add(
            0,
            [box((-0.45 * width, y - 0.04, 0.05), (0.45 * width, y + 0.04, 0.15)) for y in (-length / 2, length / 2)],
            4,
        )
    return builder.build(rng, "vehicle_body", "vehicle")


def _roof(low: Array, high: Array, rise: float) -> Piece:
    """A gable over a rectangle, along Y."""
    overhang = 0.08 * (high - low)
    low, high = low - overhang, high + overhang
    outline = np.array([[low[0], 0.0], [high[0], 0.0], [0.5 * (low[0] + high[0]), rise]])
    return turned(extruded(outline, -high[1], -low[1]), 0, 0.5 * np.pi)


def building(rng: np.random.Generator) -> MovingObject:
    """A house, tower, tent, well or castle wall: walls, roof, chimney, frames of windows that stay shut."""
    builder = Builder()
    size = rng.uniform(0.6, 2.0, 2)
    tall = rng.uniform(0.5, 2.5)
    low, high = -0.5 * size, 0.5 * size
    habit = rng.random()
    if habit < 0.3:
        radius, segments = 0.5 * size.min(), int(rng.choice([6, 8, 16]))
        builder.add(0, cylinder(radius, 0.0, tall, segments, rng.uniform(0.7, 1.0) * radius), 0)
        if rng.random() < 0.6:
            builder.add(0, cylinder(1.2 * radius, tall, tall + rng.uniform(0.3, 1.0), segments, 0.02), 1)
        else:
            for turn in np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False):
                block = box((0.75 * radius, -0.1 * radius, tall), (radius, 0.1 * radius, tall + 0.15))
                builder.add(0, turned(block, 2, turn), 0)
    else:
        builder.add(0, box((*low, 0), (*high, tall)), 0)
        rise = rng.uniform(0.2, 0.8)
        builder.add(0, moved(_roof(low, high, rise), (0, 0, tall)), 1)
        if rng.random() < 0.5:
            x = rng.uniform(-0.3, 0.3) * size[0]
            builder.add(0, box((x - 0.06, 0, tall), (x + 0.06, 0.14, tall + 1.2 * rise)), 2)
    for _ in range(int(rng.integers(0, 6))):
        wide, high_up = rng.uniform(0.1, 0.25), rng.uniform(0.15, 0.35)
        place = (rng.uniform(-0.4, 0.3) * size[0], low[1], rng.uniform(0.0, 0.6) * tall)
        frame = [*frame_boards((0, 0), (wide, high_up), 0.02, -0.02, 0.03), box((0, 0, -0.01), (wide, high_up, 0.01))]
        builder.add(0, [moved(turned(piece, 0, 0.5 * np.pi), place) for piece in frame], 3)
    if rng.random() < 0.3:
        builder.add(0, slab(rng, (1.3 * low[0], 1.3 * low[1], -0.1), (1.3 * high[0], 1.3 * high[1], 0.0)), 4)
    return builder.build(rng, "building", "building")


def fence(rng: np.random.Generator) -> MovingObject:
    """Posts and rails, a ladder, a goal, a bridge, a rack: bars that are nailed together."""
    builder = Builder()
    long, tall, thick = rng.uniform(0.8, 3.0), rng.uniform(0.4, 2.0), rng.uniform(0.015, 0.05)
    count = int(rng.integers(2, 12))
    round_bars = rng.random() < 0.4
    for x in np.linspace(-long / 2, long / 2, count):
        post = cylinder(thick, 0.0, tall, 8) if round_bars else box((-thick, -thick, 0), (thick, thick, tall))
        builder.add(0, moved(post, (x, 0, 0)), 0)
    for z in np.linspace(0.15, 0.9, int(rng.integers(1, 5))) * tall:
        builder.add(0, slab(rng, (-long / 2, -1.5 * thick, z - thick), (long / 2, -0.3 * thick, z + thick)), 1)
    if rng.random() < 0.3:
        builder.add(0, box((-long / 2, 0, 0.9 * tall), (long / 2, rng.uniform(0.2, 1.0), 0.95 * tall)), 2)
    if rng.random() < 0.3:
        for side in (-1, 1):
            strut = aimed(box((-thick, -thick, 0), (thick, thick, tall)), (0, 0.6, -1.0))
            builder.add(0, moved(strut, (side * long / 2, 0, 0.9 * tall)), 0)
    return builder.build(rng, "fence", "building")


def rock(rng: np.random.Generator) -> MovingObject:
    """One to four lumps, at times with moss, gems or a plate on top."""
    builder = Builder()
    for number in range(int(rng.integers(1, 5))):
        vertices, triangles = sphere(1.0, int(rng.choice([8, 10, 14])))
        waves = rng.normal(0.0, 1.0, (6, 3))
        bumps = 1.0 + 0.12 * np.sin(2.0 * vertices @ waves.T + rng.uniform(0, 6, 6)).sum(axis=1) / 2.0
        size = rng.uniform(0.2, 0.5) * (0.7**number)
        lump = (vertices * bumps[:, None] * rng.uniform(0.6, 1.2, 3) * size, triangles)
        place = np.array([*rng.uniform(-0.35, 0.35, 2), 0.4 * size])
        builder.add(0, moved(lump, place), 0)
        if rng.random() < 0.4:
            cap = (lump[0] * [1.02, 1.02, 0.6] + [0, 0, 0.45 * size], triangles)
            builder.add(0, moved(cap, place), 1)
        if rng.random() < 0.2:
            gem = scaled(sphere(1.0, 4), (0.06, 0.06, 0.25))
            builder.add(
                0,
                [
                    moved(aimed(gem, (*rng.normal(0, 0.5, 2), 1.0)), place + np.array([0, 0, 0.5 * size]))
                    for _ in range(3)
                ],
                2,
            )
    return builder.build(rng, "rock", "rock")
