"""Weighted mixtures of families of training objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..kinematics.base import Array
from .moving_object import MovingObject

__all__ = ["Family", "Maker", "Source"]

Maker = Callable[[np.random.Generator], MovingObject]


@dataclass(frozen=True)
class Family:
    """A maker of objects and its share of the training data, relative to those of the other families."""

    make: Maker
    share: float


@dataclass(frozen=True)
class Source:
    """The weighted mixture of families; real objects join as families of their own."""

    families: Mapping[str, Family]

    @cached_property
    def _names(self) -> list[str]:
        return list(self.families)

    @cached_property
    def _odds(self) -> Array:
        """Cumulated shares, the last one 1."""
        total = np.cumsum([family.share for family in self.families.values()])
        return total / total[-1]

    def draw(self, rng: np.random.Generator) -> MovingObject:
        """A new object of a random family."""
        chosen = int(np.searchsorted(self._odds, rng.random(), side="right"))
        return self.families[self._names[chosen]].make(rng)
