"""Cameras, remote controls, keyboards, mice, pens, memory sticks, printers, lighters."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..local_frame import LocalFrame, front, upward
from ..moving_object import MovingObject
from ..shapes import box, cylinder, extruded, moved, revolved, rounded_prism, sphere, torus, turned
from .fittings import add_button, add_drawer, add_hinged_panel, add_knob, button_grid
from .pieces import slab

__all__ = ["camera", "lighter", "mouse", "pen", "printer", "remote", "usb_stick"]


def camera(rng: np.random.Generator) -> MovingObject:
    """A body with a lens that draws out or turns, dials and buttons on top, a flash, a screen that folds out."""
    width, depth, height = rng.uniform(0.1, 0.15), rng.uniform(0.025, 0.06), rng.uniform(0.06, 0.1)
    builder = Builder()
    builder.add(0, slab(rng, (-width / 2, 0, 0), (width / 2, depth, height)))
    if rng.random() < 0.5:
        sizes = np.array([[0.4 * width, 0.9 * depth], [0.3 * width, 0.7 * depth]])
        builder.add(0, moved(rounded_prism(sizes, 0.004, [height, height + 0.02], 2), (0, depth / 2, 0)))
    if rng.random() < 0.4:
        builder.add(0, slab(rng, (-width / 2 - 0.002, -0.012, 0), (-0.3 * width, depth, 0.9 * height)), 1)
    face = front((rng.uniform(-0.1, 0.15) * width, 0, 0.45 * height))
    radius, part, level = rng.uniform(0.3, 0.48) * height, 0, 0.0
    builder.add(0, face.place(cylinder(1.05 * radius, 0, 0.006, 20)), 1)
    for number in range(int(rng.integers(1, 4))):
        length = rng.uniform(0.01, 0.035)
        habit = rng.random()
        if habit < 0.5:
            part = builder.part(part, "continuous", face.axes[2], face.origin)
        elif habit < 0.9:
            part = builder.part(part, "prismatic", face.axes[2], face.origin, (0.0, rng.uniform(0.4, 0.9) * length))
        inner = radius * (1 - 0.12 * number)
        rows = [
            [inner, level],
            [inner, level + length],
            [0.8 * inner, level + length],
            [0.7 * inner, level + 0.6 * length],
        ]
        builder.add(part, face.place(revolved(rows, 20)), 2)
        if rng.random() < 0.4:
            rib = box((0.95 * inner, -0.002, level), (1.05 * inner, 0.002, level + 0.8 * length))
            builder.add(part, face.place([turned(rib, 2, turn * np.pi / 6) for turn in range(12)]), 3)
        level += length * rng.uniform(0.6, 1.0)
    top = upward((0, depth / 2, height))
    add_button(builder, rng, 0, top.at(-0.36 * width, 0), (0.1 * width, 0.1 * width), 0.003)
    if rng.random() < 0.7:
        add_knob(builder, rng, 0, top.at(0.35 * width, 0), rng.uniform(0.06, 0.09) * width)
    if rng.random() < 0.3:
        add_knob(builder, rng, 0, top.at(-0.2 * width, 0), 0.04 * width)
    back = LocalFrame(np.array([width / 2, depth, 0.0]), np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]))
    if rng.random() < 0.4:
        screen = back.at(0.3 * width, 0.15 * height)
        size = (0.62 * width, 0.7 * height, 0.005)
        limit = np.radians(rng.uniform(90, 180))
        hinge = str(rng.choice(["right", "left", "top"]))
        add_hinged_panel(builder, rng, 0, screen, size, hinge, limit, grip=False, plain=True)
    if rng.random() < 0.5:
        counts = (int(rng.integers(1, 3)), int(rng.integers(2, 5)))
        button_grid(builder, rng, 0, back.at(0.06 * width, 0.15 * height), (0.18 * width, 0.6 * height), counts, 0.002)
    if rng.random() < 0.25:
        flash = top.at(-0.12 * width, -0.3 * depth)
        limit = np.radians(rng.uniform(50, 90))
        add_hinged_panel(
            builder, rng, 0, flash, (0.24 * width, 0.5 * depth, 0.012), "top", limit, grip=False, plain=True
        )
    return builder.build(rng, "camera", "gadget")


def remote(rng: np.random.Generator) -> MovingObject:
    """A slab with a grid of buttons: remote control, calculator, telephone, keypad, keyboard."""
    keyboard = rng.random() < 0.35
    width, length = (
        (rng.uniform(0.25, 0.45), rng.uniform(0.1, 0.16))
        if keyboard
        else (rng.uniform(0.04, 0.09), rng.uniform(0.1, 0.22))
    )
    thick = rng.uniform(0.008, 0.03)
    builder = Builder()
    if rng.random() < 0.4:
        sizes = np.array([[0.92, 0.95], [1.0, 1.0], [0.95, 0.97]]) * (width, length)
        plate = rounded_prism(sizes, 0.2 * min(width, length), [0, 0.6 * thick, thick], 4)
        builder.add(0, moved(plate, (0, length / 2, 0)))
    else:
        builder.add(0, slab(rng, (-width / 2, 0, 0), (width / 2, length, thick)))
    counts = (
        (int(rng.integers(6, 13)), int(rng.integers(3, 6)))
        if keyboard
        else (int(rng.integers(2, 5)), int(rng.integers(3, 9)))
    )
    stroke = rng.uniform(0.02, 0.1) * min(width, length)
    share = rng.uniform(0.5, 0.9)
    face = upward((-0.45 * width, 0.05 * length, thick))
    button_grid(builder, rng, 0, face, (0.9 * width, share * 0.9 * length), counts, stroke)
    if not keyboard and share < 0.72:
        spot = upward((0, (share + 0.14) * length, thick))
        habit = rng.random()
        if habit < 0.4:
            add_knob(builder, rng, 0, spot, 0.22 * width)
        elif habit < 0.7:
            builder.add(0, spot.place(box((-0.4 * width, -0.08 * length, 0), (0.4 * width, 0.08 * length, 0.002))), 3)
        else:
            part = builder.part(0, "revolute", (1, 0, 0), spot.origin, (-0.2, 0.2))
            builder.add(
                part, spot.place(box((-0.1 * width, -0.09 * length, -0.002), (0.1 * width, 0.09 * length, 0.006))), 4
            )
    if rng.random() < 0.25:  # the battery's lid, or a stand
        below = LocalFrame(np.array([-0.35 * width, 0.75 * length, 0.0]), np.diag([1.0, -1.0, -1.0]))
        if rng.random() < 0.5:
            part = builder.part(0, "prismatic", (0, -1, 0), limits=(0.0, 0.3 * length))
            builder.add(part, below.place(box((0, 0, 0), (0.7 * width, 0.4 * length, 0.002))), 3)
        else:
            size = (0.7 * width, 0.3 * length, 0.003)
            add_hinged_panel(builder, rng, 0, below, size, "bottom", np.radians(80), grip=False, plain=True)
    return builder.build(rng, "remote", "gadget")


def mouse(rng: np.random.Generator) -> MovingObject:
    """A rounded body with two buttons that dip and a wheel that turns."""
    width, length, height = rng.uniform(0.05, 0.07), rng.uniform(0.09, 0.12), rng.uniform(0.025, 0.04)
    builder = Builder()
    sizes = np.array([[0.9, 0.95], [1.0, 1.0], [0.9, 0.9], [0.5, 0.55]]) * (width, length)
    body = rounded_prism(sizes, 0.45 * width, np.array([0, 0.3, 0.75, 1.0]) * height, 5)
    builder.add(0, moved(body, (0, length / 2, 0)))
    for side in (-1, 1):
        pivot = (0, 0.45 * length, height)
        part = builder.part(0, "revolute", (1, 0, 0), pivot, (0.0, np.radians(rng.uniform(2, 6))))
        low, high = sorted((side * 0.06 * width, side * 0.36 * width))
        outline = [
            [0.08 * length, 0.72 * height],
            [0.45 * length, 1.0 * height],
            [0.45 * length, 1.08 * height],
            [0.06 * length, 0.8 * height],
        ]
        piece = extruded(outline, low, high)
        builder.add(part, (piece[0][:, [2, 0, 1]], piece[1]), 1)
    axle = (0, 0.22 * length, 0.8 * height)
    part = builder.part(0, "continuous", (1, 0, 0), axle)
    tyre = turned(cylinder(0.16 * length, -0.05 * width, 0.05 * width, 16), 1, np.pi / 2)
    builder.add(part, moved(tyre, axle), 2)
    return builder.build(rng, "mouse", "gadget")


def usb_stick(rng: np.random.Generator) -> MovingObject:
    """A memory stick: a cap that slides off, a case that swivels about its end, or a plug that slides out."""
    length, width, thick = rng.uniform(0.05, 0.08), rng.uniform(0.015, 0.022), rng.uniform(0.006, 0.012)
    builder = Builder()
    half, flat = width / 2, thick / 2
    plug = box((length, -0.35 * width, -0.22 * thick), (1.3 * length, 0.35 * width, 0.22 * thick))
    builder.add(0, slab(rng, (0, -half, -flat), (length, half, flat)))
    habit = rng.random()
    if habit < 0.35:
        builder.add(0, plug, 1)
        out = rng.choice([0.0, rng.uniform(0, 0.3)]) * length
        part = builder.part(0, "prismatic", (1, 0, 0), limits=(-out, 0.5 * length - out))
        builder.add(part, moved(box((length, -half, -flat), (1.35 * length, half, flat)), (out, 0, 0)), 2)
    elif habit < 0.75:
        builder.add(0, plug, 1)
        pivot = (0.1 * length, 0, 0)
        part = builder.part(0, "continuous" if rng.random() < 0.4 else "revolute", (0, 0, 1), pivot, (0.0, np.pi))
        cover = [
            box(
                (-0.15 * length, -half, side * 1.15 * flat - 0.0005), (1.35 * length, half, side * 1.15 * flat + 0.0005)
            )
            for side in (-1, 1)
        ]
        cover.append(box((-0.17 * length, -half, -1.2 * flat), (-0.15 * length, half, 1.2 * flat)))
        builder.add(part, cover, 2)
        builder.add(part, moved(cylinder(0.3 * half, -1.3 * flat, 1.3 * flat, 10), pivot), 3)
    else:
        part = builder.part(0, "prismatic", (1, 0, 0), limits=(-0.3 * length, 0.0))
        builder.add(part, plug, 1)
        builder.add(part, box((0.45 * length, -0.3 * half, flat), (0.6 * length, 0.3 * half, 1.4 * flat)), 2)
    if rng.random() < 0.3:
        builder.turn(1, -np.pi / 2)
    return builder.build(rng, "usb_stick", "gadget")


def pen(rng: np.random.Generator) -> MovingObject:
    """A pen, marker, lipstick or screwdriver: a cap that slides off, a button at the end, a part that turns."""
    length, radius = rng.uniform(0.1, 0.16), rng.uniform(0.004, 0.014)
    builder = Builder()
    segments = int(rng.choice([6, 10, 16]))
    tip = rng.uniform(0.1, 0.2) * length
    builder.add(0, revolved([[0.1 * radius, 0], [0.6 * radius, 0.5 * tip], [radius, tip], [radius, length]], segments))
    habit = rng.random()
    if habit < 0.5:
        cap = rng.uniform(0.25, 0.6) * length
        slid = builder.part(0, "prismatic", (0, 0, -1), limits=(0.0, rng.uniform(0.4, 1.2) * cap))
        part = builder.part(slid, "continuous", (0, 0, 1)) if rng.random() < 0.3 else slid
        builder.add(part, cylinder(1.15 * radius, -0.05 * length, cap, segments), 1)
        if rng.random() < 0.6:
            clip = box((radius, -0.25 * radius, 0.1 * cap), (1.6 * radius, 0.25 * radius, 0.95 * cap))
            builder.add(part, clip, 2)
    elif habit < 0.8:
        part = builder.part(0, "prismatic", (0, 0, -1), limits=(0.0, 0.06 * length))
        builder.add(part, cylinder(0.6 * radius, 0.97 * length, 1.08 * length, 10), 1)
        builder.add(0, box((0.9 * radius, -0.2 * radius, 0.65 * length), (1.5 * radius, 0.2 * radius, length)), 2)
    else:
        part = builder.part(0, "continuous", (0, 0, 1))
        builder.add(part, cylinder(1.05 * radius, 0.6 * length, 1.05 * length, segments), 1)
        builder.add(part, box((radius, -0.2 * radius, 0.65 * length), (1.6 * radius, 0.2 * radius, length)), 2)
    if rng.random() < 0.6:
        builder.turn(1, np.pi / 2)
    return builder.build(rng, "pen", "gadget")


def printer(rng: np.random.Generator) -> MovingObject:
    """A box with a scanner's lid, paper trays that slide and flap, buttons."""
    width, depth, height = rng.uniform(0.35, 0.5), rng.uniform(0.28, 0.42), rng.uniform(0.12, 0.35)
    builder = Builder()
    left = -width / 2
    builder.add(0, slab(rng, (left, 0, 0), (-left, depth, height)))
    thick = rng.uniform(0.015, 0.05)
    if rng.random() < 0.8:
        lid = upward((left, 0.1 * depth, height))
        add_hinged_panel(
            builder, rng, 0, lid, (width, 0.88 * depth, thick), "top", np.radians(rng.uniform(50, 90)), grip=False
        )
    for row in range(int(rng.integers(0, 3))):
        place = front((left + 0.12 * width, 0, 0.02 + 0.3 * row * height))
        add_drawer(builder, rng, 0, place, (0.76 * width, 0.27 * height, 0.8 * depth), 0.008)
    if rng.random() < 0.6:
        flap = front((left + 0.15 * width, 0, 0.65 * height))
        size = (0.7 * width, 0.25 * height, 0.008)
        add_hinged_panel(
            builder, rng, 0, flap, size, "bottom", np.radians(rng.uniform(70, 110)), grip=False, plain=True
        )
    if rng.random() < 0.4:
        rear = LocalFrame(np.array([0.35 * width, depth, height]), np.array([[-1.0, 0, 0], [0, 0, 1.0], [0, 1.0, 0]]))
        size = (0.7 * width, rng.uniform(0.1, 0.25), 0.006)
        add_hinged_panel(builder, rng, 0, rear, size, "bottom", np.radians(rng.uniform(20, 50)), grip=False, plain=True)
    counts = (int(rng.integers(2, 6)), int(rng.integers(1, 3)))
    spot = upward((left + 0.05 * width, 0.01 * depth, height))
    button_grid(builder, rng, 0, spot, (0.35 * width, 0.08 * depth), counts, 0.005)
    return builder.build(rng, "printer", "gadget")


