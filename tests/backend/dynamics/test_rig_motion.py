"""Rigs in motion: pendulums against DOP853, free flight, springs and dampers, limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from backend import engine
from backend.kinematics.base import Array
from tests.backend.rigs import GAP, bars, fall, figure

GRAVITY = 9.81
LOOSE = {"settled": False, "undamped": True, "rest_spring": False}
BASE = {"vertices": list(range(8))}


def _analysis(rigged: tuple) -> engine.Analysis:
    vertices, triangles, rig = rigged
    return engine.analyze(vertices, triangles, "rig", rig=rig)


def _compound_pendulum(analysis: engine.Analysis, count: int, length: float, times: Array) -> Array:
    """Angles Float[T,n] of each bar against the one before, along X at first: Lagrange's equations by hand.

    theta_i are the angles of the bars against the horizontal, downwards; x_i = sum_{j<i} l e(theta_j) + c e(theta_i):
    M_ij = (m_i c + l sum_{k>i} m_k) l cos(theta_i - theta_j) for j < i, M_ii = I_i + m_i c^2 + l^2 sum_{k>i} m_k.
    """
    mass = 1000.0 * (length - GAP) * 0.06 * 0.06
    inertia, middle = mass * ((length - GAP) ** 2 + 0.06**2) / 12.0, 0.5 * length
    lever = np.array([mass * middle + length * mass * (count - 1 - i) for i in range(count)])
    squared = np.array([inertia + mass * middle**2 + length**2 * mass * (count - 1 - i) for i in range(count)])

    def slope(_: float, both: Array) -> Array:
        theta, rate = both[:count], both[count:]
        apart = theta[:, None] - theta
        coupling = lever[np.maximum.outer(np.arange(count), np.arange(count))] * length
        matrix = coupling * np.cos(apart)
        matrix[np.diag_indices(count)] = squared
        np.fill_diagonal(coupling, 0.0)
        force = GRAVITY * lever * np.cos(theta) - (coupling * np.sin(apart)) @ rate**2
        return np.concatenate([rate, np.linalg.solve(matrix, force)])

    found = solve_ivp(slope, (0.0, times[-1]), np.zeros(2 * count), "DOP853", times, rtol=1e-11, atol=1e-11).y
    return np.diff(found[:count], axis=0, prepend=0.0).T


@pytest.mark.parametrize("count", [2, 3])
def test_pendulums_of_bones_fall_as_lagrange_says(count: int) -> None:
    analysis = _analysis(bars(count))
    found = fall(analysis, {**LOOSE, "anchor": BASE, "frames": 13, "substeps": 20})
    wanted = _compound_pendulum(analysis, count, 0.5, np.arange(13) / 24.0)
    assert np.abs(wanted).max() > 1.0
    assert np.abs(found.q - wanted).max() < 0.01 * np.abs(wanted).max()
    assert np.ptp(found.energy[:, 2]) < 1e-3 * found.energy[:, 0].max()


def test_balls_swing_as_hinges_do_in_their_plane() -> None:
    """The same double pendulum with three angles a joint: the other two stay, and the first ones are as before."""
    hinged, balls = (
        fall(_analysis(bars(2, hinged=kind)), {**LOOSE, "anchor": BASE, "frames": 7, "substeps": 10})
        for kind in (True, False)
    )
    assert np.abs(balls.q[:, [0, 3]] - hinged.q).max() < 1e-3
    assert np.abs(balls.q[:, [1, 2, 4, 5]]).max() < 3e-3  # the sampled inertia is not quite even
    assert np.abs(balls.positions - hinged.positions).max() < 2e-3


def test_a_rig_in_free_flight_keeps_its_momentum() -> None:
    """Linear momentum grows by m g t, angular momentum stays, and every bone its length, while limbs swing."""
    analysis = _analysis(figure())
    arm = np.flatnonzero(analysis.rig.bones[:, 0] == 3).tolist()
    spin = [{"linear": [1.0, 0.5, 2.0], "angular": [1.0, -2.0, 3.0]}, {"angular": [0.0, 0.0, 4.0], "vertices": arm}]
    conditions = {**LOOSE, "anchor": "none", "velocities": spin, "frames": 25, "fps": 480.0, "substeps": 2}
    found = fall(analysis, conditions)
    material, frame = found.take.members[0].body.material, found.take.members[0].body.frame
    places = np.column_stack([material.basis.reshape(len(material.mass), -1, 4)[:, :, :3].sum(axis=1) * frame.scale])
    weights, places = material.basis[:, 3::4], places + frame.centre
    points = np.einsum("pl,tlij,pj->tpi", weights, found.handles[..., :3], places)
    points += np.einsum("pl,tli->tpi", weights, found.handles[..., 3])
    velocity = (points[2:] - points[:-2]) * 480.0 / 2.0
    linear = np.einsum("p,tpi->ti", material.mass, velocity)
    total = material.mass.sum()
    linear[:, 2] += total * GRAVITY * np.arange(1, len(points) - 1) / 480.0
    assert np.abs(linear - linear[0]).max() < 1e-4 * np.abs(linear[0]).max()
    centre = np.einsum("p,tpi->ti", material.mass, points[1:-1]) / total
    angular = np.einsum("p,tpi->ti", material.mass, np.cross(points[1:-1] - centre[:, None], velocity))
    assert np.abs(angular - angular[0]).max() < 2e-3 * np.abs(angular[0]).max()
    assert np.ptp(found.q[:, 6:], axis=0).max() > 0.03


def test_springs_of_a_held_rig_have_the_frequency_that_they_are_told() -> None:
    analysis = _analysis(bars(1, reach=3.0))
    turning = [{"angular": [0.0, 1.0, 0.0], "vertices": list(range(8, len(analysis.mesh.vertices)))}]
    swing = {"anchor": BASE, "velocities": turning, "gravity": [0.0, 0.0, 0.0], "fps": 96.0, "frames": 193}
    for hertz in (2.0, 4.0):
        found = fall(analysis, {**swing, "rest_spring": hertz, "undamped": True})
        angle = found.q[:, 0]
        rising = np.flatnonzero((angle[:-1] < 0.0) & (angle[1:] >= 0.0))
        crossing = rising + angle[rising] / (angle[rising] - angle[rising + 1])
        assert 96.0 / np.diff(crossing).mean() == pytest.approx(hertz, rel=0.02)
    # Damped it is down to 5 % in the time told: exp(-r t) with r = -ln(0.05) / seconds.
    found = fall(analysis, {**swing, "rest_spring": 3.0, "settle_seconds": 1.0})
    energy = found.energy[:, 2]
    assert np.log(energy[0] / energy[96]) == pytest.approx(-2.0 * np.log(0.05), rel=0.04)
