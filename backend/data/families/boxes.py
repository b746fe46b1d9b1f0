"""Boxes, chests and bins with lids and flaps."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..local_frame import LocalFrame, upward
from ..moving_object import MovingObject
from ..shapes import box, cylinder, moved, revolved, rounded_prism, scaled, sphere, swept, turned
from .fittings import add_hinged_panel, add_wheel
from .pieces import container, contents, handle, legs, round_container, slab

__all__ = ["lidded_box", "trash_can"]


def lidded_box(rng: np.random.Generator) -> MovingObject:
    """An open container with one lid, two or four flaps; lids are plates, caps with a skirt, or chest tops."""
    width, depth, height = rng.uniform(0.3, 1.0), rng.uniform(0.3, 0.8), rng.uniform(0.12, 0.8)
    wall, lid = rng.uniform(0.005, 0.05), rng.uniform(0.005, 0.06)
    builder = Builder()
    low, high = np.array([-width / 2, -depth / 2, 0.0]), np.array([width / 2, depth / 2, height])
    builder.add(0, container(rng, low, high, wall))
    _decorate(builder, rng, width, depth, height)
    if rng.random() < 0.15:
        builder.add(0, contents(rng, 0.8 * low + (0, 0, wall), 0.8 * high), 4)
    habit = rng.random()
    if habit < 0.3:
        _plate_lid(builder, rng, width, depth, height, lid)
    elif habit < 0.65:
        _cap_lid(builder, rng, width, depth, height, wall)
    else:
        _flaps(builder, rng, width, depth, height, lid, 4 if habit > 0.82 else 2)
    return builder.build(rng, "lidded_box", "hinge")


def _decorate(builder: Builder, rng: np.random.Generator, width: float, depth: float, height: float) -> None:
    """Feet, straps and a lock on the body."""
    if rng.random() < 0.3:
        feet = legs(rng, (-width / 2, -depth / 2), (width / 2, depth / 2), 0.1 * height)
        builder.add(0, [moved(foot, (0, 0, -0.1 * height)) for foot in feet], 2)
    if rng.random() < 0.4:
        size = rng.uniform(0.05, 0.15) * width
        builder.add(0, slab(rng, (-size, -depth / 2 - 0.02, 0.6 * height), (size, -depth / 2, 0.9 * height)), 3)
    if rng.random() < 0.3:
        for x in (-0.3 * width, 0.3 * width):
            builder.add(0, box((x - 0.02, -depth / 2 - 0.008, 0), (x + 0.02, depth / 2 + 0.008, 0.97 * height)), 3)


def _plate_lid(
    builder: Builder, rng: np.random.Generator, width: float, depth: float, height: float, lid: float
) -> None:
    overhang = rng.choice([0.0, rng.uniform(0.0, 0.03)])
    gap = rng.choice([0.0, 0.003, -0.003])
    frame = upward((-width / 2 - overhang, -depth / 2 - overhang, height + gap))
    size = (width + 2 * overhang, depth + overhang + rng.choice([0.0, overhang]), lid)
    add_hinged_panel(builder, rng, 0, frame, size, "top", np.radians(rng.uniform(60, 130)))


def _cap_lid(
    builder: Builder, rng: np.random.Generator, width: float, depth: float, height: float, wall: float
) -> None:
    """A lid that is itself an open box upside down, or half a barrel; its axis is on the rear edge of the seam."""
    rise = rng.uniform(0.05, 0.5) * height + 0.02
    part = builder.part(0, "revolute", (-1, 0, 0), (0, depth / 2, height), (0.0, np.radians(rng.uniform(60, 120))))
    if rng.random() < 0.6:
        lower = (-width / 2, -depth / 2, -height - rise)
        lid = container(rng, lower, (width / 2, depth / 2, -height), wall)
        builder.add(part, [(piece[0] * (1, 1, -1), piece[1][:, ::-1]) for piece in lid], 1)
    else:
        segments = int(rng.integers(6, 14))
        arc = np.linspace(0.0, np.pi, segments)
        path = np.stack([np.zeros(segments), -0.5 * depth * np.cos(arc), rise * np.sin(arc)], axis=1)
        side = np.array([width / 2, 0.0, 0.0])
        rows = np.stack([path - side, path + side])
        ends = np.arange(segments)
        skin = np.concatenate([rows[0], rows[1]])
        first, second = ends[:-1], ends[1:]
        quads = [
            np.stack([first, first + segments, second], 1),
            np.stack([second, first + segments, second + segments], 1),
        ]
        fan = np.stack([np.zeros(segments - 2, int), ends[1:-1], ends[2:]], axis=1)
        triangles = np.concatenate([*quads, fan, fan[:, ::-1] + segments])
        builder.add(part, moved((skin, triangles), (0, 0, height)), 1)
        for x in np.linspace(-0.4, 0.4, int(rng.integers(0, 4))) * width:
            strap = swept(path, 0.02 * width, 4, up=(1, 0, 0))
            builder.add(part, moved(strap, (x, 0, height)), 3)
    if rng.random() < 0.6:
        size = rng.uniform(0.04, 0.12) * width
        top = min(0.8 * rise, 2 * size)
        builder.add(
            part, slab(rng, (-size, -depth / 2 - 0.025, height - 0.3 * top), (size, -depth / 2, height + top)), 3
        )


def _flaps(
    builder: Builder, rng: np.random.Generator, width: float, depth: float, height: float, lid: float, count: int
) -> None:
    """Flaps that meet in the middle and open by more than a right angle, like those of a cardboard box."""
    limit = np.radians(rng.uniform(90, 230))
    gap = rng.choice([0.0, 0.004])
    lid = min(lid, rng.uniform(0.004, 0.03))
    half = depth / 2 - gap
    levels = [height + lid, height] if count == 4 else [height]
    frame = upward((-width / 2, -depth / 2, levels[0]))
    add_hinged_panel(builder, rng, 0, frame, (width, half, lid), "bottom", limit, grip=False, plain=True)
    add_hinged_panel(
        builder, rng, 0, frame.at(0, depth - half), (width, half, lid), "top", limit, grip=False, plain=True
    )
    if count == 4:  # the two short flaps lie below
        reach = min(half, width / 2)
        below = upward((-width / 2, -depth / 2, levels[1]))
        add_hinged_panel(builder, rng, 0, below, (reach, depth, lid), "left", limit, grip=False, plain=True)
        right = below.at(width - reach, 0)
        add_hinged_panel(builder, rng, 0, right, (reach, depth, lid), "right", limit, grip=False, plain=True)


def trash_can(rng: np.random.Generator) -> MovingObject:
    """A round or square bin: hinged lid (with or without a pedal that drives it), swinging lid, wheels."""
    radius, height = rng.uniform(0.12, 0.3), rng.uniform(0.3, 0.9)
    lower = radius * rng.uniform(0.7, 1.0)
    builder = Builder()
    round_one = rng.random() < 0.55
    segments = int(rng.choice([12, 16, 24]))
    if round_one:
        builder.add(0, round_container(rng, lower, radius, height, rng.uniform(0.004, 0.02), segments))
    else:
        section = np.array([[2 * lower, 2 * lower], [2 * radius, 2 * radius]])
        wall = rng.uniform(0.005, 0.02)
        inside = section[::-1] - 2 * wall
        sizes, heights = np.concatenate([section, inside]), np.array([0.0, height, height, wall])
        corner = int(rng.integers(2, 5))
        builder.add(0, rounded_prism(sizes, rng.uniform(0.05, 0.5) * radius, heights, corner))
    habit = rng.random()
    if habit < 0.2:
        _swing_lid(builder, rng, radius, height, round_one, segments)
        return builder.build(rng, "trash_can", "hinge")
    lid = builder.part(
        0,
        "revolute",
        (-1, 0, 0),
        (0, radius, height + rng.choice([0.0, 0.01])),
        (0.0, np.radians(rng.uniform(60, 130))),
    )
    rise = rng.uniform(0.01, 0.12)
    if round_one and rng.random() < 0.5:
        dome = scaled(sphere(1.0, segments, 0.0), (1.03 * radius, 1.03 * radius, rise))
        builder.add(lid, moved(dome, (0, 0, height)), 1)
    elif round_one:
        profile = [[1.03 * radius, height], [1.03 * radius, height + 0.6 * rise], [0.9 * radius, height + rise]]
        builder.add(lid, revolved(profile, segments), 1)
    else:
        sizes = np.array([[1.0, 1.0], [1.0, 1.0], [0.9, 0.9]]) * 2.04 * radius
        builder.add(lid, rounded_prism(sizes, 0.1 * radius, height + np.array([0, 0.6, 1.0]) * rise), 1)
    if rng.random() < 0.5:
        grip = handle(rng, 0.5 * radius, 0.08 * radius + 0.01)
        place = LocalFrame(np.array([0, -0.6 * radius, height + rise]), upward((0, 0, 0)).axes).turned(1)
        builder.add(lid, place.place(grip), 2)
    if habit < 0.65:
        _pedal(builder, rng, lower, radius, height, lid)
    elif rng.random() < 0.75:
        _rear_wheels(builder, rng, lower)
    return builder.build(rng, "trash_can", "hinge")


def _swing_lid(
    builder: Builder, rng: np.random.Generator, radius: float, height: float, round_one: bool, segments: int
) -> None:
    """A collar on the rim and a flap in it that swings both ways about its middle."""
    rise = rng.uniform(0.4, 1.0) * radius
    flap = rng.uniform(0.5, 0.75) * radius
    if round_one:
        builder.add(0, revolved([[1.02 * radius, height], [1.05 * flap, height + rise]], segments, False, False), 1)
        plate = cylinder(flap, -0.01, 0.01, segments)
    else:
        sizes = np.array([[2.04, 2.04], [2.1 * flap / radius, 2.1 * flap / radius]]) * radius
        shell = rounded_prism(sizes, 0.1 * radius, [height, height + rise], 2)
        builder.add(0, (shell[0], shell[1][: 2 * 8]), 1)  # the collar is open above and below
        plate = box((-flap, -flap, -0.01), (flap, flap, 0.01))
    limit = np.radians(rng.uniform(40, 90))
    part = builder.part(0, "revolute", (1, 0, 0), (0, 0, height + rise), (-limit, limit))
    builder.add(part, moved(plate, (0, 0, height + rise)), 2)
    if rng.random() < 0.5:
        axle = turned(cylinder(0.012, -1.02 * flap, 1.02 * flap, 8), 1, np.pi / 2)
        builder.add(part, moved(axle, (0, 0, height + rise)), 3)


def _pedal(builder: Builder, rng: np.random.Generator, lower: float, radius: float, height: float, lid: int) -> None:
    """A pedal at the foot that drives the lid, or moves on its own where the artist did not care."""
    reach, level = rng.uniform(0.2, 0.5) * radius, rng.uniform(0.02, 0.06) * height
    wide = rng.uniform(0.15, 0.4) * radius
    dip = np.radians(rng.uniform(8, 20))
    pivot = (0, -0.8 * lower, level)
    if rng.random() < 0.5:
        part = builder.part(0, "revolute", (1, 0, 0), pivot, (0.0, dip), follows=lid, ratio=rng.uniform(0.1, 0.2))
    else:
        part = builder.part(0, "revolute", (1, 0, 0), pivot, (0.0, dip))
    builder.add(part, slab(rng, (-wide, -radius - reach, level - 0.01), (wide, -0.8 * lower, level + 0.01)), 3)


def _rear_wheels(builder: Builder, rng: np.random.Generator, lower: float) -> None:
    size = rng.uniform(0.15, 0.3) * lower
    for side in (-0.8, 0.8):
        add_wheel(builder, rng, 0, (side * lower, lower, size), size, 0.6 * size, 3)
