"""Time integration of any provider's coordinates: few unknowns, Newton's matrix anew at every iterate.

In flight the variational step of `variational`. Where something touches, the incremental potential

    |a(q) - a_tilde|_B^2 / (2 tau^2) + V(a(q)) + U(q) - load . a(q) [+ what touches]

whose inertia is quadratic in handle space with the constant B: neither G(q) nor Coriolis terms are formed apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..kinematics.base import Array, Kinematics
from .coordinate_energies import CoordinateEnergy, Dissipation
from .energies import Energy, mass_of, pulled_hessian
from .latent_solver import SpringsAt
from .state import State, Statistics
from .step_problem import PointRows
from .variational import fitted_state, mass_matrix, variational_step

__all__ = ["CoordinateProblem", "CoordinateStepRule"]


@dataclass(frozen=True)
class CoordinateStepRule:
    """Constants of one object. `moment` is B Float[4H,4H] in kg; `turning` are the coordinates that turn it."""

    kinematics: Kinematics
    moment: Array
    potentials: tuple[Energy, ...]
    coordinate_energies: tuple[CoordinateEnergy, ...]
    dissipations: tuple[Dissipation, ...]
    tolerance: float  # sqrt(kg) m, length of the last Newton step
    rolling_resistance: float  # m/s^2, RMS deceleration of what turns while it touches
    rest_turning: float  # m/s, RMS: slower turning is held instead of braked
    turning: slice = field(default_factory=lambda: slice(3, 6))
    carriers: tuple[int, ...] | None = (0,)  # handles whose weights sum to one; None: all

    looks_back = True

    @cached_property
    def mass(self) -> float:
        """kg."""
        return mass_of(self.moment, self.carriers)

    def free_step(self, state: State, step: float, load: Array, springs_at: SpringsAt, statistics: Statistics) -> State:
        """The variational step of `step` seconds under a constant handle-space force Float[4H,3]."""
        springs = springs_at(0.5 * step)
        potentials: Sequence[Energy] = self.potentials if springs is None else (*self.potentials, springs)
        return variational_step(
            self.kinematics,
            self.moment,
            potentials,
            state,
            step,
            load,
            self.tolerance,
            statistics,
            self.coordinate_energies,
            self.dissipations,
        )

    def drifted(self, state: State, step: float, load: Array) -> Array:
        """Handle rates Float[4H,3] after `step` seconds in which a handle-space force alone acts.

        What turns goes on turning: a point of a wheel comes down to the ground ever slower.
        """
        force = self.kinematics.pull(state.q, load)
        mass = mass_matrix(self.kinematics, self.moment, state.q, state.q)
        rate = state.rate + step * np.linalg.solve(mass, force)
        return self.kinematics.push(state.q + 0.5 * step * (state.rate + rate), rate)

    def touching_problem(
        self, state: State, before: State | None, step: float, load: Array, springs_at: SpringsAt, *, brisk: bool
    ) -> CoordinateProblem:
        """The dissipative step, BDF2 with `before` (the state one such step earlier), backward Euler without."""
        springs = springs_at(step)
        potentials = self.potentials if springs is None else (*self.potentials, springs)
        return CoordinateProblem(self, state, before, step, load, potentials)

    def crushed(self, before: State, after: State) -> bool:
        """Never: both steps are balanced at their end."""
        return False

    def snapshot(self) -> None:
        """Nothing is kept from step to step."""

    def restore(self, snapshot: None) -> None:
        """Nothing to take back."""


class CoordinateProblem:
    """One dissipative step of one object, see `step_problem.StepProblem`."""

    lagged = False

    def __init__(
        self,
        rule: CoordinateStepRule,
        state: State,
        before: State | None,
        step: float,
        load: Array,
        potentials: tuple[Energy, ...],
    ) -> None:
        self._rule, self._state, self._before, self._step = rule, state, before, step
        self._load, self._potentials = load, potentials
        self.guess = state.q + step * state.rate
        resisting = tuple(dissipation.at(state.q, step) for dissipation in rule.dissipations)
        self._coordinate_energies = rule.coordinate_energies + resisting
        kinematics = rule.kinematics
        self._start = kinematics.handles(state.q)
        rate = kinematics.push(state.q, state.rate)
        if before is None:
            self._tau = step
            self._target = self._start + step * rate
        else:
            self._tau = 2.0 * step / 3.0
            self._earlier = kinematics.handles(before.q)
            rate = (4.0 * rate - kinematics.push(before.q, before.rate)) / 3.0
            self._target = (4.0 * self._start - self._earlier) / 3.0 + self._tau * rate
        self._brake: Array | None = None
        if rule.rolling_resistance:
            turning = mass_matrix(kinematics, rule.moment, state.q, state.q)[rule.turning, rule.turning]
            spin = state.rate[rule.turning]
            speed = float(np.sqrt(spin @ turning @ spin / rule.mass))
            self._brake = turning * (rule.rolling_resistance / max(speed, rule.rest_turning) / step)
        self._jacobian = np.zeros(0)
        self._mass = self._matrix = np.zeros((0, 0))

    def handles(self, x: Array) -> Array:
        return self._rule.kinematics.handles(x)

    def pull(self, x: Array, force: Array) -> Array:
        return self._rule.kinematics.pull(x, force)

    def gradient(self, x: Array, a: Array) -> Array:
        rule = self._rule
        force = rule.moment @ (a - self._target) / self._tau**2 - self._load
        for energy in self._potentials:
            force = force + energy.gradient(a)
        slope = rule.kinematics.pull(x, force)
        for energy in self._coordinate_energies:
            slope = slope + energy.gradient(x)
        if self._brake is not None:
            slope[rule.turning] += self._brake @ (x - self._state.q)[rule.turning]
        return slope

    def linearise(self, x: Array, a: Array) -> None:
        rule = self._rule
        rows = len(rule.moment)
        flat = rule.kinematics.jacobian(x)
        self._jacobian = flat.reshape(rows, 3, -1)
        self._mass = np.einsum("aik,ail->kl", self._jacobian, np.tensordot(rule.moment, self._jacobian, axes=1))
        self._matrix = self._mass / self._tau**2 + pulled_hessian(self._potentials, a, flat)
        for energy in self._coordinate_energies:
            self._matrix = self._matrix + energy.hessian(x)
        if self._brake is not None:
            self._matrix[rule.turning, rule.turning] += self._brake

    def refresh(self, x: Array) -> bool:
        return False

    def matrix(self) -> Array:
        return self._matrix

    def solved(self, right: Array) -> Array:
        return np.linalg.solve(self._matrix, right)

    @property
    def added_columns(self) -> Array | None:
        return None  # all is in the matrix, which is made anew each time

    def to_local(self, vector: Array) -> Array:
        return vector

    def to_world(self, vector: Array) -> Array:
        return vector

    def point_rows(self, basis: Array) -> PointRows:
        return PointRows(dense=np.tensordot(basis, self._jacobian, axes=1))

    def length(self, move: Array) -> float:
        return float(np.sqrt(abs(move @ self._mass @ move))) / self._rule.tolerance

    def finish(self, x: Array) -> State:
        kinematics = self._rule.kinematics
        a = kinematics.handles(x)
        if self._before is None:
            rate = (a - self._start) / self._step
        else:
            rate = (3.0 * a - 4.0 * self._start + self._earlier) / (2.0 * self._step)
        return fitted_state(kinematics, self._rule.moment, kinematics.canonical(x), rate)

    def directions(self, after: State, basis: Array, normal: Array) -> Array:
        kinematics = self._rule.kinematics
        jacobian = kinematics.jacobian(after.q).reshape(len(self._rule.moment), 3, -1)
        return np.einsum("mik,mi->mk", np.tensordot(basis, jacobian, axes=1), normal)

    def pushed(self, after: State, impulse_rows: Array) -> Array:
        return np.linalg.solve(mass_matrix(self._rule.kinematics, self._rule.moment, after.q, after.q), impulse_rows.T)