def lighter(rng: np.random.Generator) -> MovingObject:
    """A pocket lighter: lid that flips, a wheel that turns, a button that dips."""
    width, depth, height = rng.uniform(0.025, 0.04), rng.uniform(0.01, 0.015), rng.uniform(0.04, 0.07)
    builder = Builder()
    split = rng.uniform(0.6, 0.8) * height
    if rng.random() < 0.3:
        sizes = np.full((2, 2), (width, depth))
        builder.add(0, rounded_prism(sizes, 0.49 * depth, [0, split], 4))
    else:
        builder.add(0, slab(rng, (-width / 2, -depth / 2, 0), (width / 2, depth / 2, split)))
    rise = height - split
    builder.add(0, box((-0.15 * width, -0.3 * depth, split), (0.25 * width, 0.3 * depth, split + 0.75 * rise)), 1)
    axle = (-0.2 * width, 0, split + 0.5 * rise)
    wheel = builder.part(0, "continuous", (0, 1, 0), axle)
    disc = turned(cylinder(0.3 * rise, -0.2 * depth, 0.2 * depth, 14), 0, np.pi / 2)
    ring = turned(torus(0.28 * rise, 0.05 * rise, 14, 5), 0, np.pi / 2)
    builder.add(wheel, [moved(piece, axle) for piece in (disc, ring)], 2)
    if rng.random() < 0.75:
        limit = np.radians(rng.uniform(90, 150))
        opened = limit if rng.random() < 0.3 else 0.0
        pivot = (width / 2, 0, split)
        lid = builder.part(0, "revolute", (0, 1, 0), pivot, (-opened, limit - opened))
        cover = rounded_prism(
            np.full((4, 2), (width, depth)) * [[1], [1], [0.9], [0.9]],
            0.05 * width,
            [height, split, split, 0.97 * height],
            2,
        )
        cover = (cover[0], cover[1][:, ::-1])
        piece = turned(moved(cover, (-pivot[0], 0, -split)), 1, opened)
        builder.add(lid, moved(piece, pivot), 3)
        if rng.random() < 0.4:
            builder.add(lid, moved(sphere(0.08 * depth, 6), pivot), 3)
    else:
        place = upward((-0.38 * width, 0, split + 0.1 * rise))
        add_button(builder, rng, 0, place, (0.2 * width, 0.6 * depth), 0.15 * rise)
    return builder.build(rng, "lighter", "gadget")
