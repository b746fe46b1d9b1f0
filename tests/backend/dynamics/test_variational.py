"""The variational step with a configuration-dependent mass, against closed forms and scipy's DOP853."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

from backend.dynamics.energies import LinearPotential
from backend.dynamics.state import State
from tests.backend.differences import numerical_derivative
from tests.backend.dynamics.mechanisms import Chain, Mechanism, RandomDecoder

GRAVITY = 9.81


class Spring:
    """V(a) = k/2 |a - a0|^2."""

    def __init__(self, stiffness: float, rest: np.ndarray) -> None:
        self.stiffness, self.rest = stiffness, rest

    def value(self, a: np.ndarray) -> float:
        return 0.5 * self.stiffness * float(((a - self.rest) ** 2).sum())

    def gradient(self, a: np.ndarray) -> np.ndarray:
        return self.stiffness * (a - self.rest)

    def hessian(self, a: np.ndarray) -> np.ndarray:
        return self.stiffness * np.eye(a.size).reshape(a.shape + a.shape)


def _pendulum(lengths: list[float], masses: list[float]) -> Mechanism:
    chain = Chain(lengths)
    force = np.zeros((4 * chain.dof, 3))
    for link, (mass, length) in enumerate(zip(masses, lengths, strict=True)):
        force[4 * link : 4 * link + 4, 2] = -mass * GRAVITY * np.array([0.0, 0.0, -length, 1.0])
    return Mechanism(chain, chain.moment(masses), (LinearPotential(force, chain.handles(chain.rest())),))


def _decoder() -> Mechanism:
    decoder = RandomDecoder(handles=3, dof=6)
    random = np.random.default_rng(1)
    points = random.normal(size=(40, 12))
    spring = Spring(30.0, decoder.handles(decoder.rest()))
    weight = LinearPotential(random.normal(size=(12, 3)), decoder.handles(decoder.rest()))
    return Mechanism(decoder, points.T @ points / 40.0, (spring, weight))


DOUBLE = (_pendulum([0.8, 0.5], [1.0, 0.6]), State(np.array([1.2, -0.7]), np.array([0.3, 1.5])))
DECODER = (_decoder(), State(np.zeros(6), np.array([0.8, -0.5, 0.3, 0.9, -0.2, 0.4])))


@pytest.mark.parametrize("mechanism", [DOUBLE[0], DECODER[0]], ids=["chain", "decoder"])
def test_derivatives_of_the_mechanisms(mechanism: Mechanism) -> None:
    kinematics = mechanism.kinematics
    random = np.random.default_rng(2)
    q, rate = random.normal(size=(2, kinematics.dof))
    slope = numerical_derivative(lambda at: kinematics.handles(at).ravel(), q)
    assert np.allclose(kinematics.jacobian(q), slope, atol=1e-7)
    bend = numerical_derivative(lambda at: kinematics.push(at, rate).ravel(), q) @ rate
    assert np.allclose(kinematics.acceleration(q, rate).ravel(), bend, atol=1e-6)


@pytest.mark.parametrize("degrees", [10.0, 90.0, 170.0])
def test_pendulum_has_the_period_of_the_elliptic_integral(degrees: float) -> None:
    """T = 4 sqrt(L / g) K(sin^2(amplitude / 2)), to 0.1 %."""
    length, amplitude = 0.7, np.radians(degrees)
    period = 4.0 * np.sqrt(length / GRAVITY) * ellipk(np.sin(0.5 * amplitude) ** 2)
    step = period / 400.0
    states = _pendulum([length], [2.0]).run(State(np.array([amplitude]), np.zeros(1)), step, 1700)
    angle = np.array([state.q[0] for state in states])
    down = np.flatnonzero((angle[:-1] > 0.0) & (angle[1:] <= 0.0))
    crossing = (down + angle[down] / (angle[down] - angle[down + 1])) * step
    assert len(crossing) >= 4
    assert np.diff(crossing).mean() == pytest.approx(period, rel=1e-3)


@pytest.mark.parametrize(("mechanism", "start"), [DOUBLE, DECODER], ids=["double pendulum", "decoder"])
def test_converges_to_dop853_with_second_order(mechanism: Mechanism, start: State) -> None:
    """Halving the step divides the error by four: the order measured over three halvings is 1.9 or better."""
    seconds = 1.0
    wanted = mechanism.reference(start, seconds)
    errors = []
    for count in (100, 200, 400, 800):
        reached = mechanism.run(start, seconds / count, count)[-1]
        errors.append(np.linalg.norm(reached.q - wanted.q) + np.linalg.norm(reached.rate - wanted.rate))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert errors[-1] < 1e-3
    assert orders.min() > 1.9


@pytest.mark.parametrize(("mechanism", "start"), [DOUBLE, DECODER], ids=["double pendulum", "decoder"])
def test_energy_has_no_trend(mechanism: Mechanism, start: State) -> None:
    states = mechanism.run(start, 0.005, 4000)
    energy = np.array([mechanism.energy(state) for state in states])
    swing = np.ptp(energy)
    assert swing < 0.02 * np.ptp([mechanism.potentials[0].value(mechanism.kinematics.handles(s.q)) for s in states])
    assert abs(energy[2000:].mean() - energy[:2000].mean()) < 0.1 * swing
