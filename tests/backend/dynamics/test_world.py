"""The time loop by itself, with a stand-in for the solver: frames, substeps, halving, sleeping."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from backend.dynamics.actor import Actor
from backend.dynamics.coordinate_step import CoordinateStepRule
from backend.dynamics.latent_forces import LatentForces, PokeForce
from backend.dynamics.latent_solver import LatentSolver, SpringsAt
from backend.dynamics.sleeping import STILL_FRAMES
from backend.dynamics.solver import Frame
from backend.dynamics.state import State, Statistics, StepFailed
from backend.dynamics.world import World
from backend.errors import Cancelled
from backend.kinematics.base import ReferenceFrame
from backend.kinematics.rigid import RigidKinematics

FRAME = RigidKinematics(ReferenceFrame(np.zeros(3), 1.0))
MOMENT = np.diag([0.1, 0.1, 0.1, 1.0])  # of one kilogram


@dataclass(frozen=True)
class Drift(CoordinateStepRule):
    """Moves at the state's speed; refuses steps that are longer than `longest` seconds."""

    longest: float = np.inf
    failure: type[Exception] | None = StepFailed  # None: a state without numbers
    steps: list[float] = field(default_factory=list)

    def free_step(
        self, state: State, step: float, load: np.ndarray, springs_at: SpringsAt, statistics: Statistics
    ) -> State:
        if step > self.longest:
            if self.failure is None:
                return State(np.full_like(state.q, np.nan), state.rate)
            raise self.failure
        self.steps.append(step)
        # A load changes the speed as a mass of one kilogram would.
        rate = state.rate + step * np.concatenate([load[3], np.zeros(3)])
        return State(state.q + step * rate, rate)


def _drift(longest: float = np.inf, failure: type[Exception] | None = StepFailed) -> Drift:
    return Drift(FRAME, MOMENT, (), (), (), 1e-9, 0.0, 0.0, longest=longest, failure=failure)


@dataclass(frozen=True)
class LateTarget:
    """Springs that pull at nothing, whose last target stops at `end` seconds."""

    end: float

    def at(self, handles: np.ndarray, begin: float, span: float) -> None:
        return None


def _actor(
    rule: Drift,
    rate: Sequence[float] = (1.0, 0, 0, 0, 0, 0),
    sleep_speed: float | None = None,
    load: np.ndarray | None = None,
    pokes: tuple[PokeForce, ...] = (),
    springs: LateTarget | None = None,
    followed_frequency: float = 0.0,
) -> Actor:
    solver = LatentSolver(rule, (), followed_frequency=followed_frequency)
    forces = LatentForces(np.zeros((4, 3)) if load is None else load, pokes, None, springs)
    return Actor(solver, solver.at(State(np.zeros(6), np.array(rate))), forces, 1.0, 0.5, 0.2, sleep_speed)


def _world(*actors: Actor, substeps: int | None = 2) -> World:
    return World(actors, None, (), 9.81, 0.1, substeps)


def _frames(world: World, count: int = 5, should_cancel: Callable[[], bool] = lambda: False) -> Iterator[list[Frame]]:
    yield world.frame()
    for _ in range(count - 1):
        yield world.next_frame(should_cancel)


def test_frames_count_from_one_and_the_first_is_the_initial_state() -> None:
    frames = [frame for (frame,) in _frames(_world(_actor(_drift())))]
    assert [frame.index for frame in frames] == [1, 2, 3, 4, 5]
    assert [frame.q[0] for frame in frames] == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4])
    assert all(np.array_equal(frame.handles, FRAME.handles(frame.q)) for frame in frames)


@pytest.mark.parametrize("failure", [StepFailed, np.linalg.LinAlgError, None])
def test_a_step_that_fails_is_halved_until_it_succeeds(failure: type[Exception] | None) -> None:
    rule = _drift(0.013, failure)  # 0.05 fails, 0.025 fails, 0.0125 succeeds
    world = _world(_actor(rule))
    frames = list(_frames(world))
    assert frames[-1][0].q[0] == pytest.approx(0.4)
    assert set(np.round(rule.steps, 9)) == {0.0125}
    assert world.statistics.halved_steps == 8 * 3


def test_a_step_that_fails_for_one_object_is_halved_for_it_alone() -> None:
    rules = [_drift(), _drift(longest=0.03)]
    frames = list(_frames(_world(*map(_actor, rules))))
    assert [frame.q[0] for frame in frames[-1]] == pytest.approx([0.4, 0.4])
    assert rules[0].steps == pytest.approx([0.05] * 8)
    assert rules[1].steps == pytest.approx([0.025] * 16)


def test_halved_steps_are_kept_and_grow_again() -> None:
    """The steps after a failed one begin as short as it ended; eight that are solved allow one of twice the length."""
    rule = _drift(longest=0.03)
    world = _world(_actor(rule))
    list(_frames(world, 3))
    object.__setattr__(rule, "longest", np.inf)
    list(_frames(world, 12))
    assert world.statistics.halved_steps == 4
    assert rule.steps[:10] == pytest.approx([0.025] * 8 + [0.05] * 2)


def test_what_always_fails_goes_on_by_rough_steps_and_is_told() -> None:
    """No take ends before its last frame: here the dissipative step stands in for the solver's own."""
    rules = [_drift(longest=1e-9), _drift()]
    world = _world(*map(_actor, rules))
    frames = list(_frames(world))
    assert [frame.q[0] for frame in frames[-1]] == pytest.approx([0.4, 0.4])
    assert np.isfinite(frames[-1][0].energy).all()
    assert world.statistics.rough_steps[0] == 0.0 and not rules[0].steps
    assert rules[1].steps == pytest.approx([0.05] * 8)


