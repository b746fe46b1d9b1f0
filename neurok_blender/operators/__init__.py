"""The operators, one module for each thing that an artist does."""

from . import (
    backend,
    bake,
    conditions,
    diagnostics,
    gpu_backend,
    joints,
    live,
    pin_brush,
    pointmap,
    poke,
    pose,
    presets,
    reach,
    robot_files,
    sample,
    simulate,
    ways,
)

__all__ = ["CLASSES", "MODULES"]

MODULES = (
    simulate,
    joints,
    reach,
    live,
    pose,
    bake,
    conditions,
    poke,
    pin_brush,
    pointmap,
    robot_files,
    sample,
    backend,
    gpu_backend,
    presets,
    diagnostics,
    ways,
)
CLASSES = tuple(item for module in MODULES for item in module.CLASSES)
