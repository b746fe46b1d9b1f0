"""Initial conditions: least-squares fits of coordinates to a pose and of rates to given velocities.

    q0 = argmin sum_v m_v |x0_v - phi_v a(q)|^2,    qdot0 = argmin sum_v m_v |xdot0_v - phi_v J(q0) qdot|^2

In handle space, with B = sum m phi phi^T and c = sum m phi x0^T, the first is 1/2 <a, B a> - <a, c> and a constant:
after one product with the basis nothing depends on the number of points.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

from ..kinematics.base import Array, Kinematics
from .rigid_placement import nearest_rotation, translation_row
from .variational import mass_matrix

__all__ = ["fitted_pose", "fitted_rates", "velocity_field"]

UNSEEN = 1e-10  # of the stiffest: coordinates that move the given points less than this stay where they are
MAXIMUM_ITERATIONS = 200
TOLERANCE = 1e-10  # of the size, RMS: length of the last step of a fit
LARGEST_TURN = np.radians(25.0)  # one fit follows this much of a turn


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
    return np.linalg.solve(mass_matrix(kinematics, moment, q, q), momentum)


class _Fit:
    """The squared distance of handles to one set of positions."""

    def __init__(self, kinematics: Kinematics, basis: Array, mass: Array, positions: Array) -> None:
        self._kinematics = kinematics
        self._shift = translation_row(basis)
        self.moment = basis.T @ (mass[:, None] * basis)  # B
        self.first = mass @ basis  # sum m phi
        self.goal = basis.T @ (mass[:, None] * positions)  # c
        self.total = float(mass.sum())
        self.centre = mass @ positions / self.total
        around = positions - self.centre
        self.size = float(np.sqrt(mass @ (around**2).sum(axis=1) / self.total))

    def turn_from(self, a: Array) -> Array:
        """The rotation that takes the shape with handles `a` nearest to the positions."""
        start = self.first @ a / self.total
        return nearest_rotation(self.goal.T @ a - self.total * np.outer(self.centre, start))

    def turned(self, turn: Array) -> Array:
        """c of the positions turned about their centre."""
        return (self.goal - np.outer(self.first, self.centre)) @ turn.T + np.outer(self.first, self.centre)

    def excess(self, q: Array, goal: Array) -> float:
        """Half the squared distance Σ m |x - x0|^2 less what does not depend on q."""
        a = self._kinematics.handles(q)
        return 0.5 * float(np.vdot(a, self.moment @ a)) - float(np.vdot(a, goal))

    def placed(self, q: Array) -> Array:
        """For affine handles: q moved rigidly to the positions; q itself where the object is not free."""
        a = self._kinematics.handles(q)
        if self._shift is None:
            return q
        turn = self.turn_from(a)
        moved = a @ turn.T + np.outer(self._shift, self.centre - turn @ (self.first @ a / self.total))
        change = np.linalg.lstsq(self._kinematics.jacobian(q), (moved - a).ravel(), rcond=None)[0]
        missed = self._kinematics.push(q, change) - (moved - a)
        return q + change if np.vdot(missed, self.moment @ missed) < 1e-8 * self.total * self.size**2 else q

    def affine(self, q: Array) -> Array:
        """The best q of affine handles; what the points do not tell stays as in the shape q."""
        kinematics = self._kinematics
        slope = kinematics.pull(q, self.goal - self.moment @ kinematics.handles(q))
        values, vectors = np.linalg.eigh(mass_matrix(kinematics, self.moment, q, q))
        seen = values > UNSEEN * values[-1]
        return q + (vectors[:, seen] / values[seen]) @ (vectors[:, seen].T @ slope)

    def levenberg_marquardt(self, q: Array, goal: Array) -> Array:
        """The best q near `q`, by Gauss-Newton steps that are damped while they do not help."""
        kinematics, damping = self._kinematics, 1e-6
        value = self.excess(q, goal)
        for _ in range(MAXIMUM_ITERATIONS):
            slope = kinematics.pull(q, self.moment @ kinematics.handles(q) - goal)
            metric = mass_matrix(kinematics, self.moment, q, q)
            values, vectors = eigh(metric)
            values = np.maximum(values, UNSEEN * values[-1])
            along = vectors.T @ slope
            while True:
                move = -vectors @ (along / (values + damping * values[-1]))
                length = float(np.sqrt(move @ metric @ move / self.total))
                reached = self.excess(q + move, goal)
                if reached <= value or length < TOLERANCE * self.size:
                    break
                damping = max(10.0 * damping, 1e-6)
            if length < TOLERANCE * self.size:
                return q
            q, value, damping = q + move, reached, 0.1 * damping
        return q


def fitted_pose(
    kinematics: Kinematics, basis: Array, mass: Array, positions: Array, guess: Array | None = None
) -> tuple[Array, float]:
    """Coordinates whose shape is nearest to drawn positions, and the RMS distance that is left (m, over the mass).

    positions Float[n,3] of any points of the object (the whole mesh or some of it), basis Float[n,4H] theirs and mass
    Float[n] how much each counts. Starts from `guess`, the rest when None; a pose that is turned far from there is
    followed through steps of a smaller turn.
    """
    fit = _Fit(kinematics, basis, mass, positions)
    start = kinematics.rest() if guess is None else guess
    if kinematics.constant_jacobian:
        q = fit.affine(fit.placed(start))
    else:
        q = fit.levenberg_marquardt(start, fit.goal)
        turn = Rotation.from_matrix(fit.turn_from(kinematics.handles(start))).as_rotvec()
        steps = int(np.ceil(np.linalg.norm(turn) / LARGEST_TURN))
        if steps > 1:
            other = start
            for step in range(steps + 1):
                back = Rotation.from_rotvec((step / steps - 1.0) * turn).as_matrix()
                other = kinematics.canonical(fit.levenberg_marquardt(other, fit.turned(back)))
            q = min(q, other, key=lambda found: fit.excess(found, fit.goal))
        q = kinematics.canonical(q)
    missed = positions - basis @ kinematics.handles(q)
    return q, float(np.sqrt(mass @ (missed**2).sum(axis=1) / fit.total))
