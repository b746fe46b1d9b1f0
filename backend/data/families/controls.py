"""What kitchen machines have in common: panels of knobs and buttons, racks, baskets of wire."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..builder import Builder
from ..local_frame import LocalFrame, leaning
from ..shapes import Piece, box, cylinder, extruded, moved, swept, turned
from .fittings import add_button, add_knob, button_grid

__all__ = ["add_controls", "add_fascia", "add_knob_row", "add_mixed_controls", "add_racks", "wire_basket"]


def add_controls(
    builder: Builder, rng: np.random.Generator, face: LocalFrame, area: tuple[float, float], upright: bool
) -> None:
    """Knobs and buttons on a panel of the local size `area`."""
    width, height = area
    short = min(area)
    if rng.random() < 0.4:
        builder.add(
            0, face.at(0.15 * width, 0.8 * height).place(box((0, 0, 0), (0.7 * width, 0.12 * height, 0.003))), 6
        )
    habit = rng.random()
    if upright:
        if habit < 0.5:
            for share in (0.6, 0.3)[: int(rng.integers(1, 3))]:
                place = face.at(0.5 * width, share * height)
                add_knob(builder, rng, 0, place, rng.uniform(0.2, 0.35) * short, turn=rng.choice([None, 2.4]))
        if habit > 0.35:
            counts = (int(rng.integers(1, 4)), int(rng.integers(1, 5)))
            button_grid(
                builder, rng, 0, face.at(0.15 * width, 0.05 * height), (0.7 * width, 0.4 * height), counts, 0.006
            )
    else:
        if habit < 0.6:
            add_knob(
                builder, rng, 0, face.at(rng.uniform(0.4, 0.6) * width, 0.5 * height), rng.uniform(0.25, 0.4) * short
            )
        if habit > 0.3:
            left, right = (0.68, 0.95) if rng.random() < 0.5 else (0.05, 0.35)
            counts = (int(rng.integers(1, 6)), 1)
            spot = face.at(left * width, 0.3 * height)
            button_grid(builder, rng, 0, spot, ((right - left) * width, 0.4 * height), counts, 0.006)


def add_knob_row(builder: Builder, rng: np.random.Generator, face: LocalFrame, width: float, strip: float) -> None:
    count = int(rng.integers(2, 7))
    radius = min(rng.uniform(0.25, 0.4) * strip, 0.4 * width / count)
    seed = rng.integers(2**32)
    turn = rng.choice([None, 2.4, 3.0])
    for number in range(count):
        place = face.at((number + 0.5) / count * width, 0.5 * strip)
        add_knob(builder, np.random.default_rng(seed), 0, place, radius, turn=turn)
    if rng.random() < 0.2:
        add_button(builder, rng, 0, face.at(0.97 * width, 0.5 * strip), (0.03 * width, 0.03 * width), 0.006)


def add_fascia(
    builder: Builder, rng: np.random.Generator, low: tuple, size: tuple[float, float, float], lean: float
) -> None:
    """A block on `low`, width x depth x height, whose front leans back by `lean` radians and has controls on it."""
    width, depth, height = size
    back = min(height * np.tan(lean), 0.9 * depth)
    lean = float(np.arctan2(back, height))
    outline = np.array([[0.0, 0.0], [depth, 0.0], [depth, height], [back, height]])
    profile = extruded(outline, 0.0, width)
    builder.add(0, moved((profile[0][:, [2, 0, 1]], profile[1]), low), 5)
    add_mixed_controls(builder, rng, leaning(low, lean), (width, height / np.cos(lean)))


def add_mixed_controls(builder: Builder, rng: np.random.Generator, face: LocalFrame, area: tuple[float, float]) -> None:
    """Groups of knobs, buttons, sliders and toggles side by side on the local rectangle `area`, wider than high."""
    width, height = area
    groups = int(rng.integers(1, 4))
    edges = np.linspace(0.04, 0.96, groups + 1) * width
    seed = int(rng.integers(2**32))
    for left, right in pairwise(edges):
        # One look for what is of one kind.
        same, kind = np.random.default_rng(seed), rng.random()
        count = int(rng.integers(1, 5))
        span = right - left
        radius = min(same.uniform(0.2, 0.42) * height, 0.42 * span / count)
        spots = [face.at(left + (number + 0.5) / count * span, 0.5 * height) for number in range(count)]
        if kind < 0.32:
            turn = same.choice([None, 1.2, 2.4])
            for spot in spots:
                add_knob(builder, np.random.default_rng(seed + 1), 0, spot, radius, turn=turn)
        elif kind < 0.78:
            counts, fill = (int(same.integers(1, 7)), int(same.integers(1, 4))), same.uniform(0.4, 0.8)
            spot = face.at(left + 0.05 * span, 0.5 * (1.0 - fill) * height)
            stroke = same.uniform(0.1, 0.5) * radius
            button_grid(builder, same, 0, spot, (0.9 * span, fill * height), counts, stroke)
        elif kind < 0.87:
            for spot in spots:
                _add_toggle(builder, np.random.default_rng(seed + 2), spot, radius)
        elif kind < 0.94:
            for spot in spots:
                _add_slider(builder, np.random.default_rng(seed + 3), spot, 0.4 * radius, 0.8 * height)
        else:  # a display
            piece = box((left, 0.2 * height, -0.002), (right, 0.8 * height, 0.003))
            builder.add(0, face.place(piece), 6)
    if not builder.moves:
        add_knob(builder, rng, 0, face.at(0.5 * width, 0.5 * height), 0.3 * height)


def _add_toggle(builder: Builder, rng: np.random.Generator, spot: LocalFrame, radius: float) -> None:
    """A short stick that tips up and down, or sideways."""
    across, limit = int(rng.integers(2)), rng.uniform(0.3, 0.8)
    lean = float(rng.choice([-1.0, 0.0, 1.0])) * limit
    part = builder.part(0, "revolute", spot.axes[across], spot.origin, (-limit - lean, limit - lean))
    long = rng.uniform(1.0, 3.0) * radius
    stick = turned(cylinder(0.25 * radius, -0.1 * radius, long, 8, 0.35 * radius), across, lean)
    builder.add(part, spot.place(stick), 4)
    builder.add(0, spot.place(cylinder(0.6 * radius, 0.0, 0.2 * radius, 10)), 3)


def _add_slider(builder: Builder, rng: np.random.Generator, spot: LocalFrame, half: float, length: float) -> None:
    """A grip on a groove that it runs along."""
    groove = box((-0.3 * half, -length / 2, -0.001), (0.3 * half, length / 2, 0.001))
    builder.add(0, spot.place(groove), 3)
    at = rng.uniform(-0.4, 0.4) * length
    part = builder.part(0, "prismatic", spot.axes[1], spot.origin, (-0.45 * length - at, 0.45 * length - at))
    grip = box((-half, at - 0.07 * length, 0.0), (half, at + 0.07 * length, rng.uniform(0.5, 1.5) * half))
    builder.add(part, spot.place(grip), 4)


def add_racks(builder: Builder, rng: np.random.Generator, low: tuple, high: tuple) -> None:
    """Grids in the oven: most stay, some slide out."""
    for share in rng.uniform(0.2, 0.8, int(rng.integers(0, 3))):
        level = low[2] + share * (high[2] - low[2])
        bars = [
            box((x - 0.003, low[1], level), (x + 0.003, high[1], level + 0.006))
            for x in np.linspace(low[0], high[0], 9)
        ]
        bars.append(box((low[0], low[1], level), (high[0], low[1] + 0.008, level + 0.008)))
        part = 0
        if rng.random() < 0.5:
            stroke = rng.uniform(0.5, 0.85) * (high[1] - low[1])
            part = builder.part(0, "prismatic", (0, -1, 0), (0, 0, 0), (0.0, stroke))
        builder.add(part, bars, 6)


def wire_basket(rng: np.random.Generator, low: tuple, high: tuple) -> list[Piece]:
    """A rim, a lower rim, and bars across."""
    low, high = np.array(low), np.array(high)
    corners = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    rims = [swept(np.column_stack([corners, np.full(4, level)]), 0.004, 4, closed=True) for level in (low[2], high[2])]
    across = np.linspace(low[0], high[0], int(rng.integers(5, 12)))
    bars = [box((x - 0.002, low[1], low[2]), (x + 0.002, high[1], low[2] + 0.004)) for x in across]
    posts = [
        box((x - 0.002, y - 0.002, low[2]), (x + 0.002, y + 0.002, high[2])) for x in across for y in (low[1], high[1])
    ]
    return [*rims, *bars, *posts]
