"""Motions as arrays of a message: each name with the number of the object, from 0, behind it.

weights_0 float32 (V,H), handles_0 float32 (H,3,4)      where the object is skinned
points_0 float32 (V,3)                                  where it has points
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..kinematics.motion import MotionFrame, ObjectMotion

__all__ = ["float32", "frame_arrays", "object_entry", "weight_arrays"]


def float32(values: Any) -> np.ndarray:
    return np.asarray(values, dtype=np.float32)


def object_entry(summary: dict[str, Any], motion: ObjectMotion) -> dict[str, Any]:
    """What the header of a message says of an object whose frames will follow."""
    return {"summary": summary, "points": motion.has_points}


def weight_arrays(motions: Iterable[ObjectMotion]) -> dict[str, np.ndarray]:
    """The weights of those objects that are skinned."""
    weights = ((number, motion.weights) for number, motion in enumerate(motions))
    return {f"weights_{number}": float32(each) for number, each in weights if each is not None}


def frame_arrays(frames: Iterable[MotionFrame]) -> dict[str, np.ndarray]:
    """Handles and points of one frame of every object."""
    arrays: dict[str, np.ndarray] = {}
    for number, frame in enumerate(frames):
        if frame.handles is not None:
            arrays[f"handles_{number}"] = float32(frame.handles)
        if frame.points is not None:
            arrays[f"points_{number}"] = float32(frame.points)
    return arrays
