"""One time step of elastic coordinates as a minimisation. Both integrators are the same incremental potential,

    E(x) = |x - x_tilde|^2 / (2 tau^2) + V(x) - load . x + (x - q0)^T D (x - q0) / (2 tau) [+ barrier + friction]

with x_tilde = q0 + tau qdot0 and unit mass:
- variational (implicit midpoint of the discrete Lagrangian): tau = h/2, x is the midpoint, q1 = 2 x - q0;
- dissipative (backward Euler, where something touches): tau = h, x = q1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..kinematics.base import Array
from ..kinematics.elastic import ElasticKinematics
from .contact import Contact, Friction, least_impulse
from .damping import Damping, rigid_velocities
from .energies import StableNeoHookean
from .stiffness import LaggedStiffness

__all__ = ["ElasticStepper", "State", "Statistics", "StepFailed"]

MAXIMUM_ITERATIONS = 60
REFRESH_AFTER = 6  # iterations with the matrix at hand before it is taken anew at the current shape


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


@dataclass
class ElasticStepper:
    """Steps an elastic object. `moment` is B; `settle` is (alpha, beta) or None when undamped."""

    kinematics: ElasticKinematics
    moment: Array
    energy: StableNeoHookean
    stiffness: LaggedStiffness
    settle: tuple[float, float] | None
    anchored: bool
    contact: Contact | None
    tolerance: float  # sqrt(kg) m, length of the last Newton step in q
    statistics: Statistics = field(default_factory=Statistics)

    def __post_init__(self) -> None:
        self._contact_rows = None if self.contact is None else self.contact.basis @ self.kinematics.reduction
        self._rest_stiffness = self.stiffness.rest

    # -- geometry of the moment ------------------------------------------------------------------------------------

    def _turn(self, a: Array) -> Array:
        """Rotation of the object as a whole: polar factor of the mass-weighted map from rest to now."""
        if self.anchored:
            return np.eye(3)
        weighted = self.moment[:4] @ a  # sum_v m_v [X_v; 1] x_v^T
        mean = weighted[3] / self.moment[3, 3]
        spread = weighted[:3] - np.outer(self.moment[3, :3], mean)
        left, _, right = np.linalg.svd(spread.T)
        return left @ np.diag([1.0, 1.0, np.sign(np.linalg.det(left @ right))]) @ right

    def _damping(self, q: Array, turn: Array) -> Damping | None:
        if self.settle is None:
            return None
        rigid = None if self.anchored else rigid_velocities(self.kinematics, self.moment, q)
        return Damping(*self.settle, rigid, self._rest_stiffness, turn)

    def positions(self, q: Array) -> Array:
        """Contact samples, Float[S,3] metres."""
        assert self.contact is not None
        return self.contact.positions(self.kinematics.handles(q))

    # -- the two integrators ---------------------------------------------------------------------------------------

    def advance(self, state: State, step: float, load: Array) -> State:
        """One step of `step` seconds under the constant handle-space force `load` Float[4H,3]."""
        pulled = self.kinematics.pull(state.q, load)
        self.statistics.steps += 1
        if self.contact is None:
            return self._variational(state, step, pulled)
        before = self.positions(state.q)
        if self.contact.gaps(before).min() >= self.contact.margin:
            free = self._variational(state, step, pulled)
            if self.contact.gaps(self.positions(free.q)).min() >= self.contact.margin:
                return free
        self.statistics.contact_steps += 1
        return self._dissipative(state, step, pulled, before)

    def _variational(self, state: State, step: float, load: Array) -> State:
        tau = 0.5 * step
        middle = self._minimise(state, tau, load, None, None)
        rate = (middle - state.q) / tau
        return State(2.0 * middle - state.q, 2.0 * rate - state.rate)

    def _dissipative(self, state: State, step: float, load: Array, before: Array) -> State:
        contact = self.contact
        assert contact is not None
        friction = contact.friction(before, before, step)
        q = self._minimise(state, step, load, before, friction)
        if contact.ground.friction > 0.0:
            # Once more with the normal forces just found: the first contact of a landing must already rub.
            lagged = contact.friction(self.positions(q), before, step)
            if lagged is not None:
                q = self._minimise(state, step, load, before, lagged, start=q)
        rate = self._restitution(state, State(q, (q - state.q) / step), before)
        return State(q, rate)

    def _restitution(self, before: State, after: State, positions: Array) -> Array:
        contact, rows = self.contact, self._contact_rows
        assert contact is not None and rows is not None
        approach = rows @ before.rate.reshape(-1, 3)[:, 2]
        rebound = contact.rebound(positions, approach, self.positions(after.q))
        if rebound is None:
            return after.rate
        touching, speed = rebound
        normal = rows[touching]
        rate = after.rate.reshape(-1, 3).copy()
        rate[:, 2] += least_impulse(normal, normal.T, speed - normal @ rate[:, 2])
        return rate.ravel()

    # -- Newton ----------------------------------------------------------------------------------------------------

    def _minimise(
        self,
        state: State,
        tau: float,
        load: Array,
        before: Array | None,
        friction: Friction | None,
        start: Array | None = None,
    ) -> Array:
        kinematics, contact = self.kinematics, self.contact
        rows = self._contact_rows
        target = state.q + tau * state.rate
        turn = self._turn(kinematics.handles(state.q))
        damping = self._damping(state.q, turn)
        alpha, beta = self.settle or (0.0, 0.0)
        mass_factor, stiffness_factor = 1.0 / tau**2 + alpha / tau, 1.0 + beta / tau
        in_contact = before is not None
        blocks: Array | None = None
        near: Array | None = None

        def gradient(x: Array) -> Array:
            nonlocal blocks, near
            a = kinematics.handles(x)
            total = (x - target) / tau**2 + kinematics.pull(x, self.energy.gradient(a)) - load
            if damping is not None:
                total += damping.apply((x - state.q) / tau)
            blocks = near = None
            if in_contact:
                assert contact is not None and rows is not None
                positions = contact.positions(a)
                gaps = contact.gaps(positions)
                near = contact.active(gaps)
                if friction is not None:
                    near = np.union1d(near, friction.samples)
                force = np.zeros((len(near), 3))
                blocks = np.zeros((len(near), 3, 3))
                close = np.flatnonzero(gaps[near] < contact.margin)
                force[close, 2] = contact.barrier_slope(gaps[near][close])
                blocks[close, 2, 2] = contact.barrier_curvature(gaps[near][close])
                if friction is not None:
                    place = np.searchsorted(near, friction.samples)
                    force[place] += friction.gradient(positions)
                    blocks[place] += friction.hessian(positions)
                if near.size:
                    total += (rows[near].T @ force).ravel()
                else:
                    blocks = near = None
            return total

        def reach(x: Array, move: Array) -> float:
            """The largest share of `move` that keeps every sample above the ground; gaps are linear in x."""
            if not in_contact:
                return 1.0
            assert contact is not None and rows is not None
            gaps = contact.gaps(contact.positions(kinematics.handles(x)))
            drop = -(rows @ move.reshape(-1, 3)[:, 2])
            falling = drop > 0.0
            return float(min(1.0, 0.9 * (gaps[falling] / drop[falling]).min(initial=np.inf)))

        if start is None:
            x = state.q + reach(state.q, target - state.q) * (target - state.q)
        else:
            x = start
        slope = gradient(x)
        previous = np.inf
        for iteration in range(MAXIMUM_ITERATIONS):
            if iteration and iteration % REFRESH_AFTER == 0:
                self.stiffness.refresh(x, turn, mass_factor, stiffness_factor)
                self.statistics.stiffness_refreshes += 1
            active_rows = None if near is None or rows is None else rows[near]
            move = -self.stiffness.solve(slope, turn, mass_factor, stiffness_factor, active_rows, blocks)
            self.statistics.newton_iterations += 1
            length = float(np.sqrt(move @ move))
            if not np.isfinite(length):
                raise StepFailed
            # A linearly converging iteration still has length * r / (1 - r) to go; r from the last two steps.
            ratio = min(length / previous, 0.9) if np.isfinite(previous) else 0.5
            if length * ratio / (1.0 - ratio) < self.tolerance and length < 100.0 * self.tolerance:
                return x + reach(x, move) * move
            previous = length
            downhill = float(slope @ move)
            share = reach(x, move)
            for _ in range(12):
                trial = x + share * move
                trial_slope = gradient(trial)
                along = float(trial_slope @ move)
                if along <= 0.9 * abs(downhill):
                    break
                share *= np.clip(downhill / (downhill - along), 0.1, 0.7)
            else:
                raise StepFailed
            x, slope = trial, trial_slope
        raise StepFailed
