"""Variational integrator (implicit midpoint) for any provider, the mass matrix depending on q.

The kinetic energy is quadratic in handle space with the constant B, so the discrete Lagrangian is built there,
    L_d(q0, q1) = |a(q1) - a(q0)|_B^2 / (2 h) - h V((q0 + q1) / 2),
and the step solves  J0^T B (a1 - a0) / h + h/2 dV(mid) = p0;  p1 = J1^T B (a1 - a0) / h - h/2 dV(mid).
It is symplectic, of second order, keeps momentum maps exactly, and never forms G or Coriolis terms apart.

What a step loses, D(q1; q0), adds h dD/dq1 to the first equation alone: the whole impulse comes before p1, so that what
friction holds has no momentum left, whatever the step. That part is of first order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..kinematics.base import Array, Kinematics
from .coordinate_energies import CoordinateEnergy, Dissipation
from .energies import Energy, pulled_hessian
from .state import State, Statistics, StepFailed

__all__ = ["fitted_state", "mass_matrix", "variational_step"]

MAXIMUM_ITERATIONS = 60
SMALLEST_SHARE = 1e-7  # of a Newton step


def mass_matrix(kinematics: Kinematics, moment: Array, q: Array, other: Array) -> Array:
    """J(q)^T (B (x) I_3) J(other), Float[k,k]; G(q) where both are the same. `moment` is B, Float[4H,4H] kg."""
    rows = len(moment)
    left = kinematics.jacobian(q).reshape(rows, 3, -1)
    right = left if other is q else kinematics.jacobian(other).reshape(rows, 3, -1)
    return np.einsum("aik,ail->kl", left, np.tensordot(moment, right, axes=1))


def fitted_state(kinematics: Kinematics, moment: Array, q: Array, handle_rate: Array) -> State:
    """The state at q whose handles move most nearly like `handle_rate` Float[4H,3]: G(q) qdot = J^T B adot."""
    mass = mass_matrix(kinematics, moment, q, q)
    return State(q, np.linalg.solve(mass, kinematics.pull(q, moment @ handle_rate)))


def _force(
    kinematics: Kinematics,
    potentials: Sequence[Energy],
    coordinate_energies: Sequence[CoordinateEnergy],
    load: Array,
    q: Array,
) -> Array:
    """-dV/dq + J^T load, Float[k]."""
    a = kinematics.handles(q)
    force = kinematics.pull(q, load - sum((energy.gradient(a) for energy in potentials), np.zeros_like(load)))
    return force - sum(energy.gradient(q) for energy in coordinate_energies)


def _stiffness(
    kinematics: Kinematics,
    potentials: Sequence[Energy],
    coordinate_energies: Sequence[CoordinateEnergy],
    q: Array,
) -> Array | float:
    """J^T (d2V/da2) J, Float[k,k]: the part of d2V/dq2 that is large where it matters; whole for energies of q."""
    stiffness = sum(energy.hessian(q) for energy in coordinate_energies)
    if not potentials:
        return stiffness
    return stiffness + pulled_hessian(potentials, kinematics.handles(q), kinematics.jacobian(q))


def variational_step(
    kinematics: Kinematics,
    moment: Array,
    potentials: Sequence[Energy],
    state: State,
    step: float,
    load: Array,
    tolerance: float,
    statistics: Statistics,
    coordinate_energies: Sequence[CoordinateEnergy] = (),
    dissipations: Sequence[Dissipation] = (),
) -> State:
    """One step of `step` seconds under potentials and the constant handle-space force `load` Float[4H,3].

    Newton stops when its step is shorter than `tolerance` (sqrt(kg) m, in the metric of the kinetic energy). The state
    comes back in the provider's canonical chart.
    """
    start = kinematics.handles(state.q)
    momentum = kinematics.pull(state.q, moment @ kinematics.push(state.q, state.rate))
    lost = [dissipation.at(state.q, step) for dissipation in dissipations]
    stiff_spots = bool(lost or coordinate_energies)
    # J0^T B J1 is the slope of the momentum but measures no length: parts that turn far in a step make it indefinite.
    metric = mass_matrix(kinematics, moment, state.q, state.q)

    def residual(q: Array) -> Array:
        moved = moment @ (kinematics.handles(q) - start) / step
        pushed = 0.5 * step * _force(kinematics, potentials, coordinate_energies, load, 0.5 * (state.q + q))
        return kinematics.pull(state.q, moved) - pushed - momentum + step * sum(energy.gradient(q) for energy in lost)

    # From where it sticks, Newton meets the knee of friction from the side on which it cannot swing across.
    q = state.q if lost else state.q + step * state.rate
    remaining = residual(q)
    for _ in range(MAXIMUM_ITERATIONS):
        middle = 0.5 * (state.q + q)
        mass = mass_matrix(kinematics, moment, state.q, q)
        matrix = mass / step + 0.25 * step * _stiffness(kinematics, potentials, coordinate_energies, middle)
        matrix = matrix + step * sum(energy.hessian(q) for energy in lost)
        try:
            move = -np.linalg.solve(matrix, remaining)
        except np.linalg.LinAlgError:
            raise StepFailed from None
        statistics.newton_iterations += 1
        length = np.sqrt(max(float(move @ metric @ move), 0.0))
        if not np.isfinite(length):
            raise StepFailed
        if length < tolerance:
            q = q + move
            break
        share = _share(residual, q, move, matrix, metric) if stiff_spots else 1.0
        q = q + share * move
        remaining = residual(q)
    else:
        raise StepFailed
    moved = moment @ (kinematics.handles(q) - start) / step
    middle = 0.5 * (state.q + q)
    after = kinematics.pull(q, moved) + 0.5 * step * _force(kinematics, potentials, coordinate_energies, load, middle)
    rate = np.linalg.solve(mass_matrix(kinematics, moment, q, q), after)
    return _in_canonical_chart(kinematics, moment, State(q, rate))


def _in_canonical_chart(kinematics: Kinematics, moment: Array, state: State) -> State:
    """The same motion in other coordinates, where the provider has better ones: rates are fitted to the handles'."""
    canonical = kinematics.canonical(state.q)
    if np.array_equal(canonical, state.q):
        return state
    return fitted_state(kinematics, moment, canonical, kinematics.push(state.q, state.rate))


def _share(residual: Callable[[Array], Array], q: Array, move: Array, matrix: Array, metric: Array) -> float:
    """How much of a Newton step to take: the most, by halves, after which the same matrix asks for less (Deuflhard).

    Limits and friction bend the force within a short way, which whole steps could cross to and fro for ever.
    """
    square = float(move @ metric @ move)
    share = 1.0
    while share > SMALLEST_SHARE:
        again = np.linalg.solve(matrix, residual(q + share * move))
        if again @ metric @ again <= (1.0 - 0.25 * share) ** 2 * square:
            return share
        share *= 0.5
    raise StepFailed
