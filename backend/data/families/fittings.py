"""Moving parts that many families share: hinged panels, drawers, knobs, buttons, wheels."""

from __future__ import annotations

import numpy as np

from ..builder import Builder
from ..local_frame import LocalFrame
from ..shapes import bevelled_box, box, cylinder, moved
from .pieces import bar_handle, container, contents, handle, knob, panel, slab, wheel

__all__ = ["add_button", "add_drawer", "add_hinged_panel", "add_knob", "add_leaf", "add_wheel", "button_grid"]

# Which way the free edge looks from the hinge, in the panel's plane.
_FREE = {"left": (1, 0), "right": (-1, 0), "bottom": (0, 1), "top": (0, -1)}


def add_hinged_panel(
    builder: Builder,
    rng: np.random.Generator,
    parent: int,
    frame: LocalFrame,
    size: tuple[float, float, float],
    hinge: str,
    limit: float,
    slot: int = 1,
    grip: bool | None = None,
    plain: bool = False,
    swings: bool = False,
) -> int:
    """A door, lid or flap on the local box 0..size that opens outwards (local z) by up to `limit` radians.

    `hinge` is the edge that stays: left, right, bottom or top. The axis runs along that edge: at the inner corner,
    the outer one, or in the middle of the panel's thickness. One that `swings` opens both ways. Returns the part.
    """
    width, height, thickness = size
    x, y = _FREE[hinge]
    depth = rng.choice([0.0, 0.5, 1.0]) * thickness
    edge = frame.point(width if hinge == "right" else 0.0, height if hinge == "top" else 0.0, depth)
    part = builder.part(parent, "revolute", frame.direction(y, -x, 0.0), edge, (-limit if swings else 0.0, limit))
    body, inset = (slab(rng, (0, 0, 0), size), []) if plain else panel(rng, width, height, thickness)
    builder.add(part, frame.place(body), slot)
    builder.add(part, frame.place(inset), slot + 1)
    if grip or (grip is None and rng.random() < 0.75):
        span = width if x else height  # from the hinge to the free edge
        along = height if x else width
        inwards = rng.uniform(0.04, 0.15) * span
        place = rng.uniform(0.25, 0.75) if rng.random() < 0.5 else 0.5
        middle = {
            "left": (width - inwards, place * height),
            "right": (inwards, place * height),
            "bottom": (place * width, height - inwards),
            "top": (place * width, inwards),
        }[hinge]
        upright = bool(x) == (rng.random() < 0.85)
        grip_frame = frame.at(*middle, thickness)
        grip_length = rng.uniform(0.1, 0.6) * (along if bool(x) == upright else 0.5 * span)
        reach = rng.uniform(0.02, 0.06) * max(width, height)
        if rng.random() < 0.35:  # a bar along the free edge
            upright, grip = bool(x), bar_handle(rng, rng.uniform(0.4, 0.97) * along, reach)
            grip_frame = frame.at(*((middle[0], 0.5 * height) if x else (0.5 * width, middle[1])), thickness)
        else:
            grip = handle(rng, grip_length, reach)
        builder.add(part, (grip_frame if upright else grip_frame.turned(1)).place(grip), slot + 2)
    if rng.random() < 0.25:  # barrels of the hinge: one half of them moves, the other stays
        radius = rng.uniform(0.4, 0.8) * thickness
        along = height if x else width
        for share in (0.15, 0.85):
            low = share * along - 0.04 * along
            barrel = cylinder(radius, low, low + 0.08 * along, 8)
            local = frame.at(width if hinge == "right" else 0.0, height if hinge == "top" else 0.0, depth)
            # Local z of the barrel runs along the hinge.
            axes = np.stack([local.axes[2], local.axes[0], local.axes[1]])
            if not x:
                axes = np.stack([local.axes[1], local.axes[2], local.axes[0]])
            builder.add(int(rng.choice([parent, part])), LocalFrame(local.origin, axes).place(barrel), slot + 2)
    return part


def add_leaf(
    builder: Builder,
    rng: np.random.Generator,
    frame: LocalFrame,
    size: tuple[float, float, float],
    way: str,
    limit: float,
    bare: float = 0.05,
    corner: float = 0.0,
    slot: int = 1,
) -> int:
    """A front on the local box 0..size with its grip where a hand would pull it: at the edge that comes out.

    `way` is the edge that it is hinged at, as in `add_hinged_panel`, or "slides_left" or "slides_right". `bare`: how
    often it has no grip; `corner`: how often that is at an end of the free edge instead of anywhere along it.
    """
    width, height, thickness = size
    if way.startswith("slides"):
        free = "left" if way == "slides_right" else "right"  # pulled from the far end
        sign = 1.0 if way == "slides_right" else -1.0
        part = builder.part(0, "prismatic", sign * frame.axes[0], frame.origin, (0.0, limit))
        body, inset = panel(rng, width, height, thickness)
        builder.add(part, frame.place(body), slot)
        builder.add(part, frame.place(inset), slot + 1)
    else:
        free = {"left": "right", "right": "left", "bottom": "top", "top": "bottom"}[way]
        part = add_hinged_panel(builder, rng, 0, frame, size, way, limit, slot, grip=False)
    if rng.random() < bare:
        return part
    beside = free in ("left", "right")
    span, along = (width, height) if beside else (height, width)
    inwards = rng.uniform(0.03, 0.14) * span
    reach = rng.uniform(0.02, 0.1) * min(width, height)
    habit = rng.random()
    if habit < 0.5:
        length = rng.uniform(0.45, 0.98) * along
        grip, place = bar_handle(rng, length, reach), 0.5
    else:
        length = rng.uniform(0.03, 0.35) * along
        grip, place = handle(rng, length, reach), rng.uniform(0.3, 0.7)
        if rng.random() < corner:
            place = rng.choice([0.06, 0.94]) + rng.uniform(-0.03, 0.03)
            place = min(max(place, 0.55 * length / along), 1.0 - 0.55 * length / along)
    at = inwards if free in ("left", "bottom") else span - inwards
    spot = frame.at(at, place * along, thickness) if beside else frame.at(place * along, at, thickness)
    builder.add(part, (spot if beside else spot.turned(1)).place(grip), slot + 2)
    return part


