"""Windows and glazed doors of sashes: they slide past each other in rails, or swing; grips tell which."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..local_frame import LocalFrame, front
from ..moving_object import MovingObject
from ..shapes import box, cylinder, rectangle
from .pieces import bar_handle, frame_boards, handle, slab

__all__ = ["sash_window"]


def sash_window(rng: np.random.Generator) -> MovingObject:
    """A frame with one to four sashes, thicker than it or thinner, with gaps, drawn shut or a little open."""
    width, height = rng.uniform(0.5, 2.4), rng.uniform(0.5, 2.2)
    border, pane = rng.uniform(0.03, 0.12), rng.uniform(0.012, 0.05)
    depth = pane * rng.uniform(0.8, 3.0)
    builder = Builder()
    frame = front((-width / 2, 0, 0))
    outer = ((-border, -border), (width + border, height + border))
    builder.add(0, frame.place(frame_boards(*outer, border, -depth / 2, depth / 2)))
    if rng.random() < 0.25:
        sill = box((-2 * border, -1.6 * border, 0), (width + 2 * border, -border, depth))
        builder.add(0, frame.place(sill), 3)
    look, gap = int(rng.integers(2**32)), float(rng.choice([0.0, rng.uniform(0.002, 0.03)]))
    habit = rng.random()
    if habit < 0.45:
        _sideways(builder, rng, frame, (width, height, pane), gap, look)
    elif habit < 0.6:
        _upwards(builder, rng, frame, (width, height, pane), gap, look)
    else:
        _hinged(builder, rng, frame, (width, height, pane), gap, look)
    return builder.build(rng, "sash_window", "window")


def _sash(rng: np.random.Generator, width: float, height: float, pane: float) -> list:
    """Four boards and a glass, a slab with a glass on it, or a slab alone."""
    habit, sash = rng.random(), rng.uniform(0.06, 0.16) * min(width, height)
    glass = rectangle((sash, sash, 0.5 * pane), (width - 2 * sash, 0, 0), (0, height - 2 * sash, 0))
    if habit < 0.6:
        return [*frame_boards((0, 0), (width, height), sash, 0.0, pane), glass]
    if habit < 0.85:
        return [*slab(rng, (0, 0, 0), (width, height, pane)), (glass[0] + (0.0, 0.0, 0.55 * pane), glass[1])]
    return slab(rng, (0, 0, 0), (width, height, pane))


def _grip(
    builder: Builder, rng: np.random.Generator, part: int, own: LocalFrame, size: tuple, free: str, bare: float
) -> None:
    """A handle, bar, lever or latch near the edge `free`, on the outside, on both sides or none."""
    if rng.random() < bare:
        return
    width, height, pane = size
    beside = free in ("left", "right")
    span, along = (width, height) if beside else (height, width)
    inwards = rng.uniform(0.02, 0.08) * span
    at = inwards if free in ("left", "bottom") else span - inwards
    up = rng.uniform(0.3, 0.6) * along
    reach = rng.uniform(0.03, 0.1) * min(width, height)
    habit, length = rng.random(), rng.uniform(0.06, 0.3) * along
    pieces = bar_handle(rng, length, reach) if habit < 0.5 else handle(rng, length, reach)
    spot = own.at(at, up, pane) if beside else own.at(up, at, pane)
    spot = spot if beside else spot.turned(1)
    builder.add(part, spot.place(pieces), 3)
    if rng.random() < 0.35:  # the same behind
        x, y, z = spot.axes
        builder.add(part, LocalFrame(spot.point(0, 0, -pane), np.stack([-x, y, -z])).place(pieces), 3)


def _sideways(
    builder: Builder, rng: np.random.Generator, frame: LocalFrame, size: tuple, gap: float, look: int
) -> None:
    """Sashes in two planes; grips at the jambs, where each one starts from."""
    width, height, pane = size
    count = int(rng.choice([2, 2, 2, 3, 4]))
    step, lap = width / count, rng.uniform(0.0, 0.15) * width / count
    shift = rng.uniform(0.85, 1.3) * pane
    still = rng.random(count) < (0.35 if count < 4 else 0.5)
    if still.all():
        still[int(rng.integers(count))] = False
    bare = rng.choice([0.1, 0.6])
    for number in range(count):
        rng_look = np.random.default_rng(look)
        low, high = max(gap, number * step - lap / 2), min(width - gap, (number + 1) * step + lap / 2)
        dims = (high - low, height - 2 * gap, pane)
        rightwards = number < count / 2
        run = rng.uniform(0.6, 0.97) * step
        opened = float(rng.choice([0.0, 0.0, rng.uniform(0.0, 0.6)])) * run
        way = 1.0 if rightwards else -1.0
        # The one that is drawn in the middle has slid there.
        level = (0.5 if number % 2 else -0.5) * shift - pane / 2
        own = frame.at(low + (0.0 if still[number] else way * opened), gap, level)
        part = 0
        if not still[number]:
            part = builder.part(0, "prismatic", frame.axes[0] * way, own.origin, (-opened, run - opened))
        builder.add(part, own.place(_sash(rng_look, *dims)), 1)
        _grip(builder, rng_look, part, own, dims, "left" if rightwards else "right", bare)
    if rng.random() < 0.6:  # rails
        thin = 0.1 * pane
        for y in (0.0, height - 0.3 * pane):
            levels = [share * (shift + pane) for share in (-0.5, 0.0, 0.5)]
            builder.add(0, frame.place([box((0, y, z - thin), (width, y + 0.3 * pane, z + thin)) for z in levels]), 4)


def _upwards(builder: Builder, rng: np.random.Generator, frame: LocalFrame, size: tuple, gap: float, look: int) -> None:
    """A lower sash that rises before an upper one, which comes down or stays."""
    width, height, pane = size
    cut, lap = rng.uniform(0.4, 0.6) * height, rng.uniform(0.0, 0.05) * height
    fixed = rng.random() < 0.5
    for upper in (False, True):
        rng_look = np.random.default_rng(look)
        low, high = (cut - lap, height - gap) if upper else (gap, cut)
        dims = (width - 2 * gap, high - low, pane)
        own = frame.at(gap, low, -1.1 * pane if upper else 0.0)
        part = 0
        if not (upper and fixed):
            way = -1.0 if upper else 1.0
            run = rng.uniform(0.6, 0.95) * (cut if upper else height - cut)
            part = builder.part(0, "prismatic", frame.axes[1] * way, own.origin, (0.0, run))
        builder.add(part, own.place(_sash(rng_look, *dims)), 1)
        _grip(builder, rng_look, part, own, dims, "top" if upper else "bottom", 0.3)


def _hinged(builder: Builder, rng: np.random.Generator, frame: LocalFrame, size: tuple, gap: float, look: int) -> None:
    """Sashes that swing, hinged at the jambs with grips where they meet, or at the top or bottom."""
    width, height, pane = size
    count = int(rng.choice([1, 2, 2])) if width > 0.8 else 1
    outwards = rng.random() < 0.5
    limit = np.radians(rng.uniform(50, 160))
    level = rng.uniform(-0.5, 0.5) * pane - pane / 2
    for number in range(count):
        rng_look = np.random.default_rng(look)
        hinge = ("left", "right")[number] if count == 2 else str(rng.choice(["left", "right", "top", "bottom"]))
        step = width / count
        dims = (step - 2 * gap, height - 2 * gap, pane)
        own = frame.at(number * step + gap, gap, level)
        x, y = {"left": (1, 0), "right": (-1, 0), "bottom": (0, 1), "top": (0, -1)}[hinge]
        edge = own.point(
            dims[0] if hinge == "right" else 0.0,
            dims[1] if hinge == "top" else 0.0,
            rng.choice([0.0, 0.5, 1.0]) * pane,
        )
        sign = 1.0 if outwards else -1.0
        part = builder.part(0, "revolute", sign * frame.direction(y, -x, 0), edge, (0.0, limit))
        builder.add(part, own.place(_sash(rng_look, *dims)), 1)
        free = {"left": "right", "right": "left", "bottom": "top", "top": "bottom"}[hinge]
        _grip(builder, rng_look, part, own, dims, free, 0.15)
        if rng.random() < 0.4:  # barrels
            for share in (0.15, 0.85):
                upright = hinge in ("left", "right")
                length = 0.05 * (dims[1] if upright else dims[0])
                spot = own.at(0.0 if hinge != "right" else dims[0], share * dims[1], pane)
                if not upright:
                    spot = own.at(share * dims[0], 0.0 if hinge == "bottom" else dims[1], pane)
                a, b, c = spot.axes
                turned = np.stack([c, a, b]) if upright else np.stack([b, c, a])
                builder.add(0, LocalFrame(spot.origin, turned).place(cylinder(0.4 * pane, -length, length, 8)), 4)
