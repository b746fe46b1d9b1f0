"""Skinned objects in time: the solver whose unknowns are the coordinates q of a kinematics provider.

How q steps is up to a step rule: `elastic_step` for elastic coordinates (constant Jacobian, lagged Newton matrix),
`coordinate_step` for all others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ..kinematics.base import Array, Kinematics
from .contact_shape import ContactShape
from .coordinate_energies import CoordinateEnergy
from .energies import Energy, mass_of
from .latent_forces import LatentForces
from .solver import Frame, Solver, Surface, Surroundings
from .springs import PointSprings
from .state import State, Statistics, StepFailed
from .step_problem import StepProblem

__all__ = ["LatentSolver", "LatentState", "SpringsAt", "StepRule"]

PHASE_PER_STEP = 0.4
SPIN_PER_STEP = 0.27

SpringsAt = Callable[[float], PointSprings | None]  # seconds after the step's begin -> springs with their ends there


class StepRule(Protocol):
    """Time integration of one kind of coordinates: the step in flight, and the problem to solve where it touches."""

    kinematics: Kinematics
    moment: Array  # B = sum_v m_v phi_v phi_v^T, Float[4H,4H] kg

    @property
    def looks_back(self) -> bool:
        """Whether its step in contact can use the state one such step earlier."""
        ...

    def free_step(self, state: State, step: float, load: Array, springs_at: SpringsAt, statistics: Statistics) -> State:
        """The step of `step` seconds without contact under a constant load Float[4H,3] N. Raises StepFailed."""
        ...

    def touching_problem(
        self, state: State, before: State | None, step: float, load: Array, springs_at: SpringsAt, *, brisk: bool
    ) -> StepProblem:
        """The step in contact. `before`: the state one such step earlier, where second order may be used; `brisk`:
        something that takes part moves so fast that, undamped, its motion must not die away.
        """
        ...

    def crushed(self, before: State, after: State) -> bool:
        """Whether a brisk step in contact ended in a shape that is not believed: it has to be taken again, calmly."""
        ...

    def drifted(self, state: State, step: float, load: Array) -> Array:
        """Handle rates Float[4H,3] after `step` seconds in which a load alone acts."""
        ...

    def snapshot(self) -> Any:
        """What it keeps from step to step."""
        ...

    def restore(self, snapshot: Any) -> None:
        """Takes back all steps since the snapshot."""
        ...


@dataclass(frozen=True)
class LatentState:
    """Coordinates and rates of one object, with handles and surface samples made when they are asked for."""

    solver: LatentSolver
    state: State

    @cached_property
    def handles(self) -> Array:
        """a, Float[4H,3]."""
        return self.solver.kinematics.handles(self.state.q)

    @cached_property
    def rate(self) -> Array:
        """da/dt, Float[4H,3]."""
        return self.solver.kinematics.push(self.state.q, self.state.rate)

    @cached_property
    def kinetic(self) -> float:
        """Joules."""
        return 0.5 * float(np.vdot(self.rate, self.solver.moment @ self.rate))

    @property
    def speed(self) -> float:
        """RMS over the mass, m/s."""
        return float(np.sqrt(2.0 * self.kinetic / self.solver.mass))

    @property
    def spin(self) -> float:
        """An upper estimate of the turning rate (rad/s): the largest velocity gradient of a handle that turns."""
        carriers = slice(None) if self.solver.carriers is None else list(self.solver.carriers)
        turning = np.linalg.norm(self.rate.reshape(-1, 4, 3)[carriers, :3], axis=(1, 2)).max()
        return float(turning / max(np.linalg.norm(self.handles[:3]), 1e-12))

    @cached_property
    def heights(self) -> Array:
        """Of the contact samples, Float[S] m."""
        return self.solver.sample_basis @ self.handles[:, 2]

    @cached_property
    def surface(self) -> Surface:
        """The contact samples; none where the object touches nothing."""
        return Surface(self.solver.sample_basis @ self.handles, self.solver.sample_basis @ self.rate)

    @property
    def positions(self) -> Array:
        """Of the contact samples, Float[S,3] m."""
        return self.surface.positions

    @property
    def speeds(self) -> Array:
        """Of the contact samples, Float[S] m/s."""
        return self.surface.speeds


@dataclass(frozen=True)
class LatentSolver(Solver):
    """Constants of one skinned object. `carriers`: the handles whose weights sum to one and that turn as a part of it
    does; None: all.
    """

    rule: StepRule
    potentials: tuple[Energy, ...]  # what the energy report counts, with `coordinate_potentials`
    coordinate_potentials: tuple[CoordinateEnergy, ...] = ()
    shape: ContactShape | None = None  # None: touches nothing
    followed_frequency: float = 0.0  # rad/s, of the fastest elastic mode that substeps must resolve; 0 if rigid
    carriers: tuple[int, ...] | None = (0,)

    @property
    def kinematics(self) -> Kinematics:
        """From q to handles."""
        return self.rule.kinematics

    @property
    def moment(self) -> Array:
        """B, Float[4H,4H] kg."""
        return self.rule.moment

    @cached_property
    def mass(self) -> float:  # type: ignore[override]
        """kg."""
        return mass_of(self.moment, self.carriers)

    @cached_property
    def sample_basis(self) -> Array:
        """Of the contact samples, Float[S,4H]."""
        return np.zeros((0, len(self.moment))) if self.shape is None else self.shape.basis

    def at(self, state: State) -> LatentState:
        """The object with these coordinates and rates. Raises StepFailed where they are not finite."""
        if not np.isfinite(state.q).all():
            raise StepFailed
        return LatentState(self, state)

    def step(self, state: LatentState, dt: float, forces: LatentForces, contacts: Surroundings) -> LatentState:
        """The variational step; where something is touched, `island_step` solves `touching_problem` instead."""
        varying = forces.varying(contacts.time, dt)
        load = sum((each.mean(state.handles, state.rate, contacts.time, dt) for each in varying), forces.load)

        def springs_at(span: float) -> PointSprings | None:
            return forces.springs_at(state.handles, contacts.time, span)

        return self.at(self.rule.free_step(state.state, dt, load, springs_at, contacts.statistics))

    def touching_problem(
        self,
        state: LatentState,
        before: LatentState | None,
        dt: float,
        load: Array,
        springs_at: SpringsAt,
        *,
        brisk: bool,
    ) -> StepProblem:
        """The step of an object that touches something, to be solved together with what it touches."""
        earlier = None if before is None else before.state
        return self.rule.touching_problem(state.state, earlier, dt, load, springs_at, brisk=brisk)

    def surface(self, state: LatentState) -> Surface:
        """The contact samples."""
        return state.surface

    def energy(self, state: LatentState) -> Array:
        """Kinetic, potential and total energy, Float[3] J."""
        potential = sum(energy.value(state.handles) for energy in self.potentials)
        potential += sum(energy.value(state.state.q) for energy in self.coordinate_potentials)
        return np.array([state.kinetic, potential, state.kinetic + potential])

    def speed(self, state: LatentState) -> float:
        """RMS over the mass, m/s."""
        return state.speed

    def stopped(self, state: LatentState) -> LatentState:
        """The same coordinates at rest."""
        if not state.state.rate.any():
            return state
        return LatentState(self, State(state.state.q, np.zeros_like(state.state.rate)))

    def frame(self, index: int, state: LatentState) -> Frame:
        """Handles and coordinates."""
        return Frame(index, state.handles, state.state.q, self.energy(state))

    def steps_per_second(self, state: LatentState) -> float:
        """Implicit midpoint slows a mode by phase^2 / 12 (1 % here) and swells a spinning body by spin^2 / 8 of its
        size between frames: at most these angles (rad) in a step.
        """
        return max(state.spin / SPIN_PER_STEP, self.followed_frequency / PHASE_PER_STEP)

    def snapshot(self) -> Any:
        """The step rule's caches."""
        return self.rule.snapshot()

    def restore(self, snapshot: Any) -> None:
        """The caches as they were."""
        self.rule.restore(snapshot)
