"""Wall switches, toasters, coffee machines: small things to press, flip and slide."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..local_frame import LocalFrame, front, upward
from ..moving_object import MovingObject
from ..shapes import box, cylinder, extruded, moved, revolved, swept, turned
from .fittings import add_button, add_drawer, add_hinged_panel, add_knob, button_grid
from .pieces import round_container, slab

__all__ = ["coffee_machine", "switch", "toaster"]


def switch(rng: np.random.Generator) -> MovingObject:
    """A wall plate with one to four rockers, toggles, levers, dials, sliders or push buttons."""
    count = int(rng.integers(1, 5))
    width, height, thick = 0.05 * (count + 0.5), rng.uniform(0.08, 0.14), rng.uniform(0.006, 0.03)
    if rng.random() < 0.3:
        height = width = rng.uniform(0.08, 0.16)
    builder = Builder()
    face = front((0, 0, 0))
    builder.add(0, face.place(slab(rng, (-width / 2, -height / 2, 0), (width / 2, height / 2, thick))))
    if rng.random() < 0.4:
        screws = [moved(cylinder(0.004, 0, 0.002, 8), (0, y, thick)) for y in (-0.42 * height, 0.42 * height)]
        builder.add(0, face.place(screws), 3)
    seed, kind = int(rng.integers(2**32)), rng.random()
    for number in range(count):
        place = face.at(((number + 0.5) / count - 0.5) * 0.9 * width, 0, thick)
        wide, tall = rng.uniform(0.55, 0.9) * 0.9 * width / count / 2, rng.uniform(0.25, 0.4) * height
        same = np.random.default_rng(seed)
        kind = kind if same.random() < 0.8 else rng.random()
        if kind < 0.4:  # rocker: turns about the middle
            limit = np.radians(same.uniform(5, 15))
            rise = 1.2 * tall * np.sin(limit)
            tilt = same.choice([0.0, limit])
            part = builder.part(0, "revolute", place.axes[0], place.origin, (-limit - tilt, limit - tilt))
            wedge = extruded(
                [[-tall, -0.3 * rise], [tall, -0.3 * rise], [tall, rise], [0, 0.6 * rise], [-tall, rise]], -wide, wide
            )
            # outline (y, z) upright; its thickness along x
            piece = (wedge[0][:, [2, 0, 1]], wedge[1])
            builder.add(part, place.place(turned(piece, 0, tilt)), 1)
        elif kind < 0.65:  # toggle or lever
            limit = np.radians(same.uniform(20, 45))
            lean = same.choice([-1.0, 0.0, 1.0]) * limit
            part = builder.part(
                0, "revolute", place.axes[0], place.point(0, 0, -0.3 * thick), (-limit - lean, limit - lean)
            )
            length = same.uniform(0.015, 0.04)
            stick = moved(turned(cylinder(0.005, 0, length, 8, 0.007), 0, lean), (0, 0, -0.3 * thick))
            builder.add(part, place.place(stick), 1)
            builder.add(0, place.place(cylinder(0.011, 0, 0.004, 10)), 3)
        elif kind < 0.8:
            add_button(builder, same, 0, place, (2 * wide, 1.2 * tall), 0.004, slot=1)
        elif kind < 0.92:
            add_knob(builder, same, 0, place, min(wide, tall), slot=1, turn=same.choice([None, 2.4]))
        else:
            slot_length = 1.6 * tall
            builder.add(0, place.place(box((-0.003, -slot_length / 2, 0), (0.003, slot_length / 2, 0.001))), 3)
            part = builder.part(0, "prismatic", place.axes[1], place.origin, (0.0, 0.8 * slot_length))
            grip = box((-0.8 * wide, -slot_length / 2, 0), (0.8 * wide, -0.3 * slot_length, 0.012))
            builder.add(part, place.place(grip), 1)
    return builder.build(rng, "switch", "switch")


def toaster(rng: np.random.Generator) -> MovingObject:
    """A box with slots above, levers that slide down at its end, a knob and buttons, a crumb tray."""
    length, width, height = rng.uniform(0.25, 0.45), rng.uniform(0.14, 0.3), rng.uniform(0.16, 0.24)
    builder = Builder()
    wall = 0.01
    slots = int(rng.choice([1, 2, 2, 4]))
    low, high = np.array([-length / 2, -width / 2, 0.01]), np.array([length / 2, width / 2, height])
    lines = np.linspace(low[1], high[1], slots + 2)[1:-1]
    if slots == 1 or rng.random() < 0.4:
        builder.add(0, slab(rng, low, high))
        gap = 0.008
        for line in lines:
            builder.add(
                0, box((-0.4 * length, line - gap, height - 0.001), (0.4 * length, line + gap, height + 0.002)), 2
            )
    else:  # bars with open slots between them
        edges = np.concatenate([[low[1]], np.repeat(lines, 2) + np.tile([-0.012, 0.012], slots), [high[1]]])
        builder.add(0, [box((low[0] + wall, a, low[2]), (high[0] - wall, b, height)) for a, b in edges.reshape(-1, 2)])
        builder.add(0, [box((x, low[1], low[2]), (x + wall, high[1], height)) for x in (low[0], high[0] - wall)])
    end = LocalFrame(np.array([length / 2, 0, 0]), np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]))
    levers = 2 if slots == 4 or rng.random() < 0.2 else 1
    stroke = rng.uniform(0.3, 0.5) * height
    for number in range(levers):
        at = end.at(((number + 0.5) / levers - 0.5) * 0.8 * width, 0.8 * height)
        builder.add(0, at.place(box((-0.004, -stroke - 0.01, -0.001), (0.004, 0.01, 0.001))), 2)
        part = builder.part(0, "prismatic", (0, 0, -1), (0, 0, 0), (0.0, stroke))
        builder.add(part, at.place(slab(rng, (-0.02, -0.008, 0), (0.02, 0.008, 0.025))), 1)
        if rng.random() < 0.8:
            spot = at.at(0, -stroke - 0.03)
            add_knob(builder, np.random.default_rng(7), 0, spot, rng.uniform(0.01, 0.018), turn=rng.choice([None, 2.4]))
        if rng.random() < 0.6:
            count = int(rng.integers(1, 4))
            face = at.at(rng.choice([-0.055, 0.03]), -stroke)
            button_grid(builder, rng, 0, face, (0.02, 0.6 * stroke), (1, count), 0.004)
    if rng.random() < 0.3:
        tray = end.at(-0.4 * width, 0.012)
        part = builder.part(0, "prismatic", (1, 0, 0), (0, 0, 0), (0.0, rng.uniform(0.5, 0.9) * length))
        builder.add(part, tray.place(box((0, 0, -0.95 * length), (0.8 * width, 0.006, 0.008))), 3)
    builder.add(
        0,
        [
            moved(cylinder(0.012, 0, 0.012, 8), (x, y, 0))
            for x in (-0.4 * length, 0.4 * length)
            for y in (-0.35 * width, 0.35 * width)
        ],
        4,
    )
    return builder.build(rng, "toaster", "appliance")


def coffee_machine(rng: np.random.Generator) -> MovingObject:
    """A tall back, a head over a drip tray; portafilter that turns, steam knob, buttons, lid, tank, jug."""
    width, depth, height = rng.uniform(0.18, 0.35), rng.uniform(0.25, 0.4), rng.uniform(0.28, 0.45)
    back = rng.uniform(0.4, 0.6) * depth
    head, tray = rng.uniform(0.25, 0.4) * height, rng.uniform(0.08, 0.15) * height
    builder = Builder()
    left = -width / 2
    builder.add(0, slab(rng, (left, depth - back, 0), (-left, depth, height)))
    builder.add(0, slab(rng, (left, 0, height - head), (-left, depth - 0.5 * back, height)))
    if rng.random() < 0.5:
        place = front((left, 0, 0))
        add_drawer(builder, rng, 0, place, (width, tray, 0.8 * (depth - back)), 0.01)
        builder.add(0, box((left, 0.01, -0.012), (-left, depth, 0.0)), 1)
    else:
        builder.add(0, slab(rng, (left, 0, 0), (-left, depth - 0.5 * back, tray)), 1)
    middle = (0, 0.5 * (depth - back), height - head)
    habit = rng.random()
    if habit < 0.45:
        part = builder.part(0, "revolute", (0, 0, 1), middle, (0.0, np.radians(rng.uniform(40, 100))))
        radius = 0.14 * width
        stick = swept([[0, 0, -0.02], [0, -0.12, -0.022], [0, -0.2, -0.035]], 0.014, 8, up=(1, 0, 0))
        builder.add(part, [moved(piece, middle) for piece in (cylinder(radius, -0.035, 0.0, 14), stick)], 3)
    else:
        builder.add(0, moved(cylinder(0.1 * width, -0.03, 0.0, 10, 0.14 * width), middle), 3)
    if habit > 0.35:
        _jug(
            builder,
            rng,
            (middle[0], middle[1], tray + 0.002),
            min(0.35 * width, 0.4 * (depth - back)),
            height - head - tray,
        )
    face = front((left, 0, height - head))
    if rng.random() < 0.6:
        for share in (0.2, 0.8)[: int(rng.integers(1, 3))]:
            spot = face.at(share * width, 0.5 * head)
            add_knob(builder, rng, 0, spot, rng.uniform(0.06, 0.1) * width, turn=rng.choice([None, 2.4]))
    if rng.random() < 0.7:
        spot = face.at(0.35 * width, 0.3 * head)
        button_grid(
            builder, rng, 0, spot, (0.3 * width, 0.4 * head), (int(rng.integers(1, 4)), int(rng.integers(1, 3))), 0.006
        )
    if rng.random() < 0.5:
        lid = upward((left + 0.05 * width, depth - 0.9 * back, height))
        add_hinged_panel(
            builder, rng, 0, lid, (0.9 * width, 0.85 * back, 0.012), "top", np.radians(rng.uniform(60, 110))
        )
    if rng.random() < 0.3:
        wand = swept([[0, 0, 0], [0.01, -0.02, -0.05], [0.02, -0.03, -0.5 * (height - head)]], 0.005, 6, up=(0, 1, 0))
        at = np.array([-left - 0.03, 0.02, height - head])
        part = builder.part(0, "revolute", (0, 0, 1), at, (-1.0, 1.0))
        builder.add(part, moved(wand, at), 3)
    return builder.build(rng, "coffee_machine", "appliance")


def _jug(builder: Builder, rng: np.random.Generator, place: tuple, radius: float, space: float) -> None:
    """A jug that slides out, with a lid of its own at times."""
    tall = rng.uniform(0.6, 0.9) * space
    part = (
        builder.part(0, "prismatic", (0, -1, 0), place, (0.0, rng.uniform(1.0, 3.0) * radius))
        if rng.random() < 0.6
        else 0
    )
    pieces = round_container(rng, radius, rng.uniform(0.6, 1.0) * radius, tall, 0.003, 16)
    handle = swept(
        np.array([[0.7, 0.85], [1.5, 0.8], [1.5, 0.3], [0.9, 0.25]])[:, [0, 0, 1]] * (radius, 0, tall),
        0.09 * radius,
        6,
        up=(0, 1, 0),
    )
    builder.add(part, [moved(piece, place) for piece in [*pieces, handle]], 5)
    if rng.random() < 0.4:
        cover = builder.part(
            part, "revolute", (0, 1, 0), (place[0] + 0.6 * radius, place[1], place[2] + tall), (0.0, 1.2)
        )
        builder.add(
            cover,
            moved(
                revolved([[0.8 * radius, 0], [0.7 * radius, 0.1 * radius]], 16), (place[0], place[1], place[2] + tall)
            ),
            6,
        )
