"""Energies of the coordinates: derivatives by differences, motions against closed forms by the variational step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.linalg import eigh

from backend.dynamics.coordinate_energies import (
    CoordinateEnergy,
    Dissipation,
    JointFriction,
    JointLimits,
    RayleighDamping,
    RestSpring,
)
from backend.dynamics.state import State, Statistics
from backend.dynamics.variational import mass_matrix, variational_step
from backend.kinematics.base import Array
from tests.backend.differences import numerical_derivative
from tests.backend.dynamics.mechanisms import Chain, RandomDecoder

_RANDOM = np.random.default_rng(0)
_ROOT = _RANDOM.normal(size=(3, 3))
_METRIC = _ROOT @ _ROOT.T + np.eye(3)
_BEFORE = np.array([0.1, -0.2, 0.3])

ENERGIES: dict[str, CoordinateEnergy] = {
    "rest spring": RestSpring(2.0, _METRIC, _BEFORE),
    "limits": JointLimits(np.array([-0.2, -np.inf, 0.0]), np.array([0.3, 0.1, np.inf]), np.array([5.0, 7.0, 9.0]), 0.1),
    "friction": JointFriction(np.array([1.0, 2.0, 0.0]), rest_rate=2.0).at(_BEFORE, 0.1),
    "damping": RayleighDamping(0.5, 0.02, _METRIC, 3.0 * np.eye(3)).at(_BEFORE, 0.1),
}


@pytest.mark.parametrize("name", ENERGIES)
@pytest.mark.parametrize("reach", [0.05, 0.15, 1.0])
def test_derivatives(name: str, reach: float) -> None:
    """Inside and outside of every smoothing."""
    energy = ENERGIES[name]
    for _ in range(20):
        q = _BEFORE + reach * _RANDOM.uniform(-1.0, 1.0, 3)
        slope = numerical_derivative(energy.value, q)
        assert np.allclose(energy.gradient(q), slope, rtol=1e-6, atol=1e-7)
        bend = numerical_derivative(energy.gradient, q)
        assert np.allclose(energy.hessian(q), bend, rtol=1e-5, atol=1e-5 * max(1.0, np.abs(bend).max()))


@pytest.mark.parametrize("name", ["limits", "friction"])
def test_the_second_derivative_has_no_jump(name: str) -> None:
    """Along a line through every knee, halving the distance halves the largest change of the Hessian."""
    energy = ENERGIES[name]

    def largest_change(count: int) -> float:
        line = np.linspace(-0.6, 0.6, count)
        return float(np.abs(np.diff([energy.hessian(np.full(3, t)) for t in line], axis=0)).max())

    assert largest_change(4001) == pytest.approx(0.5 * largest_change(2001), rel=0.05)


def _hinge(inertia: float) -> tuple[Chain, Array]:
    """One link that turns about y; q is its angle."""
    chain = Chain([1.0])
    return chain, chain.moment([inertia])


def _run(
    kinematics: Chain | RandomDecoder,
    moment: Array,
    state: State,
    step: float,
    count: int,
    energies: Sequence[CoordinateEnergy] = (),
    dissipations: Sequence[Dissipation] = (),
    statistics: Statistics | None = None,
) -> tuple[Array, Array]:
    """q and rates after 0 .. count steps, Float[count+1,k] each."""
    states, load = [state], np.zeros((len(moment), 3))
    counted = statistics or Statistics()
    for _ in range(count):
        states.append(
            variational_step(kinematics, moment, (), states[-1], step, load, 1e-12, counted, energies, dissipations)
        )
    return np.array([s.q for s in states]), np.array([s.rate for s in states])


@pytest.mark.parametrize("provider", ["hinge", "decoder"])
def test_a_rest_spring_swings_at_its_frequency(provider: str) -> None:
    """1.7 Hz whatever the inertia is, and for a nonlinear decoder every coordinate of a small swing at once."""
    frequency, step = 1.7, 1.0 / 600.0
    kinematics, moment = _hinge(3.0)
    if provider == "decoder":
        kinematics = RandomDecoder(handles=2, dof=4)
        points = np.random.default_rng(1).normal(size=(30, 8))
        moment = points.T @ points
    rest = kinematics.rest()
    spring = RestSpring(frequency, mass_matrix(kinematics, moment, rest, rest), rest)
    start = State(rest + 1e-4 * np.arange(1.0, kinematics.dof + 1.0), np.zeros(kinematics.dof))
    q, _ = _run(kinematics, moment, start, step, 1100, [spring])
    wanted = start.q * np.cos(2.0 * np.pi * frequency * step * np.arange(1101))[:, None]
    # Implicit midpoint slows the swing by phase^2 / 12, here 3e-5 of 20 radians; the decoder's bend does the rest.
    assert np.abs(q - wanted).max() < 3e-3 * np.abs(start.q).max()


@pytest.mark.parametrize("step", [1.0 / 24.0, 1.0 / 96.0, 1.0 / 384.0])
def test_friction_stops_a_hinge_after_the_closed_form_angle(step: float) -> None:
    """I w^2 / (2 f), late or early by what one step can do: half a step at the first speed. Then it stands still."""
    inertia, speed, limit = 2.0, 3.0, 4.0
    hinge, moment = _hinge(inertia)
    seconds = inertia * speed / limit
    count = int(np.ceil(1.3 * seconds / step))
    statistics = Statistics()
    friction = JointFriction(np.array([limit]))
    q, rate = _run(hinge, moment, State(np.zeros(1), np.array([speed])), step, count, (), [friction], statistics)
    assert q[-1, 0] == pytest.approx(0.5 * inertia * speed**2 / limit, abs=0.51 * speed * step)
    assert np.abs(rate[int(np.ceil(seconds / step)) + 1 :]).max() < friction.rest_rate
    assert abs(rate[-1, 0]) < 1e-9
    assert statistics.newton_iterations < 8 * count


def test_friction_holds_a_load_below_its_limit_and_lets_go_above() -> None:
    """Held: creeps slower than the rest rate. Let go: turns with the torque that is left over."""
    hinge, moment = _hinge(1.0)

    class Torque:
        """V(q) = -torque q."""

        def __init__(self, torque: float) -> None:
            self.torque = torque

        def value(self, q: Array) -> float:
            return -self.torque * float(q.sum())

        def gradient(self, q: Array) -> Array:
            return np.full_like(q, -self.torque)

        def hessian(self, q: Array) -> Array:
            return np.zeros((len(q), len(q)))

    friction, start = JointFriction(np.array([2.0]), rest_rate=1e-3), State(np.zeros(1), np.zeros(1))
    held, _ = _run(hinge, moment, start, 0.01, 100, [Torque(1.9)], [friction])
    assert 0.0 < held[-1, 0] < 1e-3
    loose, rate = _run(hinge, moment, start, 0.01, 100, [Torque(3.0)], [friction])
    assert rate[-1, 0] == pytest.approx(1.0, rel=0.01)
    assert loose[-1, 0] == pytest.approx(0.5, rel=0.02)


@pytest.mark.parametrize("brake", [1.0, 1e3, 1e6])
def test_brakes_of_a_chain_take_energy_however_hard_they_are(brake: float) -> None:
    """Coupled joints, two of them braked: Newton reaches the knee of each, a hard brake holds them at once."""
    chain = Chain([0.6, 0.4, 0.3])
    moment = chain.moment([1.0, 0.5, 0.2])
    friction = JointFriction(brake * np.array([1.0, 0.0, 0.3]))
    start = State(np.array([0.3, -0.5, 1.0]), np.array([4.0, -7.0, 9.0]))
    statistics = Statistics()
    q, rate = _run(chain, moment, start, 1.0 / 48.0, 200, (), [friction], statistics)
    energy = np.array([0.5 * v @ mass_matrix(chain, moment, at, at) @ v for at, v in zip(q, rate, strict=True)])
    assert np.diff(energy).max() < 1e-4 * energy[0]
    assert energy[-1] < 0.3 * energy[0]
    assert statistics.newton_iterations < 8 * 200
    if brake > 1.0:
        assert np.abs(q[-1] - q[1])[[0, 2]].max() < friction.rest_rate * 200.0 / 48.0


@pytest.mark.parametrize(("speed", "step"), [(0.5, 2e-3), (-8.0, 5e-4)])
def test_limits_hold(speed: float, step: float) -> None:
    """A free hinge of inertia I comes to a limit, goes v sqrt(I / k) + s/2 too far at most, and turns back as fast."""
    inertia, stiffness, softness = 0.5, 2e4, 1e-3
    hinge, moment = _hinge(inertia)
    limits = JointLimits(np.array([-0.4]), np.array([0.6]), np.array([stiffness]), softness)
    q, rate = _run(hinge, moment, State(np.zeros(1), np.array([speed])), step, int(1.4 / abs(speed) / step), [limits])
    too_far = max(q.max() - 0.6, -0.4 - q.min())
    closed_form = abs(speed) * np.sqrt(inertia / stiffness)
    assert 0.95 * closed_form < too_far < 1.02 * closed_form + 0.5 * softness
    assert rate[-1, 0] == pytest.approx(-speed, rel=1e-3)


def test_limits_between_which_nothing_acts() -> None:
    limits = JointLimits(np.array([-0.4, -np.inf]), np.array([0.6, np.inf]), np.array([1e4, 1e4]))
    for q in ([0.0, 1e6], [0.6, -50.0], [-0.4, 0.0]):
        at = np.array(q)
        assert limits.value(at) == 0.0
        assert not limits.gradient(at).any() and not limits.hessian(at).any()


def test_rayleigh_damping_lets_each_mode_decay_at_its_rate() -> None:
    """alpha / 2 + beta w^2 / 2 for two modes of a double pendulum that springs hold, to 1 %."""
    chain = Chain([0.5, 0.7])
    moment, rest = chain.moment([1.0, 0.4]), np.zeros(2)
    metric, stiffness = mass_matrix(chain, moment, rest, rest), np.diag([90.0, 25.0])
    squared, modes = eigh(stiffness, metric)
    alpha, beta = 0.6, 4e-3

    class Springs:
        """V(q) = 1/2 q^T K q."""

        def value(self, q: Array) -> float:
            return 0.5 * float(q @ stiffness @ q)

        def gradient(self, q: Array) -> Array:
            return stiffness @ q

        def hessian(self, q: Array) -> Array:
            return stiffness

    damping = RayleighDamping(alpha, beta, metric, stiffness)
    for mode in range(2):
        frequency = np.sqrt(squared[mode])
        decay = 0.5 * (alpha + beta * squared[mode])
        period = 2.0 * np.pi / np.sqrt(squared[mode] - decay**2)
        step = period / 400.0
        q, _ = _run(chain, moment, State(1e-4 * modes[:, mode], np.zeros(2)), step, 1200, [Springs()], [damping])
        amplitude = modes[:, mode] @ metric @ q[-1] / 1e-4
        assert -np.log(amplitude) / (3.0 * period) == pytest.approx(decay, rel=0.01), frequency
