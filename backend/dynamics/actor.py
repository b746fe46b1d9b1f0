"""One simulated object of a world, and where it is at one instant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from ..kinematics.base import Array, Kinematics
from .contact_shape import ContactShape
from .coordinate_energies import CoordinateEnergy
from .coordinate_mover import CoordinateMover
from .elastic_mover import ElasticMover
from .energies import Energy, mass_of
from .proximity_bounds import Box, box_around
from .springs import PointSprings
from .state import State
from .wind import WindForce

__all__ = ["Actor", "Instant", "PokeForce"]


@dataclass(frozen=True)
class PokeForce:
    """A constant handle-space force (newton) during [begin, end) seconds."""

    force: Array
    begin: float
    end: float

    def mean(self, time: float, step: float) -> Array | None:
        """Its average over a step, so that the impulse is exact whatever the substeps are."""
        overlap = min(self.end, time + step) - max(self.begin, time)
        return self.force * (overlap / step) if overlap > 1e-12 * step else None


class SpringSet(Protocol):
    """Springs and dampers to targets that move."""

    def at(self, handles: Array, begin: float, span: float) -> PointSprings | None:
        """As one potential of where points are `span` seconds after `begin`, where the handles were Float[4H,3]."""
        ...


@dataclass(frozen=True)
class Actor:
    """Constants of one object. `partition`: its weights sum to one, every handle turns as a part of the object does."""

    kinematics: Kinematics
    moment: Array  # B, Float[4H,4H] kg
    mover: ElasticMover | CoordinateMover
    shape: ContactShape | None  # None: touches nothing
    self_contact: bool
    size: float  # m
    friction: float
    restitution: float
    state: State  # at the first frame
    potentials: tuple[Energy, ...]  # what the energy report counts, with `coordinate_potentials`
    load: Array  # constant part of the load, Float[4H,3]
    pokes: tuple[PokeForce, ...]
    wind: WindForce | None
    springs: SpringSet | None  # what follows a target
    springs_end: float  # s, when the last target stops moving
    followed_frequency: float  # rad/s, of the fastest elastic mode that substeps must resolve; 0 for rigid bodies
    sleep_speed: float | None  # RMS m/s below which the object is at rest; None: never sleeps
    coordinate_potentials: tuple[CoordinateEnergy, ...] = ()
    partition: bool = False

    @cached_property
    def mass(self) -> float:
        """kg."""
        return mass_of(self.moment, self.partition)

    @cached_property
    def forces_end(self) -> float:
        """Seconds after which nothing but constant loads acts."""
        if self.wind is not None:
            return np.inf
        return max(self.springs_end, max((poke.end for poke in self.pokes), default=0.0))

    def loads(self, now: Instant, time: float, step: float) -> Array:
        """Handle-space force of one step, Float[4H,3] N."""
        load = self.load
        for poke in self.pokes:
            mean = poke.mean(time, step)
            if mean is not None:
                load = load + mean
        if self.wind is not None:
            load = load + self.wind.force(now.handles, now.rate, time, step)
        return load

    def springs_at(self, now: Instant, begin: float, span: float) -> PointSprings | None:
        """The springs with their ends where they are `span` seconds after `begin`, and what they resist until then."""
        return None if self.springs is None else self.springs.at(now.handles, begin, span)


@dataclass(frozen=True)
class Instant:
    """An actor at one instant, with what contact asks of it, made when it is asked for."""

    actor: Actor
    state: State

    @cached_property
    def handles(self) -> Array:
        """a, Float[4H,3]."""
        return self.actor.kinematics.handles(self.state.q)

    @cached_property
    def rate(self) -> Array:
        """da/dt, Float[4H,3]."""
        return self.actor.kinematics.push(self.state.q, self.state.rate)

    @cached_property
    def kinetic(self) -> float:
        """Joules."""
        return 0.5 * float(np.vdot(self.rate, self.actor.moment @ self.rate))

    @property
    def energy(self) -> Array:
        """Kinetic, potential and total energy, Float[3] J."""
        potential = sum(energy.value(self.handles) for energy in self.actor.potentials)
        potential += sum(energy.value(self.state.q) for energy in self.actor.coordinate_potentials)
        return np.array([self.kinetic, potential, self.kinetic + potential])

    @property
    def speed(self) -> float:
        """RMS over the mass, m/s."""
        return float(np.sqrt(2.0 * self.kinetic / self.actor.mass))

    @property
    def spin(self) -> float:
        """An upper estimate of the turning rate (rad/s): the largest velocity gradient of a handle that turns."""
        if self.actor.partition:
            turning = np.linalg.norm(self.rate.reshape(-1, 4, 3)[:, :3], axis=(1, 2)).max()
        else:
            turning = np.linalg.norm(self.rate[:3])
        return float(turning / max(np.linalg.norm(self.handles[:3]), 1e-12))

    @cached_property
    def heights(self) -> Array:
        """Of the contact samples, Float[S] m."""
        return self.actor.shape.basis @ self.handles[:, 2]

    @cached_property
    def positions(self) -> Array:
        """Of the contact samples, Float[S,3] m."""
        return self.actor.shape.basis @ self.handles

    @cached_property
    def velocities(self) -> Array:
        """Float[S,3] m/s."""
        return self.actor.shape.basis @ self.rate

    @cached_property
    def speeds(self) -> Array:
        """Float[S] m/s."""
        return np.sqrt((self.velocities**2).sum(axis=1))

    @cached_property
    def bounds(self) -> Box:
        """Around the contact samples."""
        return box_around(self.positions)
