"""Random motions: coordinates drawn at random, and a function from them to positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..kinematics.base import Array

__all__ = ["Draw", "Motion", "any_of", "independent", "looping", "with_slope", "woven"]

Draw = Callable[[np.random.Generator, int], Array]

# How often some of the numbers stay zero in all states of one call: most takes of a real object use a part of what
# it can do.
_STILL_SHARE = 0.25


@dataclass(frozen=True)
class Motion:
    """`draw` gives Float[n,width] in [-1,1]; `pose` turns it into Float[n,V,3], zeros into the rest exactly.

    freedom: how many independent numbers there are behind a state; None where states do not lie on one surface.
    """

    width: int
    freedom: int | None
    draw: Draw
    pose: Callable[[Array], Array]

    def states(self, rng: np.random.Generator, count: int) -> Array:
        """`count` random states, Float[count,V,3]."""
        return self.pose(self.draw(rng, count))


def independent(width: int) -> Draw:
    """Each number by itself, uniform; now and then some of them stay still in all states of the call."""

    def draw(rng: np.random.Generator, count: int) -> Array:
        values = rng.uniform(-1.0, 1.0, (count, width))
        if width > 1 and rng.random() < _STILL_SHARE:
            moves = rng.random(width) < 0.5
            moves[rng.integers(width)] = True
            values = values * moves
        return values

    return draw


def woven(rng: np.random.Generator, width: int, threads: int) -> Draw:
    """All numbers follow a few hidden ones: a random linear map that stops at joint limits."""
    mixing = rng.normal(size=(threads, width)) * rng.random((threads, width)) ** 2
    mixing *= 1.5 * rng.random(width) ** 0.5 / np.maximum(np.sqrt((mixing**2).sum(axis=0)), 1e-9)
    hidden = independent(threads)
    return lambda rng, count: np.clip(hidden(rng, count) @ mixing, -1.0, 1.0)


def looping(phase: Array, strength: Array) -> Draw:
    """A gait: strength * size * cos(angle + phase), with an angle and a size for each state; both Float[w]."""

    def draw(rng: np.random.Generator, count: int) -> Array:
        angle = rng.uniform(0.0, 2.0 * np.pi, count)
        size = rng.uniform(0.6, 1.0, count)
        return strength * size[:, None] * np.cos(angle[:, None] + phase)

    return draw


def any_of(draws: Sequence[Draw]) -> Draw:
    """Each state follows one of several ways of moving, as the clips of an animated character do."""

    def draw(rng: np.random.Generator, count: int) -> Array:
        choice = rng.integers(len(draws), size=count)
        drawn = np.stack([each(rng, count) for each in draws])
        return drawn[choice, np.arange(count)]

    return draw


def with_slope(values: Array, low: Array, high: Array) -> Array:
    """Numbers in [-1,1] to [low,high] (low <= 0 <= high), zero to zero: joints reach differently far to both sides."""
    return np.where(values > 0.0, values * high, values * -low)
