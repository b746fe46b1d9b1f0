"""Compiled kernels of rigid bodies: against the NumPy code of everything else, SciPy and NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from backend.dynamics.coordinate_step import CoordinateStepRule
from backend.dynamics.rigid import islands as rigid_islands
from backend.dynamics.rigid.block_cholesky import factor, pattern_of, solve
from backend.dynamics.rigid.detection import Bodies, Moment
from backend.dynamics.rigid.edge_proximity import crossing
from backend.dynamics.rigid.flight import fly
from backend.dynamics.rigid.point_proximity import MOST_MINIMA, minima_near_point
from backend.dynamics.rigid.rotations import poses_of, rates_of, vectors_of
from backend.dynamics.rigid.surfaces import packed
from backend.dynamics.state import State, Statistics
from backend.geometry import validate_mesh
from backend.geometry.collision_surface import collision_surface
from backend.geometry.near_edges import edge_features, wings
from backend.geometry.near_surface import NearSurface
from backend.kinematics.base import ReferenceFrame
from backend.kinematics.rigid import RigidKinematics
from tests.backend.dynamics.meetings import Participant, meet
from tests.backend.geometry.shapes import ball, box, sheet, torus


def surface_of(mesh):
    checked = validate_mesh(*mesh)
    surface = collision_surface(checked)
    return surface, checked.vertices[surface.vertices]


@pytest.mark.parametrize(
    "mesh", [box((1.0, 0.7, 0.4)), torus(24, 12), ball(8), sheet(5, 5)], ids=["box", "torus", "ball", "sheet"]
)
def test_points_find_the_same_places_of_a_surface(mesh):
    random = np.random.default_rng(3)
    surface, places = surface_of(mesh)
    surfaces = packed([surface_of(box((0.2, 0.2, 0.2))), (surface, places)])
    near = NearSurface(surface.triangles, surface.closed, places)
    points = random.uniform(places.min(axis=0) - 0.2, places.max(axis=0) + 0.2, (200, 3))
    expected = near.features(points, np.full(len(points), 0.15))
    work, triangles = np.empty(4096, dtype=np.int64), np.empty(MOST_MINIMA, dtype=np.int64)
    values = np.empty((MOST_MINIMA, 7))
    found = 0
    for number, point in enumerate(points):
        count = minima_near_point(surfaces, 1, point, 0.15, work, triangles, values)
        rows = np.flatnonzero(expected.point == number)
        assert count == len(rows)
        assert values[:count, 6] == pytest.approx(expected.gap[rows], abs=1e-12)
        assert values[:count, 3:6] == pytest.approx(expected.normal[rows], abs=1e-7)
        found += count
    assert found > 20


def test_edges_find_the_same_crossings():
    random, crossings = np.random.default_rng(5), 0
    surface, places = surface_of(box((1.0, 0.7, 0.4)))
    sides = wings(surface.edges, surface.triangles, surface.closed)
    for _ in range(60):
        moved = Rotation.random(random_state=random.integers(1 << 30)).apply(places) + random.uniform(-0.6, 0.6, 3)
        expected = edge_features(moved, surface.edges, places, surface.edges, 0.3, sides, sides)
        found, values = {}, np.empty(6)
        for a, edge in enumerate(surface.edges):
            for b, other in enumerate(surface.edges):
                if crossing(moved, edge, sides[a], places, other, sides[b], 0.3, values):
                    found[a, b] = values.copy()
        assert found.keys() == set(zip(expected.first.tolist(), expected.second.tolist(), strict=True))
        for first, second, normal, gap in zip(
            expected.first, expected.second, expected.normal, expected.gap, strict=True
        ):
            assert found[first, second][2:] == pytest.approx([*normal, gap], abs=1e-9)
        crossings += len(found)
    assert crossings > 10


def test_sparse_factors_solve():
    random, count = np.random.default_rng(1), 7
    one, other = np.array([0, 1, 2, 3, 4, 5, 0]), np.array([1, 2, 3, 4, 5, -1, 6])
    dense = np.zeros((6 * count, 6 * count))
    for a, b in zip(one, other, strict=True):
        rows = np.r_[6 * a : 6 * a + 6, 6 * b : 6 * b + 6] if b >= 0 else np.r_[6 * a : 6 * a + 6]
        part = random.standard_normal((len(rows), len(rows)))
        dense[np.ix_(rows, rows)] += part @ part.T
    dense += np.eye(len(dense))
    pattern = pattern_of(count, one, other)
    blocks = np.zeros((pattern.count, 6, 6))
    for a in range(count):
        for b in range(count):
            row, column = pattern.position[a], pattern.position[b]
            if row >= column and pattern.where[row, column] >= 0:
                blocks[pattern.where[row, column]] = dense[6 * a : 6 * a + 6, 6 * b : 6 * b + 6]
    right = random.standard_normal((count, 6))
    assert factor(pattern, blocks)
    assert solve(pattern, blocks, right).ravel() == pytest.approx(-np.linalg.solve(dense, right.ravel()))
    blocks[pattern.position[2]] = -np.eye(6)
    assert not factor(pattern, blocks)


def test_rotations_go_there_and_back():
    vectors = Rotation.random(50, random_state=2).as_rotvec() * np.linspace(1e-9, 1.0, 50)[:, None]
    rates = np.random.default_rng(2).standard_normal((50, 3))
    poses = poses_of(vectors)
    assert poses == pytest.approx(Rotation.from_rotvec(vectors).as_matrix(), abs=1e-12)
    assert vectors_of(poses) == pytest.approx(vectors, abs=1e-12)
    spins = rates_of(vectors, rates, False)
    assert rates_of(vectors, spins, True) == pytest.approx(rates, abs=1e-9)
    later = Rotation.from_rotvec(vectors + 1e-6 * rates) * Rotation.from_rotvec(vectors - 1e-6 * rates).inv()
    assert spins == pytest.approx(later.as_rotvec() / 2e-6, abs=1e-8)


def test_flight_is_the_variational_step():
    spread, mass = np.diag([0.2, 0.1, 0.05]), 2.0
    moment = np.zeros((4, 4))
    moment[:3, :3], moment[3, 3] = spread / 0.25, mass
    kinematics = RigidKinematics(ReferenceFrame(np.array([0.1, 0.2, 0.3]), 0.5))
    rule = CoordinateStepRule(kinematics, moment, (), (), (), 1e-12, 0.0, 0.0)
    state = State(np.array([0.0, 0.0, 1.0, 0.4, -0.3, 0.2]), np.array([1.0, 0.0, -2.0, 3.0, 1.0, -2.0]))
    load = np.zeros((4, 3))
    load[3] = (0.0, 1.0, -9.81 * mass)
    after = rule.free_step(state, 0.02, load, lambda span: None, Statistics())
    vector = state.q[None, 3:].copy()
    now = Moment(
        poses_of(vector), state.q[None, :3] + kinematics.frame.centre, state.rate[None, :3].copy(),
        rates_of(vector, state.rate[None, 3:].copy(), False),
    )  # fmt: skip
    one, then = np.ones(1), Moment(*(column.copy() for column in now))
    bodies = Bodies(mass * one, spread[None], one, one, one, one, one)
    lost = fly(bodies, now, np.array([True]), load[None, 3].copy(), np.zeros((1, 3, 3)), 0.02, then)
    assert not lost.any()
    assert then.centre[0] - kinematics.frame.centre == pytest.approx(after.q[:3], abs=1e-10)
    assert vectors_of(then.pose)[0] == pytest.approx(after.q[3:], abs=1e-9)
    assert then.velocity[0] == pytest.approx(after.rate[:3], abs=1e-9)
    assert rates_of(vectors_of(then.pose), then.spin, True)[0] == pytest.approx(after.rate[3:], abs=1e-7)


def test_both_ways_of_solving_agree(monkeypatch):
    """A box slides to rest with another one on it: by the kernels, and by what solves everything else."""

    def slide():
        boxes = [box((1.0, 1.0, 0.5), (0.0, 0.0, 0.251)), box((0.5, 0.5, 0.5), (0.1, 0.0, 0.753))]
        moving = {"velocities": [{"linear": [1.5, 0.4, 0.0]}]}
        things = [Participant(mesh, "rigid", moving) for mesh in boxes]
        return meet(things, frames=25, fps=24, anchor="none", ground={"friction": 0.4}, friction=0.4)

    compiled = slide()
    monkeypatch.setattr(rigid_islands, "is_rigid", lambda actor: False)
    general = slide()
    for one, other, mesh in zip(compiled.positions, general.positions, (1.0, 0.5), strict=True):
        assert np.abs(one - other).max() < 1e-2 * mesh
        assert np.linalg.norm(one[-1].mean(axis=0) - one[0].mean(axis=0)) > 0.2
