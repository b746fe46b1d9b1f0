"""One step of one elastic object as an incremental potential, and the Newton matrix it shares with other steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..kinematics.base import Array
from ..kinematics.elastic import ElasticKinematics
from .energies import pulled_hessian
from .springs import PointSprings
from .state import State
from .step_problem import PointRows
from .stiffness import LaggedStiffness

if TYPE_CHECKING:
    from .elastic_step import ElasticStepRule

__all__ = ["ElasticCache", "ElasticProblem", "Scheme"]

NOT_STIFF = 1e-12  # of the stiffest direction of energies of one's own: less has no part in the Newton matrix
CALM_STEPS = 16  # solves without a refresh after which the rest stiffness is tried again


@dataclass(frozen=True)
class Scheme:
    """A time integration scheme for one step, see `elastic_step`. `finish` makes the new state from x."""

    tau: float  # s
    span: float  # s
    target: Array  # x_tilde, Float[k]
    finish: Callable[[Array], State]


@dataclass
class ElasticCache:
    """What an elastic object keeps from step to step: the lagged Newton matrix. Steers how Newton converges, not to
    what: minima are the same to within the tolerance.
    """

    stiffness: LaggedStiffness
    solves_since_refresh: int = 0
    spring_matrix: Array | None = None  # of the springs that are in the Newton matrix, Float[4H,4H]

    def copy(self) -> ElasticCache:
        """As it is now."""
        return replace(self, stiffness=self.stiffness.copy())

    def hold(self, springs: PointSprings | None, kinematics: ElasticKinematics) -> None:
        """Takes the springs of a step into Newton's matrix; where their ends are does not matter to it."""
        matrix = None if springs is None else springs.matrix
        if matrix is self.spring_matrix:
            return
        reduction = kinematics.reduction
        change = np.zeros((reduction.shape[1],) * 2)
        for held, sign in ((self.spring_matrix, -1.0), (matrix, 1.0)):
            if held is not None:
                change += sign * (reduction.T @ held @ reduction)
        self.stiffness.add_springs(change)
        self.spring_matrix = matrix

    def begin_solve(self) -> None:
        """Counts a solve; a motion that has calmed down goes back to the stiffness at rest."""
        self.solves_since_refresh += 1
        if self.solves_since_refresh == CALM_STEPS:
            self.stiffness.back_to_rest()


class ElasticProblem:
    """One step of one elastic object, see `step_problem.StepProblem`."""

    lagged = True

    def __init__(
        self,
        rule: ElasticStepRule,
        state: State,
        scheme: Scheme,
        load: Array,
        springs: PointSprings | None,
        *,
        touching: bool,
    ) -> None:
        kinematics = rule.kinematics
        self._cache = rule.cache
        self._cache.hold(springs, kinematics)
        self._rule, self._springs = rule, springs
        self._start, self._target, self._tau, self._span = state.q, scheme.target, scheme.tau, scheme.span
        self.finish = scheme.finish
        start_handles = kinematics.handles(state.q)
        self.pulled = kinematics.pull(state.q, load)
        self._turn = rule.turn(start_handles)
        self._alpha, beta = rule.settle or (0.0, 0.0)
        self._viscosity = beta / scheme.span
        self._metric = rule.energy.metric(start_handles) if beta else None
        self._factors = (1.0 / scheme.tau**2 + self._alpha / scheme.span, self._viscosity)
        self._rigid: Array | None = None
        self._braked: Array | None = None
        self._own: Array | None = None  # U Float[k,m], U U^T is the Hessian of the rule's own potentials
        if rule.rigid is not None and (self._alpha or touching):
            self._rigid = rule.rigid(state.q)
            if touching and rule.rolling_resistance:
                turning = self._rigid[:, 3:]
                speed = float(np.linalg.norm(turning.T @ state.rate)) / np.sqrt(rule.moment[3, 3])
                rate = rule.rolling_resistance / max(speed, rule.rest_turning)
                self._braked = turning * np.sqrt(rate / scheme.span)
        self.guess = scheme.target
        self._cache.begin_solve()
        self._relative = self._cache.stiffness.relative(self._turn)

    def handles(self, x: Array) -> Array:
        return self._rule.kinematics.handles(x)

    def pull(self, x: Array, force: Array) -> Array:
        return self._rule.kinematics.pull(x, force)

    def gradient(self, x: Array, a: Array) -> Array:
        rule = self._rule
        slope = rule.energy.gradient(a, self._metric, self._viscosity)
        if self._springs is not None:
            slope = slope + self._springs.gradient(a)
        for energy in rule.potentials:
            slope = slope + energy.gradient(a)
        total = (x - self._target) * (1.0 / self._tau**2)
        total += rule.kinematics.pull(x, slope)
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
        """The Hessian of energies of one's own, as far as it is positive; the lagged matrix stays."""
        if self._rule.potentials:
            hessian = pulled_hessian(self._rule.potentials, a, self._rule.kinematics.jacobian(x))
            values, vectors = np.linalg.eigh(hessian)
            stiff = values > NOT_STIFF * np.abs(values).max()
            self._own = vectors[:, stiff] * np.sqrt(values[stiff])

    def refresh(self, x: Array) -> bool:
        stiffness = self._cache.stiffness
        stiffness.refresh(x, self._turn, self._metric, self._factors)
        self._cache.solves_since_refresh = 0
        self._relative = stiffness.relative(self._turn)
        stiffness.matrix(self._factors)
        return stiffness.cautious

    def matrix(self) -> Array:
        return self._cache.stiffness.matrix(self._factors)

    def solved(self, right: Array) -> Array:
        return self._cache.stiffness.inverse(self._factors) @ right

    @property
    def added_columns(self) -> Array | None:
        both = [columns for columns in (self._braked, self._own) if columns is not None]
        if not both:
            return None
        columns = both[0] if len(both) == 1 else np.hstack(both)
        count = columns.shape[1]
        turned = np.einsum("nid,ij->njd", columns.reshape(-1, 3, count), self._relative)
        return turned.reshape(-1, count)

    def to_local(self, vector: Array) -> Array:
        if vector.ndim == 1:
            return (vector.reshape(-1, 3) @ self._relative).ravel()
        return (self._relative.T @ vector.reshape(-1, 3, vector.shape[1])).reshape(vector.shape)

    def to_world(self, vector: Array) -> Array:
        if vector.ndim == 1:
            return (vector.reshape(-1, 3) @ self._relative.T).ravel()
        return (self._relative @ vector.reshape(-1, 3, vector.shape[1])).reshape(vector.shape)

    def point_rows(self, basis: Array) -> PointRows:
        return PointRows(rows=basis @ self._rule.kinematics.reduction, frame=self._relative)

    def length(self, move: Array) -> float:
        return float(np.sqrt(move @ move)) / self._rule.tolerance

    def directions(self, after: State, basis: Array, normal: Array) -> Array:
        rows = basis @ self._rule.kinematics.reduction
        return (rows[:, :, None] * normal[:, None, :]).reshape(len(rows), -1)

    def pushed(self, after: State, impulse_rows: Array) -> Array:
        return impulse_rows.T
