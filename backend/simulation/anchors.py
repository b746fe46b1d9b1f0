"""Which vertices a take holds still, and whether the drawn shape counts as settled."""

from __future__ import annotations

import numpy as np

from ..dynamics.conditions import Conditions, Pin, checked_vertices
from ..errors import UserError
from ..geometry.mesh import Mesh
from ..understanding.analysis import Analysis

__all__ = ["held_vertices", "is_still"]

BASE_SHARE = 0.02  # of the height: vertices this close to the lowest one are the base


def is_still(pin: Pin) -> bool:
    """Whether its vertices simply do not move."""
    return pin.stiffness_hz is None and not pin.motion and pin.until is None


def held_vertices(analysis: Analysis, conditions: Conditions, meets_something: bool) -> tuple[np.ndarray | None, bool]:
    """Held vertices (None: free) and whether the drawn shape counts as settled under gravity."""
    count = len(analysis.mesh.vertices)
    held = [
        checked_vertices(pin.vertices, count, f"pins[{index}].vertices")
        for index, pin in enumerate(conditions.pins)
        if is_still(pin)
    ]
    automatic, support = False, analysis.model.support
    if isinstance(conditions.anchor, np.ndarray):
        held.append(checked_vertices(conditions.anchor, count, "anchor.vertices"))
    elif conditions.anchor == "auto" and analysis.model.holdable:
        # Something that is thrown or falls on a floor is free; anything else stands on its base.
        automatic = not conditions.pins and not meets_something and not conditions.velocities
        # What its file bolts to the world stays there, come what may.
        automatic = (automatic and not held) or support.bolted
        if automatic:
            held.append(_lowest(analysis.mesh) if support.base is None else support.base)
    if held and not analysis.model.holdable:
        raise UserError("rigid_and_held.anchor")
    settled = automatic and support.settled if conditions.settled is None else conditions.settled
    led = any(pin.stiffness_hz is None and not is_still(pin) for pin in conditions.pins)
    if settled and not (held or led):
        raise UserError("bad_conditions.settled")
    return (np.unique(np.concatenate(held)) if held else None), settled


def _lowest(mesh: Mesh) -> np.ndarray:
    """Vertices Int[n] on which an object stands."""
    height = mesh.vertices[:, 2]
    return np.flatnonzero(height <= height.min() + BASE_SHARE * np.ptp(height))
