"""Handles in the 3D view for the conditions of the active object."""

from . import arrow, axis, dial, floor, grip, group, ring

__all__ = ["CLASSES"]

CLASSES = (
    *arrow.CLASSES,
    *axis.CLASSES,
    *dial.CLASSES,
    *floor.CLASSES,
    *grip.CLASSES,
    *ring.CLASSES,
    *group.CLASSES,
)
