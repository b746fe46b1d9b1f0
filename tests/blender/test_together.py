"""Several objects in one simulation, and looking at other frames while it runs."""

import bpy
import numpy as np
import pytest

from tests.blender.helpers import add_elastic_ball, add_rigid_ball, shown, stored, wait_until


def select(*objects: bpy.types.Object) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)
    bpy.context.view_layer.objects.active = objects[0]


def world(obj: bpy.types.Object) -> np.ndarray:
    matrix = np.array(obj.matrix_world)
    return shown(obj) @ matrix[:3, :3].T + matrix[:3, 3]


def test_a_ball_that_falls_on_another_knocks_it_away(scene):
    """Together they touch and neither enters the other; each alone would fall straight down."""
    from neurok_blender.session.state import session

    lower = add_rigid_ball(name="Lower", location=(0, 0, 1.0))
    upper = add_rigid_ball(name="Upper", location=(0.6, 0, 3.5))
    lower.select_set(True)
    bpy.context.view_layer.objects.active = lower
    bpy.ops.neurok.condition_add(kind="GROUND")
    select(lower, upper)
    scene.neurok.frame_count = 30
    assert bpy.ops.neurok.simulate_together() == {"FINISHED"}
    assert session.take_of(lower).frame_count == session.take_of(upper).frame_count == 30
    nearest = np.inf
    for frame in range(1, 31):
        scene.frame_set(frame)
        one, other = world(lower), world(upper)
        nearest = min(nearest, float(np.linalg.norm(one[:, None] - other[None], axis=2).min()))
        assert np.linalg.norm(one.mean(axis=0) - other.mean(axis=0)) > 1.9
        assert one[:, 2].min() > -0.01 and other[:, 2].min() > -0.01
    assert nearest < 0.4
    assert one[:, 0].mean() < -0.1 and other[:, 0].mean() > 0.7


def test_one_object_is_not_together(scene):
    add_rigid_ball()
    assert not bpy.ops.neurok.simulate_together.poll()


def test_objects_with_different_floors_are_refused_and_keep_their_takes(scene):
    one, other = add_rigid_ball(name="One"), add_rigid_ball(name="Other", location=(4, 0, 0))
    for obj, height in ((one, -3.0), (other, -4.0)):
        select(obj)
        bpy.ops.neurok.condition_add(kind="GROUND")
        obj.neurok.conditions[0].height = height
    select(one)
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    select(one, other)
    with pytest.raises(RuntimeError, match="One and Other have different floors"):
        bpy.ops.neurok.simulate_together()
    from neurok_blender.session.state import session

    assert session.take_of(one) is not None


def test_objects_that_share_a_mesh_cannot_move_apart(scene):
    ball = add_rigid_ball()
    twin = bpy.data.objects.new("Twin", ball.data)
    scene.collection.objects.link(twin)
    select(ball, twin)
    with pytest.raises(RuntimeError, match="share one mesh"):
        bpy.ops.neurok.simulate_together()


def test_stopping_keeps_the_frames_of_all(scene):
    from neurok_blender.session.simulation import Outcome, Simulation
    from neurok_blender.session.state import session

    one = add_elastic_ball()
    other = add_rigid_ball(name="Other", location=(5, 0, 0))
    drawn = [stored(obj.data).tobytes() for obj in (one, other)]
    scene.neurok.frame_count = 20_000
    simulation = Simulation(bpy.context, [one, other])
    assert wait_until(lambda: (simulation.tick(show_frames=True), simulation._frames_shown >= 3)[1], 30.0)
    assert stored(other.data).tobytes() != drawn[1]
    simulation.cancel()
    assert wait_until(lambda: simulation.tick().outcome is Outcome.CANCELLED, 5.0)
    takes = [session.take_of(obj) for obj in (one, other)]
    assert takes[0].frame_count == takes[1].frame_count >= 3
    for obj in (one, other):
        session.stop_playing(obj.data)
    assert [stored(obj.data).tobytes() for obj in (one, other)] == drawn


def test_the_timeline_can_be_scrubbed_while_the_rest_is_simulated(scene):
    from neurok_blender.session.simulation import Outcome, Simulation

    ball = add_rigid_ball(location=(0, 0, 50))
    scene.neurok.frame_count = 400
    scene.frame_set(1)
    simulation = Simulation(bpy.context, [ball])
    assert wait_until(lambda: (simulation.tick(show_frames=True), simulation._frames_shown >= 12)[1], 30.0)
    drawn = ball.location.z
    assert world(ball)[:, 2].mean() < drawn - 0.3  # the newest frame is shown
    scene.frame_set(7)
    # Six frames of a quarter of a second: g t^2 / 2.
    fallen = drawn - world(ball)[:, 2].mean()
    assert fallen == pytest.approx(9.81 / 2.0 * 0.25**2, rel=0.02)
    simulation.tick(show_frames=True)
    assert drawn - world(ball)[:, 2].mean() == pytest.approx(fallen, rel=1e-6)  # and it stays there
    assert wait_until(lambda: simulation.tick(show_frames=True).outcome is Outcome.DONE, 30.0)
    assert drawn - world(ball)[:, 2].mean() == pytest.approx(fallen, rel=1e-6)


def test_the_time_left_follows_the_pace(scene):
    from neurok_blender.session.simulation import _Pace

    pace = _Pace()
    assert pace.seconds_left(0, 100, 5.0) is None and pace.seconds_left(1, 100, 6.0) is None
    assert pace.seconds_left(3, 100, 7.0) == pytest.approx(97 * 0.5)
    assert pace.seconds_left(3, 100, 9.0) == pytest.approx(97 * 0.5)  # a frame that takes long tells when it is there
    for number in range(4, 60):
        left = pace.seconds_left(number, 100, 9.0 + 0.1 * number)
    assert left == pytest.approx(41 * 0.1)
