"""Live: frame by frame, pulled by hand; against closed forms, against drags of a take, and when a frame fails."""

from __future__ import annotations

import gc
import time
import tracemalloc
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from backend import engine
from backend.dynamics.islands import Islands, WorldStep
from backend.dynamics.latent_solver import LatentSolver
from backend.dynamics.state import StepFailed
from backend.errors import Cancelled, UserError
from backend.interactive.live import PULL_HZ, REACH, Live
from tests.backend.dynamics import learned_takes
from tests.backend.kinematics.spaces import laptop
from tests.backend.shapes import Arrays, bar, block, moved
from tests.backend.takes import analysed, decode, run

BOX = block((0.4, 0.4, 0.4), (4, 4, 4))
FLOATING: dict[str, Any] = {"gravity": [0, 0, 0], "anchor": "none"}
TOP = [0.0, 0.0, 0.2]
FPS = 24.0


def _live(mesh: Arrays, provider: str, **conditions: Any) -> Live:
    return engine.begin_live(analysed(mesh, provider), conditions)


def _pull(target: Any, point: Any = TOP, radius: float = 0.19) -> dict[str, Any]:
    return {"point": list(point), "radius": radius, "target": [float(x) for x in target]}


def _shape(live: Live, frame: engine.Frame, mesh: Arrays) -> np.ndarray:
    return decode(live.motion.weights, frame.handles[None], mesh[0])[0]


def _centre(live: Live, frame: engine.Frame) -> np.ndarray:
    body = live._body
    mean = body.material.mass @ body.material.basis / body.material.mass.sum()
    a = body.kinematics.handles(frame.q)
    return mean @ a


def test_it_starts_as_a_take_does_and_every_step_is_one_frame() -> None:
    live = _live(BOX, "rigid", frames=3, gravity=[0, 0, -9.81])
    assert live.fps == FPS and live.motion.weights.shape == (len(BOX[0]), 1)
    assert live.summary["provider"] == "rigid" and live.summary["warnings"] == []
    assert live.frame.index == 1
    assert np.abs(_shape(live, live.frame, BOX) - BOX[0]).max() < 1e-12
    take = run(BOX, "rigid", gravity=[0, 0, -9.81], frames=10)
    for index in range(2, 11):
        frame = live.step(None)
        assert frame.index == index == live.frame.index
        assert np.array_equal(frame.handles, take.handles[index - 1])


def test_a_pulled_rigid_body_follows_the_damped_spring() -> None:
    """A cursor above the centre that goes up evenly: z'' = w^2 (c - z) + 2 w (c' - z')."""
    live, speed = _live(BOX, "rigid", substeps=16, **FLOATING), 0.8
    heights = np.array([_centre(live, live.step(_pull([0, 0, 0.2 + speed * n / FPS])))[2] for n in range(1, 25)])

    def motion(seconds: float, state: np.ndarray) -> np.ndarray:
        omega = 2.0 * np.pi * PULL_HZ
        pull = omega**2 * (speed * seconds - state[0]) + 2.0 * omega * (speed - state[1])
        return np.array([state[1], pull])

    seconds = np.arange(1, 25) / FPS
    expected = solve_ivp(motion, (0.0, 1.0), np.zeros(2), "DOP853", t_eval=seconds, rtol=1e-9, atol=1e-12).y[0]
    # The damper looks back over a step, which is of first order: 1 / 384 s at 0.8 m/s.
    assert np.abs(heights - expected).max() < speed / (16 * FPS)
    lag = speed * seconds - heights
    assert lag[2] < 0.25 * lag[0] + 1e-3 < 0.02  # caught up after three frames


def test_what_is_let_go_of_keeps_its_momentum() -> None:
    live = _live(BOX, "elastic", **FLOATING)
    for n in range(1, 9):
        live.step(_pull([0.01 * n, 0.02 * n, 0.2 + 0.03 * n]))
    places = np.array([_centre(live, live.step(None)) for _ in range(13)])
    speeds = np.diff(places, axis=0)
    assert np.linalg.norm(speeds[0]) > 0.02
    assert np.abs(speeds - speeds[0]).max() < 1e-9


