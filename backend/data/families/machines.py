"""Machines with many controls, some of them on slanted faces: for drinks, and for washing from above."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..local_frame import LocalFrame, front, upward
from ..moving_object import MovingObject
from ..shapes import Piece, box, cylinder, disc, moved, revolved, scaled, sphere, swept, turned
from .controls import add_fascia, add_mixed_controls
from .fittings import add_drawer, add_hinged_panel
from .pieces import container, handle, round_container, slab

__all__ = ["drinks_machine", "top_loader"]


def drinks_machine(rng: np.random.Generator) -> MovingObject:
    """A back, a head and a foot, each block, drum or ball; controls, a lid, a lever, a tray, a tank, a wand."""
    width, depth, height = rng.uniform(0.14, 0.36), rng.uniform(0.25, 0.45), rng.uniform(0.25, 0.45)
    back, head = rng.uniform(0.4, 0.65) * depth, rng.uniform(0.22, 0.45) * height
    foot = rng.uniform(0.06, 0.2) * height
    builder = Builder()
    round_one = rng.random() < 0.35
    if round_one:
        radius = 0.5 * min(width * 1.3, back)
        drum = cylinder(radius, 0.0, height, 20)
        ball = moved(scaled(sphere(1.0, 16), (radius, radius, 0.5 * height)), (0, 0, 0.5 * height))
        builder.add(0, moved(ball if rng.random() < 0.5 else drum, (0, depth - radius, 0)))
    else:
        builder.add(0, slab(rng, (-width / 2, depth - back, 0), (width / 2, depth, height)))
    arm = 0.5 * width  # from the middle to the side of the head
    lean = float(rng.choice([0.0, rng.uniform(0.15, 0.9)]))
    low = (-width / 2, 0.0, height - head)
    if round_one and rng.random() < 0.5:
        arm = 0.5 * head
        builder.add(
            0,
            moved(
                turned(cylinder(0.5 * head, 0.0, depth - 0.5 * back, 16), 0, -np.pi / 2), (0, 0, height - 0.5 * head)
            ),
        )
        face, area = (
            LocalFrame(np.array([-0.25 * head, 0.0, height - 0.7 * head]), front((0, 0, 0)).axes),
            (0.5 * head, 0.4 * head),
        )
        if rng.random() < 0.4:
            add_mixed_controls(builder, rng, face, area)
    elif rng.random() < 0.75:
        add_fascia(builder, rng, low, (width, depth - 0.5 * back, head), lean)
    else:
        builder.add(0, slab(rng, low, (width / 2, depth - 0.5 * back, height)))
    room = depth - back  # before the back
    _foot(builder, rng, width, room, back, foot)
    middle = np.array([0.0, 0.45 * room, height - head])
    builder.add(0, moved(cylinder(0.08 * width, -0.04 * height, 0.0, 10, 0.12 * width), middle), 3)
    if rng.random() < 0.35:
        _filter_holder(builder, rng, middle - (0, 0, 0.04 * height), 0.13 * width)
    if rng.random() < 0.5:
        _lid(builder, rng, (0.0, depth - 0.5 * back, height), 0.4 * min(width, back))
    if rng.random() < 0.4:
        _lever(builder, rng, width, np.array([0.0, 0.0, height]), depth - 0.5 * back)
    if rng.random() < 0.3:
        _tank(builder, rng, (width, depth, height))
    if rng.random() < 0.3:
        side = float(rng.choice([-1.0, 1.0]))
        at = np.array([side * arm, 0.4 * room, height - 0.8 * head])
        _wand(builder, at, (side * 0.15 * width, 0.3 * room, 0.7 * (height - head)))
    if not builder.moves:
        add_mixed_controls(builder, rng, front((-width / 2, depth - back, 0.2 * height)), (width, 0.2 * height))
    return builder.build(rng, "drinks_machine", "appliance")


def _tank(builder: Builder, rng: np.random.Generator, size: tuple[float, float, float]) -> None:
    """A water tank behind that lifts out, with a lid or without."""
    width, depth, height = size
    deep, tall = rng.uniform(0.15, 0.35) * depth, rng.uniform(0.5, 0.9) * height
    tank = builder.part(0, "prismatic", (0, 0, 1), limits=(0.0, rng.uniform(0.5, 1.0) * tall))
    pieces = container(rng, (-0.42 * width, depth, 0.05 * height), (0.42 * width, depth + deep, tall), 0.004)
    builder.add(tank, pieces, 6)
    if rng.random() < 0.5:
        builder.add(tank, slab(rng, (-0.43 * width, depth, tall), (0.43 * width, depth + deep, tall + 0.012)), 6)


def _wand(builder: Builder, at: np.ndarray, size: tuple[float, float, float]) -> None:
    """A steam wand that swivels about a vertical axis at `at`."""
    path = np.array([[0, 0, 0], [0.3, -0.1, 0], [0.4, -0.3, -0.4], [0.45, -0.5, -1.0]]) * size
    part = builder.part(0, "revolute", (0, 0, 1), at, (-1.2, 1.2))
    builder.add(part, moved(swept(path, 0.006, 6, up=(0, 1, 0)), at), 3)


def _foot(builder: Builder, rng: np.random.Generator, width: float, room: float, back: float, foot: float) -> None:
    """What cups stand on: a block or a disc, with a grid that lifts off or a tray that is drawn out."""
    reach = room + 0.3 * back
    if rng.random() < 0.4:
        radius = 0.5 * min(width, reach)
        centre = (0.0, radius, 0.0)
        builder.add(0, moved(cylinder(radius, 0.0, foot, 20), centre), 1)
        builder.add(0, box((-0.3 * width, radius, 0), (0.3 * width, reach + 0.1, foot)), 1)
        if rng.random() < 0.7:
            part = builder.part(0, "prismatic", (0, 0, 1), centre, (0.0, rng.uniform(1.0, 3.0) * foot))
            builder.add(part, moved(_grid(rng, radius, foot), centre), 2)
        return
    if rng.random() < 0.5:
        place = front((-width / 2, 0, 0))
        add_drawer(builder, rng, 0, place, (width, foot, 0.9 * room), 0.008)
        builder.add(0, box((-width / 2, 0.005, -0.012), (width / 2, room + back, 0.0)), 1)
        return
    builder.add(0, slab(rng, (-width / 2, 0, 0), (width / 2, reach, foot)), 1)
    if rng.random() < 0.6:
        part = builder.part(0, "prismatic", (0, 0, 1), limits=(0.0, rng.uniform(1.0, 3.0) * foot))
        bars = [
            box((x - 0.002, 0.06 * room, foot), (x + 0.002, 0.94 * room, foot + 0.005))
            for x in np.linspace(-0.42, 0.42, 9) * width
        ]
        bars += [
            box((-0.44 * width, y, foot), (0.44 * width, y + 0.004, foot + 0.006)) for y in (0.06 * room, 0.92 * room)
        ]
        builder.add(
            part,
            bars
            if rng.random() < 0.6
            else slab(rng, (-0.44 * width, 0.05 * room, foot), (0.44 * width, 0.95 * room, foot + 0.008)),
            2,
        )


def _grid(rng: np.random.Generator, radius: float, level: float) -> Piece:
    if rng.random() < 0.3:
        return disc(0.9 * radius, level + 0.003, 20)
    return cylinder(0.92 * radius, level, level + rng.uniform(0.004, 0.02), 20)


def _filter_holder(builder: Builder, rng: np.random.Generator, place: np.ndarray, radius: float) -> None:
    """A cup below the head with a long handle, turned to lock it."""
    lean = rng.uniform(-0.6, 0.6)
    part = builder.part(
        0, "revolute", (0, 0, 1), place, (-np.radians(rng.uniform(30, 90)), np.radians(rng.uniform(5, 40)))
    )
    stick = swept(
        [[0, 0, -0.02], [0, -0.5, -0.02], [0, -1.0, -0.035]] * np.array([1.0, rng.uniform(0.12, 0.25), 1.0]),
        0.012,
        8,
        up=(1, 0, 0),
    )
    cup = cylinder(radius, -0.035, 0.0, 14)
    builder.add(part, [moved(turned(piece, 2, lean), place) for piece in (cup, stick)], 3)


def _lid(builder: Builder, rng: np.random.Generator, centre: tuple[float, float, float], half: float) -> None:
    """On top: a flap hinged at the rear or at a side, or a round or square cover that lifts off."""
    x, y, z = centre
    habit = rng.random()
    if habit < 0.5:
        place = upward((x - half, y - half, z))
        way = str(rng.choice(["top", "top", "left", "right"]))
        limit = np.radians(rng.uniform(60, 120))
        add_hinged_panel(builder, rng, 0, place, (2 * half, 2 * half, rng.uniform(0.008, 0.03)), way, limit)
        return
    part = builder.part(0, "prismatic", (0, 0, 1), centre, (0.0, rng.uniform(0.5, 2.0) * half))
    tall = rng.uniform(0.05, 0.8) * half
    if habit < 0.85:
        pieces = [cylinder(half, 0.0, tall, 16, rng.uniform(0.7, 1.0) * half)]
        if rng.random() < 0.3:
            pieces = round_container(rng, 0.8 * half, half, 2.0 * tall, 0.004, 16)
    else:
        pieces = slab(rng, (-half, -half, 0), (half, half, tall))
    if rng.random() < 0.4:
        pieces = [*pieces, *(moved(piece, (0, 0, tall)) for piece in handle(rng, 0.6 * half, 0.3 * half))]
    builder.add(part, [moved(piece, centre) for piece in pieces], 2)


def _lever(builder: Builder, rng: np.random.Generator, width: float, at: np.ndarray, room: float) -> None:
    """A bow over the head or a single arm at its front that is lifted, about a line across."""
    limit = np.radians(rng.uniform(40, 110))
    if rng.random() < 0.5:
        half, long = rng.uniform(0.4, 0.53) * width, rng.uniform(0.5, 0.95) * room
        pin = at + np.array([0.0, long, -rng.uniform(0.02, 0.05)])
        path = np.array(
            [
                [-half, 0, 0],
                [-half, -0.9 * long, 0.03],
                [-0.8 * half, -long, 0.03],
                [0.8 * half, -long, 0.03],
                [half, -0.9 * long, 0.03],
                [half, 0, 0],
            ]
        )
        pieces = [swept(path, 0.008, 6, up=(0, 0, 1))]
    else:
        pin = at + np.array([rng.uniform(-0.2, 0.2) * width, 0.02, rng.uniform(-0.03, 0.01)])
        long = rng.uniform(0.03, 0.1)
        stick = [[0, 0, 0], [0, -0.4 * long, 0.5 * long], [0, -0.5 * long, long]]
        builder.add(0, moved(box((-0.01, -0.01, -0.06), (0.01, 0.04, 0.006)), pin), 3)
        pieces = [swept(np.array(stick), [0.008, 0.007, 0.01], 8, up=(1, 0, 0)), moved(sphere(0.014, 8), stick[-1])]
    part = builder.part(0, "revolute", (-1, 0, 0), pin, (0.0, limit))
    builder.add(part, [moved(piece, pin) for piece in pieces], 3)


def top_loader(rng: np.random.Generator) -> MovingObject:
    """A box with a lid above, hinged behind or at a side, shut or standing open, and a leaning board of controls."""
    width, depth, height = rng.uniform(0.4, 0.75), rng.uniform(0.4, 0.75), rng.uniform(0.5, 1.1)
    builder = Builder()
    if rng.random() < 0.5:
        builder.add(0, container(rng, (-width / 2, 0, 0), (width / 2, depth, height), 0.02))
    else:
        builder.add(0, slab(rng, (-width / 2, 0, 0), (width / 2, depth, height)))
    strip = rng.uniform(0.1, 0.3) * depth
    rise, lean = rng.uniform(0.06, 0.25), float(rng.choice([0.0, rng.uniform(0.1, 1.1)]))
    add_fascia(builder, rng, (-width / 2, depth - strip, height), (width, strip, rise), lean)
    size = (rng.uniform(0.6, 1.0) * width, rng.uniform(0.6, 0.98) * (depth - strip), rng.uniform(0.008, 0.04))
    way = str(rng.choice(["top", "top", "left", "right"]))
    limit, opened = np.radians(rng.uniform(70, 120)), float(rng.choice([0.0, 0.0, 0.0, rng.uniform(0.4, 1.0)]))
    corner = np.array([-size[0] / 2, rng.uniform(0.0, 1.0) * (depth - strip - size[1]), height])
    if not opened:
        add_hinged_panel(builder, rng, 0, upward(corner), size, way, limit)
    else:
        pivot = corner + {"top": (0, size[1], 0), "left": (0, 0, 0), "right": (size[0], 0, 0)}[way]
        turn, axis = {"top": (0, (-1, 0, 0)), "left": (1, (0, -1, 0)), "right": (1, (0, 1, 0))}[way]
        sign = float(np.sum(axis))
        part = builder.part(0, "revolute", axis, pivot, (-opened * limit, (1 - opened) * limit))
        for piece in slab(rng, (0, 0, 0), size):
            shut = moved(piece, corner - pivot)
            builder.add(part, moved(turned(shut, turn, sign * opened * limit), pivot), 1)
    if rng.random() < 0.35:
        radius = 0.4 * min(size[:2])
        centre = corner + np.array([size[0] / 2, size[1] / 2, 0.0])
        drum = builder.part(0, "continuous", (0, 0, 1), centre)
        wall = revolved([[0.9 * radius, -0.6 * height], [radius, -0.02]], 20, True, False)
        builder.add(drum, moved(wall, centre), 6)
        post = cylinder(0.15 * radius, -0.6 * height, -0.2 * height, 10)
        builder.add(drum, moved(post, centre), 6)
    return builder.build(rng, "top_loader", "appliance")
