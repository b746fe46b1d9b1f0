"""Mixer taps: one lever on top or beside, or two handles; spouts that stand, swivel or are drawn out."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..local_frame import LocalFrame, upward
from ..moving_object import MovingObject
from ..shapes import Piece, box, cylinder, moved, revolved, rounded_prism, sphere, swept, torus, turned
from .pieces import slab

__all__ = ["mixer_tap"]


def mixer_tap(rng: np.random.Generator) -> MovingObject:
    """A body that stands or hangs on a wall, all sizes seen from the radius of its tube."""
    tube, tall = rng.uniform(0.018, 0.04), rng.uniform(0.08, 0.45)
    builder = Builder()
    around = int(rng.choice([8, 12, 16, 24]))
    waist = rng.uniform(0.6, 1.1) * tube
    body = [[1.4 * tube, 0.0], [tube * rng.uniform(1.0, 1.3), 0.08 * tall], [waist, 0.5 * tall], [tube, tall]]
    builder.add(0, revolved(body, around))
    if rng.random() < 0.7:
        foot = rng.uniform(1.5, 2.4) * tube
        builder.add(0, cylinder(foot, 0.0, rng.uniform(0.1, 0.4) * tube, around, 0.9 * foot), 3)
    elif rng.random() < 0.5:
        plate = rng.uniform(4.0, 9.0) * tube
        builder.add(0, rounded_prism([[plate, 3.2 * tube]] * 2, tube, [0, 0.3 * tube], 4), 3)
    habit = rng.random()
    two = habit < 0.35
    if two:
        _two_handles(builder, rng, tube, tall)
    elif habit < 0.8:
        _top_lever(builder, rng, tube, tall, around)
    else:
        _side_lever(builder, rng, tube, tall)
    _spout(builder, rng, tube, tall, on_top=two)
    return builder.build(rng, "mixer_tap", "faucet")


def _top_lever(builder: Builder, rng: np.random.Generator, tube: float, tall: float, around: int) -> None:
    """A cap with a lever that turns about the body for heat. Lifting it for the flow is a joint of its own at times."""
    turn = np.radians(rng.uniform(25, 180))
    lean = float(rng.choice([0.0, rng.uniform(-0.6, 0.6)]))  # drawn turned to one side
    level = tall + rng.choice([0.0, 0.02 * tall])
    part = builder.part(0, "revolute", (0, 0, 1), (0, 0, level), (-turn, turn))
    lifts = rng.random() < 0.12
    if lifts:
        high = level + rng.uniform(0.3, 0.9) * tube
        cross = (np.cos(lean), np.sin(lean), 0.0)
        builder.add(part, cylinder(0.95 * tube, level, high, around), 1)
        part, level = builder.part(part, "revolute", cross, (0, 0, high), (-np.radians(rng.uniform(15, 40)), 0.0)), high
    high = rng.uniform(0.4, 2.8) * tube
    rim = rng.uniform(0.8, 1.25) * tube
    cap: list[Piece] = [cylinder(rim, 0.0, high, around, rng.uniform(0.7, 1.05) * rim)]
    if rng.random() < 0.35:
        cap.append(moved(sphere(0.8 * rim, 10), (0, 0, high)))
    forward = -1.0 if rng.random() < 0.8 else 1.0  # the lever looks as the spout does
    long, rise = rng.uniform(1.5, 7.0) * tube, rng.uniform(-0.25, 0.9)
    start = rng.uniform(0.5, 1.0) * high
    share = np.linspace(0.0, 1.0, 5)
    path = np.column_stack([0 * share, forward * (0.5 * rim + long * share), start + rise * long * share**1.3])
    wide = np.array([rng.uniform(0.25, 0.6), rng.uniform(0.2, 0.8)]) * tube
    flat = rng.uniform(0.3, 1.0)
    sides = np.interp(share, [0, 1], wide) * np.array([[1.0], [flat]])
    kind = rng.random()
    if kind < 0.75:
        cap.append(swept(path, sides, 8, up=(1, 0, 0)))
    elif kind < 0.9:  # a loop
        ring = torus(0.5 * long, 0.2 * tube, 16, 6)
        cap.append(moved((ring[0] * (0.6, 1.0, 1.0), ring[1]), (0, forward * (rim + 0.4 * long), start)))
    else:  # a stick that stands
        cap.append(cylinder(0.2 * tube, high, high + long, 8))
    builder.add(part, [moved(turned(piece, 2, lean), (0, 0, level)) for piece in cap], 2)


def _side_lever(builder: Builder, rng: np.random.Generator, tube: float, tall: float) -> None:
    """A barrel that lies across the body, with a lever or knob at its end; it turns about the barrel."""
    side = float(rng.choice([-1.0, 1.0]))
    level = rng.uniform(0.25, 0.85) * tall
    face = LocalFrame(np.array([side * 0.6 * tube, 0, level]), np.array([[0, side, 0], [0, 0, 1], [side, 0, 0]]))
    long = rng.uniform(1.0, 2.5) * tube
    builder.add(0, face.place(cylinder(0.8 * tube, 0.0, long, 12)), 3)
    limit = np.radians(rng.uniform(30, 100))
    out = face.at(0, 0, long)
    part = builder.part(0, "revolute", face.axes[2], out.origin, (-limit, limit) if rng.random() < 0.5 else (0, limit))
    builder.add(part, out.place(_handle(rng, tube, rng.uniform(1.5, 5.0) * tube)), 2)


def _two_handles(builder: Builder, rng: np.random.Generator, tube: float, tall: float) -> None:
    """A handle on each side: on posts that stand beside the body, or at the ends of a bar across it."""
    apart, long = rng.uniform(3.0, 8.0) * tube, rng.uniform(1.2, 4.0) * tube
    look, limit = int(rng.integers(2**32)), np.radians(rng.uniform(60, 180))
    standing = rng.random() < 0.6
    level = rng.uniform(0.15, 0.7) * tall
    endless = rng.random() < 0.3
    if not standing or rng.random() < 0.6:
        bar = turned(cylinder(0.6 * tube, -apart, apart, 10), 1, np.pi / 2)
        builder.add(0, moved(bar, (0, 0, level if not standing else 0.3 * tube)), 0)
    for side in (-1.0, 1.0):
        if standing:
            face = upward((side * apart, 0, level))
            builder.add(0, face.place(cylinder(0.9 * tube, -level, 0.0, 12)), 0)
        else:
            axes = (
                np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
                if side > 0
                else np.array([[0, -1, 0], [0, 0, 1], [-1, 0, 0]])
            )
            face = LocalFrame(np.array([side * apart, 0, level]), axes.astype(float))
        if endless:
            part = builder.part(0, "continuous", face.axes[2], face.origin)
        else:
            limits = (0.0, limit) if side > 0 else (-limit, 0.0)
            part = builder.part(0, "revolute", face.axes[2], face.origin, limits)
        pieces = _handle(np.random.default_rng(look), tube, long)
        builder.add(part, face.place([turned(piece, 2, 0.0 if side > 0 else np.pi) for piece in pieces]), 2)


def _handle(rng: np.random.Generator, tube: float, long: float) -> list[Piece]:
    """About local z: a lever to one side, a bar to both, a cross, a wheel or a knob."""
    high = rng.uniform(0.5, 1.8) * tube
    pieces: list[Piece] = [cylinder(rng.uniform(0.5, 1.0) * tube, 0.0, high, 12, rng.uniform(0.5, 1.0) * tube)]
    habit, thick = rng.random(), rng.uniform(0.15, 0.4) * tube
    if habit < 0.4:
        rise = rng.uniform(-0.3, 0.8)
        path = [
            [0, 0, 0.7 * high],
            [0.5 * long, 0, 0.8 * high + 0.4 * rise * tube],
            [long, 0, 0.8 * high + rise * tube],
        ]
        pieces.append(swept(path, [1.3 * thick, thick, 0.8 * thick], 6, up=(0, 1, 0)))
    elif habit < 0.65:
        bars = 1 if rng.random() < 0.3 else 2
        for number in range(bars):
            bar = turned(cylinder(thick, -0.6 * long, 0.6 * long, 8), 1, np.pi / 2)
            pieces.append(moved(turned(bar, 2, number * np.pi / 2), (0, 0, 0.7 * high)))
    elif habit < 0.8:
        pieces.append(moved(torus(0.6 * long, thick, 16, 6), (0, 0, 0.8 * high)))
        pieces.append(box((-0.6 * long, -thick, 0.6 * high), (0.6 * long, thick, 0.9 * high)))
    else:
        sides = int(rng.choice([5, 6, 8, 16]))
        pieces.append(cylinder(rng.uniform(1.0, 1.7) * tube, 0.2 * high, 1.3 * high, sides, tube))
    return pieces


def _spout(builder: Builder, rng: np.random.Generator, tube: float, tall: float, on_top: bool) -> None:
    """Along -Y, from the top of the body or out of its side; its end may be drawn out along it."""
    reach = rng.uniform(0.35, 1.3) * tall
    start = tall * (rng.uniform(0.9, 1.0) if on_top else rng.uniform(0.25, 0.75))
    share = np.linspace(0.0, 1.0, 8)[:, None]
    habit = rng.random()
    if on_top and habit < 0.6:  # a swan's neck
        turn = np.pi * share[:, 0]
        high = rng.uniform(0.2, 1.2) * tall
        path = np.column_stack([0 * turn, -0.5 * reach * (1 - np.cos(turn)), start + high * np.sin(turn) ** 0.8])
        path = np.vstack([path, path[-1] - np.array([0, 0, 0.1 * tall])])
    else:
        rise = rng.uniform(-0.3, 0.7) * reach
        path = np.column_stack([0 * share, -reach * share, start + rise * np.sin(share * rng.uniform(1.2, 2.6))])
        path = np.vstack([path, path[-1] + np.array([0, -0.02 * reach, -0.08 * reach])])
    part, inner = 0, tube * rng.uniform(0.5, 0.9)
    if rng.random() < (0.45 if on_top else 0.15):
        limit = None if rng.random() < 0.3 else np.radians(rng.uniform(40, 150))
        kind = "continuous" if limit is None else "revolute"
        part = builder.part(0, kind, (0, 0, 1), (0, 0, start), None if limit is None else (-limit, limit))
        builder.add(part, moved(cylinder(1.08 * tube, -0.3 * tube, 0.3 * tube, 12), (0, 0, start)), 1)
    builder.add(part, swept(path, inner, 10, up=(1, 0, 0)), 1)
    if rng.random() < 0.3:  # a head that is drawn out
        way = path[-1] - path[-2]
        way = way / np.linalg.norm(way)
        long = rng.uniform(1.0, 3.5) * tube
        head = builder.part(part, "prismatic", way, path[-1], (0.0, rng.uniform(0.5, 3.0) * long))
        tip = swept(
            np.array([path[-1], path[-1] + long * way]), [1.15 * inner, rng.uniform(1.0, 1.6) * inner], 10, up=(1, 0, 0)
        )
        builder.add(head, tip, 4)
        if rng.random() < 0.4:
            builder.add(
                head,
                [
                    moved(piece, path[-1] + 0.5 * long * way)
                    for piece in slab(rng, (-0.4 * inner, -1.4 * inner, 0), (0.4 * inner, 0, 0.3 * long))
                ],
                4,
            )
