"""Tools, weapons, instruments and devices that no joint moves."""

from __future__ import annotations

import numpy as np

from ...kinematics.base import Array
from ..builder import Builder
from ..moving_object import MovingObject
from ..shapes import Piece, aimed, box, cylinder, disc, extruded, moved, revolved, scaled, sphere, swept, torus, turned
from .pieces import slab
from .still_household import turned_solid

__all__ = ["device", "drum", "footwear", "hand_tool", "shield", "string_instrument"]


_Z = np.array([0.0, 0.0, 1.0])


def _outline(rng: np.random.Generator, count: int) -> Array:
    """A star-shaped outline Float[count,2] about the origin, of radius about 1, the same left and right."""
    angle = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    radius = 1.0 + rng.uniform(-0.3, 0.3) * np.sin(angle) + rng.uniform(-0.25, 0.25) * np.cos(2.0 * angle)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def hand_tool(rng: np.random.Generator) -> MovingObject:
    """A hammer, axe, sword, spade, wrench, brush, spoon or bell: a grip and a head, with guard, pommel and bands."""
    builder = Builder()
    grip, thick = rng.uniform(0.1, 1.0), rng.uniform(0.01, 0.03)
    habit = rng.random()
    shaft = cylinder(thick, 0.0, grip, int(rng.choice([4, 6, 8, 12])), rng.uniform(0.7, 1.0) * thick)
    builder.add(0, shaft, 0)
    size = rng.uniform(0.1, 0.5)
    top = np.array([0.0, 0.0, grip])
    if habit < 0.2:  # hammer
        half = 0.4 * size
        head = turned(cylinder(rng.uniform(1.2, 3.0) * thick, -half, half, int(rng.choice([4, 8, 12]))), 1, 0.5 * np.pi)
        builder.add(0, moved(head, top), 1)
    elif habit < 0.35:  # axe
        blade = np.array([[0.0, -0.2], [0.6, -0.5], [0.75, 0.0], [0.6, 0.5], [0.0, 0.2]]) * size
        edge = turned(extruded(blade, -0.5 * thick, 0.5 * thick), 0, 0.5 * np.pi)
        builder.add(0, moved(edge, 0.9 * top), 1)
    elif habit < 0.6:  # sword or knife
        long, wide = rng.uniform(0.3, 1.2), rng.uniform(0.02, 0.06)
        blade = np.array([[-wide, 0.0], [wide, 0.0], [0.8 * wide, 0.9 * long], [0.0, long], [-0.8 * wide, 0.9 * long]])
        builder.add(0, moved(turned(extruded(blade, -0.3 * wide, 0.3 * wide), 0, 0.5 * np.pi), top), 1)
        builder.add(0, slab(rng, (-4 * wide, -wide, grip - wide), (4 * wide, wide, grip + 0.3 * wide)), 2)
        builder.add(0, sphere(1.6 * thick, 10), 2)
    elif habit < 0.75:  # spade, spoon, racket
        bowl = scaled(sphere(1.0, 12), (0.3 * size, 0.06 * size, 0.5 * size))
        ring = turned(scaled(torus(0.4 * size, 1.2 * thick, 20, 6), (1, 1.3, 1)), 0, 0.5 * np.pi)
        builder.add(0, moved(bowl if rng.random() < 0.6 else ring, top + 0.45 * size * _Z), 1)
    elif habit < 0.85:  # wrench, fork
        for side in (-1, 1):
            prong = np.array([[0, 0, 0], [side * 0.25, 0, 0.2], [side * 0.25, 0, 0.7], [side * 0.12, 0, 0.9]]) * size
            builder.add(0, swept(prong + top, 1.2 * thick, 6, up=(0, 1, 0)), 0)
    else:  # bell, plunger, broom
        profile = np.array([[0.9, 0.0], [0.7, 0.2], [0.5, 0.7], [0.2, 1.0]]) * 0.5 * size
        builder.add(0, moved(turned(revolved(profile, 16), 0, np.pi), top + 0.5 * size * _Z), 1)
        if rng.random() < 0.5:
            builder.add(0, moved(sphere(0.12 * size, 8), top + 0.45 * size * _Z), 2)
    for _ in range(int(rng.integers(0, 3))):
        builder.add(0, moved(torus(1.1 * thick, 0.4 * thick, 12, 6), (0, 0, rng.uniform(0.05, 0.95) * grip)), 3)
    if rng.random() < 0.7:
        builder.turn(0, 0.5 * np.pi * rng.choice([1, -1]))
    return builder.build(rng, "hand_tool", "tool")


