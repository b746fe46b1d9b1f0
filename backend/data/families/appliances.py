"""Kitchen machines with doors, knobs and buttons: ovens, dishwashers, washing machines, refrigerators, safes."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..local_frame import LocalFrame, front, upward
from ..moving_object import MovingObject
from ..shapes import Piece, box, cylinder, disc, loft, moved, rectangle, revolved
from .controls import add_controls, add_knob_row, add_racks, wire_basket
from .fittings import add_drawer, add_hinged_panel, add_knob, button_grid
from .pieces import carcass, container, legs, slab

__all__ = ["dishwasher", "microwave", "oven", "refrigerator", "safe", "washing_machine"]


def microwave(rng: np.random.Generator) -> MovingObject:
    """A wide box with a side-hinged door on its left, a panel of knobs and buttons on its right, a turntable."""
    width, depth, height = rng.uniform(0.4, 0.6), rng.uniform(0.25, 0.45), rng.uniform(0.2, 0.35)
    wall, door = rng.uniform(0.008, 0.02), rng.uniform(0.01, 0.04)
    controls = rng.uniform(0.15, 0.35) * width
    builder = Builder()
    left = -width / 2
    builder.add(0, carcass(rng, (left, 0, 0), (left + width - controls, depth, height), wall))
    body = slab(rng, (left + width - controls, 0, 0), (width / 2, depth, height))
    builder.add(0, body if rng.random() < 0.8 else box((left + width - controls, -door, 0), (width / 2, depth, height)))
    if rng.random() < 0.6:
        builder.add(0, legs(rng, (left, 0), (width / 2, depth), 0.02), 5)
    frame = front((left, 0, 0))
    add_hinged_panel(builder, rng, 0, frame, (width - controls, height, door), "left", np.radians(rng.uniform(80, 130)))
    face = front((left + width - controls, -0.001, 0))
    add_controls(builder, rng, face, (controls, height), upright=True)
    if rng.random() < 0.5:
        middle = (left + (width - controls) / 2, depth / 2, wall + 0.005)
        radius = 0.38 * min(width - controls, depth)
        builder.add(builder.part(0, "continuous", (0, 0, 1), middle), moved(disc(radius, 0.0, 20), middle), 6)
    return builder.build(rng, "microwave", "appliance")


def oven(rng: np.random.Generator) -> MovingObject:
    """A cooker: a door hinged at its bottom, a row of knobs above, racks inside, sometimes a drawer below."""
    width, depth, height = rng.uniform(0.45, 0.8), rng.uniform(0.45, 0.65), rng.uniform(0.4, 0.95)
    wall, door = rng.uniform(0.01, 0.03), rng.uniform(0.015, 0.05)
    builder = Builder()
    left, strip = -width / 2, rng.uniform(0.08, 0.16) * height
    drawer = rng.uniform(0.15, 0.25) * height if rng.random() < 0.35 else 0.0
    builder.add(0, carcass(rng, (left, 0, drawer), (-left, depth, height - strip), wall))
    builder.add(0, slab(rng, (left, rng.choice([0.0, -door]), height - strip), (-left, depth, height)), 5)
    if drawer:
        builder.add(0, carcass(rng, (left, 0, 0), (-left, depth, drawer), wall))
        place = front((left + wall, 0, wall))
        add_drawer(builder, rng, 0, place, (width - 2 * wall, drawer - 2 * wall, 0.9 * depth), door)
    size = (width - 0.01, height - strip - drawer - 0.01, door)
    limit = np.radians(rng.uniform(80, 95))
    hinge = "bottom" if rng.random() < 0.9 else str(rng.choice(["left", "right"]))
    part = add_hinged_panel(builder, rng, 0, front((left + 0.005, 0, drawer + 0.005)), size, hinge, limit, grip=True)
    if rng.random() < 0.3:
        window = front((left + 0.2 * width, -1.02 * door, drawer + 0.3 * size[1]))
        builder.add(part, window.place(rectangle((0, 0, 0), (0.6 * width, 0, 0), (0, 0.4 * size[1], 0))), 6)
    if rng.random() < 0.7:
        add_knob_row(builder, rng, front((left, -door, height - strip)), width, strip)
    else:
        add_controls(builder, rng, front((left, -door, height - strip)), (width, strip), upright=False)
    add_racks(builder, rng, (left + wall, 0.03, drawer), (-left - wall, 0.9 * depth, height - strip))
    if rng.random() < 0.6:  # burners on top, and what stands behind them
        for x in (-0.22 * width, 0.22 * width):
            for y in (0.28 * depth, 0.72 * depth):
                radius = rng.uniform(0.12, 0.2) * min(width, depth)
                builder.add(0, moved(cylinder(radius, 0.0, 0.012, 12), (x, y, height)), 6)
        if rng.random() < 0.4:
            top = height + rng.uniform(0.05, 0.2)
            builder.add(0, slab(rng, (left, depth - 0.04, height), (-left, depth, top)), 5)
    return builder.build(rng, "oven", "appliance")


def dishwasher(rng: np.random.Generator) -> MovingObject:
    """A box with a door hinged at its bottom and racks that slide out, some of them on wheels."""
    width, depth, height = rng.uniform(0.4, 0.65), rng.uniform(0.45, 0.65), rng.uniform(0.5, 0.95)
    wall, door = rng.uniform(0.01, 0.03), rng.uniform(0.02, 0.06)
    builder = Builder()
    left, foot = -width / 2, rng.choice([0.0, 0.1 * height])
    builder.add(0, carcass(rng, (left, 0, foot), (-left, depth, height), wall))
    if foot:
        builder.add(0, box((left, 0.04, 0), (-left, depth, foot)), 5)
    limit = np.radians(rng.uniform(80, 92))
    size = (width, height - foot, door)
    part = add_hinged_panel(builder, rng, 0, front((left, 0, foot)), size, "bottom", limit, grip=True)
    if rng.random() < 0.6:
        count = int(rng.integers(2, 6))
        strip = LocalFrame(np.array([left + 0.1 * width, -door, 0.92 * height]), front((0, 0, 0)).axes)
        button_grid(builder, rng, part, strip, (0.8 * width, 0.05 * height), (count, 1), 0.008)
    for share in (0.12, 0.55)[: int(rng.integers(1, 3))]:
        low = foot + share * (height - foot)
        rack = builder.part(0, "prismatic", (0, -1, 0), (0, 0, 0), (0.0, rng.uniform(0.6, 0.9) * depth))
        inner = width / 2 - 1.5 * wall
        basket = ((-inner, 0.02, low), (inner, depth - 2 * wall, low + 0.25 * (height - foot)))
        builder.add(rack, wire_basket(rng, *basket) if rng.random() < 0.6 else container(rng, *basket, 0.006), 6)
    return builder.build(rng, "dishwasher", "appliance")


def washing_machine(rng: np.random.Generator) -> MovingObject:
    """A box with a round door at the front (or a lid on top), a drum that turns, a dial, buttons, a soap drawer."""
    width, depth, height = rng.uniform(0.5, 0.7), rng.uniform(0.4, 0.7), rng.uniform(0.6, 1.0)
    builder = Builder()
    left = -width / 2
    if rng.random() < 0.3:
        builder.add(0, container(rng, (left, 0, 0), (-left, depth, height), 0.02))
        lid = upward((left, 0, height))
        add_hinged_panel(builder, rng, 0, lid, (width, 0.8 * depth, 0.03), "top", np.radians(rng.uniform(70, 110)))
        builder.add(0, slab(rng, (left, 0.8 * depth, height), (-left, depth, height + 0.12)), 5)
        add_controls(builder, rng, front((left, 0.8 * depth, height)), (width, 0.12), upright=False)
        return builder.build(rng, "washing_machine", "appliance")
    radius = rng.uniform(0.28, 0.38) * width
    centre = np.array([0.0, 0.0, rng.uniform(0.42, 0.55) * height])
    builder.add(0, _pierced_box(rng, width, depth, height, centre, radius))
    segments = 20
    axes = front((0, 0, 0)).axes
    hole = LocalFrame(centre, axes)
    if rng.random() < 0.6:
        drum = builder.part(0, "continuous", (0, 1, 0), centre)
        profile = [[0.0, -0.8 * depth], [0.95 * radius, -0.8 * depth], [0.95 * radius, -0.02]]
        builder.add(drum, hole.place(revolved(profile, segments, False, False)), 6)
        if rng.random() < 0.6:
            blade = box((0.7 * radius, -0.02, -0.7 * depth), (0.95 * radius, 0.02, -0.1 * depth))
            turns = [np.radians(turn) for turn in (0, 120, 240)]
            builder.add(drum, hole.place([_spun(blade, turn) for turn in turns]), 6)
    side = float(rng.choice([-1.0, 1.0]))  # -1: hinged on the left
    ring = rng.uniform(1.0, 1.25) * radius
    hinge = centre + np.array([side * ring, rng.choice([0.0, -0.02]), 0.0])
    door = builder.part(0, "revolute", (0, 0, side), hinge, (0.0, np.radians(rng.uniform(90, 170))))
    rim = [[ring, 0.0], [ring, 0.04], [0.8 * ring, 0.055], [0.75 * ring, 0.04]]
    builder.add(door, hole.place(revolved(rim, segments, False, False)), 1)
    bulge = rng.uniform(-0.08, 0.05)
    glass = [[0.75 * ring, 0.04], [0.5 * ring, 0.04 + 0.7 * bulge], [0.01 * ring, 0.04 + bulge]]
    builder.add(door, hole.place(revolved(glass, segments, False, True)), 2)
    if rng.random() < 0.6:
        grip = hole.at(-side * 0.9 * ring, 0, 0.04)
        builder.add(door, grip.place(slab(rng, (-0.02, -0.05, 0), (0.02, 0.05, 0.03))), 3)
    strip = height - rng.uniform(0.12, 0.18)
    add_controls(builder, rng, front((left + 0.3 * width, 0, strip)), (0.7 * width, height - strip), upright=False)
    if rng.random() < 0.6:
        place = front((left + 0.02, 0, strip + 0.02))
        add_drawer(builder, rng, 0, place, (0.24 * width, height - strip - 0.04, 0.4 * depth), 0.015)
    return builder.build(rng, "washing_machine", "appliance")


def refrigerator(rng: np.random.Generator) -> MovingObject:
    """One door, two doors one above the other or side by side, or doors over freezer drawers; shelves inside."""
    width, depth, height = rng.uniform(0.45, 0.95), rng.uniform(0.45, 0.75), rng.uniform(0.7, 2.0)
    wall, door = rng.uniform(0.02, 0.05), rng.uniform(0.03, 0.1)
    builder = Builder()
    left = -width / 2
    limit = np.radians(rng.uniform(90, 160))
    gap = 0.004

    def space(x0: float, x1: float, z0: float, z1: float) -> None:
        builder.add(0, carcass(rng, (x0, 0, z0), (x1, depth, z1), wall))
        for share in np.linspace(0, 1, int(rng.integers(2, 6)))[1:-1]:
            level = z0 + share * (z1 - z0)
            builder.add(0, box((x0 + wall, 0.05, level), (x1 - wall, depth - wall, level + 0.008)), 6)
        if rng.random() < 0.3:
            place = front((x0 + 1.1 * wall, 0.04, z0 + 1.1 * wall))
            add_drawer(builder, rng, 0, place, (x1 - x0 - 2.2 * wall, 0.15 * (z1 - z0), 0.7 * depth), 0.01, slot=6)

    def leaf(x0: float, x1: float, z0: float, z1: float, hinge: str, seed: int) -> None:
        frame = front((x0 + gap, 0, z0 + gap))
        size = (x1 - x0 - 2 * gap, z1 - z0 - 2 * gap, door)
        part = add_hinged_panel(builder, np.random.default_rng(seed), 0, frame, size, hinge, limit, grip=True)
        for share in np.linspace(0.2, 0.8, int(rng.integers(0, 4))):  # trays on the inside of the door
            tray = ((x0 + 0.15 * (x1 - x0), 0.0, z0 + share * (z1 - z0)), (x1 - 0.15 * (x1 - x0), 0.4 * wall + 0.05, 0))
            low, high = np.array(tray[0]), np.array(tray[1])
            high[2] = low[2] + 0.08
            builder.add(part, container(rng, low, high, 0.006), 6)

    seed = int(rng.integers(2**32))
    hinge = str(rng.choice(["left", "right"]))
    habit = rng.random()
    if habit < 0.2:
        space(left, -left, 0, height)
        leaf(left, -left, 0, height, hinge, seed)
    elif habit < 0.5:
        split = rng.choice([rng.uniform(0.25, 0.4), rng.uniform(0.6, 0.75)]) * height
        for low, high in ((0.0, split), (split, height)):
            space(left, -left, low, high)
            leaf(left, -left, low, high, hinge, seed)
    else:
        below = rng.uniform(0.25, 0.4) * height if habit > 0.7 else 0.0
        middle = 0.0 if rng.random() < 0.5 else rng.uniform(-0.15, 0.15) * width
        if below:
            space(left, -left, 0, below)
            count = int(rng.integers(1, 3))
            for row in range(count):
                step = below / count
                place = front((left + gap, 0, row * step + gap))
                add_drawer(builder, rng, 0, place, (width - 2 * gap, step - 2 * gap, 0.85 * depth), door, gap=wall)
        for x0, x1, side in ((left, middle, "left"), (middle, -left, "right")):
            space(x0, x1, below, height)
            leaf(x0, x1, below, height, side, seed)
    if rng.random() < 0.3:
        builder.add(0, legs(rng, (left, 0), (-left, depth), 0.01), 5)
    return builder.build(rng, "refrigerator", "appliance")


def safe(rng: np.random.Generator) -> MovingObject:
    """A thick box with a thick door, and on the door a dial, a crank or a number pad."""
    width, depth, height = rng.uniform(0.3, 0.6), rng.uniform(0.3, 0.6), rng.uniform(0.3, 0.9)
    wall, door = rng.uniform(0.03, 0.07), rng.uniform(0.03, 0.07)
    builder = Builder()
    left = -width / 2
    builder.add(0, carcass(rng, (left, 0, 0), (-left, depth, height), wall))
    inset = rng.choice([0.0, wall])
    size = (width - 2 * inset, height - 2 * inset, door)
    frame = front((left + inset, door if inset else 0.0, inset))
    hinge = str(rng.choice(["left", "right"]))
    limit = np.radians(rng.uniform(90, 175))
    part = add_hinged_panel(builder, rng, 0, frame, size, hinge, limit, grip=rng.random() < 0.3, plain=True)
    free = 0.7 if hinge == "left" else 0.3
    dial = frame.at(free * size[0], rng.uniform(0.4, 0.6) * size[1], door)
    add_knob(builder, rng, part, dial, rng.uniform(0.07, 0.14) * min(size[:2]))
    if rng.random() < 0.5:
        crank = builder.part(part, "revolute", frame.axes[2], dial.point(0, -0.25 * size[1], 0), (0.0, np.pi / 2))
        at = dial.at(0, -0.25 * size[1])
        bar = [box((-0.01, -0.01, 0.02), (0.01, 0.12, 0.035)), cylinder(0.018, 0.0, 0.03, 10)]
        builder.add(crank, at.place(bar), 4)
    if rng.random() < 0.3:
        corner = frame.at((1 - free) * size[0] - 0.1 * size[0], 0.5 * size[1], door)
        button_grid(builder, rng, part, corner, (0.2 * size[0], 0.25 * size[1]), (3, 4), 0.006)
    if rng.random() < 0.5:
        builder.add(0, [moved(foot, (0, 0, -0.04)) for foot in legs(rng, (left, 0), (-left, depth), 0.05)], 5)
    return builder.build(rng, "safe", "appliance")


def _pierced_box(
    rng: np.random.Generator, width: float, depth: float, height: float, centre: np.ndarray, radius: float
) -> list[Piece]:
    """A cuboid whose front has a round hole."""
    count = 24
    angle = (np.arange(count) + 0.5) * 2 * np.pi / count
    circle = np.stack([np.cos(angle), np.zeros(count), np.sin(angle)], axis=1)
    # The front's outline, met by rays from the middle of the hole.
    reach = np.min(
        [
            np.where(circle[:, 0] > 0, width / 2, -width / 2) / np.where(circle[:, 0] == 0, 1e-9, circle[:, 0]),
            np.where(circle[:, 2] > 0, height - centre[2], -centre[2])
            / np.where(circle[:, 2] == 0, 1e-9, circle[:, 2]),
        ],
        axis=0,
    )
    rings = np.stack([centre + circle * reach[:, None], centre + circle * radius, centre + circle * radius])
    rings[2, :, 1] += rng.uniform(0.03, 0.6) * depth
    face = loft(rings, first=False, last=False)
    left, right, back = -width / 2, width / 2, depth
    sheets = [
        rectangle((left, back, 0), (0, -depth, 0), (0, 0, height)),
        rectangle((right, 0, 0), (0, depth, 0), (0, 0, height)),
        rectangle((right, back, 0), (-width, 0, 0), (0, 0, height)),
        rectangle((left, 0, height), (width, 0, 0), (0, depth, 0)),
        rectangle((left, back, 0), (width, 0, 0), (0, -depth, 0)),
    ]
    return [face, *sheets]


def _spun(piece: Piece, angle: float) -> Piece:
    """Turned about local z."""
    cosine, sine = np.cos(angle), np.sin(angle)
    turn = np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    return piece[0] @ turn, piece[1]
