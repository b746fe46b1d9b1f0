"""Forces on a skinned object in handle space: constant loads, pokes, wind, springs to moving targets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from ..kinematics.base import Array
from .springs import PointSprings
from .wind import WindForce

__all__ = ["LatentForces", "PokeForce", "SpringSet"]


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

    @cached_property
    def end(self) -> float:
        """Seconds after which nothing but the constant load acts."""
        if self.wind is not None:
            return np.inf
        springs = 0.0 if self.springs is None else self.springs.end
        return max(springs, max((poke.end for poke in self.pokes), default=0.0))

    def acts_between(self, begin: float, end: float) -> bool:
        """Whether a poke acts within [begin, end] s."""
        return any(poke.begin < end and poke.end > begin for poke in self.pokes)

    def loads(self, handles: Array, rate: Array, time: float, step: float) -> Array:
        """Mean force Float[4H,3] N of a step that begins at handles Float[4H,3], moving at `rate` Float[4H,3]."""
        load = self.load
        for poke in self.pokes:
            mean = poke.mean(time, step)
            if mean is not None:
                load = load + mean
        if self.wind is not None:
            load = load + self.wind.force(handles, rate, time, step)
        return load

    def springs_at(self, handles: Array, begin: float, span: float) -> PointSprings | None:
        """The springs with their ends where they are `span` seconds after `begin`, and what they resist until then."""
        return None if self.springs is None else self.springs.at(handles, begin, span)