def shield(rng: np.random.Generator) -> MovingObject:
    """A shield, badge, medal, clock face or plaque: a flat body with rim, boss, bands and rivets, upright or lying."""
    builder = Builder()
    thick, outline = rng.uniform(0.02, 0.08), _outline(rng, 24) * 0.5
    builder.add(0, extruded(outline, 0.0, thick) if rng.random() < 0.6 else cylinder(0.5, 0.0, thick, 20), 0)
    if rng.random() < 0.6:
        closed = np.column_stack([outline, np.full(24, 0.5 * thick)])
        builder.add(0, swept(closed, 0.7 * thick, 6, closed=True), 1)
    if rng.random() < 0.7:
        builder.add(0, moved(scaled(sphere(1.0, 12, 0.0), (0.15, 0.15, 0.1)), (0, 0, thick)), 1)
    for angle in rng.uniform(0.0, np.pi, int(rng.integers(0, 3))):
        builder.add(0, turned(box((-0.4, -0.03, thick), (0.4, 0.03, 1.4 * thick)), 2, angle), 1)
    rivets = int(rng.integers(0, 10))
    for turn in range(rivets):
        angle = 2.0 * np.pi * turn / rivets
        builder.add(0, moved(sphere(0.02, 6), (0.4 * np.cos(angle), 0.4 * np.sin(angle), thick)), 2)
    if rng.random() < 0.7:
        builder.turn(0, 0.5 * np.pi)
    return builder.build(rng, "shield", "tool")


def drum(rng: np.random.Generator) -> MovingObject:
    """A drum, barrel, can, spool or tub: body, hoops, heads, ropes or lugs around it."""
    builder = Builder()
    radius, tall, segments = rng.uniform(0.15, 0.4), rng.uniform(0.1, 0.9), int(rng.choice([12, 16, 24]))
    bulge = rng.uniform(0.9, 1.25)
    rows = np.array([[1.0, 0.0], [0.5 + 0.5 * bulge, 0.25], [bulge, 0.5], [0.5 + 0.5 * bulge, 0.75], [1.0, 1.0]])
    builder.add(0, revolved(rows * [radius, tall], segments), 0)
    for share in ((0.03, 0.97), (0.1, 0.4, 0.6, 0.9))[int(rng.integers(2))]:
        builder.add(
            0,
            moved(
                torus((0.98 if share in (0.03, 0.97) else bulge) * radius, 0.05 * radius, segments, 6),
                (0, 0, share * tall),
            ),
            1,
        )
    if rng.random() < 0.6:
        builder.add(0, disc(0.98 * radius, 1.01 * tall, segments), 2)
    lugs = int(rng.integers(0, 9))
    for turn in range(lugs):
        lug = box((0.98 * bulge * radius, -0.03, 0.1 * tall), (1.08 * bulge * radius, 0.03, 0.9 * tall))
        builder.add(0, turned(lug, 2, 2.0 * np.pi * turn / lugs), 3)
    if rng.random() < 0.3:
        for angle in (0.5, 2.6, 4.7):
            leg = np.array([np.cos(angle), np.sin(angle), 0.0]) * radius
            builder.add(0, moved(cylinder(0.03, -0.4, 0.3 * tall, 8), leg), 3)
    return builder.build(rng, "drum", "instrument")


def string_instrument(rng: np.random.Generator) -> MovingObject:
    """A guitar, lute or violin: body, neck, head with pegs, bridge, strings; lying, standing or in its stand."""
    builder = Builder()
    size, thick = rng.uniform(0.2, 0.35), rng.uniform(0.04, 0.12)
    waist = np.array([1.0, 0.75, 0.62, 0.72, 0.85, 0.7, 0.2])
    heights = np.array([-1.1, -0.6, 0.0, 0.4, 0.8, 1.1, 1.25])
    outline = np.concatenate([np.column_stack([waist, heights]), np.column_stack([-waist, heights])[::-1]]) * size
    outline = np.concatenate([[[0.0, -1.1 * size]], outline])  # from where all corners are visible
    builder.add(
        0, extruded(outline, 0.0, thick) if rng.random() < 0.7 else [scaled(sphere(size, 14), (1, 1.2, 0.5))], 0
    )
    neck = rng.uniform(1.5, 2.6) * size
    builder.add(0, box((-0.1 * size, 1.1 * size, 0.5 * thick), (0.1 * size, 1.1 * size + neck, 1.1 * thick)), 1)
    end = 1.1 * size + neck
    builder.add(0, slab(rng, (-0.18 * size, end, 0.4 * thick), (0.18 * size, end + 0.5 * size, 0.9 * thick)), 1)
    strings = int(rng.integers(3, 7))
    for number in range(strings):
        x = (number - 0.5 * (strings - 1)) * 0.15 * size / strings
        if rng.random() < 0.7:
            builder.add(0, box((x - 0.002, -0.4 * size, 1.15 * thick), (x + 0.002, end, 1.15 * thick + 0.004)), 2)
    builder.add(0, box((-0.25 * size, -0.45 * size, thick), (0.25 * size, -0.35 * size, 1.2 * thick)), 1)
    if rng.random() < 0.6:
        builder.add(0, disc(0.3 * size, 1.01 * thick, 16), 3)
    if rng.random() < 0.6:
        builder.turn(0, 0.5 * np.pi)
    return builder.build(rng, "string_instrument", "instrument")


