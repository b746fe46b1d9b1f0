"""Taps and toilets."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..local_frame import LocalFrame, front, upward
from ..moving_object import MovingObject
from ..shapes import Piece, box, cylinder, loft, moved, rounded_prism, swept, torus, turned
from .fittings import add_button, add_knob
from .pieces import container, slab

__all__ = ["faucet", "toilet"]


def faucet(rng: np.random.Generator) -> MovingObject:
    """A spout that may swivel and one or two levers, crosses or knobs; on a plate, a post or a wall."""
    size = rng.uniform(0.8, 1.2)
    tube = rng.uniform(0.02, 0.05) * size
    tall = rng.uniform(0.15, 0.6) * size
    reach = rng.uniform(0.25, 0.6) * size
    builder = Builder()
    plate = rng.uniform(0.15, 0.4) * size
    habit = rng.random()
    if habit < 0.5:
        builder.add(0, rounded_prism([[2 * plate, 3.5 * tube], [1.9 * plate, 3.2 * tube]], tube, [0, 0.5 * tube], 4))
    else:
        builder.add(0, cylinder(2.0 * tube, 0, 0.6 * tube, 16, 1.6 * tube))
    post = rng.uniform(0.2, 0.6) * tall
    builder.add(0, cylinder(1.3 * tube, 0, post, 12, 1.2 * tube))
    spout = 0
    if rng.random() < 0.6:
        limit = None if rng.random() < 0.2 else np.radians(rng.uniform(45, 150))
        kind = "continuous" if limit is None else "revolute"
        spout = builder.part(0, kind, (0, 0, 1), limits=None if limit is None else (-limit, limit))
    builder.add(spout, _spout(rng, post, tall, reach, tube), 1)
    way = rng.random()
    if way < 0.45:  # one lever on top or at the side
        if rng.random() < 0.5:
            _lever(builder, rng, upward((0, 0, post)), tube, reach)
        else:
            side = float(rng.choice([-1, 1]))
            face = LocalFrame(
                np.array([side * 1.2 * tube, 0, 0.6 * post]), np.array([[0, side, 0], [0, 0, 1], [side, 0, 0]])
            )
            _tap(builder, rng, face, tube, 0.7 * reach)
    else:
        for side in (-0.8, 0.8):
            same = np.random.default_rng(int(way * 1e9))
            base = upward((side * plate, 0, 0.4 * tube))
            builder.add(0, base.place(cylinder(1.1 * tube, 0, 1.2 * tube, 12)), 0)
            _tap(builder, same, base.at(0, 0, 1.2 * tube), tube, 0.6 * reach)
            if habit >= 0.5:
                builder.add(0, base.place(cylinder(1.8 * tube, -0.4 * tube, 0, 12)), 0)
    return builder.build(rng, "faucet", "faucet")


def _spout(rng: np.random.Generator, post: float, tall: float, reach: float, tube: float) -> Piece:
    """A swan neck, a straight pipe with a bend, or a low arm; along -Y."""
    habit = rng.random()
    if habit < 0.5:
        angle = np.linspace(0, np.pi, 12)
        arch = np.column_stack([0 * angle, -0.5 * reach * (1 - np.cos(angle)), tall + 0.5 * reach * np.sin(angle)])
        drop = arch[-1] - np.array([0, 0, rng.uniform(0.05, 0.4) * tall])
        path = np.vstack([[0, 0, 0.9 * post], arch, drop])
    elif habit < 0.8:
        path = np.array(
            [
                [0, 0, 0.9 * post],
                [0, 0, tall],
                [0, -0.1 * reach, 1.05 * tall],
                [0, -reach, 1.02 * tall],
                [0, -1.05 * reach, 0.9 * tall],
            ]
        )
    else:
        path = np.array(
            [[0, 0, 0.8 * post], [0, -0.3 * reach, 0.95 * post], [0, -reach, post], [0, -1.05 * reach, 0.8 * post]]
        )
    return swept(path, tube * rng.uniform(0.6, 1.0), 10, up=(1, 0, 0))


def _lever(builder: Builder, rng: np.random.Generator, face: LocalFrame, tube: float, reach: float) -> None:
    """A single lever: turns about the post for heat and lifts for flow (or does one of the two)."""
    turn, lift = np.radians(rng.uniform(30, 90)), np.radians(rng.uniform(20, 50))
    both = rng.random()
    back = face.at(0, 1.3 * tube)
    part = builder.part(0, "revolute", (0, 0, 1), back.origin, (-turn, turn)) if both < 0.92 else 0
    if both > 0.7:
        part = builder.part(part, "revolute", (1, 0, 0), back.origin, (-lift, 0.0))
    pieces = [
        torus(1.25 * tube, 0.3 * tube, 14, 6),
        box((-0.4 * tube, 0, 0.3 * tube), (0.4 * tube, 0.6 * reach, 0.8 * tube)),
    ]
    builder.add(part, back.place(pieces), 2)


def _tap(builder: Builder, rng: np.random.Generator, face: LocalFrame, tube: float, reach: float) -> None:
    """A handle that turns about the face's normal: lever, cross, or knob."""
    habit = rng.random()
    limit = np.radians(rng.uniform(60, 120))
    if habit < 0.3:
        add_knob(builder, rng, 0, face, 1.2 * tube, slot=2, turn=None if rng.random() < 0.5 else limit)
        return
    limits = (-limit, limit) if rng.random() < 0.5 else (0.0, limit)
    part = builder.part(0, "revolute", face.axes[2], face.origin, limits)
    pieces = [cylinder(0.8 * tube, 0, 1.2 * tube, 12)]
    if habit < 0.65:
        path = [[0, 0, 0.9 * tube], [0.4 * reach, 0, 1.1 * tube], [reach, 0, rng.uniform(1.0, 2.5) * tube]]
        pieces.append(swept(path, [0.5 * tube, 0.4 * tube, 0.3 * tube], 6, up=(0, 1, 0)))
    else:
        bar = turned(cylinder(0.3 * tube, -2.2 * tube, 2.2 * tube, 8), 1, np.pi / 2)
        pieces += [moved(turned(bar, 2, angle), (0, 0, 0.9 * tube)) for angle in (0.0, np.pi / 2)]
    builder.add(part, face.place(pieces), 2)


