"""Objective of inverse kinematics: the object's energies, a regularisation and the drags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..kinematics.base import Array, Curved, Kinematics
from .coordinate_energies import CoordinateEnergy
from .drags import DragEnergy
from .energies import Energy, pulled_hessian

__all__ = ["PoseEnergy", "PosePoint"]

FELT = 1e-6  # of the strongest: forces that move the coordinates less than this are not felt
DIFFERENCE = 1e-5  # of the coordinates: step of the central differences of J


@dataclass(frozen=True)
class PosePoint:
    """Coordinates, and the gradient of the objective there."""

    q: Array
    handles: Array
    positions: Array  # Float[p,3], the dragged points
    slope: Array  # Float[k]


class PoseEnergy:
    """E(q) = V(a(q)) + U(q) + 1/2 (q - q0)^T P (q - q0) + pulls(rows a(q))."""

    def __init__(
        self,
        kinematics: Kinematics,
        energies: Sequence[Energy],
        coordinate_energies: Sequence[CoordinateEnergy],
        reference: Array,
    ) -> None:
        """`reference` q0 Float[k]; P is zero until `prior` is set."""
        self.kinematics, self._energies, self._coordinate_energies = kinematics, energies, coordinate_energies
        self.reference = reference
        self.prior = np.zeros((len(reference), len(reference)))  # P, 1/s^2 in the metric of the mass
        nothing = np.zeros(0)
        self.set_drags(
            np.zeros((0, len(kinematics.handles(reference)))), DragEnergy(nothing, nothing, nothing.astype(bool))
        )

    def evaluate(self, q: Array) -> PosePoint:
        """Point q with its gradient."""
        a = self.kinematics.handles(q)
        positions = self.rows @ a
        slope = self.kinematics.pull(q, self._handle_slope(a, positions)) + self.prior @ (q - self.reference)
        for energy in self._coordinate_energies:
            slope = slope + energy.gradient(q)
        return PosePoint(q, a, positions, slope)

    def _handle_slope(self, a: Array, positions: Array) -> Array:
        slope = self.rows.T @ self.drag_energy.gradient(positions)
        for energy in self._energies:
            slope = slope + energy.gradient(a)
        return slope

    def value(self, point: PosePoint) -> float:
        """E, joules less a constant."""
        away = point.q - self.reference
        value = self.drag_energy.value(point.positions) + 0.5 * float(away @ (self.prior @ away))
        value += sum(energy.value(point.handles) for energy in self._energies)
        return value + sum(energy.value(point.q) for energy in self._coordinate_energies)

    def set_drags(self, rows: Array, pulls: DragEnergy) -> None:
        """Other points are dragged: their basis Float[p,4H] and how they are pulled."""
        self.rows, self.drag_energy = rows, pulls
        self._felt = self._felt_at(self.reference) if self.kinematics.constant_jacobian else None

    def felt(self, q: Array) -> Array:
        """Projection Float[3h,3h] on the forces of the h hard drags that the coordinates feel at q."""
        return self._felt_at(q) if self._felt is None else self._felt

    def _felt_at(self, q: Array) -> Array:
        rows = self.rows[self.drag_energy.hard]
        spread = np.tensordot(rows, self.kinematics.jacobian(q).reshape(rows.shape[1], 3, -1), axes=1)
        left, size, _ = np.linalg.svd(spread.reshape(-1, len(q)), full_matrices=False)
        left = left[:, size > FELT * size.max(initial=0.0)]
        return left @ left.T

    def own_stiffness(self, q: Array) -> Array:
        """d2(V + U)/dq2 less the part with the curvature of a(q), Float[k,k]."""
        matrix = np.zeros((len(q), len(q)))
        if self._energies:
            matrix += pulled_hessian(self._energies, self.kinematics.handles(q), self.kinematics.jacobian(q))
        for energy in self._coordinate_energies:
            matrix += energy.hessian(q)
        return matrix

    def hessian(self, point: PosePoint) -> Array:
        """d2E/dq2, Float[k,k]."""
        kinematics, q, count = self.kinematics, point.q, self.rows.shape[1]
        matrix = self.own_stiffness(q) + self.prior
        spread = np.tensordot(self.rows, kinematics.jacobian(q).reshape(count, 3, -1), axes=1)  # (p, 3, k)
        flat = spread.reshape(-1, len(q))
        matrix += flat.T @ (self.drag_energy.curvature(point.positions) @ spread).reshape(flat.shape)
        if not kinematics.constant_jacobian:
            # d(J^T f)/dq of the force f of now: what bends the coordinates matters where targets cannot be reached.
            force = self._handle_slope(point.handles, point.positions)
            matrix += kinematics.curvature(q, force) if isinstance(kinematics, Curved) else _bend(kinematics, q, force)
        return 0.5 * (matrix + matrix.T)


def _bend(kinematics: Kinematics, q: Array, force: Array) -> Array:
    """d(J(q)^T force)/dq by central differences, Float[k,k]."""
    columns = []
    for index in range(len(q)):
        step = np.zeros(len(q))
        step[index] = DIFFERENCE * max(1.0, abs(q[index]))
        change = kinematics.pull(q + step, force) - kinematics.pull(q - step, force)
        columns.append(change / (2.0 * step[index]))
    return np.stack(columns, axis=1)
