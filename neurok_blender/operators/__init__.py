"""The operators: modules end in `_operator(s)`, the others are what they share."""

from . import (
    backend_operators,
    bake_all_operator,
    bake_operators,
    condition_operators,
    diagnostics_operators,
    finding_operator,
    gpu_backend_operators,
    ik_target_operators,
    joint_alternative_operators,
    joint_operators,
    live_operator,
    piece_operators,
    pin_brush_operator,
    pointmap_operators,
    poke_operator,
    pose_operators,
    preset_operators,
    robot_operators,
    sample_operators,
    simulate_operators,
    size_operator,
    take_operators,
)

__all__ = ["CLASSES", "MODULES"]

MODULES = (
    simulate_operators,
    finding_operator,
    size_operator,
    piece_operators,
    joint_operators,
    ik_target_operators,
    live_operator,
    pose_operators,
    take_operators,
    bake_operators,
    bake_all_operator,
    condition_operators,
    poke_operator,
    pin_brush_operator,
    pointmap_operators,
    robot_operators,
    sample_operators,
    backend_operators,
    gpu_backend_operators,
    preset_operators,
    diagnostics_operators,
    joint_alternative_operators,
)
CLASSES = tuple(item for module in MODULES for item in module.CLASSES)
