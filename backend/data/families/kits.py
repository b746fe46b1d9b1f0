"""Random solids with random fittings on random faces, and random trees of solids: bodies of no known kind.

They keep the network from learning names instead of shapes: a panel is hinged along an edge, whatever it belongs to.
"""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..local_frame import LocalFrame
from ..moving_object import MovingObject
from ..shapes import Piece, aimed, bevelled_box, box, cylinder, moved, revolved, rounded_prism, sphere, torus
from .fittings import add_button, add_drawer, add_hinged_panel, add_knob, button_grid
from .pieces import carcass, container, handle, slab, wheel

__all__ = ["fitted_body", "random_tree"]


def _faces(size: np.ndarray) -> list[tuple[LocalFrame, float, float, float]]:
    """Five faces of a cuboid on the floor about the Z axis: frame, width, height, and the depth behind it."""
    x, y, z = size
    return [
        (LocalFrame(np.array([-x / 2, -y / 2, 0.0]), np.array([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]])), x, z, y),
        (LocalFrame(np.array([x / 2, y / 2, 0.0]), np.array([[-1.0, 0, 0], [0, 0, 1.0], [0, 1.0, 0]])), x, z, y),
        (LocalFrame(np.array([x / 2, -y / 2, 0.0]), np.array([[0, 1.0, 0], [0, 0, 1.0], [1.0, 0, 0]])), y, z, x),
        (LocalFrame(np.array([-x / 2, y / 2, 0.0]), np.array([[0, -1.0, 0], [0, 0, 1.0], [-1.0, 0, 0]])), y, z, x),
        (LocalFrame(np.array([-x / 2, -y / 2, z]), np.eye(3)), x, y, z),
    ]


def fitted_body(rng: np.random.Generator) -> MovingObject:
    """A cuboid with one to six fittings: flaps, drawers, knobs, buttons, levers, sliders, wheels."""
    size = rng.uniform(0.3, 1.0, 3)
    builder = Builder()
    low, high = np.array([-size[0] / 2, -size[1] / 2, 0.0]), np.array([size[0] / 2, size[1] / 2, size[2]])
    habit = rng.random()
    wall = rng.uniform(0.01, 0.04)
    if habit < 0.5:
        builder.add(0, slab(rng, low, high))
    else:
        builder.add(0, container(rng, low, high, wall) if habit < 0.75 else carcass(rng, low, high, wall))
    faces = _faces(size)
    if habit >= 0.5:  # the open side is closed by a door or a lid of its own, or stays open
        frame, width, height, _ = faces.pop(4 if habit < 0.75 else 0)
        hinge, limit = str(rng.choice(["left", "right", "bottom", "top"])), np.radians(rng.uniform(60, 180))
        if rng.random() < 0.7:
            add_hinged_panel(builder, rng, 0, frame, (width, height, rng.uniform(0.01, 0.06)), hinge, limit)
    for _ in range(int(rng.integers(0 if builder.moves else 1, 6))):
        frame, width, height, depth = faces[int(rng.integers(len(faces)))]
        share = rng.uniform(0.25, 1.0, 2)
        corner = rng.uniform(0.0, 1.0, 2) * (1 - share) * (width, height)
        _fitting(builder, rng, frame.at(*corner), float(share[0] * width), float(share[1] * height), depth)
    return builder.build(rng, "fitted_body", "mixed")


def _fitting(
    builder: Builder, rng: np.random.Generator, place: LocalFrame, width: float, height: float, depth: float
) -> None:
    habit, short = rng.random(), min(width, height)
    middle = place.at(width / 2, height / 2)
    if habit < 0.32:
        hinge = str(rng.choice(["left", "right", "bottom", "top"]))
        thick = rng.uniform(0.01, 0.06)
        limit = np.radians(rng.uniform(60, 180))
        add_hinged_panel(builder, rng, 0, place, (width, height, thick), hinge, limit)
    elif habit < 0.52:
        add_drawer(builder, rng, 0, place, (width, height, 0.9 * depth), rng.uniform(0.01, 0.03))
    elif habit < 0.64:
        add_knob(builder, rng, 0, middle, rng.uniform(0.1, 0.4) * short, turn=rng.choice([None, 2.4]))
    elif habit < 0.68:
        _plunger(builder, rng, middle, short)
    elif habit < 0.72:
        add_button(builder, rng, 0, middle, (0.5 * short, 0.5 * short), rng.uniform(0.01, 0.03))
    elif habit < 0.76:
        counts = (int(rng.integers(1, 5)), int(rng.integers(1, 5)))
        button_grid(builder, rng, 0, place, (width, height), counts, rng.uniform(0.01, 0.02))
    elif habit < 0.86:  # a lever on a pivot
        axis = place.axes[int(rng.integers(3))]
        limit = np.radians(rng.uniform(20, 90))
        part = builder.part(0, "revolute", axis, middle.origin, (-limit * rng.choice([0.0, 1.0]), limit))
        stick = (
            handle(rng, 0.3 * short, 0.2 * short) if rng.random() < 0.4 else [cylinder(0.06 * short, 0, 0.6 * short, 8)]
        )
        builder.add(part, middle.place(stick), 2)
        builder.add(0, middle.place(torus(0.12 * short, 0.04 * short, 12, 6)), 3)
    elif habit < 0.94:  # something that slides along the face
        along, length = (place.axes[0], width) if rng.random() < 0.5 else (place.axes[1], height)
        part = builder.part(0, "prismatic", along, place.origin, (0.0, rng.uniform(0.3, 0.7) * length))
        block = (0.3 * width, 0.9 * height) if along is place.axes[0] else (0.9 * width, 0.3 * height)
        builder.add(part, place.place(slab(rng, (0, 0, 0), (*block, rng.uniform(0.01, 0.08)))), 2)
    else:  # a wheel flat on the face
        part = builder.part(0, "continuous", place.axes[2], middle.origin)
        turned_wheel = LocalFrame(
            middle.point(0, 0, 0.1 * short), np.stack([place.axes[2], place.axes[0], place.axes[1]])
        )
        builder.add(part, turned_wheel.place(wheel(rng, 0.4 * short, 0.15 * short)), 2)


