"""The pose that a motion starts from, from slider values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..dynamics.conditions import Conditions
from ..errors import UserError
from ..kinematics.decode import decode_frames
from ..understanding.analysis import Analysis
from .posing import Posing

__all__ = ["with_start_pose"]


def with_start_pose(analysis: Analysis, conditions: Conditions) -> Conditions:
    """Conditions that start from a shape where they named slider values. Raises UserError."""
    if conditions.sliders is None:
        return conditions
    posing = Posing(analysis, conditions)
    count = len(posing.coordinates.names)
    if len(conditions.sliders) != count:
        raise UserError("bad_conditions.slider_count", given=len(conditions.sliders), count=count)
    handles = posing.shapes(np.array([conditions.sliders], dtype=np.float64).reshape(1, count))
    shape = decode_frames(posing.body.mesh.vertices, posing.weights, handles)[0]
    return replace(conditions, pose=shape.astype(np.float64), sliders=None)
