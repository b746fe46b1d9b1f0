"""How an object moves, as the backend calls it."""

from __future__ import annotations

import bpy

from ..properties.provider_menu import AUTOMATIC, JOINTED
from .joint_tree import has_joints

__all__ = ["provider_of"]


def provider_of(obj: bpy.types.Object) -> str:
    """The provider that is set; "auto" means the joints where the object has some."""
    provider = obj.neurok.provider.lower()
    return JOINTED if provider == AUTOMATIC and has_joints(obj) else provider
