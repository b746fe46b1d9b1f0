"""Sliders of joints: their values in radians and metres, each over its range."""

from __future__ import annotations

import numpy as np

from ...kinematics.joint_tree import JointTree
from .slider_map import Coordinates

__all__ = ["joint_coordinates"]


def joint_coordinates(tree: JointTree, size: float) -> Coordinates:
    """Of an object of that size (m)."""
    lower, upper = tree.limits
    turn = np.array([np.pi if joint.turns else size for joint in tree.coordinates])
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2.0 * turn, -turn))
    high = np.where(np.isfinite(upper), upper, low + 2.0 * turn)
    # Some joints cannot be where they are drawn; the sliders' ranges have the drawn shape in them all the same.
    low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)
    names = tuple(joint.name or tree.parts[joint.child] for joint in tree.coordinates)
    kinds = tuple("turn" if joint.turns else "slide" for joint in tree.coordinates)
    return Coordinates(names, kinds, low, high)
