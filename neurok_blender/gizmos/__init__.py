"""Handles in the 3D view for the conditions of the active object."""

from . import arrow, arrows

__all__ = ["CLASSES"]

CLASSES = (*arrow.CLASSES, *arrows.CLASSES)
