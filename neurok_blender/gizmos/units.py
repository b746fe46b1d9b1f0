"""Numbers as text in the units of the scene."""

from __future__ import annotations

import math

import bpy
from bpy.app.translations import pgettext_iface as iface_

__all__ = ["angular_speed_text", "displayed_unit", "length_text", "speed_text"]

FOOT = 0.3048


def displayed_unit(scene: bpy.types.Scene) -> float:
    """How long the metre or foot that Blender displays is, in units of the scene."""
    settings = scene.unit_settings
    if settings.system == "NONE":
        return 1.0
    return (FOOT if settings.system == "IMPERIAL" else 1.0) / settings.scale_length


def length_text(scene: bpy.types.Scene, value: float) -> str:
    return _text(scene, "LENGTH", value)


def speed_text(scene: bpy.types.Scene, value: float) -> str:
    return _text(scene, "VELOCITY", value)


def angular_speed_text(value: float) -> str:
    """`value` in radians a second, as turns and as degrees."""
    return f"{value / (2.0 * math.pi):.2f} {iface_('turns/s')} ({math.degrees(value):.0f}°/s)"


def _text(scene: bpy.types.Scene, category: str, value: float) -> str:
    settings = scene.unit_settings
    # Blender shows a length of the scene times this, but only where it shows a unit.
    scale = 1.0 if settings.system == "NONE" else settings.scale_length
    return bpy.utils.units.to_string(settings.system, category, value * scale, precision=4).strip()
