"""Inverse kinematics: nonlinear providers against scipy's least squares, elastic objects by what they must do."""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from backend.dynamics.drags import Drags
from backend.dynamics.inverse_kinematics import InverseKinematics
from tests.backend.dynamics.bodies import body_of, posing
from tests.backend.shapes import bar, torus

TURN = Rotation.from_rotvec([0.7, -1.1, 0.4]).as_matrix()


def _drags(rows: np.ndarray, hard: bool, softness: float = 0.01) -> Drags:
    count = len(rows)
    return Drags(rows, np.full(count, hard), tuple(f"point {index}" for index in range(count)), softness)


def test_a_rigid_body_goes_where_scipy_sends_it() -> None:
    body = body_of(bar(), "rigid")
    chosen = np.array([0, 40, 200, 350])
    rows, random = body.vertex_basis(chosen), np.random.default_rng(0)
    targets = body.mesh.vertices[chosen] @ TURN.T + [0.3, -2.0, 5.0] + 0.02 * random.normal(size=(4, 3))
    solver = InverseKinematics(body.kinematics, body.material.basis, body.material.mass)
    solver.grab(_drags(rows, hard=False, softness=1e-6))
    pose = solver.solve(targets)
    expected = least_squares(lambda q: (rows @ body.kinematics.handles(q) - targets).ravel(), np.zeros(6)).x
    assert pose.converged
    assert np.allclose(pose.positions, rows @ body.kinematics.handles(expected), atol=1e-5)


def test_hard_targets_of_an_elastic_object_are_met() -> None:
    body = body_of(torus(40, 20), "elastic")
    solver = posing(body)
    chosen = np.linspace(0, len(body.mesh.vertices) - 1, 8).astype(int)
    solver.grab(_drags(body.vertex_basis(chosen), hard=True))
    moved = body.mesh.vertices[chosen] + 0.04 * body.size * np.random.default_rng(1).normal(size=(8, 3))
    pose = solver.solve(moved @ TURN.T + [1.0, 2.0, 3.0])
    assert pose.converged and not pose.unmet
    assert pose.distances.max() < 1e-4 * body.size
