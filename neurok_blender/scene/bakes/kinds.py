"""Which bake does what."""

from __future__ import annotations

import bpy

from ..takes import SceneTake
from .armature import ArmatureBake
from .base import Bake, BakeOptions
from .cache import CacheBake
from .compressed import CompressedBake
from .shape_keys import ShapeKeyBake

__all__ = ["BakeOptions", "bake_of"]

BAKES: dict[str, type[Bake]] = {
    "SHAPE_KEYS": ShapeKeyBake,
    "COMPRESSED": CompressedBake,
    "ARMATURE": ArmatureBake,
    "CACHE": CacheBake,
}


def bake_of(
    context: bpy.types.Context, obj: bpy.types.Object | None, take: SceneTake | None, options: BakeOptions
) -> Bake:
    """A bake that has not begun. Raises Refusal."""
    return BAKES[options.kind](context, obj, take, options)
