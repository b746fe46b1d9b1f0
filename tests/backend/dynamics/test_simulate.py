"""The time loop by itself, with a stand-in for the solver; and what an artist's choices make of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from backend.dynamics.simulate import PokeForce, Simulation
from backend.dynamics.state import State, Statistics, StepFailed
from backend.errors import Cancelled, UserError
from backend.kinematics.base import ReferenceFrame
from backend.kinematics.rigid import RigidKinematics
from tests.backend.shapes import bar, block, moved, sheet, sphere
from tests.backend.takes import run


@dataclass
class Drift:
    """Moves at the state's speed; refuses steps that are longer than `longest` seconds."""

    longest: float = np.inf
    failure: type[Exception] = StepFailed
    contact: None = None
    statistics: Statistics = field(default_factory=Statistics)
    steps: list[float] = field(default_factory=list)

    def advance(self, state: State, step: float, load: np.ndarray) -> State:
        if step > self.longest:
            raise self.failure
        self.steps.append(step)
        # A load changes the speed as a mass of one kilogram would.
        rate = state.rate + step * np.concatenate([load[3], np.zeros(3)])
        return State(state.q + step * rate, rate)


def _simulation(stepper: Drift, **changes: object) -> Simulation:
    values: dict = {
        "kinematics": RigidKinematics(ReferenceFrame(np.zeros(3), 1.0)),
        "moment": np.diag([0.1, 0.1, 0.1, 1.0]),
        "stepper": stepper,
        "state": State(np.zeros(6), np.array([1.0, 0, 0, 0, 0, 0])),
        "potentials": (),
        "load": np.zeros((4, 3)),
        "pokes": (),
        "wind": None,
        "frame_count": 5,
        "frame_seconds": 0.1,
        "substeps": 2,
        "followed_frequency": 0.0,
        "sleep_speed": None,
    }
    return Simulation(**{**values, **changes})


def _never() -> bool:
    return False


def test_frames_count_from_one_and_the_first_is_the_initial_state() -> None:
    frames = list(_simulation(Drift()).frames(_never))
    assert [frame.index for frame in frames] == [1, 2, 3, 4, 5]
    assert [frame.q[0] for frame in frames] == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4])


@pytest.mark.parametrize("failure", [StepFailed, np.linalg.LinAlgError])
def test_a_step_that_fails_is_halved_until_it_succeeds(failure: type[Exception]) -> None:
    stepper = Drift(longest=0.013, failure=failure)  # 0.05 fails, 0.025 fails, 0.0125 succeeds
    frames = list(_simulation(stepper).frames(_never))
    assert frames[-1].q[0] == pytest.approx(0.4)
    assert set(np.round(stepper.steps, 9)) == {0.0125}
    assert stepper.statistics.halved_steps == 8 * 3


def test_a_step_that_always_fails_is_reported_and_never_shown() -> None:
    frames = _simulation(Drift(longest=1e-9)).frames(_never)
    assert next(frames).index == 1
    with pytest.raises(UserError) as caught:
        next(frames)
    assert caught.value.code == "did_not_converge"
    assert caught.value.remedy


def test_cancelling_is_noticed_within_a_step() -> None:
    calls = iter([False, False, False, True])
    stepper = Drift()
    frames = _simulation(stepper).frames(lambda: next(calls))
    assert [next(frames).index, next(frames).index] == [1, 2]
    with pytest.raises(Cancelled):
        next(frames)
    assert len(stepper.steps) == 3


@pytest.mark.parametrize("substeps", [1, 2, 3, 7])
def test_a_pokes_impulse_is_exact_for_any_window_and_step(substeps: int) -> None:
    force = np.zeros((4, 3))
    force[3, 1] = 5.0
    poke = PokeForce(force, 0.13, 0.27)
    frames = list(_simulation(Drift(), pokes=(poke,), substeps=substeps).frames(_never))
    speeds = np.sqrt(2.0 * np.array([frame.energy[0] for frame in frames]))  # of one kilogram that drifts at 1 m/s
    assert speeds[-1] == pytest.approx(np.hypot(1.0, 5.0 * 0.14))
    assert speeds[1] == pytest.approx(1.0)


def test_still_objects_sleep_and_wake_for_the_next_poke() -> None:
    force = np.zeros((4, 3))
    force[3, 2] = 1.0
    stepper = Drift()
    simulation = _simulation(
        stepper,
        state=State(np.zeros(6), np.zeros(6)),
        sleep_speed=1e-3,
        frame_count=40,
        pokes=(PokeForce(force, 2.5, 2.6), PokeForce(force, 0.0, 0.0)),
    )
    frames = list(simulation.frames(_never))
    heights = np.array([frame.q[2] for frame in frames])
    assert not heights[:26].any()
    assert heights[-1] > heights[27] > 0.0


