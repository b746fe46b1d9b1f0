"""Simulated objects as moving obstacles, for solvers that take their own steps.

A world solves together the objects that have a contact shape. Solvers without one step after them ("followers"): they
know how the others moved in the step of the world, and push nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..geometry.collision_surface import CollisionSurface
from ..kinematics.base import Array
from .actor import Actor
from .latent_solver import LatentSolver
from .proximity_bounds import are_near
from .sleeping import Sleep
from .solver import Surroundings

__all__ = ["Neighbour", "Neighbours"]

NEAR = 0.05  # of the size: what moves so close wakes what sleeps


class Neighbour:
    """One object: points Float[V,3] m of its surface, which move evenly in a step of the world."""

    def __init__(self, actor: Actor) -> None:
        assert actor.shape is not None
        self.surface: CollisionSurface = actor.shape.surface
        self.friction = actor.friction
        self._basis = actor.shape.basis[: len(self.surface.vertices)]
        self._begin, self._seconds = 0.0, 1.0
        self._start = self._basis @ actor.state.handles
        self._way = np.zeros_like(self._start)

    def begin(self, now: Any, then: Any, begin: float, seconds: float) -> None:
        """A step of so many `seconds` from `begin` (s) on between two states."""
        self._begin, self._seconds = begin, seconds
        self._start = self._basis @ now.handles
        self._way = self._basis @ then.handles - self._start

    def positions(self, seconds: float) -> Array:
        """Float[V,3] m at a time (s), within the step or beyond it."""
        return self._start + (seconds - self._begin) / self._seconds * self._way

    def moves_between(self, begin: float, end: float) -> bool:
        """It may move at any time."""
        return True


class Neighbours:
    """The followers of a world, and the objects that they meet."""

    def __init__(self, actors: Sequence[Actor]) -> None:
        self._actors = actors
        self._followers = [number for number, actor in enumerate(actors) if actor.solver.meets_neighbours]
        self._met = {
            number: Neighbour(actor)
            for number, actor in enumerate(actors)
            if self._followers and isinstance(actor.solver, LatentSolver) and actor.shape is not None
        }

    def step(
        self, now: Sequence[Any], found: Mapping[int, Any], number: int, seconds: float, around: Surroundings
    ) -> Any:
        """A follower `seconds` later; `found` has the new states of all others but those that stand still."""
        for other, neighbour in self._met.items():
            neighbour.begin(now[other], found.get(other, now[other]), around.time, seconds)
        actor = self._actors[number]
        return actor.solver.step(
            now[number], seconds, actor.forces, replace(around, neighbours=tuple(self._met.values()))
        )

    def awake(self, numbers: Sequence[int], sleep: Sleep) -> list[int]:
        """The followers among `numbers` that do not sleep."""
        return [number for number in self._followers if number in numbers and not sleep.asleep[number]]

    def wake(self, now: Sequence[Any], sleep: Sleep) -> None:
        """Wakes sleeping followers that something else moves close to."""
        asleep = sleep.asleep
        for number in self._followers:
            if not asleep[number]:
                continue
            actor = self._actors[number]
            bounds, near = actor.solver.surface(now[number]).bounds, NEAR * actor.size
            for other in self._met:
                if not asleep[other] and are_near(bounds, self._actors[other].solver.surface(now[other]).bounds, near):
                    sleep.wake([number])