def toilet(rng: np.random.Generator) -> MovingObject:
    """A bowl with a seat and a lid on one rear hinge, and a cistern with a button, a lever or a lid of its own."""
    width, length, height = rng.uniform(0.32, 0.4), rng.uniform(0.42, 0.55), rng.uniform(0.35, 0.45)
    builder = Builder()
    rear = 0.5 * length
    segments = 20

    def oval(scale: float, level: float, back: float = 0.0) -> np.ndarray:
        """A ring around the bowl; the rear is cut straight at `back`."""
        angle = np.linspace(0, 2 * np.pi, segments, endpoint=False)
        y = np.minimum(scale * 0.55 * length * np.sin(angle), rear * 0.8 + back)
        return np.column_stack([scale * width / 2 * np.cos(angle), y, np.full(segments, level)])

    foot = rng.uniform(0.5, 0.8)
    rings = [
        oval(foot, 0.0),
        oval(foot * 0.95, 0.4 * height),
        oval(1.0, height),
        oval(0.75, height),
        oval(0.4, 0.5 * height),
    ]
    builder.add(0, loft(np.stack(rings)))
    if rng.random() < 0.85:
        _cistern(builder, rng, width, rear, height)
    pivot = (0, 0.72 * rear, height + 0.01)
    thick = rng.uniform(0.012, 0.025)
    limit = np.radians(rng.uniform(80, 110))
    seat_rings = [
        oval(1.02, height),
        oval(1.02, height + thick),
        oval(0.68, height + thick, -0.15 * rear),
        oval(0.68, height, -0.15 * rear),
    ]
    lid_rings = [oval(1.03, height + thick + 0.002), oval(1.0, height + 2 * thick)]
    opened = limit if rng.random() < 0.2 else 0.0  # some are drawn with the lid up
    if rng.random() < 0.85:
        seat = builder.part(0, "revolute", (-1, 0, 0), pivot, (0.0, limit))
        builder.add(seat, loft(np.stack(seat_rings), looped=True), 1)
    lid = builder.part(0, "revolute", (-1, 0, 0), pivot, (-opened, limit - opened))
    cover_piece = moved(turned(moved(loft(np.stack(lid_rings)), -np.array(pivot)), 0, -opened), pivot)
    builder.add(lid, cover_piece, 2)
    for x in (-0.25 * width, 0.25 * width):
        builder.add(0, moved(turned(cylinder(0.012, -0.02, 0.02, 8), 1, np.pi / 2), (x, *pivot[1:])), 3)
    return builder.build(rng, "toilet", "toilet")


def _cistern(builder: Builder, rng: np.random.Generator, width: float, rear: float, height: float) -> None:
    """A cistern behind the bowl with a button, two, a lever, or a lid that lifts off."""
    deep, tall = rng.uniform(0.14, 0.2), rng.uniform(0.3, 0.45)
    tank = ((-width * 0.55, rear, height * 0.8), (width * 0.55, rear + deep, height + tall))
    builder.add(0, box((-0.3 * width, 0.3 * rear, 0), (0.3 * width, rear + 0.5 * deep, height)))
    habit = rng.random()
    top = tank[1][2]
    if habit < 0.4:
        builder.add(0, container(rng, *tank, 0.015))
        cover = builder.part(0, "prismatic", (0, 0, 1), limits=(0.0, rng.uniform(0.3, 0.9) * tall))
        builder.add(
            cover, slab(rng, (-0.58 * width, rear - 0.01, top), (0.58 * width, rear + deep + 0.01, top + 0.03)), 1
        )
    else:
        builder.add(0, slab(rng, *tank))
        builder.add(0, slab(rng, (-0.57 * width, rear - 0.01, top), (0.57 * width, rear + deep + 0.01, top + 0.03)))
    if habit > 0.3 and habit < 0.75:
        spots = (-0.02, 0.02) if rng.random() < 0.4 else (0.0,)
        for x in spots:
            spot = upward((x, rear + deep / 2, top + 0.03))
            add_button(builder, rng, cover if habit < 0.4 else 0, spot, (0.036, 0.05), 0.012)
    elif habit >= 0.75:
        corner = front((-0.4 * width, rear, top - 0.06))
        lever = builder.part(0, "revolute", corner.axes[2], corner.origin, (0.0, np.radians(rng.uniform(20, 50))))
        builder.add(
            lever, corner.place([cylinder(0.012, 0, 0.03, 8), box((-0.01, -0.01, 0.02), (0.09, 0.01, 0.03))]), 3
        )