def device(rng: np.random.Generator) -> MovingObject:
    """A telephone, speaker, console, battery, aerial or meter whose screens, grilles and lamps are fixed."""
    builder = Builder()
    size = np.sort(rng.uniform(0.05, 0.4, 3))[rng.permutation(3)]
    x, y, z = 0.5 * size[0], 0.5 * size[1], size[2]
    builder.add(0, slab(rng, (-x, -y, 0), (x, y, z)), 0)
    depth = 0.04 * min(x, z)
    if rng.random() < 0.6:
        builder.add(0, box((-0.85 * x, -y - depth, 0.15 * z), (0.85 * x, -y + depth, rng.uniform(0.5, 0.93) * z)), 1)
    if rng.random() < 0.5:
        radius = 0.5 * min(x, 0.5 * z)
        cone = turned(
            revolved(np.array([[1.0, 0.0], [1.0, 0.1], [0.5, -0.3], [0.1, -0.3]]) * radius, 16), 0, 0.5 * np.pi
        )
        places = ((0.0, 0.5),) if rng.random() < 0.5 else ((0.0, 0.3), (0.0, 0.75))
        builder.add(0, [moved(cone, (across * x, -y, up * z)) for across, up in places], 2)
    for _ in range(int(rng.integers(0, 5))):
        place = (rng.uniform(-0.8, 0.8) * x, -y, rng.uniform(0.05, 0.95) * z)
        lamp = turned(cylinder(0.06 * min(x, z), -0.01 * z, depth, 8), 0, 0.5 * np.pi)
        builder.add(0, moved(lamp, place), 3)
    if rng.random() < 0.3:
        builder.add(
            0,
            moved(aimed(cylinder(0.02 * z + 0.002, 0.0, rng.uniform(0.5, 1.5) * z, 6), (0.2, 0, 1)), (0.7 * x, 0, z)),
            4,
        )
    for side in (-1, 1) if rng.random() < 0.4 else ():
        builder.add(
            0,
            [
                box(
                    (side * 0.8 * x - 0.1 * x, y0 * y - 0.05 * y, -0.05 * z),
                    (side * 0.8 * x + 0.1 * x, y0 * y + 0.05 * y, 0),
                )
                for y0 in (-0.8, 0.8)
            ],
            5,
        )
    return builder.build(rng, "device", "device")


def _sole(length: float, width: float, height: float) -> Piece:
    angle = np.linspace(0.0, 2.0 * np.pi, 20, endpoint=False)
    outline = np.column_stack([0.5 * width * np.cos(angle) * (1.0 + 0.2 * np.sin(angle)), 0.5 * length * np.sin(angle)])
    return extruded(outline, 0.0, height)


def footwear(rng: np.random.Generator) -> MovingObject:
    """A shoe or boot, helmet or mask on a stand: stiff shells with laces, straps and buckles that stay put."""
    builder = Builder()
    length, width = rng.uniform(0.22, 0.32), rng.uniform(0.08, 0.12)
    sole = rng.uniform(0.01, 0.04)
    if rng.random() < 0.6:
        builder.add(0, _sole(length, width, sole), 0)
        toe = moved(scaled(sphere(1.0, 12, 0.0), (0.48 * width, 0.5 * length, rng.uniform(0.06, 0.1))), (0, 0, sole))
        builder.add(0, toe, 1)
        shaft = cylinder(0.42 * width, sole, rng.uniform(0.1, 0.35), 14, 0.48 * width, capped=False)
        builder.add(0, moved(scaled(shaft, (1, 1.4, 1)), (0, -0.2 * length, 0)), 1)
        for lace in range(int(rng.integers(0, 7))):
            y, z = (0.02 + 0.04 * lace) * length, sole + 0.085 - 0.006 * lace
            builder.add(0, moved(turned(cylinder(0.003, -0.25 * width, 0.25 * width, 6), 1, 0.5 * np.pi), (0, y, z)), 2)
    else:
        tall = rng.uniform(0.1, 0.4)
        builder.add(0, moved(turned_solid(rng, 0.12, tall, 14), (0, 0, 0)), 0)
        dome = moved(scaled(sphere(1.0, 14, rng.uniform(-0.6, 0.0)), (0.14, 0.17, 0.15)), (0, 0, tall + 0.1))
        builder.add(0, dome, 1)
        for side in (-1, 1):
            pad = turned(cylinder(0.04, -0.015, 0.015, 12), 1, 0.5 * np.pi)
            builder.add(0, moved(pad, (side * 0.14, 0, tall + 0.08)), 2)
        if rng.random() < 0.6:
            builder.add(0, moved(scaled(torus(0.13, 0.012, 18, 6), (1, 1.2, 1)), (0, 0, tall + 0.12)), 3)
    return builder.build(rng, "footwear", "wear")