def _plunger(builder: Builder, rng: np.random.Generator, place: LocalFrame, short: float) -> None:
    """A large button on a stem that is pushed in or pulled out, in a collar at times."""
    radius, out = rng.uniform(0.08, 0.3) * short, rng.uniform(0.1, 0.4) * short
    pulled = rng.random() < 0.3
    limits = (0.0, rng.uniform(0.5, 0.95) * out)
    part = builder.part(0, "prismatic", place.axes[2] * (1.0 if pulled else -1.0), place.origin, limits)
    cap = revolved([[radius, 0.75 * out], [radius, out], [0.7 * radius, 1.1 * out]], 14)
    builder.add(part, place.place([cylinder(0.5 * radius, -0.5 * out, 0.8 * out, 10), cap]), 2)
    if rng.random() < 0.5:
        builder.add(0, place.place(torus(1.2 * radius, 0.2 * radius, 16, 6)), 3)


def random_tree(rng: np.random.Generator) -> MovingObject:
    """Two to eight solids, each on one of the others by a random joint at the place where they touch."""
    builder = Builder()
    count = int(rng.integers(2, 9))
    sizes = [rng.uniform(0.15, 0.6, 3)]
    centres, parts = [np.zeros(3)], [0]
    builder.add(0, _solid(rng, sizes[0]))
    for _ in range(count - 1):
        host = int(rng.integers(len(parts)))
        size = rng.uniform(0.08, 0.4, 3) if rng.random() < 0.6 else rng.uniform(0.04, 0.6, 3)
        axis, side = int(rng.integers(3)), float(rng.choice([-1.0, 1.0]))
        touch = centres[host] + rng.uniform(-0.25, 0.25, 3) * sizes[host]
        touch[axis] = centres[host][axis] + side * sizes[host][axis] * rng.uniform(0.4, 0.5)
        centre = touch.copy()
        centre[axis] += side * size[axis] / 2
        others = [each for each in range(3) if each != axis]
        slide = rng.choice([0.0, 0.0, 0.45, -0.45])  # hinged at an edge more often than in the middle
        centre[others[0]] += slide * size[others[0]]
        direction = np.zeros(3)
        habit = rng.random()
        if habit < 0.5:
            direction[others[1]] = 1.0
            limit = np.radians(rng.uniform(30, 120))
            part = builder.part(parts[host], "revolute", direction, touch, (-limit * rng.choice([0.0, 1.0]), limit))
        elif habit < 0.7:
            direction[axis] = side
            limits = None if rng.random() < 0.5 else (-1.5, 1.5)
            part = builder.part(parts[host], "continuous" if limits is None else "revolute", direction, touch, limits)
        elif habit < 0.9:
            direction[axis if rng.random() < 0.5 else others[0]] = side
            part = builder.part(
                parts[host], "prismatic", direction, touch, (0.0, rng.uniform(0.2, 0.8) * float(size.max()))
            )
        else:
            part = parts[host]
        builder.add(part, [moved(piece, centre) for piece in _solid(rng, size)], int(rng.integers(4)))
        parts.append(part)
        centres.append(centre)
        sizes.append(size)
    if not builder.moves:
        part = builder.part(0, "revolute", (0, 0, 1), limits=(-1.0, 1.0))
        builder.add(part, moved(aimed(cylinder(0.05, 0, 0.4, 10), (1, 0, 0)), (0, 0, sizes[0][2] / 2)), 1)
    return builder.build(rng, "random_tree", "mixed")


def _solid(rng: np.random.Generator, size: np.ndarray) -> list[Piece]:
    """A random convex body of about that size about the origin."""
    x, y, z = 0.5 * size
    habit = rng.random()
    if habit < 0.35:
        return [box((-x, -y, -z), (x, y, z))]
    if habit < 0.5:
        return [bevelled_box((-x, -y, -z), (x, y, z), 0.3 * min(x, y, z))]
    if habit < 0.65:
        return [rounded_prism(np.array([[2 * x, 2 * y], [1.6 * x, 1.6 * y]]), 0.5 * min(x, y), [-z, z], 4)]
    if habit < 0.8:
        piece = cylinder(1.0, -z, z, 14, rng.uniform(0.4, 1.0))
        return [(piece[0] * (x, y, 1.0), piece[1])]
    if habit < 0.9:
        piece = sphere(1.0, 12)
        return [(piece[0] * (x, y, z), piece[1])]
    rows = np.column_stack([rng.uniform(0.3, 1.0, 5), np.linspace(-z, z, 5)])
    piece = revolved(rows, 12)
    return [(piece[0] * (x, y, 1.0), piece[1])]
