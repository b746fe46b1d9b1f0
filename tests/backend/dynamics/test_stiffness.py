"""The Newton matrix that is kept and turned, what a step adds to it, and damping, against dense computation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from backend.bodies.body import Body
from backend.dynamics.damping import LONGEST_SWAY, RigidMotions, settle_seconds, settling_damping
from backend.dynamics.elastic_problem import ElasticCache, ElasticProblem
from backend.dynamics.elastic_step import ElasticStepRule
from backend.dynamics.energies import StableNeoHookean
from backend.dynamics.lbfgs import LimitedMemoryBFGS
from backend.dynamics.state import State
from backend.dynamics.stiffness import Factors, LaggedStiffness
from tests.backend.differences import numerical_derivative
from tests.backend.dynamics.bodies import body_of
from tests.backend.shapes import bar

TURN = Rotation.from_rotvec([0.7, -1.1, 0.4]).as_matrix()
FACTORS = (900.0, 0.3)  # (1/tau^2 + alpha/tau, beta/tau)


@dataclass(frozen=True)
class Parts:
    body: Body
    energy: StableNeoHookean

    def new_stiffness(self) -> LaggedStiffness:
        return LaggedStiffness(self.body.kinematics, self.energy)

    def coordinates(self, handles: np.ndarray) -> np.ndarray:
        """q of given handles: R^T B (a - a_rest)."""
        kinematics = self.body.kinematics
        return (kinematics.reduction.T @ self.body.moment @ (handles - kinematics.handles(kinematics.rest()))).ravel()

    def slope(self, q: np.ndarray) -> np.ndarray:
        kinematics = self.body.kinematics
        return kinematics.pull(q, self.energy.gradient(kinematics.handles(q)))

    def random_shape(self, share: float, seed: int = 0) -> np.ndarray:
        """q of a shape bent by `share` of the size (RMS)."""
        q = np.random.default_rng(seed).normal(size=self.body.kinematics.dof)
        return q * share * self.body.size * np.sqrt(self.body.total_mass) / np.linalg.norm(q)

    def turned(self, q: np.ndarray) -> np.ndarray:
        """The same shape turned about the origin by TURN."""
        return self.coordinates(self.body.kinematics.handles(q) @ TURN.T)


@pytest.fixture(scope="module")
def parts() -> Parts:
    body = body_of(bar(), "elastic")
    return Parts(body, StableNeoHookean(body.material.gradients, body.material.cubature_volume, 1e5, 0.3))


def _dense(parts: Parts, q: np.ndarray) -> np.ndarray:
    """S at q, from differences of the gradient; the viscosity is the stiffness where nothing was bent before."""
    return numerical_derivative(parts.slope, q, 1e-5)


def _solved(stiffness: LaggedStiffness, right: np.ndarray, turn: np.ndarray, factors: Factors) -> np.ndarray:
    """S^-1 right of an object that is turned by `turn`."""
    relative = stiffness.relative(turn)
    local = stiffness.inverse(factors) @ (right.reshape(-1, 3) @ relative).ravel()
    assert np.allclose(stiffness.matrix(factors) @ local, (right.reshape(-1, 3) @ relative).ravel())
    return (local.reshape(-1, 3) @ relative.T).ravel()


def test_frequencies_are_those_of_the_differenced_gradient(parts: Parts) -> None:
    expected = np.linalg.eigvalsh(_dense(parts, parts.body.kinematics.rest()))
    found = parts.new_stiffness().squared_frequencies
    assert np.allclose(found[6:], expected[6:], rtol=1e-5)
    assert found[:6].max() < 1e-6 * found[6]


def test_solves_with_the_rest_stiffness_whatever_the_rotation(parts: Parts) -> None:
    """The matrix taken at rest, turned with the object, is the matrix at the turned rest shape."""
    stiffness, right = parts.new_stiffness(), parts.random_shape(0.1)
    for turn, q in ((np.eye(3), parts.body.kinematics.rest()), (TURN, parts.turned(parts.body.kinematics.rest()))):
        matrix = FACTORS[0] * np.eye(len(q)) + (1.0 + FACTORS[1]) * _dense(parts, q)
        solution = _solved(stiffness, right, turn, FACTORS)
        assert np.abs(matrix @ solution - right).max() < 1e-4 * np.abs(right).max()


def test_a_refreshed_matrix_is_that_of_the_bent_shape(parts: Parts) -> None:
    q, right = parts.random_shape(0.002), parts.random_shape(0.1, seed=1)
    stiffness = parts.new_stiffness()
    stiffness.refresh(q, np.eye(3), None, (1.0, 0.0))
    factors = (1e5, 0.0)  # as for short steps
    rest = _dense(parts, parts.body.kinematics.rest())
    for turn, at in ((np.eye(3), q), (TURN, parts.turned(q))):
        matrix = factors[0] * np.eye(len(q)) + _dense(parts, at)
        assert np.linalg.eigvalsh(matrix)[0] > 0.0
        assert turn is TURN or np.abs(matrix - rest).max() > 1e-2 * np.abs(rest).max()
        solution = _solved(stiffness, right, turn, factors)
        assert np.abs(matrix @ solution - right).max() < 1e-4 * np.abs(right).max()


def _turned_problem(parts: Parts, rolling_resistance: float = 0.0) -> tuple[ElasticProblem, State]:
    """A step of 0.01 s from the rest shape turned by TURN, in contact, at some rate; and the state it begins with."""
    rule = ElasticStepRule(
        parts.body.kinematics,
        parts.body.moment,
        parts.energy,
        ElasticCache(parts.new_stiffness()),
        settle=None,
        anchored=False,
        tolerance=1e-9,
        rolling_resistance=rolling_resistance,
        rest_turning=1e-3,
        size=parts.body.size,
    )
    state = State(parts.turned(parts.body.kinematics.rest()), parts.random_shape(0.5, seed=4))
    return rule.touching_problem(
        state, None, 0.01, np.zeros((len(parts.body.moment), 3)), lambda _: None, brisk=False
    ), state


def test_what_pushes_points_is_given_in_the_directions_of_the_kept_matrix(parts: Parts) -> None:
    """Columns of contacts, in the object's own directions, are the pull of unit forces at their points."""
    problem, state = _turned_problem(parts)
    random = np.random.default_rng(2)
    basis = parts.body.material.basis[[3, 40, 200]]
    place, forces = np.array([0, 1, 1, 2]), random.normal(size=(4, 3))
    columns = problem.point_rows(basis).along(place, forces)
    assert np.abs(columns).max() > 0.0
    for column, point, force in zip(columns.T, place, forces, strict=True):
        assert np.allclose(problem.to_world(column), problem.pull(state.q, np.outer(basis[point], force)))


