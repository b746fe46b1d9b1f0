"""Doors and windows in their frames."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..local_frame import LocalFrame, front
from ..moving_object import MovingObject
from ..shapes import Piece, box, cylinder, rectangle, swept
from .fittings import add_hinged_panel, add_knob
from .pieces import frame_boards, slab

__all__ = ["door", "window"]


def _surround(width: float, height: float, border: float, depth: float, sill: bool) -> list[Piece]:
    """A frame around 0..width, 0..height (local x, y) whose boards lie outside of it; doors have no board below."""
    boards = frame_boards((-border, -border), (width + border, height + border), border, -depth / 2, depth / 2)
    return boards if sill else [*boards[:2], boards[3]]


def door(rng: np.random.Generator) -> MovingObject:
    """A door in its frame, with a knob or lever that turns; single, double, with a pane, or sliding."""
    width, height = rng.uniform(0.6, 1.1), rng.uniform(1.7, 2.4)
    double = rng.random() < 0.3
    thickness, border = rng.uniform(0.02, 0.07), rng.uniform(0.04, 0.15)
    total = 2 * width if double else width
    builder = Builder()
    frame = front((-total / 2, 0, 0))
    depth = thickness * rng.uniform(1.0, 3.0)
    if rng.random() < 0.85:
        builder.add(0, frame.place(_surround(total, height, border, depth, rng.random() < 0.3)))
    else:
        wall = rng.uniform(0.3, 1.0)
        low, high = (-wall, 0.0), (total + wall, height + 0.4)
        boards = [
            box((low[0], 0, -depth / 2), (0, high[1], depth / 2)),
            box((total, 0, -depth / 2), (high[0], high[1], depth / 2)),
            box((0, height, -depth / 2), (total, high[1], depth / 2)),
        ]
        builder.add(0, frame.place(boards))
    gap = rng.choice([0.0, 0.004, 0.01])
    back = frame.at(gap, gap, rng.uniform(-0.5, 0.0) * thickness)
    size = (width - 2 * gap, height - 2 * gap, thickness)
    if rng.random() < 0.12:
        _sliding_leaf(builder, rng, back, size, double)
        return builder.build(rng, "door", "door")
    limit = np.radians(rng.uniform(80, 180))
    seed, swings = int(rng.integers(2**32)), rng.random() < 0.15
    for side in ("left", "right") if double else (str(rng.choice(["left", "right"])),):
        place = back.at(width, 0) if double and side == "right" else back
        same = np.random.default_rng(seed)
        leaf = add_hinged_panel(builder, same, 0, place, size, side, limit, grip=False, swings=swings)
        free = rng.uniform(0.88, 0.94) * width
        free = free if side == "left" else width - free
        if same.random() < 0.9:
            _latch(builder, same, leaf, place.at(free, rng.uniform(0.42, 0.5) * height), thickness, side)
    if rng.random() < 0.15:
        step = frame.place(box((-border, -0.15, -0.3), (total + border, 0.0, 0.3)))
        builder.add(0, step, 3)
    return builder.build(rng, "door", "door")


def _latch(
    builder: Builder, rng: np.random.Generator, leaf: int, place: LocalFrame, thickness: float, side: str
) -> None:
    """A knob or a lever, on one side or on both; fixed pulls too."""
    both = rng.random() < 0.7
    habit = rng.random()
    plate = slab(rng, (-0.025, -0.1, 0), (0.025, 0.1, 0.006)) if rng.random() < 0.5 else []
    faces = [place.at(0, 0, thickness)]
    if both:
        x, y, z = place.axes
        faces.append(LocalFrame(place.origin, np.stack([-x, y, -z])))
    for face in faces:
        builder.add(leaf, face.place(plate), 3)
    if habit < 0.2:
        bar = swept([[0, -0.25, 0], [0, -0.25, 0.06], [0, 0.25, 0.06], [0, 0.25, 0]], 0.014, 6, up=(1, 0, 0))
        for face in faces:
            builder.add(leaf, face.place(bar), 4)
        return
    if habit < 0.5:
        part = add_knob(builder, np.random.default_rng(1), leaf, faces[0], 0.032, slot=4, turn=rng.choice([None, 1.2]))
        if both:
            builder.add(part, faces[1].place([cylinder(0.012, 0, 0.03, 8), cylinder(0.032, 0.03, 0.06, 12)]), 4)
        return
    turn = np.radians(rng.uniform(25, 60))
    inward = -1.0 if side == "left" else 1.0  # the lever points to the hinge; its end goes down
    axis = place.axes[2] * -inward
    part = builder.part(leaf, "revolute", axis, place.origin, (0.0, turn))
    length = rng.uniform(0.09, 0.16)
    for face, way in zip(faces, (inward, -inward), strict=False):
        path = [[0, 0, 0], [0, 0, 0.045], [0.02 * way, 0, 0.055], [way * length, rng.uniform(-0.01, 0.01), 0.05]]
        builder.add(part, face.place(swept(path, 0.01, 6, up=(0, 1, 0))), 4)


def _sliding_leaf(
    builder: Builder, rng: np.random.Generator, back: LocalFrame, size: tuple[float, float, float], double: bool
) -> None:
    width, height, thickness = size
    for side in (-1.0, 1.0) if double else (float(rng.choice([-1.0, 1.0])),):
        place = back.at(width if double and side > 0 else 0.0, 0.0, 0.0)
        part = builder.part(0, "prismatic", place.axes[0] * side, place.origin, (0.0, rng.uniform(0.6, 0.95) * width))
        builder.add(part, place.place(slab(rng, (0, 0, 0), size)), 1)
        grip = place.at(width * (0.9 if side < 0 else 0.1), 0.48 * height, thickness)
        builder.add(part, grip.place(box((-0.015, -0.12, 0), (0.015, 0.12, 0.015))), 3)


def window(rng: np.random.Generator) -> MovingObject:
    """Casements, awnings, and panes that slide sideways or upwards on tracks one behind the other."""
    width, height = rng.uniform(0.5, 1.8), rng.uniform(0.5, 1.6)
    border, depth = rng.uniform(0.03, 0.1), rng.uniform(0.05, 0.14)
    builder = Builder()
    frame = front((-width / 2, 0, 0.0))
    builder.add(0, frame.place(_surround(width, height, border, depth, True)))
    if rng.random() < 0.3:
        builder.add(0, frame.place(box((-2 * border, -2 * border, 0), (width + 2 * border, -border, 1.2 * depth))), 3)
    sash, pane = rng.uniform(0.02, 0.06), rng.uniform(0.01, 0.03)
    habit = rng.random()
    if habit < 0.5:
        _sliding_panes(builder, rng, frame, width, height, sash, pane, upwards=bool(rng.random() < 0.4))
    elif habit < 0.85:
        count = int(rng.integers(1, 4)) if width > 0.9 else 1
        seed, limit = int(rng.integers(2**32)), np.radians(rng.uniform(60, 150))
        edges = np.linspace(0, width, count + 1)
        for number in range(count):
            side = "left" if number % 2 == 0 else "right"
            if count == 1:
                side = str(rng.choice(["left", "right", "top", "bottom"]))
            if count == 3 and number == 1 and rng.random() < 0.5:
                builder.add(0, frame.at(edges[1], 0).place(_pane(rng, width / 3, height, sash, pane)), 2)
                continue
            _casement(builder, seed, frame.at(edges[number], 0), (width / count, height), sash, pane, side, limit)
    else:  # turns about its middle
        limit = np.radians(rng.uniform(30, 90))
        upright = rng.random() < 0.5
        axis = frame.direction(0, 1, 0) if upright else frame.direction(1, 0, 0)
        part = builder.part(0, "revolute", axis, frame.point(width / 2, height / 2, pane / 2), (-limit, limit))
        builder.add(part, frame.place(_pane(rng, width, height, sash, pane)), 1)
    return builder.build(rng, "window", "window")


def _pane(rng: np.random.Generator, width: float, height: float, sash: float, thickness: float) -> list[Piece]:
    """Four boards and glass, with glazing bars at times."""
    pieces = frame_boards((0, 0), (width, height), sash, 0.0, thickness)
    if rng.random() < 0.7:
        corner = (0.5 * sash, 0.5 * sash, 0.5 * thickness)
        pieces.append(rectangle(corner, (width - sash, 0, 0), (0, height - sash, 0)))
    else:
        pieces.append(box((sash, sash, 0.4 * thickness), (width - sash, height - sash, 0.6 * thickness)))
    bars = 0.3 * sash
    for share in np.linspace(0, 1, int(rng.choice([2, 2, 3, 4])))[1:-1]:
        pieces.append(box((share * width - bars, 0, 0), (share * width + bars, height, thickness)))
        if rng.random() < 0.6:
            pieces.append(box((0, share * height - bars, 0), (width, share * height + bars, thickness)))
    return pieces


def _casement(
    builder: Builder,
    seed: int,
    frame: LocalFrame,
    size: tuple[float, float],
    sash: float,
    pane: float,
    side: str,
    limit: float,
) -> None:
    rng = np.random.default_rng(seed)
    x, y = {"left": (1, 0), "right": (-1, 0), "bottom": (0, 1), "top": (0, -1)}[side]
    edge = frame.point(size[0] if side == "right" else 0.0, size[1] if side == "top" else 0.0, rng.choice([0, pane]))
    part = builder.part(0, "revolute", frame.direction(y, -x, 0), edge, (0.0, limit))
    builder.add(part, frame.place(_pane(rng, *size, sash, pane)), 1)
    if rng.random() < 0.6:
        spot = {"left": (1 - sash / size[0] / 2, 0.5), "right": (sash / size[0] / 2, 0.5)}.get(side, (0.5, 0.06))
        at = frame.at(spot[0] * size[0], spot[1] * size[1], pane)
        lever = (
            builder.part(part, "revolute", frame.axes[2], at.origin, (0.0, np.pi / 2)) if rng.random() < 0.4 else part
        )
        builder.add(lever, at.place([box((-0.012, -0.1, 0.02), (0.012, 0.015, 0.035)), cylinder(0.012, 0, 0.03, 8)]), 3)


def _sliding_panes(
    builder: Builder,
    rng: np.random.Generator,
    frame: LocalFrame,
    width: float,
    height: float,
    sash: float,
    pane: float,
    upwards: bool,
) -> None:
    """Two or three panes that overlap a little; every pane slides over its neighbours, or one stays."""
    count = 2 if upwards or rng.random() < 0.7 else 3
    length = height if upwards else width
    share = length / count
    overlap = min(sash, 0.2 * share)
    fixed = int(rng.integers(count)) if rng.random() < 0.5 else -1
    for number in range(count):
        start = max(0.0, number * share - overlap / 2)
        end = min(length, (number + 1) * share + overlap / 2)
        level = (number % 2 - 0.5) * 1.3 * pane - pane / 2
        place = frame.at(0, start, level) if upwards else frame.at(start, 0, level)
        size = (width, end - start) if upwards else (end - start, height)
        way = 1.0 if number < count / 2 else -1.0
        part = 0
        if number != fixed:
            direction = frame.axes[1 if upwards else 0] * way
            part = builder.part(0, "prismatic", direction, place.origin, (0.0, rng.uniform(0.6, 0.95) * share))
        builder.add(part, place.place(_pane(rng, *size, sash, pane)), 1)
        if rng.random() < 0.5:
            at = (0.5 * size[0], 0.5 * sash) if upwards else (size[0] - sash / 2 if way < 0 else sash / 2, size[1] / 2)
            grip = (0.08, 0.01) if upwards else (0.01, 0.08)
            builder.add(part, place.at(*at, pane).place(box((-grip[0], -grip[1], 0), (*grip, 0.02))), 3)
