"""Slider maps: how slider values are shapes of an object, and the values nearest to a pose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...bodies.body import Body
from ...kinematics.base import Array

__all__ = ["Coordinates", "InnerSliders", "SliderMap", "root_sliders"]


@dataclass(frozen=True)
class Coordinates:
    """The sliders by name, "joint", "bend", "mode", "turn" (rad), "slide" (m) or "value" of each, and their ranges
    Float[k]; all are 0 at rest.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    lower: Array
    upper: Array


class SliderMap(Protocol):
    """How slider values Float[k] are shapes of one object."""

    coordinates: Coordinates
    mean: Array  # Float[k], of random poses
    spread: Array  # Float[k], their deviation

    def handles(self, values: Array, now: Array) -> Array:
        """Handles Float[4H,3] of slider values, for an object that is posed by q Float[...] now."""
        ...

    def values(self, q: Array) -> Array:
        """Slider values nearest to a pose."""
        ...


class InnerSliders:
    """Sliders that are the coordinates behind the free root, if there is one."""

    def __init__(self, body: Body, coordinates: Coordinates, mean: Array, spread: Array) -> None:
        self.coordinates, self.mean, self.spread = coordinates, mean, spread
        self._kinematics, self._root = body.kinematics, body.root

    def handles(self, values: Array, now: Array) -> Array:
        return self._kinematics.handles(self.pose(values, now))

    def pose(self, values: Array, now: Array) -> Array:
        """The pose q of slider values, with the root of q `now`."""
        return np.concatenate([now[: self._root], values])

    def values(self, q: Array) -> Array:
        return q[self._root :]


def root_sliders(body: Body) -> InnerSliders:
    """None: all coordinates of the body are those of the root."""
    nothing = np.zeros(0)
    return InnerSliders(body, Coordinates((), (), nothing, nothing), nothing, nothing)