def test_braked_motions_are_the_slope_of_what_rolling_resists(parts: Parts) -> None:
    """D D^T of the matrix, in the object's own directions, is the derivative of the force that holds back turning."""
    free, braked = _turned_problem(parts)[0], _turned_problem(parts, 2.0)[0]
    assert free.added_columns is None and braked.added_columns.shape[1] == 3
    at = braked.guess
    force = braked.gradient(at, braked.handles(at)) - free.gradient(at, free.handles(at))
    change = numerical_derivative(
        lambda x: braked.gradient(x, braked.handles(x)) - free.gradient(x, free.handles(x)), at, 1e-3
    )
    assert np.linalg.norm(force) > 0.0
    for seed in range(3):
        way = parts.random_shape(0.1, seed)
        expected = braked.to_world(braked.added_columns @ (braked.added_columns.T @ braked.to_local(way)))
        assert np.allclose(change @ way, expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())


def test_a_crushed_shape_still_gives_a_descent_direction(parts: Parts) -> None:
    """Squeezed to a tenth the energy curves down along some directions; the matrix in use is positive definite."""
    rest = parts.body.kinematics.handles(parts.body.kinematics.rest())
    q = parts.coordinates(rest @ np.diag([1.0, 1.0, 0.1]))
    factors = (1.0, 0.0)
    matrix = factors[0] * np.eye(len(q)) + _dense(parts, q)
    assert np.linalg.eigvalsh(matrix)[0] < 0.0
    stiffness = parts.new_stiffness()
    stiffness.refresh(q, np.eye(3), None, (1.0, 0.0))
    for seed in range(5):
        slope = parts.random_shape(0.1, seed)
        assert slope @ _solved(stiffness, slope, np.eye(3), factors) > 0.0


