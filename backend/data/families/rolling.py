"""Carts and cars."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..local_frame import LocalFrame, upward
from ..moving_object import MovingObject
from ..shapes import bevelled_box, box, extruded, moved, swept
from .fittings import add_hinged_panel, add_wheel
from .pieces import container, legs, slab

__all__ = ["car", "cart"]


def _cart_wheels(
    builder: Builder, rng: np.random.Generator, width: float, length: float, level: float, radius: float
) -> float:
    """Two wheels or four, the front ones on castors at times; 0..1, from 0.75 on there are two."""
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
    return habit


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
    habit = _cart_wheels(builder, rng, width, length, level, radius)
    if habit >= 0.75:
        builder.add(0, legs(rng, (low[0], 0.6 * length), (high[0], length), level), 3)
    return builder.build(rng, "cart", "wheel")


def _wheel_on(
    builder: Builder, seed: int, host: int, centre: tuple, radius: float, thick: float, follows: int | None = None
) -> int:
    return add_wheel(builder, np.random.default_rng(seed), host, centre, radius, thick, follows=follows)


def _car_wheels(builder: Builder, rng: np.random.Generator, half: float, length: float, radius: float) -> None:
    """Two axles or three; the wheels of one may turn together, and the front ones steer."""
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


def _doors_and_bonnet(
    builder: Builder, rng: np.random.Generator, cabin: np.ndarray, slope: float, half: float, base: float, tall: float
) -> None:
    """A door on either side, hinged in front, and a bonnet."""
    for side in (-1, 1) if rng.random() < 0.7 else ():
        axes = np.array([[0, side, 0], [0, 0, 1], [side, 0, 0]], dtype=float)
        edge = cabin[0] if side > 0 else cabin[0] + 0.5 * (cabin[1] - cabin[0])
        frame = LocalFrame(np.array([side * half, edge, base + 0.1 * tall]), axes)
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
    _car_wheels(builder, rng, half, length, radius)
    if hollow:
        _doors_and_bonnet(builder, rng, cabin, slope, half, base, tall)
    elif rng.random() < 0.6:  # a bed that tips over the rear axle
        bed = builder.part(0, "revolute", (1, 0, 0), (0, length, base + tall), (0.0, np.radians(rng.uniform(30, 60))))
        begin = min(cabin[1] + slope, 0.8 * length)
        tray = container(rng, (-half, begin, base + tall), (half, length, roof), 0.03)
        builder.add(bed, tray, 3)
        gate = builder.part(bed, "revolute", (-1, 0, 0), (0, length, roof), (0.0, np.radians(70)))
        builder.add(gate, box((-half, length, base + tall), (half, length + 0.02, roof)), 4)
    return builder.build(rng, "car", "wheel")
