"""Colours of an object's parts, as materials in the .blend and as robot files have them."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from .materials import material

__all__ = ["give_colours", "part_colours"]

Colour = tuple[float, ...]


def give_colours(mesh: bpy.types.Mesh, faces: NDArray[np.int32], colours: Sequence[Sequence[float] | None]) -> None:
    """One material for each colour (red, green, blue, opacity) that a part has; `faces` Int32[F] by number of it."""
    slots: dict[Colour | None, int] = {}
    for colour in colours:
        key = None if colour is None else tuple(colour)
        if key not in slots and any(each is not None for each in colours):
            slots[key] = len(slots)
            made = material(mesh.name, (0.8, 0.8, 0.8) if key is None else key[:3])
            made.diffuse_color[3] = 1.0 if key is None else key[3]
            mesh.materials.append(made)
    if slots:
        of_part = np.array([slots[None if colour is None else tuple(colour)] for colour in colours], np.int32)
        mesh.polygons.foreach_set("material_index", np.ascontiguousarray(of_part[faces]))


def part_colours(mesh: bpy.types.Mesh, faces: NDArray[np.int32], count: int) -> list[list[float] | None]:
    """Of each part the colour in the solid view of the material that most of its faces have; None without one."""
    chosen = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("material_index", chosen)
    found: list[list[float] | None] = []
    for part in range(count):
        own = chosen[faces == part]
        slot = int(np.bincount(own).argmax()) if len(own) else len(mesh.materials)
        used = mesh.materials[slot] if slot < len(mesh.materials) else None
        found.append(None if used is None else [float(value) for value in used.diffuse_color])
    return found
