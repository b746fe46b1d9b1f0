"""A bedside cabinet, 0.8 m tall: a door on hinges below a drawer, all of closed boards with gaps of 2 to 3 mm."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ..scene.materials import material
from .meshes import Part, lathe, make_mesh, stepped_box, tube
from .place import add_poke, place_object

__all__ = ["build"]

# Metres; the body's front is at y = 0 and looks along -Y.
WIDTH, DEPTH, FOOT, TOP = 0.42, 0.35, 0.16, 0.80
WOOD, BACK = 0.018, 0.010  # how thick the boards are, and the one behind
LEFT, RIGHT = -WIDTH / 2 + WOOD, WIDTH / 2 - WOOD  # of the space inside
DIVIDER = 0.625  # the middle of the board between door and drawer
GAP = 0.003  # between door, drawer and top
FRONT = -WOOD - 0.002  # door and drawer lie before the body
BEVEL = 0.0015
LEG_PROFILE = ((0.0, 0.0), (0.011, 0.0), (0.0125, 0.002), (0.021, FOOT - 0.006), (0.021, FOOT), (0.0, FOOT))
# What door and drawer cover: left and right, bottom and top.
SIDES = -WIDTH / 2 + 0.001, WIDTH / 2 - 0.001
DOOR = FOOT + 0.001, DIVIDER - GAP / 2
DRAWER = DIVIDER + GAP / 2, TOP - WOOD - GAP
DOOR_HANDLE = SIDES[1] - 0.027, FRONT, sum(DOOR) / 2  # far from the hinges, which are on the left
DRAWER_HANDLE = 0.0, FRONT, sum(DRAWER) / 2


def _board(low: Sequence[float], high: Sequence[float]) -> Part:
    """A cuboid with its long edges bevelled."""
    size = np.subtract(high, low)
    axis = int(np.argmin(size))
    steps = ((BEVEL, 0.0), (0.0, BEVEL), (0.0, size[axis] - BEVEL), (BEVEL, size[axis]))
    return stepped_box(low, high, axis, steps, "Oak")


def _front(levels: tuple[float, float], rim: float) -> Part:
    """A door or a drawer's face between two heights; inside of its rim it lies deeper."""
    bottom, top = levels
    steps = ((rim + 0.004, 0.006), (rim, 0.0), (BEVEL, 0.0), (0.0, BEVEL), (0.0, WOOD - BEVEL), (BEVEL, WOOD))
    return stepped_box((SIDES[0], FRONT, bottom), (SIDES[1], FRONT + WOOD, top), 1, steps, "Paint")


def _handle(place: Sequence[float], across: Sequence[float], length: float) -> Part:
    """A bow that stands out of a front at `place`, along the unit vector `across`."""
    turn = np.linspace(0.0, np.pi, 21)[:, None]
    # Fuller than half an ellipse: a hand fits behind it.
    out = 0.028 * np.sin(turn) ** 0.6
    path = np.asarray(place) - 0.5 * length * np.cos(turn) * across + out * (0.0, -1.0, 0.0)
    return tube(path, np.full(len(path), 0.0048), 12, "Brass")


def _body() -> list[Part]:
    """Top, bottom, sides, back, the board between door and drawer, and four legs."""
    low, high, back = FOOT + WOOD, TOP - WOOD, DEPTH - BACK
    left, right = -WIDTH / 2, WIDTH / 2
    leg = lathe(LEG_PROFILE, 24, "Oak")
    return [
        _board((left - 0.004, FRONT - 0.004, high), (right + 0.004, DEPTH, TOP)),
        _board((left, 0.0, FOOT), (right, DEPTH, low)),
        _board((left, 0.0, low), (LEFT, DEPTH, high)),
        _board((RIGHT, 0.0, low), (right, DEPTH, high)),
        _board((LEFT, back, low), (RIGHT, DEPTH, high)),
        _board((LEFT, 0.002, DIVIDER - WOOD / 2), (RIGHT, back, DIVIDER + WOOD / 2)),
        *(
            Part(leg.vertices + np.array((x, y, 0.0)), leg.faces, leg.material)
            for x in (left + 0.06, right - 0.06)
            for y in (0.05, DEPTH - 0.05)
        ),
    ]


def _door() -> list[Part]:
    return [_front(DOOR, 0.055), _handle(DOOR_HANDLE, (0.0, 0.0, 1.0), 0.24)]


def _drawer() -> list[Part]:
    low = LEFT + 0.009, FRONT + WOOD, DIVIDER + WOOD / 2 + 0.008
    high = RIGHT - 0.009, DEPTH - BACK - 0.02, TOP - WOOD - 0.04
    wall, height = 0.010, high[2] - low[2]
    tray = stepped_box(low, high, 2, ((0.0, 0.0), (0.0, height), (wall, height), (wall, wall)), "Birch")
    return [_front(DRAWER, 0.022), tray, _handle(DRAWER_HANDLE, (1.0, 0.0, 0.0), 0.09)]


def build(context: bpy.types.Context) -> bpy.types.Object:
    """Adds the cabinet; pokes at its handles swing the door, pull the drawer, and push that half back in."""
    materials = {
        "Oak": material("Oak", (0.44, 0.235, 0.095), 0.5),
        "Paint": material("Paint", (0.055, 0.185, 0.195), 0.45),
        "Birch": material("Birch", (0.66, 0.49, 0.30), 0.6),
        "Brass": material("Brass", (0.80, 0.53, 0.13), 0.3),
    }
    mesh = make_mesh("Cabinet", [*_body(), *_door(), *_drawer()], materials)
    mesh.set_sharp_from_angle(angle=np.radians(30.0))  # or the bevels shade the boards as if they were round
    cabinet = place_object(context, mesh)
    cabinet.neurok.anchor = "AUTO"
    cabinet.neurok.density = 650.0
    add_poke(cabinet, DOOR_HANDLE, (0.0, -0.125, 0.0), radius=0.08, frame=4)
    add_poke(cabinet, DRAWER_HANDLE, (0.0, -0.13, 0.0), radius=0.08, frame=24)
    add_poke(cabinet, DRAWER_HANDLE, (0.0, 0.09, 0.0), radius=0.08, frame=48)
    return cabinet
