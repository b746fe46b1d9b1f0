"""One step of a crowd of rigid bodies, island by island, and what it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...kinematics.base import Array
from ..energy_gain import without_gain
from ..refinement import Refinement
from ..solver import Surroundings
from ..state import StepFailed
from .contacts import MARGIN, Contacts, Memory
from .crowd import Crowd
from .detection import Moment
from .flight import fly
from .looking import ends_of, gaps_and_speeds, islands_of
from .step import SOFT, Earlier, Loads, Outcome, step_island

__all__ = ["CrowdStep", "RigidStep", "memory_of"]


@dataclass
class RigidStep:
    """A step of rigid bodies, by their numbers in the world: new states; members of islands in contact, of those that
    were struck hard, and of those that failed; pairs that touch. `memory` is what contacts leave.
    """

    states: dict[int, Any] = field(default_factory=dict)
    touched: set[int] = field(default_factory=set)
    struck: set[int] = field(default_factory=set)
    failed: list[list[int]] = field(default_factory=list)
    touching: list[tuple[int, ...]] = field(default_factory=list)
    memory: Memory | None = None
    overlooked: bool = False


def memory_of(contacts: Contacts, lift: Array, bristle: Array, push: Array) -> Memory:
    """What contacts leave, sorted by their keys."""
    order = np.argsort(contacts.key, kind="stable")
    columns = (contacts.key, contacts.first, contacts.second, lift, bristle, push, contacts.normal)
    return Memory(*(np.ascontiguousarray(column[order]) for column in columns))


class CrowdStep:
    """A step of `dt` seconds of the active bodies (Bool[n]) from the moment `begin` on; `end`: the colliders then."""

    def __init__(
        self, crowd: Crowd, begin: Moment, end: Moment, contacts: Contacts, active: np.ndarray, dt: float,
        states: Sequence[Any], around: Surroundings,
    ) -> None:  # fmt: skip
        self._crowd, self._begin, self._contacts, self._active, self._dt = crowd, begin, contacts, active, dt
        self._states, self._around = states, around
        self._loads: Loads = crowd.loads(states, around.time, dt)
        count = len(contacts.first)
        self._ends = ends_of(contacts, begin, end)
        self._outcome = Outcome(
            np.zeros((count, 3)), np.full(count, np.inf), np.zeros(count), np.zeros(count, dtype=bool)
        )
        self.then = Moment(*(column.copy() for column in end))
        self.moved = np.zeros(len(crowd), dtype=bool)
        self._numbers: list[int] = crowd.numbers.tolist()

    def solve(
        self, result: RigidStep, befores: Sequence[tuple[Any, float] | None], gaps: Array, share: float,
        refinement: Refinement, *, last: bool,
    ) -> None:  # fmt: skip
        """Fills in the result. `gaps` Float[c] m of the contacts at the start."""
        crowd, contacts, margin = self._crowd, self._contacts, self._contacts.law[:, MARGIN]
        labels = islands_of(self._active, contacts.first, contacts.second)
        lost = fly(crowd.bodies, self._begin, self._active, *self._loads, self._dt, self.then)
        end_gaps, speeds = np.empty_like(gaps), np.empty_like(gaps)
        gaps_and_speeds(contacts, self.then, end_gaps, speeds)
        of_bodies = np.append(labels, np.full(len(crowd.colliders) + 1, -1))  # the last one is the ground's
        of_contacts = np.maximum(of_bodies[contacts.first], of_bodies[contacts.second])
        touching = set(of_contacts[np.minimum(gaps, end_gaps) < margin].tolist())
        order = np.argsort(of_contacts, kind="stable")
        sorted_labels = of_contacts[order]
        members_of: dict[int, list[int]] = {}
        for body, label in enumerate(labels.tolist()):
            if label >= 0:
                members_of.setdefault(label, []).append(body)
        earlier = self._earlier(befores) if touching else None
        for label, bodies in members_of.items():
            members, numbers = np.array(bodies), [self._numbers[body] for body in bodies]
            if not last and not refinement.fits(numbers, share):
                result.failed.append(numbers)
                continue
            if label in touching:
                rows = order[slice(*np.searchsorted(sorted_labels, [label, label + 1]))]
                solved = self._touch(result, earlier, members, rows, rough=False)
                if not solved and last:
                    self._advance_roughly(result, earlier, members, rows)
                    continue
            else:
                solved = not lost[members].any()
            if solved:
                self.moved[members] = True
                refinement.solved(numbers, share)
            elif last:
                self._stop(result, members)
            else:
                refinement.failed(numbers, share)
                result.failed.append(numbers)
        left = np.array([body for body in np.flatnonzero(self.moved) if self._numbers[body] not in result.states], int)
        states = crowd.states(left, self.then)
        result.states.update(zip((self._numbers[body] for body in left), states, strict=True))
        self._find_touching(result)

    def _earlier(self, befores: Sequence[tuple[Any, float] | None]) -> Earlier:
        """The moment one equal step before, where there is one."""
        usable = np.zeros(len(self.then.pose), dtype=bool)
        states = list(self._states)
        for body, number in enumerate(self._crowd.numbers):
            before = befores[number]
            if before is not None and abs(before[1] - self._dt) < 1e-9 * self._dt:
                states[body], usable[body] = before[0], True
        return Earlier(self._crowd.moment(states, self._around.time, 0.0), usable)

    def _touch(
        self, result: RigidStep, earlier: Earlier, members: np.ndarray, rows: np.ndarray, *, rough: bool
    ) -> bool:
        statistics = self._around.statistics
        statistics.contact_steps += len(members)
        solved, hard, iterations = step_island(
            self._crowd.bodies, self._begin, earlier, self._loads, members, rows, self._contacts, self._ends, self._dt,
            rough, self.then, self._outcome,
        )  # fmt: skip
        statistics.newton_iterations += iterations
        if solved:
            numbers = [self._numbers[body] for body in members]
            result.touched.update(numbers)
            if hard or rough:
                result.struck.update(numbers)
        return bool(solved)

    def _stop(self, result: RigidStep, members: np.ndarray) -> None:
        """Bodies stand still: nothing better was found."""
        for body in members:
            state = self._states[body]
            result.states[self._numbers[body]] = state.solver.stopped(state)
        for now, then in zip(self._begin, self.then, strict=True):
            then[members] = now[members]

    def _advance_roughly(self, result: RigidStep, earlier: Earlier, members: np.ndarray, rows: np.ndarray) -> None:
        """The best that Newton's method finds, without bounces or any gain of energy; else the bodies are stopped."""
        self._around.statistics.rough_steps.append(self._around.time)
        with suppress(StepFailed):
            self._touch(result, earlier, members, rows, rough=True)
            states = without_gain([self._states[body] for body in members], self._crowd.states(members, self.then))
            if states is not None:
                result.states.update(zip((self._numbers[body] for body in members), states, strict=True))
                self.moved[members] = True
                return
        self._stop(result, members)

    def _find_touching(self, result: RigidStep) -> None:
        """Pairs of bodies that touch, and bodies that touch what does not move by itself."""
        contacts, count = self._contacts, len(self._crowd)
        near = self._outcome.gap < contacts.law[:, MARGIN]
        pairs = set(zip(contacts.first[near].tolist(), contacts.second[near].tolist(), strict=True))
        for pair in sorted(pairs):
            result.touching.append(tuple(self._numbers[body] for body in pair if 0 <= body < count))

    def memory(self, earlier: Memory) -> Memory:
        """What is kept after the step: of contacts of bodies that have moved what it left, of others what there was."""
        contacts, outcome = self._contacts, self._outcome
        moved = np.append(self.moved, np.zeros(len(self._crowd.colliders) + 1, dtype=bool))
        fresh = moved[contacts.first] | moved[contacts.second]
        margin = contacts.law[:, MARGIN]
        # What an impact has pressed deep into the barrier may stay there: it would be thrown back.
        deep = np.where(outcome.struck, np.clip(SOFT * margin - outcome.gap, 0.0, SOFT * margin), 0.0)
        lift = np.maximum(contacts.lift, deep)
        kept = memory_of(contacts, lift, outcome.bristle, outcome.push)
        if fresh.all() and self.moved.all():
            return kept
        old = ~(moved[earlier.first] | moved[earlier.second])
        sorted_fresh = moved[kept.first] | moved[kept.second]
        parts = [np.concatenate([now[sorted_fresh], then[old]]) for now, then in zip(kept, earlier, strict=True)]
        order = np.argsort(parts[0], kind="stable")
        return Memory(*(np.ascontiguousarray(part[order]) for part in parts))
