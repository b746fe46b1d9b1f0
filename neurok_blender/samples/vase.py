"""Tulips in a vase, 0.5 m tall: the vase is ceramic and stands, stems and leaves lean on its rim and sway in a wind."""

from __future__ import annotations

import bpy
import numpy as np

from ..scene.materials import material
from .meshes import Array, Part, lathe, make_mesh, shell, tube
from .place import add_condition, place_object

__all__ = ["build"]

# Metres: outside up, then inside down.
VASE_PROFILE = (
    (0.0, 0.000),
    (0.038, 0.000),
    (0.044, 0.004),
    (0.062, 0.040),
    (0.071, 0.080),
    (0.068, 0.120),
    (0.050, 0.160),
    (0.037, 0.185),
    (0.034, 0.200),
    (0.038, 0.214),
    (0.046, 0.224),
    (0.044, 0.227),
    (0.034, 0.216),
    (0.030, 0.200),
    (0.033, 0.184),
    (0.046, 0.158),
    (0.064, 0.120),
    (0.067, 0.080),
    (0.058, 0.042),
    (0.041, 0.010),
    (0.0, 0.008),
)
NECK = 0.200, 0.030  # height and radius inside
STEM = 0.0033  # radius
# Of each flower: heading (rad), height of the stem's end, how far out that is, colour.
FLOWERS = (
    (0.3, 0.455, 0.045, "Red Petal"),
    (1.5, 0.430, 0.105, "Yellow Petal"),
    (2.5, 0.400, 0.110, "Red Petal"),
    (3.6, 0.435, 0.100, "Yellow Petal"),
    (4.7, 0.395, 0.115, "Red Petal"),
    (5.6, 0.420, 0.120, "Yellow Petal"),
    (2.0, 0.480, 0.020, "Yellow Petal"),
)
LEAVES = ((0.9, 0.20), (2.1, 0.23), (3.1, 0.19), (4.2, 0.22), (5.2, 0.20), (6.1, 0.23))  # heading, length
PETAL_LENGTH, PETAL_RADIUS = 0.058, 0.021


def _stem(heading: float, height: float, reach: float) -> Array:
    """Middle line Float[P,3] of a stem from the vase's bottom, by its inner rim, to the flower."""
    s = np.linspace(0.0, 1.0, 24)
    out = np.array([np.cos(heading), np.sin(heading)])
    rim = NECK[1] - 1.05 * STEM
    # Across the vase below the neck, along its wall there, then outwards in a bow.
    places = np.array([-0.030, 0.55 * rim, rim, rim + 0.30 * (reach - rim), reach])
    heights = np.array([0.010 + STEM, 0.150, NECK[0], NECK[0] + 0.45 * (height - NECK[0]), height])
    along = np.interp(s, np.linspace(0.0, 1.0, len(places)), places)
    up = np.interp(s, np.linspace(0.0, 1.0, len(heights)), heights)
    for _ in range(3):
        along[1:-1] = 0.25 * along[:-2] + 0.5 * along[1:-1] + 0.25 * along[2:]
        up[1:-1] = 0.25 * up[:-2] + 0.5 * up[1:-1] + 0.25 * up[2:]
    return np.column_stack([along[:, None] * out, up])


def _axes(direction: Array, heading: float) -> Array:
    """Rows: two directions across, and the unit `direction`, Float[3,3]."""
    across = np.array([-np.sin(heading), np.cos(heading), 0.0])
    return np.stack([np.cross(across, direction), across, direction])


