"""Several objects in one simulation, and looking at other frames while it runs."""

import bpy
import numpy as np
import pytest

from tests.blender.helpers import add_ball, add_elastic_ball, add_rigid_ball, shown, stored, wait_until


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
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
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


def test_only_the_active_object_is_simulated_unless_it_is_selected_with_others(scene):
    from neurok_blender.scene.participants import participants

    one, other, third = (add_rigid_ball(name=name) for name in ("One", "Other", "Third"))
    select(other)
    bpy.context.view_layer.objects.active = one
    assert participants(bpy.context) == [one]
    select(other, one, third)
    assert participants(bpy.context) == [other, one, third]
    one.neurok.takes_part = False
    assert participants(bpy.context) == [other, third]
    other.modifiers.new("Collision", "COLLISION")
    assert participants(bpy.context) == [third]  # what all others meet
    other.neurok.conditions.add()
    assert participants(bpy.context) == [other, third]
    other.neurok.conditions.clear()
    third.modifiers.new("Collision", "COLLISION")
    assert participants(bpy.context) == [other, third]  # all are alike


def test_all_of_a_collection_is_simulated_on_request(scene):
    from neurok_blender.scene.participants import participants

    one, other, third = (add_rigid_ball(name=name) for name in ("One", "Other", "Third"))
    inner = bpy.data.collections.new("Inner")
    scene.collection.children.link(inner)
    for each in (other, third):
        each.users_collection[0].objects.unlink(each)
        inner.objects.link(each)
    select(one)
    bpy.context.view_layer.objects.active = one
    scene.neurok.scope = "COLLECTION"
    assert participants(bpy.context) == [one, other, third]
    bpy.context.view_layer.active_layer_collection = bpy.context.view_layer.layer_collection.children["Inner"]
    assert participants(bpy.context) == [other, third]
    third.hide_set(True)
    assert participants(bpy.context) == [other]


def test_what_is_above_a_collider_of_the_scene_falls_on_it_and_what_is_not_keeps_its_support(scene):
    from neurok_blender.scene.colliders import scene_colliders
    from tests.blender.moving import conditions
    from tests.blender.test_conditions_colliders import add_collider

    add_collider("Table", location=(0, 0, -0.5), scale=(4, 4, 1))
    above, beside = add_rigid_ball(name="Above", location=(0, 0, 2)), add_rigid_ball(name="Beside", location=(9, 0, 2))
    assert len(conditions(above)["colliders"]) == 1 and "colliders" not in conditions(beside)
    one, other = scene_colliders(bpy.context.view_layer, [above]), scene_colliders(bpy.context.view_layer, [beside])
    assert [each.name for each in one] == ["Table"] and other == []
    select(above)
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    above.neurok.conditions[0].enabled = False
    assert "colliders" not in conditions(above)
    above.neurok.conditions.clear()
    scene.neurok.frame_count = 40
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    scene.frame_set(40)
    assert -0.01 < world(above)[:, 2].min() < 0.2


def test_objects_without_floor_or_colliders_stand_on_one_at_their_lowest_point(scene):
    balls = [add_ball(name=f"Ball {number}", location=(3 * number, 0, number)) for number in range(3)]
    for ball in balls:
        ball.neurok.provider = "RIGID"
    scene.neurok.frame_count = 60
    select(*balls)
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    scene.frame_set(60)
    assert all(-1.02 < world(ball)[:, 2].min() < -0.5 for ball in balls)
    for ball in balls:
        ball.neurok.anchor = "NONE"
    bpy.ops.neurok.simulate()
    scene.frame_set(60)
    assert all(world(ball)[:, 2].max() < -10.0 for ball in balls)


def test_bake_all_bakes_what_is_not_baked(scene):
    balls = [add_rigid_ball(name=f"Ball {number}", location=(3 * number, 0, 2)) for number in range(3)]
    select(*balls)
    bpy.ops.neurok.simulate()
    select(balls[1])
    bpy.ops.neurok.bake(take_name="Mine")
    scene.frame_set(9)
    seen = [world(ball) for ball in balls]
    assert bpy.ops.neurok.bake_all(kind="SHAPE_KEYS") == {"FINISHED"}
    assert [len(ball.neurok.bakes) for ball in balls] == [1, 1, 1] and balls[1].neurok.bakes[0].name == "Mine"
    assert all(np.allclose(world(ball), was, atol=1e-5) for ball, was in zip(balls, seen, strict=True))
    with pytest.raises(RuntimeError, match="All takes are baked already"):
        bpy.ops.neurok.bake_all()


def test_bake_all_that_is_cancelled_leaves_nothing(scene):
    from neurok_blender.scene.bakes.kinds import BakeOptions
    from neurok_blender.session.bake_all import BakeAll
    from neurok_blender.session.state import session

    balls = [add_rigid_ball(name=f"Ball {number}", location=(3 * number, 0, 2)) for number in range(2)]
    select(*balls)
    bpy.ops.neurok.simulate()
    work = BakeAll(bpy.context, BakeOptions())
    while work.progress.done == 0:
        work.tick(0.0)
    work.tick(0.0)
    work.cancel()
    assert session.bake is None and not any(len(ball.neurok.bakes) for ball in balls)
    assert bpy.ops.neurok.bake_all() == {"FINISHED"} and all(len(ball.neurok.bakes) == 1 for ball in balls)


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
        bpy.ops.neurok.simulate()
    from neurok_blender.session.state import session

    assert session.take_of(one) is not None


def test_objects_that_share_a_mesh_cannot_move_apart(scene):
    ball = add_rigid_ball()
    twin = bpy.data.objects.new("Twin", ball.data)
    scene.collection.objects.link(twin)
    select(ball, twin)
    with pytest.raises(RuntimeError, match="share one mesh"):
        bpy.ops.neurok.simulate()


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
