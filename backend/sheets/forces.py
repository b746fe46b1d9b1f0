"""What acts on a sheet besides contact: its weight, the air, pokes, and what holds some of its nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..dynamics.keyed_vectors import KeyedVector
from ..dynamics.wind import AIR_DENSITY, TANGENTIAL_SHARE
from ..kinematics.base import Array
from .air_kernels import blow

__all__ = ["Air", "Hold", "Pull", "Push", "SheetForces", "Springs"]


@dataclass(frozen=True, eq=False)
class Push:
    """A force Float[n,3] N on nodes Int[n] in [begin, end) s."""

    node: np.ndarray
    force: Array
    begin: float
    end: float


@dataclass(frozen=True, eq=False)
class Hold:
    """Nodes Int[n] that are where `place` says: seconds to Float[n,3] m; it moves until `end` s."""

    node: np.ndarray
    place: Callable[[float], Array]
    end: float = 0.0


@dataclass(frozen=True, eq=False)
class Pull:
    """A spring of the mean of nodes Int[n], weighted by share Float[n], to a place; stiffness N/m, damping N s/m."""

    node: np.ndarray
    share: Array
    stiffness: float
    damping: float
    place: Callable[[float], Array]
    begin: float
    end: float
    moves_until: float

    def impulse(self, x: Array, v: Array, masses: Array, begin: float, step: float) -> Array:
        """Of a step, Float[n,3] N s, as an implicit spring of what it holds."""
        here, speed, there = self.share @ x[self.node], self.share @ v[self.node], self.place(begin + step)
        going = (there - self.place(begin)) / step
        force = self.stiffness * (there - here - step * speed) + self.damping * (going - speed)
        own = masses[self.node]
        mass = 1.0 / float((self.share**2 / own).sum())
        force = force / (1.0 + (step * self.damping + step**2 * self.stiffness) / mass)
        return step * np.outer(self.share, force)


@dataclass(frozen=True, eq=False)
class Springs:
    """Springs (N/m) and dampers (N s/m) of nodes Int[n] to where `place` has them: seconds to Float[n,3] m."""

    node: np.ndarray
    stiffness: float
    damping: float
    place: Callable[[float], Array]
    end: float
    until: float = np.inf  # s, when they let go

    def impulse(self, x: Array, v: Array, masses: Array, begin: float, step: float) -> Array:
        """Of a step, Float[n,3] N s, as implicit springs of the nodes alone."""
        there = self.place(begin + step)
        going = (there - self.place(begin)) / step
        force = self.stiffness * (there - x - step * v) + self.damping * (going - v)
        return step * force / (1.0 + (step * self.damping + step**2 * self.stiffness) / masses)[:, None]


@dataclass(frozen=True)
class Air:
    """Velocity at places Float[P,3] m and a time (s), Float[P,3] m/s; coefficients of drag and lift."""

    velocity: Callable[[Array, float], Array]
    drag: float
    lift: float
    blows: bool


@dataclass
class SheetForces:
    """All of them. `triangles` Int[F,3] feel the air, masses Float[N] kg resist it."""

    gravity: Array | KeyedVector
    triangles: np.ndarray
    masses: Array
    air: Air | None
    pushes: Sequence[Push] = ()
    holds: Sequence[Hold] = ()
    pulls: Sequence[Pull] = ()
    springs: Sequence[Springs] = ()
    _wind: Array = field(default_factory=lambda: np.zeros((0, 3)))

    def gravity_at(self, seconds: float) -> Array:
        """Float[3] m/s^2"""
        return self.gravity.at(seconds) if isinstance(self.gravity, KeyedVector) else self.gravity

    @property
    def end(self) -> float:
        """Seconds after which nothing but constant forces acts."""
        if self.air is not None and self.air.blows:
            return np.inf
        ends = [each.end for each in (*self.pushes, *self.holds, *self.springs)] + [
            pull.moves_until for pull in self.pulls
        ]
        if isinstance(self.gravity, KeyedVector):
            ends.append(self.gravity.end)
        return max(ends, default=0.0)

    def acts_between(self, begin: float, end: float) -> bool:
        """Whether a poke acts within [begin, end] s."""
        return any(push.begin < end and push.end > begin for push in self.pushes)

    def begin(self, x: Array, seconds: float) -> None:
        """Takes the air where nodes Float[N,3] are now, for the steps to come."""
        if self.air is not None:
            self._wind = self.air.velocity(x[self.triangles].mean(axis=1), seconds)

    def push(self, x: Array, v: Array, begin: float, step: float, impulse: Array) -> None:
        """Adds the impulses N s of a step to `impulse` Float[N,3]."""
        if self.air is not None:
            half = 0.5 * AIR_DENSITY
            drag, lift = half * self.air.drag, half * self.air.lift
            blow(x, v, self.masses, self.triangles, self._wind, drag, TANGENTIAL_SHARE * drag, lift, step, impulse)
        for push in self.pushes:
            seconds = min(push.end, begin + step) - max(push.begin, begin)
            if seconds > 0.0:
                impulse[push.node] += seconds * push.force
        for pull in self.pulls:
            if pull.begin <= begin + step <= pull.end:
                impulse[pull.node] += pull.impulse(x, v, self.masses, begin, step)
        for springs in self.springs:
            if begin + step > springs.until:
                continue
            node = springs.node
            impulse[node] += springs.impulse(x[node], v[node], self.masses[node], begin, step)

    def hold(self, x: Array, before: Array, begin: float, step: float) -> None:
        """Puts held nodes where they are at the end of a step."""
        for hold in self.holds:
            x[hold.node] = hold.place(begin + step)