def test_a_shape_out_of_bounds_is_refused_and_the_old_matrix_kept(parts: Parts) -> None:
    stiffness, right = parts.new_stiffness(), parts.random_shape(0.1)
    before = _solved(stiffness, right, np.eye(3), FACTORS)
    for q in (np.full(parts.body.kinematics.dof, np.nan), np.full(parts.body.kinematics.dof, 1e160)):
        with pytest.raises(np.linalg.LinAlgError), np.errstate(all="ignore"):
            stiffness.refresh(q, np.eye(3), None, (1.0, 0.0))
    assert np.array_equal(_solved(stiffness, right, np.eye(3), FACTORS), before)


def test_rigid_motions_cost_nothing_at_any_shape(parts: Parts) -> None:
    """Orthonormal, and orthogonal to the elastic force even where the object is bent far and turned."""
    motions = RigidMotions(parts.body.kinematics, parts.body.moment)
    q = parts.turned(parts.random_shape(0.2))
    columns = motions(q)
    assert np.abs(columns.T @ columns - np.eye(6)).max() < 1e-12
    slope = parts.slope(q)
    assert np.abs(columns.T @ slope).max() < 1e-9 * np.linalg.norm(slope)
    vector = parts.random_shape(0.3, seed=3)
    assert np.allclose(motions.translation(vector), columns[:, :3] @ (columns[:, :3].T @ vector))
    # The translations are those of the centre of mass: a shift of every point by d has length d sqrt(mass).
    shift = np.zeros((len(parts.body.moment), 3))
    shift[3, 0] = 1.0
    shifted = parts.coordinates(parts.body.kinematics.handles(q) + shift)
    along = columns.T @ (shifted - q)
    assert np.linalg.norm(along[:3]) == pytest.approx(np.sqrt(parts.body.total_mass))
    assert np.abs(along[3:]).max() < 1e-9 * np.sqrt(parts.body.total_mass)


def test_a_share_of_critical_damping_is_a_settle_time_and_what_is_slow_loses_its_motion_to_the_air():
    fast, slow = 2.0 * np.pi * 10.0, 2.0 * np.pi * 0.1
    assert np.exp(-0.08 * fast * settle_seconds(0.08, fast)) == pytest.approx(0.05, abs=1e-3)
    assert settle_seconds(0.08, slow) == LONGEST_SWAY


@pytest.mark.parametrize(("seconds", "frequency"), [(2.0, 18.8), (0.3, 5.0)])
def test_settling_damping_leaves_five_per_cent_and_higher_modes_less(seconds: float, frequency: float) -> None:
    alpha, beta = settling_damping(seconds, frequency)
    left = [np.exp(-0.5 * (alpha + beta * omega**2) * seconds) for omega in (frequency, 1.5 * frequency)]
    assert left[0] == pytest.approx(0.05, rel=0.01)
    assert left[1] < left[0]


def test_curvature_memory_meets_the_secant_equation_and_solves_small_quadratics() -> None:
    random = np.random.default_rng(0)
    root = random.normal(size=(6, 6))
    matrix, goal = root @ root.T + 6.0 * np.eye(6), random.normal(size=6)
    memory, x = LimitedMemoryBFGS(), np.zeros(6)
    for _ in range(7):  # exact line searches: BFGS is then a conjugate direction method, done after n steps
        slope = matrix @ x - goal
        if np.linalg.norm(slope) < 1e-12:
            break
        move = memory.direction(slope, lambda right: right / 10.0)
        step = move * -(slope @ move) / (move @ matrix @ move)
        memory.add(step, matrix @ step)
        assert np.allclose(memory.direction(matrix @ step, lambda right: right / 10.0), -step)
        x = x + step
    assert np.allclose(matrix @ x, goal, atol=1e-9)


def test_curvature_memory_forgets_steps_of_negative_curvature() -> None:
    memory, step = LimitedMemoryBFGS(), np.array([1.0, 2.0])
    memory.add(step, -step)
    assert np.allclose(memory.direction(step, lambda right: right), -step)
