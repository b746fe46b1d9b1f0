"""Elastic coordinates in time. Every step minimises one incremental potential,

    E(x) = |x - x_tilde|^2 / (2 tau^2) + V(x) - load . x + R(x, q0) / span [+ what touches]

with unit mass (q is mass-orthonormal) and the dissipation R of `damping`:
- variational (implicit midpoint of the discrete Lagrangian): tau = span = h/2, x is the midpoint, q1 = 2 x - q0;
- dissipative, first order (backward Euler): tau = span = h, x_tilde = q0 + h qdot0;
- dissipative, second order (BDF2): tau = 2h/3, span = h, x_tilde = (4 q0 - q_)/3 + tau (4 qdot0 - qdot_)/3,
  where q_ and qdot_ are one step of the same length earlier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..kinematics.base import Array
from ..kinematics.elastic import ElasticKinematics
from .damping import RigidMotions
from .energies import StableNeoHookean
from .rigid_placement import nearest_rotation
from .springs import PointSprings
from .state import State
from .step_problem import PointRows
from .stiffness import LaggedStiffness

__all__ = ["ElasticMover", "ElasticProblem"]

CALM_STEPS = 16  # solves without a refresh after which the rest stiffness is tried again


@dataclass(frozen=True)
class Rule:
    """One of the integrators for one step: see the module's first lines. `finish` makes the new state from x."""

    tau: float  # s
    span: float  # s
    target: Array  # x_tilde, Float[k]
    finish: Callable[[Array], State]


@dataclass
class ElasticMover:
    """Constants of one elastic object. `moment` is B; `settle` is (alpha, beta) or None when undamped."""

    kinematics: ElasticKinematics
    moment: Array
    energy: StableNeoHookean
    stiffness: LaggedStiffness
    settle: tuple[float, float] | None
    anchored: bool
    tolerance: float  # sqrt(kg) m, length of the last Newton step in q
    rolling_resistance: float  # m/s^2, RMS deceleration of what turns while it touches
    rest_turning: float  # m/s, RMS: slower turning is held instead of braked

    def __post_init__(self) -> None:
        self.rigid = None if self.anchored else RigidMotions(self.kinematics, self.moment)
        self.solves_since_refresh = 0
        self._spring_matrix: Array | None = None

    def hold(self, springs: PointSprings | None) -> None:
        """Takes the springs of a step into Newton's matrix; where their ends are does not matter to it."""
        matrix = None if springs is None else springs.matrix
        if matrix is self._spring_matrix:
            return
        reduction = self.kinematics.reduction
        change = np.zeros((reduction.shape[1],) * 2)
        for held, sign in ((self._spring_matrix, -1.0), (matrix, 1.0)):
            if held is not None:
                change += sign * (reduction.T @ held @ reduction)
        self.stiffness.add_springs(change)
        self._spring_matrix = matrix

    def turn(self, a: Array) -> Array:
        """Rotation of the object as a whole: polar factor of the mass-weighted map from rest to now."""
        if self.anchored:
            return np.eye(3)
        weighted = self.moment[:4] @ a  # sum_v m_v [X_v; 1] x_v^T
        mean = weighted[3] / self.moment[3, 3]
        spread = weighted[:3] - np.outer(self.moment[3, :3], mean)
        return nearest_rotation(spread.T)

    def drift(self, state: State, load: Array) -> Array:
        """Handle acceleration Float[4H,3] by a handle-space force alone."""
        return self.kinematics.push(state.q, self.kinematics.pull(state.q, load))

    def midpoint(self, state: State, step: float, load: Array, springs: PointSprings | None) -> ElasticProblem:
        """The variational step of `step` seconds under a constant handle-space force Float[4H,3]."""
        tau = 0.5 * step

        def finish(x: Array) -> State:
            rate = (x - state.q) / tau
            return State(2.0 * x - state.q, 2.0 * rate - state.rate)

        rule = Rule(tau, tau, state.q + tau * state.rate, finish)
        problem = ElasticProblem(self, state, rule, load, springs, touching=False)
        if self.rigid is not None:
            # Along translations nothing but the load acts: their exact answer first, so that no digit of the momentum
            # is left to the tolerance (Newton's steps keep what is exact already).
            problem.guess = rule.target + tau**2 * self.rigid.translation(problem.pulled)
        return problem

    def dissipative(
        self, state: State, before: State | None, step: float, load: Array, springs: PointSprings | None
    ) -> ElasticProblem:
        """The step of an object that touches something; `before`: the state one such step earlier, if there is one."""
        if before is None:
            rule = Rule(step, step, state.q + step * state.rate, lambda x: State(x, (x - state.q) / step))
        else:
            tau = 2.0 * step / 3.0
            target = (4.0 * state.q - before.q) / 3.0 + tau * (4.0 * state.rate - before.rate) / 3.0
            rule = Rule(
                tau,
                step,
                target,
                lambda x: State(x, (3.0 * x - 4.0 * state.q + before.q) / (2.0 * step)),
            )
        return ElasticProblem(self, state, rule, load, springs, touching=True)


