"""Initial rates from the artist's velocities: the closest motion that q allows, min |xdot - J qdot|^2 over mass."""

from __future__ import annotations

import numpy as np

from ..kinematics.base import Array, Kinematics

__all__ = ["fitted_rates", "velocity_field"]


def velocity_field(positions: Array, mass: Array, linear: Array, angular: Array, members: np.ndarray | None) -> Array:
    """Float[P,3] m/s: v + omega x (x - c) for the chosen points (all when None), c their centre of mass.

    Zero elsewhere.
    """
    chosen = np.ones(len(mass), dtype=bool) if members is None else members
    centre = np.average(positions[chosen], axis=0, weights=mass[chosen])
    field = np.zeros_like(positions)
    field[chosen] = linear + np.cross(angular, positions[chosen] - centre)
    return field


def fitted_rates(kinematics: Kinematics, q: Array, basis: Array, mass: Array, field: Array) -> Array:
    """qdot Float[k] for a target velocity field Float[P,3] at material points: G qdot = J^T Phi^T (m v)."""
    momentum = kinematics.pull(q, basis.T @ (mass[:, None] * field))
    if kinematics.constant_jacobian:
        return momentum  # mass-orthonormal coordinates
    moment = basis.T @ (mass[:, None] * basis)
    jacobian = kinematics.jacobian(q).reshape(len(moment), 3, -1)
    metric = np.einsum("aik,ab,bil->kl", jacobian, moment, jacobian)
    return np.linalg.solve(metric, momentum)
