"""The variational step of an undamped elastic object that touches something: pressed, elasticity keeps its energy.

The unknown is the end y of the step, where nothing may be crossed; elasticity, load and damping, a(x), act at the
midpoint x = (q0 + y) / 2, and the whole impulse f of the contacts at the begin:

    y = q0 + h qdot0 + h^2 (a(x) / 2 + f(y)),    qdot1 = (y - q0) / h + h/2 a(x)

so that a point which contact holds keeps no speed of its own, and all that moves freely takes the step of free flight.
Both minimise E(x) + B(y) with the potential E of the free step and that of the contacts, B.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..kinematics.base import Array
from .elastic_problem import ElasticProblem, Scheme
from .springs import PointSprings
from .state import State

if TYPE_CHECKING:
    from .elastic_step import ElasticStepRule

__all__ = ["TouchingProblem"]


class TouchingProblem(ElasticProblem):
    """One such step. E is half as steep in y as in x, so that its matrix is a quarter."""

    def __init__(
        self, rule: ElasticStepRule, state: State, step: float, load: Array, springs: PointSprings | None
    ) -> None:
        tau = 0.5 * step
        scheme = Scheme(tau, tau, state.q + tau * state.rate, self._end)
        super().__init__(rule, state, scheme, load, springs, touching=True)
        self._begin, self._begin_handles = state.q, rule.kinematics.handles(state.q)
        self.guess = state.q + step * state.rate

    def gradient(self, x: Array, a: Array) -> Array:
        return 0.5 * super().gradient(*self._middle(x, a))

    def linearise(self, x: Array, a: Array) -> None:
        super().linearise(*self._middle(x, a))

    def refresh(self, x: Array) -> bool:
        return super().refresh(0.5 * (self._begin + x))

    def matrix(self) -> Array:
        return 0.25 * super().matrix()

    def solved(self, right: Array) -> Array:
        return 4.0 * super().solved(right)

    @property
    def added_columns(self) -> Array | None:
        columns = super().added_columns
        return None if columns is None else 0.5 * columns

    def _middle(self, x: Array, a: Array) -> tuple[Array, Array]:
        """Coordinates and handles halfway to the end."""
        return 0.5 * (self._begin + x), 0.5 * (self._begin_handles + a)

    def _end(self, x: Array) -> State:
        middle = self._middle(x, self.handles(x))
        force = (middle[0] - self._target) / self._tau**2 - super().gradient(*middle)
        return State(x, (x - self._begin) / (2.0 * self._tau) + self._tau * force)