def _petals(path: Array, heading: float, tone: str) -> list[Part]:
    """Six petals that close to a cup at the end of a stem, three of them outside of the others."""
    direction = path[-1] - path[-4]
    axes = _axes(direction / np.linalg.norm(direction), heading)
    s, t = np.linspace(0.0, 1.0, 7)[:, None], np.linspace(-1.0, 1.0, 6)[None, :]
    half = 0.78 * (s + 0.03) ** 0.35 * (1.02 - s) ** 0.45 + 0.02  # rad, half the petal's width
    made = []
    for number in range(6):
        outer = 0.0018 if number % 2 else 0.0
        radius = (PETAL_RADIUS + outer) * np.sin(np.pi * (0.06 + 0.64 * s)) + 0.0009 * np.cos(2.0 * t)
        angle = number * np.pi / 3.0 + half * t
        height = PETAL_LENGTH * (s - 0.10 * s * t**2) - 0.004
        grid = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.broadcast_to(height, angle.shape)], axis=2)
        made.append(shell(path[-1] + grid @ axes, 0.0011, tone))
    return made


def _leaf(heading: float, length: float) -> Part:
    """A long blade that leaves the vase by its rim and bends outwards, its foot among the stems."""
    outward = np.array([np.cos(heading), np.sin(heading), 0.0])
    sideways = np.array([-np.sin(heading), np.cos(heading), 0.0])
    s = np.linspace(0.0, 1.0, 18)
    angle = 1.35 - 1.15 * s**2.2
    tangent = np.cos(angle)[:, None] * outward + np.sin(angle)[:, None] * np.array([0.0, 0.0, 1.0])
    steps = np.cumsum(np.concatenate([np.zeros((1, 3)), tangent[:-1]]), axis=0) * length / (len(s) - 1)
    blade = outward * (NECK[1] - 0.010) + np.array([0.0, 0.0, NECK[0] - 0.03]) + steps
    upward = np.cross(tangent, sideways)
    half = 0.0165 * (s + 0.02) ** 0.4 * (1.0 - s) ** 0.6 / 0.6 + 0.0015
    t = np.linspace(-1.0, 1.0, 7)
    # Folded where it stands among the stems, flat further out.
    fold = (0.9 - 0.6 * s)[:, None] * np.abs(t)
    half[s < 0.25] *= 0.5 + 2.0 * s[s < 0.25]
    grid = (
        blade[:, None] + (t * half[:, None])[..., None] * sideways + (fold * half[:, None])[..., None] * upward[:, None]
    )
    return shell(grid, 0.0012, "Leaf")


def _rounded(profile: Array) -> Array:
    """A profile Float[P,2] with its corners cut (Chaikin), its ends where they were."""
    cut = np.stack([0.75 * profile[:-1] + 0.25 * profile[1:], 0.25 * profile[:-1] + 0.75 * profile[1:]], axis=1)
    return np.concatenate([profile[:1], cut.reshape(-1, 2)[1:-1], profile[-1:]])


def _parts() -> list[Part]:
    parts = [lathe(_rounded(np.array(VASE_PROFILE)), 44, "Ceramic")]
    for heading, height, reach, tone in FLOWERS:
        path = _stem(heading, height, reach)
        parts.append(tube(path, np.full(len(path), STEM), 8, "Stem"))
        parts += _petals(path, heading, tone)
    return [*parts, *(_leaf(heading, length) for heading, length in LEAVES)]


def build(context: bpy.types.Context) -> bpy.types.Object:
    """Adds the vase at the world's origin, with a gusty wind, and returns it."""
    materials = {
        "Ceramic": material("Ceramic", (0.045, 0.135, 0.245), 0.25),
        "Stem": material("Stem", (0.13, 0.27, 0.06), 0.6),
        "Leaf": material("Leaf", (0.06, 0.20, 0.06), 0.5),
        "Red Petal": material("Red Petal", (0.66, 0.045, 0.055), 0.5),
        "Yellow Petal": material("Yellow Petal", (0.90, 0.55, 0.06), 0.5),
    }
    vase = place_object(context, make_mesh("Tulips in a Vase", _parts(), materials))
    wind = add_condition(vase, "WIND", "Wind")
    wind.velocity = (8.0, 1.2, 0.0)
    wind.turbulence = 0.7
    return vase
