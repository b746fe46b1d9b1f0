"""Islands: objects that can touch in a step, solved together; each other object steps by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .actor import Actor
from .contact_pairs import ContactGroup
from .detection import Detector
from .island_step import ContactOutcome, touching_step
from .latent_solver import LatentState
from .sleeping import Sleep
from .solver import Surroundings
from .state import StepFailed

__all__ = ["Before", "Islands", "WorldStep"]

WIDER = (1.0, 3.0, 10.0)  # how much farther contacts are looked for when something got farther than expected
HARD_IMPACT = 0.3  # of the RMS speed: a change in one step from which the second-order scheme does not look back
CALM_SPEED = 0.25  # object sizes per second: slower contact is solved at first order, whose own loss ends small swings

Before = tuple[LatentState, float] | None  # one step of so many seconds earlier, where BDF2 may look back on it


@dataclass(frozen=True)
class WorldStep:
    """A step of the world: new states by object; by island its contact groups, outcome, and if it was a hard impact."""

    states: dict[int, Any]
    islands: list[tuple[list[ContactGroup], ContactOutcome, bool]]


@dataclass(frozen=True)
class Islands:
    """Finds the step of a world, island by island. `alone`: there is one object and nothing that it could touch."""

    actors: Sequence[Actor]
    detector: Detector
    sleep: Sleep
    alone: bool

    def step(self, now: Sequence[Any], befores: Sequence[Before], dt: float, contacts: Surroundings) -> WorldStep:
        """All objects that are awake `dt` seconds later, without a change to anything but who sleeps.

        Raises StepFailed.
        """
        for widen in WIDER:
            groups = self._groups(now, contacts.time, dt, widen)
            states: dict[int, Any] = {}
            islands = []
            for members in self._members(groups):
                own = [group for group in groups if group.first in members]
                if not _within_margin(own, now, at_end=False):
                    free = {
                        number: self.actors[number].solver.step(now[number], dt, self.actors[number].forces, contacts)
                        for number in members
                    }
                    if not _within_margin(own, free, at_end=True):
                        states.update(free)
                        continue
                outcome, hard_impact = self._in_contact(members, own, now, befores, dt, contacts)
                islands.append((own, outcome, hard_impact))
                states.update(outcome.states)
            if self.alone or not any(
                self.detector.overlooked(number, now[number], then, dt, widen) for number, then in states.items()
            ):
                return WorldStep(states, islands)
        raise StepFailed

    def _groups(self, now: Sequence[Any], time: float, dt: float, widen: float) -> list[ContactGroup]:
        """What may touch in the step, see `Detector.groups`; what is struck in its sleep wakes up."""
        groups = self.detector.groups(now, self.sleep.asleep, time, dt, widen)
        while struck := self.detector.struck_sleepers(groups, now, self.sleep.asleep, dt):
            self.sleep.wake(struck)
            groups = self.detector.groups(now, self.sleep.asleep, time, dt, widen)
        return groups

    def _members(self, groups: Sequence[ContactGroup]) -> Iterable[list[int]]:
        """Objects that are awake, together with those they may touch (union-find)."""
        asleep = self.sleep.asleep
        root = list(range(len(self.actors)))

        def find(number: int) -> int:
            while root[number] != number:
                number = root[number]
            return number

        for group in groups:
            if group.second is not None:
                root[find(group.second)] = find(group.first)
        islands: dict[int, list[int]] = {}
        for number in range(len(self.actors)):
            if not asleep[number]:
                islands.setdefault(find(number), []).append(number)
        return islands.values()

    def _in_contact(
        self,
        members: list[int],
        groups: list[ContactGroup],
        now: Sequence[Any],
        befores: Sequence[Before],
        dt: float,
        contacts: Surroundings,
    ) -> tuple[ContactOutcome, bool]:
        """An island's step in contact, and whether something in it was struck hard."""
        actors, instants = [self.actors[number] for number in members], [now[number] for number in members]
        looked_back: list[LatentState | None] = []
        for number, actor, state in zip(members, actors, instants, strict=True):
            before = befores[number]
            equal = before is not None and abs(before[1] - dt) < 1e-9 * dt
            looked_back.append(before[0] if equal and state.speed > CALM_SPEED * actor.size else None)
        contacts.statistics.contact_steps += len(members)

        def solved(earlier: list[LatentState | None]) -> tuple[ContactOutcome, bool]:
            outcome = touching_step(
                members,
                actors,
                instants,
                earlier,
                groups,
                self.detector.memory,
                contacts.time,
                dt,
                contacts.statistics,
            )
            return outcome, _is_hard_impact(outcome, now)

        outcome, hard_impact = solved(looked_back)
        if hard_impact and any(before is not None for before in looked_back):
            # The second-order scheme looks back over the impact: it would throw things off.
            return solved([None] * len(members))
        return outcome, hard_impact


def _within_margin(groups: Sequence[ContactGroup], states: Sequence[Any] | Mapping[int, Any], *, at_end: bool) -> bool:
    """Whether anything is close enough to be pushed, with these states of the objects at the step's start or end."""
    met = {number for group in groups for number in (group.first, group.second) if number is not None}
    handles = {number: states[number].handles for number in met}
    return any(
        (group.gaps(handles, group.surface_end if at_end else group.surface_start) < group.law.margin).any()
        for group in groups
    )


def _is_hard_impact(outcome: ContactOutcome, now: Sequence[LatentState]) -> bool:
    """Whether something was struck so hard that its motion is not smooth over the step.

    Soft things touch with more of themselves at every step as they are pressed together; that is no impact.
    """
    if not outcome.struck:
        return False
    for number, state in outcome.states.items():
        before, solver = now[number], state.solver
        change = state.rate - before.rate
        speed = np.sqrt(np.vdot(change, solver.moment @ change) / solver.mass)
        if speed > HARD_IMPACT * before.speed:
            return True
    return False
