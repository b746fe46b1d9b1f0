"""Which vertices a take holds still, and whether the drawn shape counts as settled."""

from __future__ import annotations

import numpy as np

from ..dynamics.conditions import Conditions, Pin, checked_vertices
from ..errors import UserError
from ..understanding.analysis import Analysis

__all__ = ["held_vertices", "is_still"]

BASE_SHARE = 0.02  # of the height: vertices this close to the lowest one are the base
LEAST_STILL = 0.01  # of the vertices: fewer that never move are not what an object stands on


def is_still(pin: Pin) -> bool:
    """Whether its vertices simply do not move."""
    return pin.stiffness_hz is None and not pin.motion


def held_vertices(analysis: Analysis, conditions: Conditions, meets_something: bool) -> tuple[np.ndarray | None, bool]:
    """Held vertices (None: free) and whether the drawn shape counts as settled under gravity."""
    count = len(analysis.mesh.vertices)
    held = [
        checked_vertices(pin.vertices, count, f"pins[{index}].vertices")
        for index, pin in enumerate(conditions.pins)
        if is_still(pin)
    ]
    automatic = False
    if isinstance(conditions.anchor, np.ndarray):
        held.append(checked_vertices(conditions.anchor, count, "anchor.vertices"))
    elif conditions.anchor == "auto" and analysis.provider != "rigid":
        # Something that is thrown or falls on a floor is free; anything else stands on its base.
        automatic = not conditions.pins and not meets_something and not conditions.velocities
        # What its file bolts to the world stays there, come what may.
        automatic = (automatic and not held) or (analysis.jointed is not None and analysis.jointed.bolted)
        if automatic:
            held.append(_base(analysis))
    if held and analysis.provider == "rigid":
        raise UserError("rigid_and_held.anchor")
    # Joints hang and swing: where they are drawn says nothing of where gravity leaves them.
    settled = automatic and analysis.jointed is None if conditions.settled is None else conditions.settled
    if settled and not held:
        raise UserError("bad_conditions.settled")
    return (np.unique(np.concatenate(held)) if held else None), settled


def _base(analysis: Analysis) -> np.ndarray:
    """What an object stands on: where joints are known, what never moves (the frame of a door); else what is lowest."""
    if analysis.jointed is not None:
        return np.flatnonzero(analysis.jointed.still)
    if analysis.learned is not None:
        still = np.flatnonzero(analysis.learned.still)
        if len(still) > LEAST_STILL * len(analysis.mesh.vertices):
            return still
    height = analysis.mesh.vertices[:, 2]
    return np.flatnonzero(height <= height.min() + BASE_SHARE * np.ptp(height))