class ElasticProblem:
    """One step of one elastic object, see `step_problem.StepProblem`."""

    lagged = True

    def __init__(
        self,
        mover: ElasticMover,
        state: State,
        rule: Rule,
        load: Array,
        springs: PointSprings | None,
        *,
        touching: bool,
    ) -> None:
        mover.hold(springs)
        self._mover, self._springs = mover, springs
        self._start, self._target, self._tau, self._span = state.q, rule.target, rule.tau, rule.span
        self.finish = rule.finish
        kinematics = mover.kinematics
        start_handles = kinematics.handles(state.q)
        self.pulled = kinematics.pull(state.q, load)
        self._turn = mover.turn(start_handles)
        self._alpha, beta = mover.settle or (0.0, 0.0)
        self._viscosity = beta / rule.span
        self._metric = mover.energy.metric(start_handles) if beta else None
        self._factors = (1.0 / rule.tau**2 + self._alpha / rule.span, self._viscosity)
        self._rigid: Array | None = None
        self._braked: Array | None = None
        if mover.rigid is not None and (self._alpha or touching):
            self._rigid = mover.rigid(state.q)
            if touching and mover.rolling_resistance:
                turning = self._rigid[:, 3:]
                speed = float(np.linalg.norm(turning.T @ state.rate)) / np.sqrt(mover.moment[3, 3])
                rate = mover.rolling_resistance / max(speed, mover.rest_turning)
                self._braked = turning * np.sqrt(rate / rule.span)
        self.guess = rule.target
        mover.solves_since_refresh += 1
        if mover.solves_since_refresh == CALM_STEPS:
            mover.stiffness.back_to_rest()
        self._relative = mover.stiffness.relative(self._turn)

    def handles(self, x: Array) -> Array:
        return self._mover.kinematics.handles(x)

    def pull(self, x: Array, force: Array) -> Array:
        return self._mover.kinematics.pull(x, force)

    def gradient(self, x: Array, a: Array) -> Array:
        mover = self._mover
        slope = mover.energy.gradient(a, self._metric, self._viscosity)
        if self._springs is not None:
            slope = slope + self._springs.gradient(a)
        total = (x - self._target) * (1.0 / self._tau**2)
        total += mover.kinematics.pull(x, slope)
        total -= self.pulled
        if self._alpha:
            loose = x - self._start
            if self._rigid is not None:
                loose = loose - self._rigid @ (self._rigid.T @ loose)
            total += (self._alpha / self._span) * loose
        if self._braked is not None:
            total += self._braked @ (self._braked.T @ (x - self._start))
        return total

    def linearise(self, x: Array, a: Array) -> None:
        """Nothing: the lagged matrix stays."""

    def refresh(self, x: Array) -> bool:
        stiffness = self._mover.stiffness
        stiffness.refresh(x, self._turn, self._metric, self._factors)
        self._mover.solves_since_refresh = 0
        self._relative = stiffness.relative(self._turn)
        stiffness.matrix(self._factors)
        return stiffness.cautious

    def matrix(self) -> Array:
        return self._mover.stiffness.matrix(self._factors)

    def solved(self, right: Array) -> Array:
        return self._mover.stiffness.inverse(self._factors) @ right

    @property
    def braked(self) -> Array | None:
        if self._braked is None:
            return None
        columns = self._braked.shape[1]
        turned = np.einsum("nid,ij->njd", self._braked.reshape(-1, 3, columns), self._relative)
        return turned.reshape(-1, columns)

    def to_local(self, vector: Array) -> Array:
        return (vector.reshape(-1, 3) @ self._relative).ravel()

    def to_world(self, vector: Array) -> Array:
        return (vector.reshape(-1, 3) @ self._relative.T).ravel()

    def point_rows(self, basis: Array) -> PointRows:
        return PointRows(rows=basis @ self._mover.kinematics.reduction, frame=self._relative)

    def length(self, move: Array) -> float:
        return float(np.sqrt(move @ move)) / self._mover.tolerance

    def directions(self, after: State, basis: Array, normal: Array) -> Array:
        rows = basis @ self._mover.kinematics.reduction
        return (rows[:, :, None] * normal[:, None, :]).reshape(len(rows), -1)

    def pushed(self, after: State, impulse_rows: Array) -> Array:
        return impulse_rows.T
