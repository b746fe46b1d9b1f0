"""A potted rubber plant, 0.55 m tall: solid pot and soil, a stem, curved leaves; held by its base, poked."""

from __future__ import annotations

import bpy
import numpy as np

from ..scene.materials import material
from .meshes import Array, Part, ellipsoid, lathe, make_mesh, shell, tube
from .place import add_poke, place_object

__all__ = ["build"]

POT_PROFILE = (
    (0.0, 0.000),
    (0.072, 0.000),
    (0.078, 0.006),
    (0.102, 0.135),
    (0.103, 0.140),
    (0.113, 0.142),
    (0.116, 0.147),
    (0.118, 0.178),
    (0.115, 0.183),
    (0.104, 0.183),
    (0.100, 0.178),
    (0.096, 0.140),
    (0.072, 0.030),
    (0.066, 0.024),
    (0.0, 0.024),
)
LEAF_COUNT = 11
GOLDEN_ANGLE = np.pi * (3.0 - np.sqrt(5.0))


def _stem_path() -> Array:
    """The stem's middle line Float[P,3], from inside the soil to its tip."""
    s = np.linspace(0.0, 1.0, 26)[:, None]
    sway = np.concatenate([0.020 * np.sin(2.6 * s), 0.014 * np.sin(4.0 * s + 0.6) - 0.008], axis=1)
    return np.concatenate([sway * s, 0.13 + 0.31 * s], axis=1)


def _leaf(root: Array, heading: float, rise: float, droop: float, length: float, tone: str) -> list[Part]:
    """A petiole and a blade from `root` (m) that leave at angle `rise` and bend down by `droop` (rad)."""
    outward = np.array([np.cos(heading), np.sin(heading), 0.0])
    sideways = np.array([-np.sin(heading), np.cos(heading), 0.0])
    steps = 26
    angle = rise - droop * np.linspace(0.0, 1.0, steps) ** 1.5
    tangent = np.cos(angle)[:, None] * outward + np.sin(angle)[:, None] * np.array([0.0, 0.0, 1.0])
    middle = root + np.concatenate([np.zeros((1, 3)), np.cumsum(tangent[:-1], axis=0)]) * length / (steps - 1)
    upward = np.cross(tangent, sideways)

    stalk_end = 8
    stalk = tube(middle[:stalk_end], np.linspace(0.0050, 0.0034, stalk_end), 8, "Stem")

    # The half width rises quickly, falls to a point, and never reaches 0: no face has zero area.
    blade = middle[stalk_end - 3 :]
    s = np.linspace(0.0, 1.0, len(blade))
    half_width = 0.235 * length * (s**0.55 * (1.0 - s) ** 0.75) / 0.5 + 0.0028 * (1.0 - s) + 0.0010
    t = np.linspace(-1.0, 1.0, 9)
    lift = 0.30 * np.abs(t) - 0.22 * t**2 + 0.05 * t * np.sin(9.0 * s[:, None])
    grid = (
        blade[:, None]
        + (t[None, :] * half_width[:, None])[..., None] * sideways
        + (lift * half_width[:, None])[..., None] * upward[stalk_end - 3 :, None]
    )
    return [stalk, shell(grid, 0.0026, tone)]


def _parts() -> list[Part]:
    path = _stem_path()
    parts = [
        lathe(POT_PROFILE, 48, "Terracotta"),
        ellipsoid((0.0, 0.0, 0.146), (0.0985, 0.0985, 0.016), "Soil", rings=10, segments=40),
        tube(path, np.linspace(0.0105, 0.0055, len(path)), 12, "Stem"),
    ]
    for number in range(LEAF_COUNT):
        height = number / (LEAF_COUNT - 1)  # 0 for the lowest leaf
        root = path[round(7 + height * (len(path) - 9))]
        parts += _leaf(
            root,
            heading=0.5 + number * GOLDEN_ANGLE,
            rise=0.55 + 0.65 * height,
            droop=1.45 - 0.75 * height,
            length=0.235 - 0.075 * height + 0.012 * np.sin(5.0 * number),
            tone="Leaf" if number % 3 else "Young Leaf",
        )
    # The bud at the tip.
    parts += _leaf(path[-2], heading=2.2, rise=1.45, droop=0.25, length=0.12, tone="Young Leaf")
    return parts


def build(context: bpy.types.Context) -> bpy.types.Object:
    """Adds the plant at the world's origin, with a poke on its upper leaves, and returns it."""
    materials = {
        "Terracotta": material("Terracotta", (0.52, 0.165, 0.075), 0.75),
        "Soil": material("Soil", (0.045, 0.028, 0.018), 0.95),
        "Stem": material("Stem", (0.135, 0.19, 0.05), 0.6),
        "Leaf": material("Leaf", (0.028, 0.155, 0.045), 0.35),
        "Young Leaf": material("Young Leaf", (0.105, 0.29, 0.055), 0.35),
    }
    plant = place_object(context, make_mesh("Potted Plant", _parts(), materials))
    plant.neurok.anchor = "AUTO"
    plant.neurok.stiffness_hz = 1.8
    plant.neurok.settle_seconds = 3.0
    add_poke(plant, location=(-0.08, 0.0, 0.42), vector=(0.22, 0.06, 0.0), radius=0.16, frame=4)
    return plant