@pytest.mark.parametrize("provider", ["rigid", "elastic"])
def test_it_moves_as_a_take_with_the_same_drag(provider: str) -> None:
    """Evenly along a line, where the smooth path between keys of a take is a line as well: the same equations.

    They are solved to 1e-7 of the size a step, so 1e-5 of it after 24 frames.
    """
    ends = np.array([TOP, [0.1, 0.05, 0.4]])
    path = [{"frame": 1, "position": ends[0].tolist()}, {"frame": 25, "position": ends[1].tolist()}]
    drag = {"point": TOP, "radius": 0.19, "path": path, "stiffness_hz": PULL_HZ}
    take = run(BOX, provider, drags=[drag], frames=25, **FLOATING)
    live = _live(BOX, provider, **FLOATING)
    for n in range(1, 25):
        frame = live.step(_pull(ends[0] + n / 24.0 * (ends[1] - ends[0])))
        assert np.abs(_shape(live, frame, BOX) - take.positions[n]).max() < 1e-5 * 0.4
    assert np.linalg.norm(frame.handles[0, :, 3]) > 0.1


def test_a_curved_pull_is_a_drag_through_the_same_places() -> None:
    """Between its frames a take's cursor is rounder: at most h^2 / 8 times its acceleration apart from a line."""
    angle = np.linspace(0.0, 2.0, 25)
    places = np.array(TOP) + 0.1 * np.stack([np.sin(angle), 0.0 * angle, 1.0 - np.cos(angle)], axis=1)
    path = [{"frame": n + 1, "position": place.tolist()} for n, place in enumerate(places)]
    drag = {"point": TOP, "radius": 0.19, "path": path, "stiffness_hz": PULL_HZ}
    take = run(BOX, "rigid", drags=[drag], frames=25, **FLOATING)
    live = _live(BOX, "rigid", **FLOATING)
    sagitta = 0.1 * (angle[1] - angle[0]) ** 2 / 8.0
    shapes = [_shape(live, live.step(_pull(place)), BOX) for place in places[1:]]
    # What turns can gather it.
    assert np.abs(np.array(shapes) - take.positions[1:]).max() < 20.0 * sagitta


def test_a_grab_in_flight_and_a_release_do_not_jerk() -> None:
    """Gripped where it is while it flies by: the first frame changes no vertex's speed by much more than the pull may.

    The cursor goes along with the point, so that a spring which began anywhere else would show.
    """
    live = _live(BOX, "elastic", velocities=[{"linear": [0.6, 0, 0]}], **FLOATING)
    shapes = [_shape(live, live.frame, BOX)]
    for n in range(1, 25):
        target = [0.6 * n / FPS, 0.0, TOP[2]]
        frame = live.step(_pull(target) if 8 <= n < 16 else None)
        shapes.append(_shape(live, frame, BOX))
    steps = np.diff(np.array(shapes), axis=0)
    assert np.abs(steps - [0.6 / FPS, 0, 0]).max() < 1e-6


def test_the_first_frame_of_a_pull_is_soft_and_the_third_is_there() -> None:
    live = _live(BOX, "rigid", **FLOATING)
    target = [0.0, 0.0, 0.25]
    rise = [_centre(live, live.step(_pull(target)))[2] for _ in range(4)]
    assert 0.2 * 0.05 < rise[0] < 0.05 * 1.05
    assert abs(rise[2] - 0.05) < 0.15 * 0.05


def test_what_sleeps_wakes_when_it_is_pulled() -> None:
    live = _live(bar(), "elastic", anchor={"vertices": np.flatnonzero(bar()[0][:, 0] < 1e-9).tolist()}, settled=True)
    for _ in range(20):
        live.step(None)
    steps = live._world.statistics.steps
    live.step(None)
    assert live._world.statistics.steps == steps  # asleep
    tip = [1.0, 0.0, 0.0]
    held = [live.step(_pull([1.0, 0.0, 0.1], tip, 0.1)) for _ in range(60)]
    assert _shape(live, held[2], bar())[:, 2].max() > 0.1
    tips = np.array([_shape(live, live.step(None), bar())[-1, 2] for _ in range(24)])
    assert tips.min() < 0.0  # at rest 0.05: it swings through


def test_all_other_conditions_go_on_and_stay_after_their_last_key() -> None:
    """A rising floor, a moving pin and a drag: each keeps the last place of its keys."""
    floor = moved(block((2.0, 2.0, 0.1), (1, 1, 1)), (0.0, 0.0, -0.25 - 4e-4))
    keys = [{"frame": 1}, {"frame": 13, "location": [0, 0, 0.5]}]
    collider = {"vertices": floor[0].tolist(), "triangles": floor[1].tolist(), "motion": keys}
    lifted = _live(BOX, "rigid", colliders=[collider])
    pinned = _live(BOX, "rigid", pins=[{"vertices": list(range(len(BOX[0]))), "motion": keys}])
    path = [{"frame": 1, "position": TOP}, {"frame": 13, "position": [0, 0, 0.7]}]
    dragged = _live(BOX, "rigid", drags=[{"point": TOP, "radius": 0.19, "path": path}], gravity=[0, 0, 0])
    for _ in range(60):
        frames = [live.step(None) for live in (lifted, pinned, dragged)]
    heights = [_centre(live, frame)[2] for live, frame in zip((lifted, pinned, dragged), frames, strict=True)]
    assert heights == pytest.approx([0.5, 0.5, 0.5], abs=3e-3)


