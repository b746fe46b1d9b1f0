"""One dissipative step of objects that touch: lagged friction, the barrier, restitution where something struck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..kinematics.base import Array
from .actor import Instant
from .contact_pairs import ContactGroup, Contacts
from .detection import ContactMemory
from .joint_step import minimise, rebounded
from .state import State, Statistics
from .step_problem import StepProblem

__all__ = ["Outcome", "touching_step"]


@dataclass(frozen=True)
class Outcome:
    """What a step led to: new states, whether something was struck, and for every group what its bristles keep
    (Float[c,3] m) and whether it touches at the end.
    """

    states: dict[int, State]
    struck: bool
    bristles: tuple[Array, ...]
    touching: tuple[bool, ...]


def _first_guess(problems: Sequence[StepProblem], instants: Sequence[Instant], contacts: Contacts) -> Sequence[Array]:
    """As far towards free motion as leaves a tenth of every gap."""
    moved = [problem.handles(problem.guess) for problem in problems]
    drop = contacts.start_gaps - contacts.gaps(contacts.relative(moved))
    closing = drop > 0.0
    left = np.maximum(contacts.start_gaps[closing], 0.0)
    share = float(min(1.0, 0.9 * (left / drop[closing]).min(initial=np.inf)))
    return [
        now.state.q + share * (problem.guess - now.state.q) for now, problem in zip(instants, problems, strict=True)
    ]


def touching_step(
    members: Sequence[int],
    instants: Sequence[Instant],
    befores: Sequence[State | None],
    groups: Sequence[ContactGroup],
    memory: ContactMemory,
    time: float,
    step: float,
    statistics: Statistics,
) -> Outcome:
    """Advances the objects `members` (numbers in the world) together by `step` seconds from `time`.

    instants and befores are theirs: now, and one equal step earlier where the second-order rule may be used. Raises
    StepFailed.
    """
    place = {number: index for index, number in enumerate(members)}
    local = tuple(
        replace(group, first=place[group.first], second=None if group.second is None else place[group.second])
        for group in groups
    )
    start = tuple(now.handles for now in instants)
    contacts = Contacts(local, start, np.concatenate([memory.bristle(group.points) for group in groups]))
    problems = [
        now.actor.mover.dissipative(
            now.state, before, step, now.actor.loads(now, time, step), now.actor.springs_at(time + step)
        )
        for now, before in zip(instants, befores, strict=True)
    ]

    # Normal forces of friction are lagged: first those of the last step, then those of the first solve.
    friction = contacts.friction(start)
    found = minimise(problems, contacts, friction, _first_guess(problems, instants, contacts), statistics)
    handles = [problem.handles(x) for problem, x in zip(problems, found, strict=True)]
    lagged = contacts.friction(handles)
    if lagged is not None and lagged.differs_from(friction):
        # Once more with the normal forces just found: the first contact of a landing must already rub.
        friction = lagged
        found = minimise(problems, contacts, friction, found, statistics)
        handles = [problem.handles(x) for problem, x in zip(problems, found, strict=True)]

    states = [problem.finish(x) for problem, x in zip(problems, found, strict=True)]
    impacts = contacts.impacts([now.rate for now in instants], handles, step)
    if impacts is not None and impacts[1].any():
        rates = [now.actor.kinematics.push(state.q, state.rate) for now, state in zip(instants, states, strict=True)]
        states = rebounded(problems, contacts, *impacts, states, rates, step)
    kept = contacts.kept_bristles(handles, friction)
    close = contacts.gaps(contacts.relative(handles)) < contacts.margin
    return Outcome(
        dict(zip(members, states, strict=True)),
        impacts is not None,
        tuple(kept[part] for part in contacts.slices),
        tuple(bool(close[part].any()) for part in contacts.slices),
    )
