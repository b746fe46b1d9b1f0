"""How an object moves, as the backend calls it."""

from __future__ import annotations

import bpy

from .joint_tree import has_joints

__all__ = ["provider_of"]

_PROVIDERS = {
    "AUTO": "auto",
    "ELASTIC": "elastic",
    "RIGID": "rigid",
    "LEARNED": "learned",
    "ARTICULATED": "articulated",
}


def provider_of(obj: bpy.types.Object) -> str:
    """Where nobody has chosen, an object with joints moves by them."""
    provider = obj.neurok.provider
    return "articulated" if provider == "AUTO" and has_joints(obj) else _PROVIDERS[provider]
