"""The operators, one module for each thing that an artist does."""

from . import (
    backend,
    bake,
    conditions,
    diagnostics,
    gpu_backend,
    ik_targets,
    joint_alternatives,
    joints,
    live,
    pin_brush,
    pointmap,
    poke,
    pose,
    presets,
    robot_files,
    sample,
    simulate,
)

__all__ = ["CLASSES", "MODULES"]

MODULES = (
    simulate,
    joints,
    ik_targets,
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
    joint_alternatives,
)
CLASSES = tuple(item for module in MODULES for item in module.CLASSES)
