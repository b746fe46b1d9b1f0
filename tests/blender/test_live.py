"""Live mode with the real worker: the object is stepped in real time, pulled, let go, and recorded."""

import time

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.helpers import add_ball, add_elastic_ball, add_rigid_ball, stored, wait_until


@pytest.fixture
def begun(scene):
    """Begins live mode and waits until the object can be grabbed."""
    from neurok_blender.session.live_session import Live

    def begin(obj):
        live = Live(bpy.context, obj)
        assert wait_until(lambda: (live.tick(), live.is_ready)[1], 30.0), live.interactive.message
        return live

    return begin


def go_on(live, steps: int) -> None:
    last = live.steps + steps
    assert wait_until(lambda: (live.tick(0.002), live.steps >= last)[1], 30.0)


def mean(obj) -> np.ndarray:
    return stored(obj.data).astype(np.float64).mean(axis=0)


def test_an_object_that_nobody_pulls_at_stays_as_it_is_drawn(begun):
    ball = add_elastic_ball()
    ball.neurok.conditions.clear()
    drawn = stored(ball.data)
    live = begun(ball)
    go_on(live, 10)
    assert np.abs(stored(ball.data) - drawn).max() < 1e-3
    live.interactive.end()
    assert stored(ball.data).tobytes() == drawn.tobytes()


def test_what_is_pulled_follows_and_what_is_let_go_swings_back(begun):
    from neurok_blender.session.live_session import Grab

    ball = add_elastic_ball()
    ball.neurok.conditions.clear()
    top = int(np.argmax(stored(ball.data)[:, 2]))
    drawn = stored(ball.data)
    live = begun(ball)
    place = Vector(drawn[top])
    live.grab = Grab(place, place + Vector((0.4, 0.0, 0.0)), 0.3)
    go_on(live, 30)
    pulled = stored(ball.data)[top, 0] - drawn[top, 0]
    assert 0.1 < pulled < 0.5
    live.grab = None
    lowest = pulled
    for _ in range(60):
        go_on(live, 1)
        lowest = min(lowest, float(stored(ball.data)[top, 0] - drawn[top, 0]))
    assert lowest < -0.02 * pulled  # beyond where it was drawn: it swings
    live.interactive.end()


def test_a_step_is_as_long_in_the_object_as_on_the_clock(begun, scene):
    """A ball in free fall: g t^2 / 2 with t by the steps that were made, and these keep pace with the clock."""
    ball = add_rigid_ball(location=(0, 0, 500))
    live = begun(ball)
    begin, first = time.monotonic(), live.steps
    go_on(live, 24)
    steps, passed = live.steps - first, time.monotonic() - begin
    assert steps * live.seconds_per_step < passed + 2.0 * live.seconds_per_step
    seconds = live.steps * live.seconds_per_step
    assert -mean(ball)[2] == pytest.approx(9.81 / 2.0 * seconds**2, rel=1e-3)
    live.interactive.end()


def test_what_is_recorded_becomes_a_take_at_the_scenes_frame_rate(begun, scene):
    from neurok_blender.session.state import session

    ball = add_rigid_ball(location=(0, 0, 500))
    scene.render.fps, scene.neurok.frame_start = 24, 5
    live = begun(ball)
    go_on(live, 3)
    live.record()
    before = live.steps
    go_on(live, 21)
    count = -(-(live.steps - before) // 2)  # two steps a frame at 24 frames a second
    assert live.seconds_per_step == pytest.approx(1.0 / 48.0) and live.recorded_frames == count
    take = live.take()
    live.interactive.keep(take, "Recording")
    assert session.interactive is None and session.take_of(ball) is take and take.frame_start == 5
    heights = []
    for frame in (5, 6, 7, 8):
        scene.frame_set(frame)
        heights.append(mean(ball)[2])
    assert np.diff(heights, 2) == pytest.approx(-9.81 / 24.0**2, rel=0.02)
    assert bpy.ops.neurok.bake() == {"FINISHED"}


class Steady:
    """In place of the session with the worker: all that is asked is answered by the next redraw."""

    def __init__(self):
        from neurok_blender.session.interactive_session import SessionPhase

        self.phase, self.asked, self.shown = SessionPhase.OPEN, [], 0

    @property
    def is_waiting(self) -> bool:
        return bool(self.asked)

    def ask(self, kind, **_more):
        self.asked.append("started")

    def ask_on(self, kind, **_more):
        self.asked.append("stepped")

    def tick(self):
        from neurok_blender.job.runner import Answer

        asked, self.asked = self.asked, []
        return [Answer({"type": kind}, {"handles_0": np.zeros((1, 3, 4), np.float32)}) for kind in asked]

    def show(self, _shape):
        self.shown += 1


@pytest.mark.parametrize("redraw", [0.005, 0.05, 0.3])
def test_a_recording_takes_as_long_as_the_clock_however_long_redraws_take(scene, redraw):
    from neurok_blender.session.live_session import Live

    scene.render.fps = 24
    live = Live(bpy.context, add_rigid_ball())
    live.interactive.end()
    live.interactive, now = Steady(), 100.0
    live._now = lambda: now
    while not live.is_ready or now < 103.0:
        live.tick()
        now += redraw
    live.record()
    begin = now
    while now < begin + 10.0:
        live.tick()
        now += redraw
    assert live.recorded_frames == pytest.approx(240, abs=2 + 24 * redraw)
    assert live.interactive.shown <= 13.0 / redraw + 2  # only the newest shape of a redraw is put on the mesh


def test_leaving_brings_the_take_back_that_was_there(begun, scene):
    from neurok_blender.session.state import session

    ball = add_rigid_ball(location=(0, 0, 50))
    bpy.ops.neurok.simulate()
    scene.frame_set(10)
    take, shown = session.take_of(ball), stored(ball.data)
    live = begun(ball)
    go_on(live, 3)
    assert session.take_of(ball) is None and not bpy.ops.neurok.simulate.poll()
    live.interactive.end()
    assert session.take_of(ball) is take
    np.testing.assert_array_equal(stored(ball.data), shown)


@pytest.mark.parametrize("end", ["delete", "load", "unusable"])
def test_whatever_happens_to_the_object_live_mode_ends(begun, scene, end):
    from neurok_blender.errors import Refusal
    from neurok_blender.session.interactive_session import SessionPhase
    from neurok_blender.session.live_session import Live
    from neurok_blender.session.state import session

    ball = add_ball()
    if end == "unusable":
        ball.scale.z = 0.0
        bpy.context.view_layer.update()
        with pytest.raises(Refusal, match="scaled to nothing"):
            Live(bpy.context, ball)
        assert session.interactive is None
        return
    live = begun(ball)
    if end == "delete":
        bpy.ops.object.delete()
    else:
        bpy.ops.wm.read_homefile(use_empty=True)
    live.tick()
    assert live.interactive.phase is SessionPhase.ENDED and session.interactive is None


def test_a_worker_that_dies_ends_live_mode_with_a_sentence(begun, scene):
    import os
    import signal

    from neurok_blender.session.interactive_session import SessionPhase

    ball = add_elastic_ball()
    drawn = stored(ball.data).tobytes()
    live = begun(ball)
    go_on(live, 2)
    os.kill(live.interactive._runner._process.pid, signal.SIGKILL)
    assert wait_until(lambda: (live.tick(), live.interactive.phase is SessionPhase.ENDED)[1], 10.0)
    assert "stopped unexpectedly" in str(live.interactive.message) and live.interactive.remedy
    assert stored(ball.data).tobytes() == drawn
