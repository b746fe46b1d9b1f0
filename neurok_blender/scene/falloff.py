"""Falloff of a force field at a place, as in Blender's own simulations.

Along the distance d from the field f(d) = 1 nearer than the least distance d0, 0 beyond the largest, and between them
(1 + d - d0)^-p with the power p of its fall-off. A sphere takes the distance from the field's origin, or from its plane
where that is its shape; a tube that along the field's axis times the same of the distance from the axis; a cone has the
angle to the axis in degrees for the second.
"""

from __future__ import annotations

from math import atan2, degrees

import bpy
from mathutils import Matrix, Vector

__all__ = ["falloff_factor"]


def _share(distance: float, least: float | None, largest: float | None, power: float) -> float:
    if largest is not None and distance > largest:
        return 0.0
    beyond = distance - (least or 0.0)
    return 1.0 if beyond < 0.0 else (1.0 + beyond) ** -power


def falloff_factor(field: bpy.types.FieldSettings, matrix: Matrix, place: Vector) -> float:
    """From 0 to 1; `matrix` is where the field is in the world, `place` a point of the world (m)."""
    axis = (matrix.to_3x3() @ Vector((0.0, 0.0, 1.0))).normalized()
    away = place - matrix.translation
    along = away.dot(axis)
    if (field.z_direction == "POSITIVE" and along < 0.0) or (field.z_direction == "NEGATIVE" and along > 0.0):
        return 0.0
    least = field.distance_min if field.use_min_distance else None
    largest = field.distance_max if field.use_max_distance else None
    if field.falloff_type == "SPHERE":
        distance = abs(along) if field.shape == "PLANE" else away.length
        return _share(distance, least, largest, field.falloff_power)
    aside = (away - along * axis).length
    across = aside if field.falloff_type == "TUBE" else degrees(atan2(aside, along))
    return _share(abs(along), least, largest, field.falloff_power) * _share(
        across,
        field.radial_min if field.use_radial_min else None,
        field.radial_max if field.use_radial_max else None,
        field.radial_falloff,
    )
