"""Handles in the 3D view for the conditions of the active object, and for its chosen joint."""

from . import arrow, axis, condition_gizmos, dial, floor, grip, joint_gizmos, ring

__all__ = ["CLASSES"]

CLASSES = (
    *arrow.CLASSES,
    *axis.CLASSES,
    *dial.CLASSES,
    *floor.CLASSES,
    *grip.CLASSES,
    *ring.CLASSES,
    *condition_gizmos.CLASSES,
    *joint_gizmos.CLASSES,
)
