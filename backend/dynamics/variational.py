"""One variational step for any provider, whatever its mass does with the configuration (few unknowns).

The kinetic energy is quadratic in handle space with the constant B, so the discrete Lagrangian is built there,
    L_d(q0, q1) = |a(q1) - a(q0)|_B^2 / (2 h) - h V((q0 + q1) / 2),
and the step solves  J0^T B (a1 - a0) / h + h/2 dV(mid) = p0;  p1 = J1^T B (a1 - a0) / h - h/2 dV(mid).
It is symplectic, of second order, keeps momentum maps exactly, and never forms G or Coriolis terms apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..kinematics.base import Array, Kinematics
from .energies import Energy
from .state import State, Statistics, StepFailed

__all__ = ["fitted_state", "mass_matrix", "variational_step"]

MAXIMUM_ITERATIONS = 60


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


def _force(kinematics: Kinematics, potentials: Sequence[Energy], load: Array, q: Array) -> Array:
    """-dV/dq + J^T load, Float[k]."""
    a = kinematics.handles(q)
    return kinematics.pull(q, load - sum((energy.gradient(a) for energy in potentials), np.zeros_like(load)))


def _stiffness(kinematics: Kinematics, potentials: Sequence[Energy], q: Array) -> Array | float:
    """J^T (d2V/da2) J, Float[k,k]: the part of d2V/dq2 that is large where it matters."""
    if not potentials:
        return 0.0
    a, jacobian = kinematics.handles(q), kinematics.jacobian(q)
    full = sum(energy.hessian(a).reshape(a.size, a.size) for energy in potentials)
    return jacobian.T @ full @ jacobian


def variational_step(
    kinematics: Kinematics,
    moment: Array,
    potentials: Sequence[Energy],
    state: State,
    step: float,
    load: Array,
    tolerance: float,
    statistics: Statistics,
) -> State:
    """One step of `step` seconds under potentials and the constant handle-space force `load` Float[4H,3].

    Newton stops when its step is shorter than `tolerance` (sqrt(kg) m, in the metric of the kinetic energy). The state
    comes back in the provider's canonical chart.
    """
    start = kinematics.handles(state.q)
    momentum = kinematics.pull(state.q, moment @ kinematics.push(state.q, state.rate))
    q = state.q + step * state.rate
    for _ in range(MAXIMUM_ITERATIONS):
        moved = moment @ (kinematics.handles(q) - start) / step
        middle = 0.5 * (state.q + q)
        pushed = 0.5 * step * _force(kinematics, potentials, load, middle)
        residual = kinematics.pull(state.q, moved) - pushed - momentum
        mass = mass_matrix(kinematics, moment, state.q, q)
        matrix = mass / step + 0.25 * step * _stiffness(kinematics, potentials, middle)
        try:
            move = -np.linalg.solve(matrix, residual)
        except np.linalg.LinAlgError:
            raise StepFailed from None
        statistics.newton_iterations += 1
        q = q + move
        length = np.sqrt(abs(float(move @ mass @ move)))
        if not np.isfinite(length):
            raise StepFailed
        if length < tolerance:
            break
    else:
        raise StepFailed
    moved = moment @ (kinematics.handles(q) - start) / step
    after = kinematics.pull(q, moved) + 0.5 * step * _force(kinematics, potentials, load, 0.5 * (state.q + q))
    rate = np.linalg.solve(mass_matrix(kinematics, moment, q, q), after)
    # The canonical chart is another set of coordinates for the same motion: rates are found again from the handles.
    canonical = kinematics.canonical(q)
    if np.array_equal(canonical, q):
        return State(q, rate)
    return fitted_state(kinematics, moment, canonical, kinematics.push(q, rate))
