"""Small mechanisms as kinematics providers, and scipy's DOP853 on the reference equation to compare with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from backend.dynamics.energies import Energy
from backend.dynamics.state import State, Statistics
from backend.dynamics.variational import mass_matrix, variational_step
from backend.kinematics.base import Array


class Chain:
    """A planar pendulum of n links (lengths in metres) in the xz plane, hanging down at q = 0; one handle a link.

    q are the angles between each link and the vertical; handle i turns about y at the end of link i - 1.
    """

    name, constant_jacobian = "chain", False

    def __init__(self, lengths: Sequence[float]) -> None:
        self.lengths = np.array(lengths)
        self.dof = len(self.lengths)

    def rest(self) -> Array:
        return np.zeros(self.dof)

    def _turned(self, q: Array, order: int) -> Array:
        """The order-th derivative of each rotation by its own angle, transposed as in `a`, Float[n,3,3]."""
        turned = np.zeros((self.dof, 3, 3))
        cosine, sine = np.cos(q + order * np.pi / 2.0), np.sin(q + order * np.pi / 2.0)
        turned[:, 0, 0], turned[:, 0, 2], turned[:, 2, 0], turned[:, 2, 2] = cosine, -sine, sine, cosine
        turned[:, 1, 1] = float(order == 0)
        return turned

    def _along(self, q: Array, order: int) -> Array:
        """The order-th derivative of each link's vector by its own angle, Float[n,3]."""
        return -self.lengths[:, None] * self._turned(q, order)[:, 2]

    def handles(self, q: Array) -> Array:
        ends = np.cumsum(self._along(q, 0), axis=0)
        origin = np.vstack([np.zeros(3), ends[:-1]])
        return np.concatenate([self._turned(q, 0), origin[:, None]], axis=1).reshape(-1, 3)

    def _columns(self, q: Array, order: int) -> Array:
        """d^order a / dq_i^order (other mixed derivatives are zero), Float[n,4n,3]."""
        columns = np.zeros((self.dof, self.dof, 4, 3))
        turned, along = self._turned(q, order), self._along(q, order)
        for link in range(self.dof):
            columns[link, link, :3] = turned[link]
            columns[link, link + 1 :, 3] = along[link]
        return columns.reshape(self.dof, -1, 3)

    def push(self, q: Array, rate: Array) -> Array:
        return np.tensordot(rate, self._columns(q, 1), axes=1)

    def pull(self, q: Array, force: Array) -> Array:
        return np.tensordot(self._columns(q, 1), force, axes=2)

    def jacobian(self, q: Array) -> Array:
        return self._columns(q, 1).reshape(self.dof, -1).T

    def acceleration(self, q: Array, rate: Array) -> Array:
        return np.tensordot(rate**2, self._columns(q, 2), axes=1)

    def canonical(self, q: Array) -> Array:
        return q

    def moment(self, masses: Sequence[float]) -> Array:
        """B of a point mass (kg) at the end of each link."""
        moment = np.zeros((4 * self.dof, 4 * self.dof))
        for link, (mass, length) in enumerate(zip(masses, self.lengths, strict=True)):
            end = np.zeros(4 * self.dof)
            end[4 * link : 4 * link + 4] = 0.0, 0.0, -length, 1.0
            moment += mass * np.outer(end, end)
        return moment


class RandomDecoder:
    """a(q) = a0 + U tanh(W q + b): a smooth nonlinear map with random weights, as a learned decoder would be."""

    name, constant_jacobian = "random", False

    def __init__(self, handles: int, dof: int, width: int = 12, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        self.dof = dof
        self._inner = random.normal(size=(width, dof)) / np.sqrt(dof)
        self._shift = random.normal(size=width)
        self._outer = random.normal(size=(12 * handles, width)) / np.sqrt(width)
        self._start = random.normal(size=12 * handles)

    def rest(self) -> Array:
        return np.zeros(self.dof)

    def _hidden(self, q: Array) -> Array:
        return np.tanh(self._inner @ q + self._shift)

    def handles(self, q: Array) -> Array:
        return (self._start + self._outer @ self._hidden(q)).reshape(-1, 3)

    def jacobian(self, q: Array) -> Array:
        return self._outer @ ((1.0 - self._hidden(q) ** 2)[:, None] * self._inner)

    def push(self, q: Array, rate: Array) -> Array:
        return (self.jacobian(q) @ rate).reshape(-1, 3)

    def pull(self, q: Array, force: Array) -> Array:
        return self.jacobian(q).T @ force.ravel()

    def acceleration(self, q: Array, rate: Array) -> Array:
        hidden = self._hidden(q)
        return (self._outer @ (-2.0 * hidden * (1.0 - hidden**2) * (self._inner @ rate) ** 2)).reshape(-1, 3)

    def canonical(self, q: Array) -> Array:
        return q


@dataclass(frozen=True)
class Mechanism:
    """A provider with its mass and potentials."""

    kinematics: Chain | RandomDecoder
    moment: Array
    potentials: tuple[Energy, ...]

    def energy(self, state: State) -> float:
        """Kinetic plus potential, joules."""
        rate = self.kinematics.push(state.q, state.rate)
        kinetic = 0.5 * np.vdot(rate, self.moment @ rate)
        a = self.kinematics.handles(state.q)
        return float(kinetic + sum(energy.value(a) for energy in self.potentials))

    def run(self, state: State, step: float, count: int) -> list[State]:
        """States 0 .. count, by the variational step."""
        states, statistics = [state], Statistics()
        load = np.zeros((len(self.moment), 3))
        for _ in range(count):
            states.append(
                variational_step(
                    self.kinematics, self.moment, self.potentials, states[-1], step, load, 1e-13, statistics
                )
            )
        return states

    def reference(self, state: State, seconds: float) -> State:
        """G qddot + J^T M D2a[qdot, qdot] + grad V = 0 by scipy's DOP853 at tight tolerances."""
        kinematics, dof = self.kinematics, self.kinematics.dof

        def slope(_: float, both: Array) -> Array:
            q, rate = both[:dof], both[dof:]
            a = kinematics.handles(q)
            force = -sum(energy.gradient(a) for energy in self.potentials) - self.moment @ kinematics.acceleration(
                q, rate
            )
            return np.concatenate(
                [rate, np.linalg.solve(mass_matrix(kinematics, self.moment, q, q), kinematics.pull(q, force))]
            )

        start = np.concatenate([state.q, state.rate])
        both = solve_ivp(slope, (0.0, seconds), start, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
        return State(both[:dof], both[dof:])
