"""State of a skinned object, operation counts, and the exception of a failed step."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..kinematics.base import Array

__all__ = ["State", "Statistics", "StepFailed"]


class StepFailed(Exception):
    """No convergence at this step size; the world halves the step of the island."""


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
    rough_steps: list[float] = field(default_factory=list)  # s, where only the best that was found could be taken
