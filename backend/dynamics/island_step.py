"""One step of objects in contact, with lagged friction, barrier contact and Newton's restitution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..kinematics.base import Array
from .actor import Actor
from .contact_memory import ContactMemory
from .contact_pairs import ContactGroup, Contacts
from .friction import Friction
from .island_newton import minimise, with_restitution
from .latent_forces import LatentForces
from .latent_solver import LatentSolver, LatentState
from .state import State, Statistics
from .step_problem import StepProblem

__all__ = ["ContactOutcome", "touching_step"]

MOST_SOLVES = 3
DEEPEST_LOADED = 0.1  # of the margin: there one point carries ten times the weight


@dataclass(frozen=True)
class ContactOutcome:
    """What a step led to: new states, whether something was struck, and for every group which of its contacts were
    (Bool[c]) with their gaps (Float[c] m), what their bristles keep (Float[c,3] m) and whether it touches at the end.
    """

    states: dict[int, LatentState]
    struck: bool
    impacts: tuple[tuple[np.ndarray, Array], ...]
    bristles: tuple[Array, ...]
    touching: tuple[bool, ...]


def touching_step(
    members: Sequence[int],
    actors: Sequence[Actor],
    instants: Sequence[LatentState],
    befores: Sequence[LatentState | None],
    groups: Sequence[ContactGroup],
    memory: ContactMemory,
    time: float,
    step: float,
    statistics: Statistics,
    *,
    brisk: bool,
    rough: bool = False,
) -> ContactOutcome:
    """Advances the objects `members` (numbers in the world) together by `step` seconds from `time`.

    `actors` are these objects, `instants` and `befores` their states now, and one equal step earlier where the
    second-order scheme may be used; `brisk`: see `StepRule.touching_problem`. Raises StepFailed. A `rough` step takes
    Newton's best, and nothing bounces in it.
    """
    place = {number: index for index, number in enumerate(members)}
    local = tuple(
        replace(group, first=place[group.first], second=None if group.second is None else place[group.second])
        for group in groups
    )
    start = tuple(now.handles for now in instants)
    bristles = [memory.bristle(group.points) for group in groups]
    contacts = Contacts(local, start, np.concatenate([np.zeros((0, 3)), *bristles]))
    solvers, forces = [actor.solver for actor in actors], [actor.forces for actor in actors]
    problems, loads = _problems(solvers, forces, instants, befores, time, step, brisk)
    begin = [now.state.q for now in instants]
    found, friction = _solved_with_friction(problems, contacts, begin, statistics, rough)
    handles = [problem.handles(x) for problem, x in zip(problems, found, strict=True)]
    states = [problem.finish(x) for problem, x in zip(problems, found, strict=True)]
    if brisk and _crushed(instants, states):
        return touching_step(
            members, actors, instants, befores, groups, memory, time, step, statistics, brisk=False, rough=rough
        )
    later = [
        solver.rule.drifted(now.state, step, load) for solver, now, load in zip(solvers, instants, loads, strict=True)
    ]
    impacts = None if rough else contacts.impacts([now.rate for now in instants], later, handles, step)
    if impacts is not None and impacts[1].any():
        rates = [solver.kinematics.push(state.q, state.rate) for solver, state in zip(solvers, states, strict=True)]
        states = with_restitution(problems, contacts, *impacts[:2], states, rates, step)
    kept = contacts.kept_bristles(handles, friction)
    gaps = contacts.gaps(contacts.relative(handles))
    close = gaps < contacts.margin
    struck = close if rough else np.zeros(len(gaps), dtype=bool)  # what was pressed in roughly may stay there
    if impacts is not None:
        struck[impacts[0][impacts[2]]] = True
    return ContactOutcome(
        {number: solver.at(state) for number, solver, state in zip(members, solvers, states, strict=True)},
        impacts is not None,
        tuple((struck[part], gaps[part]) for part in contacts.slices),
        tuple(kept[part] for part in contacts.slices),
        tuple(bool(close[part].any()) for part in contacts.slices),
    )


def _crushed(instants: Sequence[LatentState], states: Sequence[State]) -> bool:
    """Whether the variational step of one of the objects ended in a shape that is not believed."""
    rules = [now.solver.rule for now in instants]
    return any(
        not rule.looks_back and rule.crushed(now.state, state)
        for rule, now, state in zip(rules, instants, states, strict=True)
    )


def _problems(
    solvers: Sequence[LatentSolver],
    forces: Sequence[LatentForces],
    instants: Sequence[LatentState],
    befores: Sequence[LatentState | None],
    time: float,
    step: float,
    brisk: bool,
) -> tuple[list[StepProblem], list[Array]]:
    """Each object's step by itself, and the load Float[4H,3] that acts on it."""
    loads = [
        sum((each.mean(now.handles, now.rate, time, step) for each in own.varying(time, step)), own.load)
        for own, now in zip(forces, instants, strict=True)
    ]
    problems = [
        solver.touching_problem(now, before, step, load, partial(own.springs_at, now.handles, time), brisk=brisk)
        for solver, own, now, before, load in zip(solvers, forces, instants, befores, loads, strict=True)
    ]
    return problems, loads


def _solved_with_friction(
    problems: Sequence[StepProblem], contacts: Contacts, start: list[Array], statistics: Statistics, rough: bool
) -> tuple[list[Array], Friction | None]:
    """Coordinates of every object at the minimum, sought from `start`, and the lagged friction they are solved with."""
    # Normal forces of friction are lagged: first those of the last step, then those of the solve before. The first
    # contact of a landing must already rub, and no harder than it presses.
    # A point that begins deeper than any load explains (a face has turned into it) does not rub as hard as it is deep.
    pressed = np.maximum(contacts.start_gaps, DEEPEST_LOADED * contacts.margin)
    friction, found = contacts.friction(pressed), start
    for _ in range(MOST_SOLVES):
        found = minimise(problems, contacts, friction, found, statistics, rough=rough)
        handles = [problem.handles(x) for problem, x in zip(problems, found, strict=True)]
        lagged = contacts.friction(contacts.gaps(contacts.relative(handles)))
        if lagged is None or not lagged.differs_from(friction):
            break
        solved_with, friction = friction, lagged
    else:
        friction = solved_with
    return found, friction