def test_automatic_substeps_follow_the_spin() -> None:
    """A quarter of a radian a step at the most: a fast top gets more steps, up to a limit."""
    steps = []
    for spin in (0.0, 20.0, 1000.0):
        stepper = Drift()
        state = State(np.zeros(6), np.array([0, 0, 0, 0, 0, spin]))
        list(_simulation(stepper, substeps=None, state=state, frame_count=2).frames(_never))
        steps.append(len(stepper.steps))
    assert steps[0] == 2
    assert 6 <= steps[1] <= 9
    assert steps[2] == 32


# -- what is held, what is settled ------------------------------------------------------------------------------------


def test_the_base_is_held_unless_something_sets_the_object_free() -> None:
    base = np.flatnonzero(sphere(300)[0][:, 2] < -0.5 + 0.02)

    def held(**conditions: object) -> bool:
        return bool(run(sphere(300), frames=1, **conditions).take.summary["anchored"])

    assert held()
    assert held(anchor={"vertices": base.tolist()})
    assert held(pins=[{"vertices": base.tolist()}], ground={})
    assert not held(anchor="none")
    assert not held(ground={"height": -2.0})
    assert not held(velocities=[{"linear": [1, 0, 0]}])


def test_an_object_held_by_its_base_is_settled_as_drawn() -> None:
    """Nothing acts: it does not sag, and the user is told."""
    take = run(block((0.2, 0.2, 1.0), (2, 2, 8)), frames=10)
    assert np.abs(take.positions - take.positions[0]).max() == 0.0
    assert any("Nothing acts" in warning for warning in take.report["warnings"])


def test_not_settled_it_sags() -> None:
    take = run(block((0.2, 0.2, 1.0), (2, 2, 8)), frames=24, settled=False)
    assert take.positions[-1, :, 2].max() < 0.5 - 1e-4
    assert not take.report["warnings"]


def test_held_by_hand_it_sags_unless_said_to_be_settled() -> None:
    vertices, _ = bar()
    held = {"vertices": np.flatnonzero(vertices[:, 0] < 1e-9).tolist()}
    poke = {"point": [1.0, 0.0, 0.0], "speed": [0, 0.2, 0], "radius": 0.2, "start": 20}
    assert run(bar(), anchor=held, frames=8).positions[-1, :, 2].min() < -0.06
    settled = run(bar(), anchor=held, settled=True, frames=48, pokes=[poke])
    assert np.abs(settled.positions[:20] - vertices).max() == 0.0
    assert np.abs(settled.positions[:, :, 1] - vertices[:, 1]).max() > 0.02


def test_nothing_is_settled_that_nothing_holds() -> None:
    """Without gravity a free object that is poked would fly for ever: better refused."""
    for conditions in ({"anchor": "none"}, {"ground": {}}):
        with pytest.raises(UserError) as caught:
            run(bar(), settled=True, **conditions)
        assert "'settled'" in caught.value.message


def test_pins_hold_as_the_anchor_does() -> None:
    vertices, triangles = sheet(15, 15)
    corners = [0, 14, 210, 224]
    take = run((vertices, triangles), pins=[{"vertices": corners[:2]}, {"vertices": corners[2:]}], frames=24)
    assert np.abs(take.positions[:, corners] - vertices[corners]).max() < 1e-9
    assert take.positions[-1, :, 2].min() < -0.02


def test_initial_velocity_of_some_vertices_moves_those() -> None:
    vertices, triangles = bar()
    half = np.flatnonzero(vertices[:, 0] > 0.5)
    take = run(
        (vertices, triangles),
        anchor="none",
        gravity=[0, 0, 0],
        frames=2,
        fps=1000,
        velocities=[{"linear": [0, 0, 1.0], "vertices": half.tolist()}],
    )
    rise = (take.positions[1] - take.positions[0])[:, 2] * 1000.0
    assert rise[vertices[:, 0] > 0.8].mean() == pytest.approx(1.0, abs=0.25)
    assert rise[vertices[:, 0] < 0.2].mean() == pytest.approx(0.0, abs=0.25)
    momentum = take.take.summary["mass"] * (take.centres()[1] - take.centres()[0])[2] * 1000.0
    assert momentum == pytest.approx(5.0, rel=0.1)  # half of ten kilograms at one metre a second


def test_initial_velocities_add_up() -> None:
    both = [{"linear": [1.0, 0, 0]}, {"linear": [0, 2.0, 0], "angular": [0, 0, 3.0]}]
    take = run(moved(sphere(300), (5.0, 0, 0)), "rigid", gravity=[0, 0, 0], velocities=both, frames=25)
    assert take.centres()[-1] - take.centres()[0] == pytest.approx([1.0, 2.0, 0.0], abs=1e-9)
    turned = np.degrees(np.arctan2(take.handles[-1, 0, 1, 0], take.handles[-1, 0, 0, 0]))
    assert turned == pytest.approx(np.degrees(3.0), abs=0.5)
