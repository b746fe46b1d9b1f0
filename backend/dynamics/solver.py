"""The protocol between a world and what moves in it: state, forces and contacts in, the next state out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..kinematics.base import Array
from .proximity_bounds import Box, box_around

if TYPE_CHECKING:
    from .conditions import Ground
    from .contact_shape import ContactShape
    from .neighbours import Neighbour
    from .obstacles import Obstacle
    from .state import Statistics

__all__ = ["Forces", "Frame", "Gravity", "Solver", "Surface", "Surroundings"]


@dataclass(frozen=True)
class Frame:
    """One frame of one object: index from 1, energy Float[3] J (kinetic, potential, total) and where the object is.

    Skinned objects have handles `a` Float[4H,3] and coordinates q Float[k]; others have points Float[V,3] m, one for
    each vertex of the mesh.
    """

    index: int
    handles: Array | None
    q: Array | None
    energy: Array
    points: Array | None = None


@dataclass(frozen=True)
class Surface:
    """Sample points of an object's surface at one instant: positions Float[S,3] m, velocities Float[S,3] m/s."""

    positions: Array
    velocities: Array

    @cached_property
    def speeds(self) -> Array:
        """Float[S] m/s."""
        return np.sqrt((self.velocities**2).sum(axis=1))

    @cached_property
    def bounds(self) -> Box:
        """The box around the samples; without samples an empty one, which is near nothing."""
        if len(self.positions) == 0:
            return np.full(3, np.inf), np.full(3, -np.inf)
        return box_around(self.positions)


@dataclass(frozen=True)
class Surroundings:
    """What a step may touch besides what is solved with it: ground and colliders, from `time` (s) on.

    `neighbours` are simulated objects, for solvers that meet them. The work that a step takes is counted in
    `statistics`.
    """

    time: float
    ground: Ground | None
    obstacles: tuple[Obstacle, ...]
    statistics: Statistics
    neighbours: tuple[Neighbour, ...] = ()


class Forces(Protocol):
    """What acts on one object besides contact, in the terms of its solver."""

    end: float  # s, after which nothing but constant forces acts: nothing sleeps before

    def acts_between(self, begin: float, end: float) -> bool:
        """Whether a force that comes and goes acts within [begin, end] s: it wakes what sleeps."""
        ...


@dataclass(frozen=True)
class Gravity:
    """Forces on an object on which nothing but its weight acts."""

    acceleration: Array  # Float[3] m/s^2
    end = 0.0

    def acts_between(self, begin: float, end: float) -> bool:
        """Never: it does not come and go."""
        return False


class Solver(Protocol):
    """Advances one object in time. A state is whatever the solver makes of it; it is never changed in place.

    With a contact shape the object joins the Newton solve of the simulated objects that it touches, as
    `latent_solver.LatentSolver` does (its states then have what `detection` and `island_step` read). Without one the
    solver steps by itself and meets the ground and the colliders in `step`; with `meets_neighbours` other objects too,
    which do not feel it.
    """

    mass: float  # kg
    shape: ContactShape | None = None
    meets_neighbours: bool = False

    def step(self, state: Any, dt: float, forces: Any, contacts: Surroundings) -> Any:
        """The state `dt` seconds later. Raises StepFailed where a step of half the length may do better."""
        ...

    def surface(self, state: Any) -> Surface:
        """Samples of the surface: what is near, how far it gets."""
        ...

    def energy(self, state: Any) -> Array:
        """Kinetic, potential and total energy, Float[3] J."""
        ...

    def speed(self, state: Any) -> float:
        """RMS over the mass, m/s: what hardly moves falls asleep."""
        ...

    def stopped(self, state: Any) -> Any:
        """The state without its motion; the same object where nothing moves."""
        ...

    def frame(self, index: int, state: Any) -> Frame:
        """What a take shows of the state."""
        ...

    def steps_per_second(self, state: Any) -> float:
        """How many steps a second its motion needs to be followed, 1/s."""
        return 0.0

    def snapshot(self) -> Any:
        """What the solver keeps from step to step besides the state, as it is now."""
        return None

    def restore(self, snapshot: Any) -> None:
        """Takes back all steps since the snapshot. A snapshot can be restored more than once."""
