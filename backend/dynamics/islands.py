"""Islands: objects that can touch in a step, solved together; each other object steps by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .actor import Actor
from .contact_pairs import ContactGroup
from .detection import Detector
from .energy_gain import without_gain
from .island_step import ContactOutcome, touching_step
from .latent_solver import LatentSolver, LatentState
from .refinement import Refinement
from .rigid.crowd_step import RigidStep
from .rigid.islands import RigidIslands
from .sleeping import Sleep
from .solver import Surroundings
from .state import StepFailed

__all__ = ["Before", "Islands", "WorldStep"]

WIDER = (1.0, 3.0, 10.0)  # how much farther contacts are looked for when something got farther than expected
HARD_IMPACT = 0.3  # of the RMS speed: a change in one step from which the second-order scheme does not look back
CALM_SPEED = 0.25  # object sizes per second: slower contact is solved by backward Euler, whose own loss ends swings

Before = tuple[LatentState, float] | None  # one step of so many seconds earlier, where BDF2 may look back on it


@dataclass(frozen=True)
class WorldStep:
    """A step of the world: new states by object; by island in contact its contact groups, outcome, and if it was a hard
    impact. `failed` are the members of islands that could not be solved at once.
    """

    states: dict[int, Any]
    islands: list[tuple[list[ContactGroup], ContactOutcome, bool]]
    failed: list[list[int]]
    rigid: RigidStep = field(default_factory=RigidStep)


@dataclass(frozen=True)
class Islands:
    """Finds the step of a world, island by island. `alone`: there is one object and nothing that it could touch."""

    actors: Sequence[Actor]
    detector: Detector
    sleep: Sleep
    refinement: Refinement
    alone: bool
    rigid: RigidIslands

    def step(
        self,
        now: Sequence[Any],
        befores: Sequence[Before],
        numbers: Sequence[int],
        dt: float,
        share: float,
        contacts: Surroundings,
        *,
        last: bool,
    ) -> WorldStep:
        """Those of the objects `numbers` that are awake `dt` seconds later; nothing is changed but who sleeps.

        All others stand still. `share` is what `dt` is of a whole step; on the `last` try no island fails: what cannot
        be solved takes the best state that was found.
        """
        for widen in WIDER:
            apart = self.rigid.apart(now, numbers, contacts.time, dt, widen)
            rigid = self.rigid.step(
                now, befores, apart, dt, share, widen, contacts, self.sleep, self.refinement, last=last
            )
            found = WorldStep(dict(rigid.states), [], list(rigid.failed), rigid)
            met = set(self.rigid.crowd.numbers[apart].tolist())
            left = [number for number in numbers if number not in met]
            groups = self._groups(now, left, met, contacts.time, dt, widen) if left else []
            for members in self._members(groups, self._awake(left)):
                own = [group for group in groups if group.first in members]
                if not last and not self.refinement.fits(members, share):
                    found.failed.append(members)
                    continue
                try:
                    free = {}  # by the solvers' own steps, where nothing touches
                    if not _within_margin(own, now, at_end=False):
                        for number in members:
                            actor = self.actors[number]
                            free[number] = actor.solver.step(now[number], dt, actor.forces, contacts)
                    if free and not _within_margin(own, free, at_end=True):
                        found.states.update(free)
                    else:
                        outcome, hard_impact = self._in_contact(members, own, now, befores, dt, contacts)
                        found.islands.append((own, outcome, hard_impact))
                        found.states.update(outcome.states)
                    self.refinement.solved(members, share)
                except (StepFailed, np.linalg.LinAlgError):  # the latter where numbers have run out of all bounds
                    if last:
                        self._advance_roughly(members, own, now, dt, contacts, found)
                    else:
                        self.refinement.failed(members, share)
                        found.failed.append(members)
            if self.alone or not (rigid.overlooked or self._overlooked(now, found, left, dt, widen)):
                return found
        return found if last else WorldStep({}, [], [self._awake(numbers)])

    def _awake(self, numbers: Sequence[int]) -> list[int]:
        return [number for number in numbers if not self.sleep.asleep[number]]

    def _overlooked(self, now: Sequence[Any], found: WorldStep, left: Sequence[int], dt: float, widen: float) -> bool:
        """Whether one of the objects `left` got farther than contacts were looked for."""
        moved = [number for number in left if number in found.states]
        return any(self.detector.overlooked(number, now[number], found.states[number], dt, widen) for number in moved)

    def _advance_roughly(
        self,
        members: list[int],
        groups: list[ContactGroup],
        now: Sequence[Any],
        dt: float,
        contacts: Surroundings,
        found: WorldStep,
    ) -> None:
        """The best that Newton's method finds for an island's step, without bounces or any gain of energy.

        Where that is none, its objects are stopped.
        """
        contacts.statistics.rough_steps.append(contacts.time)
        actors, instants = [self.actors[number] for number in members], [now[number] for number in members]
        if all(isinstance(actor.solver, LatentSolver) for actor in actors):
            with suppress(StepFailed, np.linalg.LinAlgError):
                outcome = touching_step(
                    members,
                    actors,
                    instants,
                    [None] * len(members),
                    groups,
                    self.detector.memory,
                    contacts.time,
                    dt,
                    contacts.statistics,
                    brisk=False,
                    rough=True,
                )
                states = without_gain(instants, list(outcome.states.values()))
                if states is not None:
                    found.islands.append((groups, outcome, True))
                    found.states.update(zip(members, states, strict=True))
                    return
        found.states.update({number: self.actors[number].solver.stopped(now[number]) for number in members})

    def _groups(
        self, now: Sequence[Any], numbers: Sequence[int], apart: set[int], time: float, dt: float, widen: float
    ) -> list[ContactGroup]:
        """What may touch in the step, see `Detector.groups`; what is struck in its sleep wakes up."""

        def still() -> list[bool]:
            asleep = self.sleep.asleep
            return [asleep[number] or number not in numbers for number in range(len(asleep))]

        groups = self.detector.groups(now, still(), time, dt, widen, apart)
        while struck := self.detector.struck_sleepers(groups, now, self.sleep.asleep, dt):
            self.sleep.wake(struck)
            groups = self.detector.groups(now, still(), time, dt, widen, apart)
        return groups

    def _members(self, groups: Sequence[ContactGroup], chosen: Sequence[int]) -> Iterable[list[int]]:
        """Chosen objects, each together with those it may touch (union-find)."""
        root = list(range(len(self.actors)))

        def find(number: int) -> int:
            while root[number] != number:
                number = root[number]
            return number

        for group in groups:
            if group.second is not None:
                root[find(group.second)] = find(group.first)
        islands: dict[int, list[int]] = {}
        for number in chosen:
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
        brisk = [state.speed > CALM_SPEED * actor.size for actor, state in zip(actors, instants, strict=True)]
        for number, actor, fast in zip(members, actors, brisk, strict=True):
            before = befores[number] if fast and actor.solver.rule.looks_back else None
            equal = before is not None and abs(before[1] - dt) < 1e-9 * dt
            looked_back.append(before[0] if equal else None)
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
                brisk=any(brisk),
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
