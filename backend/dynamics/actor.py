"""One object of a world: its solver, first state, forces, and how its surface meets others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .contact_shape import ContactShape
from .solver import Forces, Solver

__all__ = ["Actor"]


@dataclass(frozen=True)
class Actor:
    """Constants of one object of a world."""

    solver: Solver
    state: Any  # at the first frame
    forces: Forces
    size: float  # m
    friction: float
    restitution: float
    sleep_speed: float | None  # RMS m/s below which the object is at rest; None: never sleeps
    self_contact: bool = False

    @property
    def mass(self) -> float:
        """kg."""
        return self.solver.mass

    @property
    def shape(self) -> ContactShape | None:
        """What joins the contact of simulated objects; None: the solver steps by itself."""
        return self.solver.shape