def add_drawer(
    builder: Builder,
    rng: np.random.Generator,
    parent: int,
    frame: LocalFrame,
    size: tuple[float, float, float],
    front: float,
    slot: int = 1,
    gap: float = 0.004,
) -> int:
    """A drawer behind the local rectangle 0..width, 0..height, `depth` deep; its front is `front` thick."""
    width, height, depth = size
    part = builder.part(
        parent, "prismatic", frame.direction(0, 0, 1), frame.origin, (0.0, rng.uniform(0.5, 0.9) * depth)
    )
    wall = min(rng.uniform(0.005, 0.015), 0.1 * min(width, height))
    inner = rng.uniform(0.6, 0.9) * height
    if rng.random() < 0.95:  # local z points out; the box is built lying, its opening along local y
        tray = container(rng, (gap, -depth, 2 * gap), (width - gap, 0.0, inner), wall)
        lying = LocalFrame(frame.origin, np.stack([frame.axes[0], frame.axes[2], frame.axes[1]]))
        pieces = [(vertices, triangles[:, ::-1]) for vertices, triangles in lying.place(tray)]
        builder.add(part, pieces, slot)
        if rng.random() < 0.15:
            inside = contents(
                rng, (0.1 * width, -0.9 * depth, wall + 2 * gap), (0.9 * width, -0.1 * depth, 0.9 * height)
            )
            builder.add(part, [(each[0], each[1][:, ::-1]) for each in lying.place(inside)], slot + 3)
    face = frame.at(gap, gap, rng.choice([0.0, -0.5, -0.9]) * front)
    body, inset = panel(rng, width - 2 * gap, height - 2 * gap, front)
    builder.add(part, face.place(body), slot + 1)
    builder.add(part, face.place(inset), slot + 1)
    grips = 2 if width > 2.5 * height and rng.random() < 0.4 else 1
    length, reach = rng.uniform(0.1, 0.4) * width / grips, rng.uniform(0.02, 0.05) * max(width, height)
    up = rng.uniform(0.45, 0.8) * height
    if rng.random() < 0.85:
        grip = handle(rng, min(length, 2.0 * height), reach)
        for share in (0.5,) if grips == 1 else (0.22, 0.78):
            builder.add(part, face.at(share * width, up, front).turned(1).place(grip), slot + 2)
    return part


def add_knob(
    builder: Builder,
    rng: np.random.Generator,
    parent: int,
    frame: LocalFrame,
    radius: float,
    slot: int = 3,
    turn: float | None = None,
) -> int:
    """A knob on a face, turning about local z at the frame's origin: endlessly, or `turn` radians each way."""
    limits = None if turn is None else (-turn, turn)
    part = builder.part(parent, "continuous" if turn is None else "revolute", frame.axes[2], frame.origin, limits)
    builder.add(part, frame.place(knob(rng, radius, rng.uniform(0.5, 1.2) * radius)), slot)
    return part


def add_button(
    builder: Builder,
    rng: np.random.Generator,
    parent: int,
    frame: LocalFrame,
    size: tuple[float, float],
    stroke: float,
    slot: int = 4,
) -> int:
    """A button about the frame's origin, `size` wide and high, that is pushed in by up to `stroke`."""
    part = builder.part(parent, "prismatic", -frame.axes[2], frame.origin, (0.0, stroke))
    width, height = 0.5 * size[0], 0.5 * size[1]
    out = stroke * rng.uniform(0.7, 1.5)
    habit = rng.random()
    if habit < 0.4:
        piece = cylinder(min(width, height), -stroke, out, int(rng.choice([8, 12, 16])), 0.9 * min(width, height))
    elif habit < 0.7:
        piece = box((-width, -height, -stroke), (width, height, out))
    else:
        piece = bevelled_box((-width, -height, -stroke), (width, height, out), 0.3 * min(width, height))
    builder.add(part, frame.place(piece), slot)
    return part


def button_grid(
    builder: Builder,
    rng: np.random.Generator,
    parent: int,
    frame: LocalFrame,
    area: tuple[float, float],
    counts: tuple[int, int],
    stroke: float,
    slot: int = 4,
) -> None:
    """Buttons in columns and rows on the local rectangle 0..area, each pushed on its own."""
    columns, rows = counts
    fill = rng.uniform(0.5, 0.85, 2)
    size = (fill[0] * area[0] / columns, fill[1] * area[1] / rows)
    seed = rng.integers(2**32)
    for row in range(rows):
        for column in range(columns):
            spot = frame.at((column + 0.5) * area[0] / columns, (row + 0.5) * area[1] / rows)
            # One look for all buttons of a grid.
            add_button(builder, np.random.default_rng(seed), parent, spot, size, stroke, slot)


def add_wheel(
    builder: Builder,
    rng: np.random.Generator,
    parent: int,
    centre: tuple[float, float, float],
    radius: float,
    width: float,
    slot: int = 2,
    follows: int | None = None,
) -> int:
    """A wheel with its axis along X that turns endlessly."""
    part = builder.part(parent, "continuous", (1, 0, 0), centre, follows=follows)
    builder.add(part, [moved(piece, centre) for piece in wheel(rng, radius, width)], slot)
    return part
