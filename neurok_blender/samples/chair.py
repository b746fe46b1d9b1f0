"""A wooden chair, 0.9 m tall, of 45 turned and bent parts; it stands by itself and is pushed over backwards."""

from __future__ import annotations

import bpy
import numpy as np

from ..scene.materials import material
from .meshes import Array, Part, ellipsoid, lathe, make_mesh, tube
from .place import add_poke, place_object

__all__ = ["build"]

# Metres; the chair looks along -Y.
SEAT, THICK = 0.44, 0.034  # height of the seat's lower side, and how thick it is
WIDTH, DEPTH = 0.215, 0.205  # half of the seat's
LEG_TOP, LEG_FOOT = (0.135, 0.130), (0.205, 0.195)  # x and y of a leg in the seat and on the floor
LEG_RADII = (0.011, 0.013, 0.016, 0.019, 0.0165, 0.021, 0.0165, 0.019, 0.0205, 0.019, 0.016, 0.0125, 0.0125)
# Of the board: shares of its half width, and of its thickness.
SEAT_PROFILE = (
    (0.0, 0.0),
    (0.45, 0.0),
    (0.90, 0.0),
    (0.98, 0.25),
    (1.0, 0.6),
    (0.98, 0.85),
    (0.94, 1.0),
    (0.6, 1.0),
    (0.3, 1.0),
    (0.0, 1.0),
)
STRETCHERS = 0.17, 0.27  # heights of those at the sides; another one is between the lower ones
SPINDLES = 11
RAIL = 0.86  # height of the back's rail, and how far it leans back at that height
LEAN, BOW = 0.10, 0.045
PEG = 0.006  # radius


def _leg(x: float, y: float) -> Array:
    """Middle line Float[P,3] of the leg on the sides `x` and `y` (1 or -1), from the floor up into the seat."""
    s = np.linspace(0.0, 1.0, len(LEG_RADII))[:, None]
    foot = np.array([x * LEG_FOOT[0], y * LEG_FOOT[1], 0.0])
    top = np.array([x * LEG_TOP[0], y * LEG_TOP[1], SEAT + 0.012])
    return foot + s * (top - foot)


def _on_leg(x: float, y: float, height: float) -> Array:
    path = _leg(x, y)
    return path[0] + (path[-1] - path[0]) * height / path[-1, 2]


def _leg_part(x: float, y: float) -> Part:
    """The leg, cut off level where it stands."""
    sides = 18
    leg = tube(_leg(x, y), np.array(LEG_RADII), sides, "Walnut")
    leg.vertices[:sides, 2] = 0.0
    return leg


def _round(start: Array, end: Array, middle: float, tip: float, sides: int = 12) -> Part:
    """A turned stick, thickest in its middle; radii in metres."""
    s = np.linspace(0.0, 1.0, 9)
    return tube(start + s[:, None] * (end - start), tip + (middle - tip) * np.sin(np.pi * s), sides, "Beech")


def _seat() -> Part:
    """A board with rounded corners and edges, hollowed a little where one sits."""
    board = lathe(SEAT_PROFILE, 48, "Walnut")
    x, y, z = board.vertices.T
    angle = np.arctan2(y, x)
    corner = (np.abs(np.cos(angle)) ** 4 + np.abs(np.sin(angle)) ** 4) ** -0.25  # between a circle and a square
    hollow = 0.007 * np.where(z > 0.9, np.clip(1.0 - (x * x + y * y) / 0.8, 0.0, 1.0), 0.0)
    taper = 1.0 - 0.07 * corner * y  # narrower behind
    flat = np.stack([WIDTH * taper * corner * x, DEPTH * corner * y, SEAT + THICK * z - hollow], axis=1)
    return Part(flat, board.faces, board.material)


def _back(share: Array) -> Array:
    """Places Float[n,3] on the middle line of the rail; `share` from -1 on one side to 1 on the other."""
    return np.stack([0.205 * share, DEPTH - 0.03 + LEAN + BOW * (1.0 - share**2), RAIL - 0.03 * share**2], axis=1)


def _spindles() -> list[Part]:
    share = np.linspace(-0.86, 0.86, SPINDLES)
    tops = _back(share) - np.array([0.0, 0.0, 0.012])
    feet = np.stack([0.165 * share, DEPTH - 0.032 - 0.045 * share**2, np.full(SPINDLES, SEAT + THICK - 0.012)], axis=1)
    return [_round(foot, top, 0.0085, 0.0055, 10) for foot, top in zip(feet, tops, strict=True)]


def _rail() -> Part:
    """Higher than it is thick, with round ends."""
    share = np.linspace(-1.0, 1.0, 29)
    path = _back(share)
    fullness = np.sqrt(np.clip(1.0 - np.abs(share) ** 10, 0.02, 1.0))
    bar = tube(path, 0.011 * fullness, 16, "Walnut")
    rings = bar.vertices.reshape(len(path), 16, 3)
    rings[..., 2] = path[:, None, 2] + 2.6 * (rings[..., 2] - path[:, None, 2])
    return Part(rings.reshape(-1, 3), bar.faces, bar.material)


def _pegs() -> list[Part]:
    """Heads of pegs: where legs end in the seat, where spindles end in the rail, and in the legs' sides."""
    radii = (PEG, PEG, 0.0035)
    seat = [(x * LEG_TOP[0], y * LEG_TOP[1], SEAT + THICK) for x in (-1, 1) for y in (-1, 1)]
    rail = _back(np.linspace(-0.86, 0.86, SPINDLES)) - np.array([0.0, 0.010, 0.0])
    corners = [(x, y) for x in (-1, 1) for y in (-1, 1)]
    legs = [_on_leg(x, y, height) + np.array([x * 0.0185, 0.0, 0.0]) for x, y in corners for height in STRETCHERS]
    front = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    side = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    return [
        *(ellipsoid(place, radii, "Beech", rings=4, segments=10) for place in seat),
        *(ellipsoid(place, radii, "Beech", front, rings=4, segments=10) for place in rail),
        *(ellipsoid(place, radii, "Beech", side, rings=4, segments=10) for place in legs),
    ]


def _parts() -> list[Part]:
    corners = [(x, y) for x in (-1.0, 1.0) for y in (-1.0, 1.0)]
    sides = [(_on_leg(x, -1.0, height), _on_leg(x, 1.0, height)) for height in STRETCHERS for x in (-1.0, 1.0)]
    between = [0.5 * (front + back) for front, back in sides[:2]]
    return [
        _seat(),
        *(_leg_part(x, y) for x, y in corners),
        *(_round(front, back, 0.0135, 0.0095) for front, back in sides),
        _round(between[0], between[1], 0.0135, 0.0095),
        _rail(),
        *_spindles(),
        *_pegs(),
    ]


def build(context: bpy.types.Context) -> bpy.types.Object:
    """Adds the chair at the world's origin, standing, with a push at its back that tips it over; returns it."""
    materials = {
        "Walnut": material("Walnut", (0.16, 0.065, 0.028), 0.45),
        "Beech": material("Beech", (0.58, 0.34, 0.15), 0.5),
    }
    mesh = make_mesh("Chair", _parts(), materials)
    chair = place_object(context, mesh)
    add_poke(chair, location=(0.0, DEPTH + LEAN, RAIL), vector=(0.20, 0.85, 0.0), radius=0.12, frame=10)
    return chair
