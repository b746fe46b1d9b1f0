"""A limit to energy: what a step that was solved only roughly may have at its end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .latent_solver import LatentState
from .state import State

__all__ = ["without_gain"]


def without_gain(before: Sequence[LatentState], after: Sequence[LatentState]) -> list[LatentState] | None:
    """States of an island, slowed down so far that their energy is none above that before; None where rest is above."""
    allowed = sum(state.solver.energy(state)[2] for state in before)
    kinetic, potential, total = sum(state.solver.energy(state) for state in after)
    if total <= allowed:
        return list(after)
    if potential > allowed:
        return None
    share = np.sqrt((allowed - potential) / kinetic)
    return [state.solver.at(State(state.state.q, share * state.state.rate)) for state in after]