def test_pokes_count_from_its_first_frame() -> None:
    poke = {"point": TOP, "speed": [1.0, 0, 0], "start": 3, "duration": 1, "radius": 0.3}
    live = _live(BOX, "rigid", pokes=[poke], **FLOATING)
    places = [_centre(live, live.step(None))[0] for _ in range(4)]
    assert np.abs(places[:2]).max() < 1e-7 and places[3] - places[2] == pytest.approx(1.0 / FPS, rel=1e-6)
    assert live.summary["warnings"] == []


def test_it_can_be_pulled_off_the_ground_and_falls_back() -> None:
    live = _live(BOX, "elastic", ground={"height": -0.2 - 4e-4})
    rest = _shape(live, live.frame, BOX)[:, 2].min()
    for n in range(1, 25):
        frame = live.step(_pull([0, 0, 0.2 + 0.02 * n]))
    assert _shape(live, frame, BOX)[:, 2].min() > 0.15
    for _ in range(48):
        frame = live.step(None)
    assert abs(_shape(live, frame, BOX)[:, 2].min() - rest) < 2e-3


def test_joints_are_pulled_as_well() -> None:
    """The lid of a laptop: the pulled point gets near where it is wanted."""
    arrays, space = laptop()
    analysis = learned_takes.analysed(arrays, space)
    live = engine.begin_live(analysis, {"gravity": [0, 0, 0]})
    kinematics, q = live._body.kinematics, live._body.kinematics.rest()
    q[-1] = 0.6
    shape = decode(live.motion.weights, live._body.frame.world_handles(kinematics.handles(q))[None], arrays[0])[0]
    vertex = int(np.linalg.norm(shape - arrays[0], axis=1).argmax())
    point, goal = arrays[0][vertex], shape[vertex]
    for n in range(48):
        share = min(1.0, (n + 1) / 24)
        frame = live.step(_pull(point + share * (goal - point), point, 0.02))
    reached = decode(live.motion.weights, frame.handles[None], arrays[0])[0, vertex]
    assert np.linalg.norm(reached - goal) < 0.1 * np.linalg.norm(goal - point)


def test_a_pull_from_far_away_is_no_stronger_than_one_within_reach() -> None:
    near, far = (_live(BOX, "elastic", **FLOATING) for _ in range(2))
    within = near.step(_pull([0, 0, 0.2 + 0.9999999 * REACH * 0.4]))
    beyond = far.step(_pull([0, 0, 1e5]))
    assert np.abs(within.handles - beyond.handles).max() < 1e-6


def test_wild_pulls_are_answered_every_time() -> None:
    live, random = _live(bar(), "elastic", anchor="none"), np.random.default_rng(1)
    for n in range(60):
        if n % 6 == 0:
            point, target = bar()[0][random.integers(len(bar()[0]))], 3.0 * random.normal(size=3)
        frame = live.step(_pull(target, point, 0.1) if n % 6 < 4 else None)
        assert np.isfinite(frame.handles).all() and frame.index == n + 2


def test_a_frame_that_is_hard_to_solve_is_answered_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    live = _live(BOX, "elastic", ground={"height": -0.3})
    for _ in range(8):  # it has just landed
        before = live.step(None)

    def failing(*_: Any) -> None:
        raise StepFailed

    with monkeypatch.context() as patch:
        patch.setattr(LatentSolver, "step", failing)
        patch.setattr(Islands, "_in_contact", failing)
        frame = live.step(_pull([0, 0, 0.3]))
    assert frame.index == before.index + 1 and np.isfinite(frame.handles).all()
    assert live._world.statistics.rough_steps
    assert live.step(None).index == before.index + 2


