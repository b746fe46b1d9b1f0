"""Time integration of elastic coordinates. Every step minimises one incremental potential,

    E(x) = |x - x_tilde|^2 / (2 tau^2) + V(x) - load . x + R(x, q0) / span [+ what touches]

with unit mass (q is mass-orthonormal) and the dissipation R of `damping`:
- variational (implicit midpoint of the discrete Lagrangian): tau = span = h/2, x is the midpoint, q1 = 2 x - q0;
  in contact, where nothing damps and something moves briskly, with what `elastic_contact` adds;
- dissipative, first order (backward Euler): tau = span = h, x_tilde = q0 + h qdot0;
- dissipative, second order (BDF2): tau = 2h/3, span = h, x_tilde = (4 q0 - q_)/3 + tau (4 qdot0 - qdot_)/3,
  where q_ and qdot_ are one step of the same length earlier.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..kinematics.base import Array
from ..kinematics.elastic import ElasticKinematics
from .damping import RigidMotions
from .elastic_contact import TouchingProblem
from .elastic_problem import ElasticCache, ElasticProblem, Scheme
from .energies import Energy, StableNeoHookean
from .island_newton import minimise
from .latent_solver import SpringsAt
from .rigid_placement import nearest_rotation
from .springs import PointSprings
from .state import State, Statistics

__all__ = ["ElasticStepRule"]

FAR = 0.05  # of the size, RMS: a free step shorter than this cannot turn anything inside out
CRUSHED_END = 0.2  # volume ratio at the end of a variational step that is not believed


@dataclass
class ElasticStepRule:
    """Constants of one elastic object, and the `cache` that its steps keep. `moment` is B.

    `settle` is (alpha, beta) or None when undamped; `potentials` act besides the elastic energy.
    """

    kinematics: ElasticKinematics
    moment: Array
    energy: StableNeoHookean
    cache: ElasticCache
    settle: tuple[float, float] | None
    anchored: bool
    tolerance: float  # sqrt(kg) m, length of the last Newton step in q
    rolling_resistance: float  # m/s^2, RMS deceleration of what turns while it touches
    rest_turning: float  # m/s, RMS: slower turning is held instead of braked
    size: float  # m
    potentials: tuple[Energy, ...] = ()

    @property
    def looks_back(self) -> bool:
        """Whether its step in contact can use the state one such step earlier."""
        return self.settle is not None

    @cached_property
    def rigid(self) -> RigidMotions | None:
        """Rigid motions of a free object."""
        return None if self.anchored else RigidMotions(self.kinematics, self.moment)

    def turn(self, a: Array) -> Array:
        """Rotation of the object as a whole: polar factor of the mass-weighted map from rest to now."""
        if self.anchored:
            return np.eye(3)
        weighted = self.moment[:4] @ a  # sum_v m_v [X_v; 1] x_v^T
        mean = weighted[3] / self.moment[3, 3]
        spread = weighted[:3] - np.outer(self.moment[3, :3], mean)
        return nearest_rotation(spread.T)

    def drifted(self, state: State, step: float, load: Array) -> Array:
        """Handle rates Float[4H,3] after `step` seconds in which a handle-space force alone acts."""
        return self.kinematics.push(state.q, state.rate + step * self.kinematics.pull(state.q, load))

    def free_step(self, state: State, step: float, load: Array, springs_at: SpringsAt, statistics: Statistics) -> State:
        """The variational step of `step` seconds; backward Euler where that ends crushed."""
        problem = self.midpoint_problem(state, step, load, springs_at(0.5 * step))
        after = problem.finish(minimise([problem], None, None, [problem.guess], statistics)[0])
        if not self.crushed(state, after):
            return after
        problem = self.touching_problem(state, None, step, load, springs_at, brisk=False)
        return problem.finish(minimise([problem], None, None, [state.q], statistics)[0])

    def crushed(self, before: State, after: State) -> bool:
        """Whether a variational step ends in a shape that is not believed.

        The midpoint is balanced, the end beyond it is not: it can be turned inside out at no cost to the step, and
        carries energy from nowhere into the next one. Backward Euler balances the end itself.
        """
        moved = float(np.linalg.norm(after.q - before.q)) / np.sqrt(self.moment[3, 3])
        if moved < FAR * self.size:
            return False
        return bool(self.energy.volume_ratio(self.kinematics.handles(after.q)).min() <= CRUSHED_END)

    def midpoint_problem(self, state: State, step: float, load: Array, springs: PointSprings | None) -> ElasticProblem:
        """The variational step of `step` seconds under a constant handle-space force Float[4H,3]."""
        tau = 0.5 * step

        def finish(x: Array) -> State:
            rate = (x - state.q) / tau
            return State(2.0 * x - state.q, 2.0 * rate - state.rate)

        scheme = Scheme(tau, tau, state.q + tau * state.rate, finish)
        problem = ElasticProblem(self, state, scheme, load, springs, touching=False)
        if self.rigid is not None:
            # Along translations nothing but the load acts: their exact answer first, so that no digit of the momentum
            # is left to the tolerance (Newton's steps keep what is exact already).
            problem.guess = scheme.target + tau**2 * self.rigid.translation(problem.pulled)
        return problem

    def touching_problem(
        self, state: State, before: State | None, step: float, load: Array, springs_at: SpringsAt, *, brisk: bool
    ) -> ElasticProblem:
        """The step in contact: variational where nothing damps and something moves briskly; else dissipative, BDF2 with
        `before` (the state one such step earlier), backward Euler without.
        """
        if brisk and self.settle is None:
            return TouchingProblem(self, state, step, load, springs_at(0.5 * step))
        if before is None:
            scheme = Scheme(step, step, state.q + step * state.rate, lambda x: State(x, (x - state.q) / step))
        else:
            tau = 2.0 * step / 3.0
            target = (4.0 * state.q - before.q) / 3.0 + tau * (4.0 * state.rate - before.rate) / 3.0
            scheme = Scheme(
                tau,
                step,
                target,
                lambda x: State(x, (3.0 * x - 4.0 * state.q + before.q) / (2.0 * step)),
            )
        return ElasticProblem(self, state, scheme, load, springs_at(step), touching=True)

    def snapshot(self) -> ElasticCache:
        """The cache as it is now."""
        return self.cache.copy()

    def restore(self, snapshot: ElasticCache) -> None:
        """The cache as it was."""
        self.cache = snapshot.copy()
