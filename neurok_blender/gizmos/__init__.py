"""Gizmos in the 3D view for the conditions of the active object, and for its active joint."""

from . import (
    arrow,
    axis,
    condition_gizmos,
    dial,
    floor,
    grip,
    joint_gizmos,
    joint_handles,
    joint_preview_handles,
    ring,
)

__all__ = ["CLASSES"]

MODULES = (arrow, axis, dial, floor, grip, ring, condition_gizmos, joint_handles, joint_preview_handles, joint_gizmos)
CLASSES = tuple(item for module in MODULES for item in module.CLASSES)
