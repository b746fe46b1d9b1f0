"""A flag of 1.0 x 0.7 m on a pole: an open sheet held by its pole side, in a gusty wind."""

from __future__ import annotations

import bpy
import numpy as np

from ..scene.materials import material
from .meshes import ellipsoid, lathe, make_mesh, sheet
from .place import add_condition, place_object

__all__ = ["build"]

WIDTH, HEIGHT = 1.0, 0.7  # metres
COLUMNS, ROWS = 71, 50  # vertices
POLE_RADIUS = 0.014  # metres
TOP = 1.55  # metres above the floor


def _cloth() -> bpy.types.Mesh:
    """The sheet in the XZ plane, X away from the pole, with a light wave so that it is no perfect plane."""
    u, v = np.meshgrid(np.linspace(0.0, 1.0, COLUMNS), np.linspace(0.0, 1.0, ROWS))
    wave = 0.018 * u * np.sin(7.0 * u + 2.0 * v) + 0.008 * u * np.sin(13.0 * u - 5.0 * v)
    grid = np.stack([POLE_RADIUS + WIDTH * u, wave, TOP - HEIGHT * (1.0 - v)], axis=2)
    part = sheet(grid, "Field")
    mesh = make_mesh(
        "Flag",
        [part],
        {
            "Field": material("Flag Field", (0.015, 0.115, 0.170), 0.8),
            "Cross": material("Flag Cross", (0.86, 0.78, 0.62), 0.8),
            "Heart": material("Flag Heart", (0.72, 0.115, 0.060), 0.8),
        },
    )
    # A cross off the middle, drawn along the grid's own lines.
    row, column = np.divmod(np.arange(len(mesh.polygons)), COLUMNS - 1)
    cross = np.minimum(np.abs(row - 24), np.abs(column - 24))
    mesh.polygons.foreach_set("material_index", np.select([cross <= 2, cross <= 5], [2, 1], 0).astype(np.int32))
    return mesh


def _pole() -> bpy.types.Mesh:
    rod = lathe([(0.0, 0.0), (POLE_RADIUS, 0.0), (POLE_RADIUS, TOP + 0.06), (0.0, TOP + 0.06)], 24, "Pole")
    knob = ellipsoid((0.0, 0.0, TOP + 0.075), (0.026, 0.026, 0.026), "Knob")
    foot = lathe([(0.0, 0.0), (0.13, 0.0), (0.13, 0.018), (0.04, 0.03), (0.0, 0.03)], 40, "Pole")
    return make_mesh(
        "Flag Pole",
        [rod, foot, knob],
        {
            "Pole": material("Flag Pole", (0.70, 0.68, 0.64), 0.4),
            "Knob": material("Flag Knob", (0.80, 0.53, 0.13), 0.3),
        },
    )


def build(context: bpy.types.Context) -> bpy.types.Object:
    """Adds the pole and the flag, held by the vertex group "Pole" and blown by wind; returns the flag."""
    place_object(context, _pole())
    flag = place_object(context, _cloth())
    held = flag.vertex_groups.new(name="Pole")
    held.add([row * COLUMNS for row in range(ROWS)], 1.0, "REPLACE")

    flag.neurok.anchor = "GROUP"
    flag.neurok.anchor_group = held.name
    flag.neurok.settled = False
    flag.neurok.density = 8.0
    flag.neurok.stiffness_hz = 0.3
    flag.neurok.settle_seconds = 1.0
    wind = add_condition(flag, "WIND", "Wind")
    wind.velocity = (7.0, 0.8, 0.0)
    wind.turbulence = 0.5
    return flag
