"""Sleeping: objects that have been still for a while take no steps until something wakes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .actor import Actor
from .obstacles import Obstacle
from .proximity_bounds import are_near, box_around

__all__ = ["STILL_FRAMES", "Sleep"]

STILL_FRAMES = 12  # frames without visible motion before an object sleeps
NEAR = 0.1  # of the size: a collider that moves so close wakes what sleeps


class Sleep:
    """Which objects of a world sleep."""

    def __init__(self, actors: Sequence[Actor]) -> None:
        self._actors = actors
        self._still = [0] * len(actors)  # frames without visible motion

    @property
    def asleep(self) -> list[bool]:
        """Of each object."""
        return [still >= STILL_FRAMES for still in self._still]

    def wake(self, numbers: Iterable[int]) -> None:
        """Those of the objects that sleep move again."""
        for number in numbers:
            if self._still[number] >= STILL_FRAMES:
                self._still[number] = 0

    def wake_all(self) -> None:
        """Nothing sleeps any more."""
        self._still = [0] * len(self._actors)

    def begin_frame(self, now: Sequence[Any], obstacles: Sequence[Obstacle], begin: float, end: float) -> None:
        """Wakes what is poked, or comes close to a moving collider, within [begin, end] s."""
        for number, actor in enumerate(self._actors):
            if self._still[number] < STILL_FRAMES:
                continue
            met = any(
                obstacle.moves_between(begin, end)
                and are_near(
                    actor.solver.surface(now[number]).bounds,
                    box_around(obstacle.positions(begin), obstacle.positions(end)),
                    NEAR * actor.size,
                )
                for obstacle in obstacles
            )
            if met or actor.forces.acts_between(begin, end):
                self._still[number] = 0

    def end_frame(self, now: Sequence[Any], touching: Sequence[tuple[int, ...]], begin: float) -> None:
        """Counts still frames; what touches (tuples of objects) falls asleep together or not at all.

        `begin` of the frame, s.
        """
        for number, actor in enumerate(self._actors):
            if self._still[number] >= STILL_FRAMES:
                continue
            slow = actor.sleep_speed is not None and actor.solver.speed(now[number]) < actor.sleep_speed
            self._still[number] = self._still[number] + 1 if slow and begin >= actor.forces.end else 0
        changed = True
        while changed:
            changed = False
            for met in touching:
                least = min(self._still[number] for number in met)
                for number in met:
                    if least < STILL_FRAMES <= self._still[number]:
                        self._still[number], changed = STILL_FRAMES - 1, True

    def snapshot(self) -> list[int]:
        """The counts as they are now."""
        return list(self._still)

    def restore(self, snapshot: list[int]) -> None:
        """The counts as they were."""
        self._still = list(snapshot)
