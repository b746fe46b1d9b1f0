"""Forces on a skinned object in handle space: constant loads, pokes, wind, springs to moving targets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from ..kinematics.base import Array
from .keyed_vectors import KeyedVector
from .springs import PointSprings
from .wind import WindForce

__all__ = ["LatentForces", "PokeForce", "SpringSet", "WeightChange"]


class VaryingForce(Protocol):
    """A force in handle space that changes with time or with the motion."""

    def mean(self, handles: Array, rate: Array, time: float, step: float) -> Array:
        """Its mean Float[4H,3] N over a step from `time` (s) on that begins at handles and rates Float[4H,3]."""
        ...


@dataclass(frozen=True)
class PokeForce:
    """A constant handle-space force (newton) during [begin, end) seconds."""

    force: Array
    begin: float
    end: float

    def overlap(self, time: float, step: float) -> float:
        """The share of a step in which it acts; not positive where it does not."""
        return (min(self.end, time + step) - max(self.begin, time)) / step

    def mean(self, handles: Array, rate: Array, time: float, step: float) -> Array:
        """Its average over the step, so that the impulse is exact whatever the substeps are."""
        return self.force * self.overlap(time, step)


@dataclass(frozen=True)
class WeightChange:
    """What gravity (m/s^2) adds to the weight at the first frame, of masses Float[4H] kg of the handles.

    What is settled does not feel that weight until something lets go of it, at `let_go` seconds: then all of it.
    """

    masses: Array
    gravity: KeyedVector
    first: Array  # Float[3]
    let_go: float = np.inf

    @property
    def end(self) -> float:
        """Seconds after which it does not change."""
        return max(self.gravity.end, self.let_go if np.isfinite(self.let_go) else 0.0)

    def mean(self, handles: Array, rate: Array, time: float, step: float) -> Array:
        carried = min(max((self.let_go - time) / step, 0.0), 1.0)
        return np.outer(self.masses, self.gravity.mean(time, step) - carried * self.first)


class SpringSet(Protocol):
    """Springs and dampers to targets that move."""

    end: float  # s, when the last target stops moving

    def at(self, handles: Array, begin: float, span: float) -> PointSprings | None:
        """As one potential of where points are `span` seconds after `begin`, where the handles were Float[4H,3]."""
        ...


@dataclass(frozen=True)
class LatentForces:
    """All that acts on one skinned object besides its potentials and contact."""

    load: Array  # constant, Float[4H,3] N
    pokes: tuple[PokeForce, ...] = ()
    wind: WindForce | None = None
    springs: SpringSet | None = None
    weight: WeightChange | None = None

    @cached_property
    def end(self) -> float:
        """Seconds after which nothing that acts changes."""
        if self.wind is not None:
            return np.inf
        springs = 0.0 if self.springs is None else self.springs.end
        weight = 0.0 if self.weight is None else self.weight.end
        return max(springs, weight, max((poke.end for poke in self.pokes), default=0.0))

    def acts_between(self, begin: float, end: float) -> bool:
        """Whether a poke acts within [begin, end] s."""
        return any(poke.begin < end and poke.end > begin for poke in self.pokes)

    def varying(self, time: float, step: float) -> list[VaryingForce]:
        """The forces that act in a step from `time` (s) on besides the constant load."""
        acting: list[VaryingForce] = [poke for poke in self.pokes if poke.overlap(time, step) > 1e-12]
        return [*acting, *(each for each in (self.wind, self.weight) if each is not None)]

    def springs_at(self, handles: Array, begin: float, span: float) -> PointSprings | None:
        """The springs with their ends where they are `span` seconds after `begin`, and what they resist until then."""
        return None if self.springs is None else self.springs.at(handles, begin, span)
