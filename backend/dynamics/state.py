"""What is advanced in time, and the count of what it took."""

from __future__ import annotations

from dataclasses import dataclass

from ..kinematics.base import Array

__all__ = ["State", "Statistics", "StepFailed"]


class StepFailed(Exception):
    """Newton did not converge for this step size; the caller halves it."""


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