def test_a_frame_that_is_cancelled_half_way_is_taken_back_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    live = _live(BOX, "rigid", gravity=[0, 0, -9.81], substeps=4)
    live.step(None)
    before, real, calls = live.frame, Islands.step, []

    def half_way(*values: Any, **named: Any) -> WorldStep:
        calls.append(1)
        if len(calls) > 2:
            raise Cancelled
        return real(*values, **named)

    with monkeypatch.context() as patch:
        patch.setattr(Islands, "step", half_way)
        with pytest.raises(Cancelled):
            live.step(None)
    assert np.array_equal(live.frame.handles, before.handles)
    with pytest.raises(Cancelled):
        live.step(None, lambda: True)
    assert live.step(None).index == before.index + 1


def test_after_a_cancelled_frame_all_goes_on_to_the_last_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """What steps keep (the Newton matrix, bristles, who sleeps) is restored with the frame, also where it touches."""
    live, other = (_live(BOX, "elastic", ground={"height": -0.3}, substeps=4, stiffness_hz=2.0) for _ in range(2))
    for _ in range(8):  # it lands
        live.step(None), other.step(None)
    refreshes, real, calls = live._world.statistics.stiffness_refreshes, Islands.step, []

    def half_way(*values: Any, **named: Any) -> WorldStep:
        calls.append(1)
        if len(calls) > 3:
            raise Cancelled
        found = real(*values, **named)
        live._world.actors[0].solver.rule.cache.stiffness.back_to_rest()  # as Newton may do
        return found

    with monkeypatch.context() as patch:
        patch.setattr(Islands, "step", half_way)
        with pytest.raises(Cancelled):
            live.step(None)
    for _ in range(6):
        again, expected = live.step(None), other.step(None)
        assert again.index == expected.index and np.array_equal(again.handles, expected.handles)
    assert live._world.statistics.stiffness_refreshes > refreshes


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"radius": 0.0}, "'pull.radius'"),
        ({"radius": -1.0}, "'pull.radius'"),
        ({"radius": float("nan")}, "'pull.radius'"),
        ({"target": [0, 0, float("inf")]}, "'pull.target[2]'"),
        ({"target": [0, 2e6, 0]}, "'pull.target[1]'"),
        ({"target": [0, 0]}, "'pull.target'"),
        ({"point": None}, "'pull.point'"),
        ({"force": 3.0}, "'pull.force'"),
    ],
)
def test_pulls_that_make_no_sense_are_refused_by_name(changed: dict[str, Any], named: str) -> None:
    live = _live(BOX, "rigid", **FLOATING)
    with pytest.raises(UserError) as caught:
        live.step({**_pull([0, 0, 0.3]), **changed})
    assert named in caught.value.message and caught.value.remedy
    for bad in ({}, [], "up"):
        with pytest.raises(UserError):
            live.step(bad)
    assert live.step(_pull([0, 0, 0.3])).index == 2


def test_a_thousand_steps_take_no_more_time_or_memory_than_a_hundred() -> None:
    live = _live(block((0.3, 0.3, 0.6), (3, 3, 6)), "elastic")

    def hundred() -> float:
        begin = time.thread_time()
        for n in range(100):
            target = [0.05 * np.sin(0.2 * n), 0.0, 0.35 + 0.03 * np.cos(0.3 * n)]
            live.step(_pull(target, [0, 0, 0.3], 0.1) if n % 25 < 20 else None)
        return time.thread_time() - begin

    hundred()
    tracemalloc.start()
    seconds = [hundred()]
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    seconds += [hundred() for _ in range(8)]
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert live.frame.index == 1001
    assert after - before < 2e6  # a few kept matrices more or less
    assert min(seconds[-3:]) < 2.0 * min(seconds[:3])


def test_parts_of_a_frame_keep_what_is_keyed_in_time() -> None:
    """A floor rises under a box: after the same seconds it is as high, in steps of whole frames and of halves."""
    rise = {"motion": [{"frame": 1, "location": [0, 0, 0]}, {"frame": 13, "location": [0, 0, 0.5]}]}
    floor = {
        "vertices": [[-9, -9, -0.6], [9, -9, -0.6], [9, 9, -0.6], [-9, 9, -0.6]],
        "triangles": [[0, 1, 2], [0, 2, 3]],
        "sides": "two",
        **rise,
    }
    heights = []
    for parts in (1, 2):
        live = engine.begin_live(analysed(BOX, "rigid"), {"anchor": "none", "colliders": [floor]}, parts=parts)
        assert live.fps == 24 * parts
        for _ in range(24 * parts):
            frame = live.step()
        heights.append(_centre(live, frame)[2])
    assert heights[0] == pytest.approx(heights[1], abs=0.01) and heights[0] > 0.05
