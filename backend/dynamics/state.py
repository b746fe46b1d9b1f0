"""State of a skinned object, operation counts, and the exception of a failed step."""

from __future__ import annotations

from dataclasses import dataclass

from ..kinematics.base import Array

__all__ = ["State", "Statistics", "StepFailed"]


class StepFailed(Exception):
    """No convergence at this step size; the world halves the step."""


@dataclass(frozen=True)
class State:
    """Coordinates and their rates at one instant."""

    q: Array  # Float[k]
    rate: Array  # Float[k]


@dataclass
class Statistics:
    """Operation counts of a run."""

    steps: int = 0
    contact_steps: int = 0
    halved_steps: int = 0
    newton_iterations: int = 0
    stiffness_refreshes: int = 0
