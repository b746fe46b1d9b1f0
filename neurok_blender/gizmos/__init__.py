"""Handles in the 3D view for the conditions of the active object, and for its chosen joint."""

from . import arrow, axis, dial, floor, grip, group, joints, ring

__all__ = ["CLASSES"]

CLASSES = (
    *arrow.CLASSES,
    *axis.CLASSES,
    *dial.CLASSES,
    *floor.CLASSES,
    *grip.CLASSES,
    *ring.CLASSES,
    *group.CLASSES,
    *joints.CLASSES,
)
