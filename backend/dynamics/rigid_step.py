"""Steps of a rigid body: variational in flight, backward Euler with barrier and friction on the ground."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..kinematics.base import Array
from ..kinematics.rigid import RigidKinematics
from .contact import Contact, Friction, Patch, least_impulse
from .contact_step import advance_with_contact
from .state import State, Statistics, StepFailed
from .variational import fitted_state, mass_matrix, variational_step

__all__ = ["RigidStepper"]

MAXIMUM_ITERATIONS = 40


@dataclass
class RigidStepper:
    """Steps a rigid body; rate is qdot in the provider's chart. `moment` is B Float[4,4] in kg."""

    kinematics: RigidKinematics
    moment: Array
    contact: Contact | None
    tolerance: float  # metres, size of the last Newton step
    statistics: Statistics = field(default_factory=Statistics)

    def _size(self, move: Array) -> float:
        return float(max(np.abs(move[:3]).max(), self.kinematics.frame.scale * np.abs(move[3:]).max()))

    def advance(self, state: State, step: float, load: Array) -> State:
        """One step of `step` seconds under the constant handle-space force `load` Float[4,3]."""
        return advance_with_contact(self, state, step, load)

    def free_step(self, state: State, step: float, load: Array) -> State:
        """The variational step."""
        tolerance = self.tolerance * np.sqrt(self.moment[3, 3])
        return variational_step(self.kinematics, self.moment, (), state, step, load, tolerance, self.statistics)

    def touching_step(self, state: State, step: float, load: Array, patch: Patch) -> State:
        """Backward Euler with the ground."""
        kinematics = self.kinematics
        before = patch.positions(kinematics.handles(state.q))
        # Normal forces of friction are lagged: first those of the last step, then those of the first solve.
        friction = patch.friction(before, before, step)
        q = self._minimise(state, step, load, state.q, patch, friction)
        lagged = patch.friction(patch.positions(kinematics.handles(q)), before, step)
        if lagged is not None and lagged.differs_from(friction):
            q = self._minimise(state, step, load, q, patch, lagged)
        handle_rate = (kinematics.handles(q) - kinematics.handles(state.q)) / step
        after = fitted_state(kinematics, self.moment, kinematics.canonical(q), handle_rate)
        approach = (patch.basis @ kinematics.push(state.q, state.rate))[:, 2]
        rebound = patch.rebound(before, approach, patch.positions(kinematics.handles(after.q)))
        if rebound is None:
            return after
        touching, speed = rebound
        up = np.array([0.0, 0.0, 1.0])
        normal = np.stack([kinematics.pull(after.q, np.outer(row, up)) for row in patch.basis[touching]])
        spread = np.linalg.solve(mass_matrix(kinematics, self.moment, after.q, after.q), normal.T)
        return State(after.q, after.rate + least_impulse(normal, spread, speed - normal @ after.rate))

    def _minimise(
        self, state: State, step: float, load: Array, start: Array, patch: Patch, friction: Friction | None
    ) -> Array:
        """Backward Euler as the minimum of |a - a_tilde|_B^2 / (2 h^2) - load . a + barrier + friction."""
        kinematics = self.kinematics
        target = kinematics.handles(state.q) + step * kinematics.push(state.q, state.rate)
        turning = mass_matrix(kinematics, self.moment, state.q, state.q)[3:, 3:]
        speed = float(np.sqrt(state.rate[3:] @ turning @ state.rate[3:] / self.moment[3, 3]))
        brake = turning * (patch.contact.rolling_resistance(speed) / step)

        def value(q: Array) -> float:
            a = kinematics.handles(q)
            off = a - target
            positions = patch.positions(a)
            total = 0.5 * np.vdot(off, self.moment @ off) / step**2 - np.vdot(load, a)
            turned = q[3:] - state.q[3:]
            total += patch.barrier_value(patch.gaps(positions)) + 0.5 * turned @ brake @ turned
            return float(total + (friction.value(positions) if friction is not None else 0.0))

        q, energy = start, value(start)
        for _ in range(MAXIMUM_ITERATIONS):
            a = kinematics.handles(q)
            positions = patch.positions(a)
            gaps = patch.gaps(positions)
            near = patch.active(gaps)
            force = self.moment @ (a - target) / step**2 - load
            jacobian = kinematics.jacobian(q).reshape(4, 3, -1)
            hessian = mass_matrix(kinematics, self.moment, q, q) / step**2
            force[:, 2] += patch.basis[near].T @ patch.barrier_slope(gaps[near])
            lift = patch.basis[near] @ jacobian[:, 2]
            hessian += lift.T @ (patch.barrier_curvature(gaps[near])[:, None] * lift)
            if friction is not None:
                basis = patch.basis[friction.samples]
                force += basis.T @ friction.gradient(positions)
                rows = np.einsum("ca,aik->cik", basis, jacobian)
                hessian += np.einsum("cik,cij,cjl->kl", rows, friction.hessian(positions), rows)
            slope = kinematics.pull(q, force)
            slope[3:] += brake @ (q[3:] - state.q[3:])
            hessian[3:, 3:] += brake
            move = -np.linalg.solve(hessian, slope)
            self.statistics.newton_iterations += 1
            share = 1.0
            while share > 1e-6:
                trial = q + share * move
                new = value(trial)
                if new <= energy + 1e-4 * share * float(slope @ move) + 1e-14 * abs(energy):
                    break
                share *= 0.5
            else:
                if self._size(move) < 100.0 * self.tolerance:
                    return q
                raise StepFailed
            q, energy = trial, new
            if self._size(share * move) < self.tolerance:
                return q
        raise StepFailed