def test_what_no_step_can_move_stands_still_until_one_can(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any, **__: Any) -> None:
        raise StepFailed

    world = _world(_actor(_drift(longest=1e-9)))
    with monkeypatch.context() as patch:
        patch.setattr("backend.dynamics.islands.touching_step", failing)
        world.next_frame(lambda: False)
    (frame,) = world.frame()
    assert not frame.q.any() and frame.energy[0] == 0.0


def test_cancelling_is_noticed_within_a_step() -> None:
    calls = iter([False, False, False, True])
    rule = _drift()
    frames = _frames(_world(_actor(rule)), should_cancel=lambda: next(calls))
    assert [next(frames)[0].index, next(frames)[0].index] == [1, 2]
    with pytest.raises(Cancelled):
        next(frames)
    assert len(rule.steps) == 3


@pytest.mark.parametrize("substeps", [1, 2, 3, 7])
def test_a_pokes_impulse_is_exact_for_any_window_and_step(substeps: int) -> None:
    force = np.zeros((4, 3))
    force[3, 1] = 5.0
    actor = _actor(_drift(), pokes=(PokeForce(force, 0.13, 0.27),))
    frames = [frame for (frame,) in _frames(_world(actor, substeps=substeps))]
    speeds = np.sqrt(2.0 * np.array([frame.energy[0] for frame in frames]))  # of one kilogram that drifts at 1 m/s
    assert speeds[-1] == pytest.approx(np.hypot(1.0, 5.0 * 0.14))
    assert speeds[1] == pytest.approx(1.0)


def _still(rule: Drift, **changes: Any) -> Actor:
    return _actor(rule, **{"rate": np.zeros(6), "sleep_speed": 1e-3, **changes})


def test_what_is_still_falls_asleep_and_costs_nothing() -> None:
    """What moves beside it, or must not sleep, goes on."""
    still, restless, moving = _drift(), _drift(), _drift()
    world = _world(_still(still), _still(restless, sleep_speed=None), _actor(moving))
    frames = list(_frames(world, 40))
    assert len(still.steps) == 2 * STILL_FRAMES
    assert len(restless.steps) == len(moving.steps) == 2 * 39
    assert not frames[-1][0].q.any()


def test_a_sleeping_world_takes_no_steps() -> None:
    world = _world(_still(_drift()))
    assert len(list(_frames(world, 1000))) == 1000
    assert world.statistics.steps == 2 * STILL_FRAMES


def test_what_creeps_below_notice_is_stopped_when_it_sleeps() -> None:
    slow = [5e-4, 0, 0, 0, 0, 0]
    frames = [frame for (frame,) in _frames(_world(_still(_drift(), rate=slow)), 40)]
    assert frames[STILL_FRAMES].energy[0] == 0.0
    assert frames[-1].q[0] == frames[STILL_FRAMES].q[0] > 0.0


def test_nothing_sleeps_before_its_last_poke() -> None:
    force = np.zeros((4, 3))
    force[3, 2] = 1.0
    pokes = (PokeForce(force, 2.5, 2.6), PokeForce(force, 0.0, 0.0))
    poked, beside = _drift(), _drift()
    frames = list(_frames(_world(_still(poked, pokes=pokes), _still(beside)), 40))
    heights = np.array([frame.q[2] for frame, _ in frames])
    assert not heights[:26].any()
    assert heights[-1] > heights[27] > 0.0
    assert len(beside.steps) == 2 * STILL_FRAMES


def test_nothing_sleeps_before_its_last_target_stands_still() -> None:
    rule = _drift()
    list(_frames(_world(_still(rule, springs=LateTarget(2.0))), 60))
    assert len(rule.steps) == 2 * (20 + STILL_FRAMES)


def test_automatic_substeps_follow_the_spin() -> None:
    """A quarter of a radian a step at the most: a fast top gets more steps, up to a limit."""
    steps = []
    for spin in (0.0, 20.0, 1000.0):
        rule = _drift()
        actor = _actor(rule, rate=[0, 0, 0, 0, 0, spin])
        list(_frames(_world(actor, substeps=None), 2))
        steps.append(len(rule.steps))
    assert steps[0] == 2
    assert 6 <= steps[1] <= 9
    assert steps[2] == 32


def test_automatic_substeps_follow_the_fastest_swing_of_all_objects() -> None:
    rules = [_drift(), _drift()]
    fast = _actor(rules[1], followed_frequency=2.0 * np.pi * 5.0)
    list(_frames(_world(_actor(rules[0]), fast, substeps=None), 2))
    assert len(rules[0].steps) == len(rules[1].steps)
    assert 2.0 * np.pi * 5.0 * max(rules[0].steps) <= 0.4 + 1e-9


def test_the_ways_of_objects_that_never_meet_do_not_depend_on_each_other() -> None:
    alone = [frame.q for (frame,) in _frames(_world(_actor(_drift())))]
    force = np.zeros((4, 3))
    force[3, 1] = 2.0
    together = list(_frames(_world(_actor(_drift()), _actor(_drift(), load=force))))
    assert np.array_equal(alone, [first.q for first, _ in together])
    assert together[-1][1].q[1] > 0.1
