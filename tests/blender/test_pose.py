"""Pose mode with the real worker: sliders, drags, random poses, keys."""

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.helpers import add_elastic_ball, add_rigid_ball, settle, stored, wait_until


@pytest.fixture
def begun(scene):
    """Begins pose mode and waits until the object can be posed."""
    from neurok_blender.session.pose_session import Pose

    def begin(obj):
        pose = Pose(bpy.context, obj)
        assert wait_until(lambda: (pose.tick(), pose.is_ready)[1], 30.0), pose.interactive.message
        settle(pose)
        return pose

    return begin


@pytest.fixture
def ball(scene):
    obj = add_elastic_ball()
    obj.neurok.conditions.clear()
    return obj


def test_sliders_are_there_and_at_zero_the_object_is_as_drawn(begun, ball):
    drawn = stored(ball.data)
    pose = begun(ball)
    sliders = ball.neurok.coordinates
    assert 1 <= len(sliders) <= 12 and sliders[0].kind == "MODE" and sliders[0].name
    assert all(each.value == 0.0 and each.lower < 0.0 < each.upper for each in sliders)
    assert np.abs(stored(ball.data) - drawn).max() < 1e-5
    pose.end()
    assert stored(ball.data).tobytes() == drawn.tobytes()


def test_a_slider_moves_the_object_and_back(begun, ball):
    drawn = stored(ball.data)
    pose = begun(ball)
    ball.neurok.coordinates[0].value = 0.8
    settle(pose)
    one_way = stored(ball.data) - drawn
    assert np.abs(one_way).max() > 0.02
    ball.neurok.coordinates[0].value = -0.8
    settle(pose)
    other_way = stored(ball.data) - drawn
    assert (one_way * other_way).sum() < -0.9 * np.linalg.norm(one_way) * np.linalg.norm(other_way)
    ball.neurok.coordinates[0].value = 0.0
    settle(pose)
    assert np.abs(stored(ball.data) - drawn).max() < 1e-5


def test_dragging_a_vertex_takes_it_there_and_the_sliders_follow(begun, ball):
    drawn = stored(ball.data)
    pose = begun(ball)
    top = int(np.argmax(drawn[:, 2]))
    target = Vector(drawn[top]) + Vector((0.3, 0.0, 0.0))
    pose.drag.pulled, pose.drag.target = top, target
    pose.dragged()
    settle(pose)
    moved = stored(ball.data)[top, 0] - drawn[top, 0]
    assert 0.2 < moved < 0.35
    assert max(abs(each.value) for each in ball.neurok.coordinates) > 0.02
    pose.end()


def test_a_held_place_stays_while_another_is_dragged(begun, ball):
    drawn = stored(ball.data)
    pose = begun(ball)
    top, side = int(np.argmax(drawn[:, 2])), int(np.argmax(drawn[:, 0]))
    pose.drag.held[side] = Vector(drawn[side])
    pose.drag.pulled, pose.drag.target = top, Vector(drawn[top]) + Vector((0.0, 0.2, 0.0))
    pose.dragged()
    settle(pose)
    moved = np.linalg.norm(stored(ball.data) - drawn, axis=1)
    assert moved[top] > 0.1 and moved[side] < 0.01
    pose.end()


def test_random_poses_differ_and_locked_sliders_stay(begun, ball):
    pose = begun(ball)
    sliders = ball.neurok.coordinates
    sliders[1].value = 0.5
    sliders[1].locked = True
    settle(pose)
    found = []
    for seed in (1, 2):
        pose.explore(seed, count=1)
        settle(pose)
        found.append([each.value for each in sliders])
    assert found[0] != found[1] and found[0][1] == found[1][1] == pytest.approx(0.5)
    assert all(-1.0 <= value <= 1.0 for values in found for value in values)
    pose.end()


def test_six_poses_are_drawn_to_choose_from(begun, ball):
    from neurok_blender.session.thumbnails import SIDE, shaded, thumbnails

    pose = begun(ball)
    pose.explore(5)
    settle(pose)
    assert len(pose.explored) == 6
    thumbnails.begin(pose)
    while thumbnails.draw_next():
        pass
    assert len(thumbnails.icons) == 6
    triangles = pose.interactive.snapshot.triangles
    pictures = [shaded(pose.interactive.world_positions(shape), triangles) for _values, shape in pose.explored]
    for picture in pictures:
        covered = (picture[..., 3] > 0.0).mean()
        assert picture.shape == (SIDE, SIDE, 4) and 0.3 < covered < 0.9
    assert all(np.abs(pictures[0] - other).max() > 0.05 for other in pictures[1:])
    pose.choose(3)
    settle(pose)
    chosen = [each.coordinate for each in ball.neurok.coordinates]
    np.testing.assert_allclose(chosen, pose.explored[3][0], atol=1e-5)
    thumbnails.clear()
    pose.end()


def test_keyed_poses_become_a_take(begun, ball, scene):
    from neurok_blender.scene.pose_keys import keyed_values
    from neurok_blender.session.state import session

    scene.neurok.frame_count = 80  # more than the worker gives at once
    pose = begun(ball)
    drawn = stored(ball.data)
    for frame, value in ((1, 0.0), (41, 0.5), (80, 0.0)):
        scene.frame_set(frame)
        settle(pose)
        ball.neurok.coordinates[0].value = value
        settle(pose)
        assert bpy.ops.neurok.pose_key() == {"FINISHED"}
        shown = stored(ball.data)
        if frame == 41:
            far = shown
    scene.frame_set(41)
    settle(pose)
    np.testing.assert_allclose(
        stored(ball.data), far, atol=1e-5
    )  # the timeline moves the sliders, and these the object
    pose.film(keyed_values(scene, ball))
    assert wait_until(lambda: (pose.tick(), pose.film_is_complete)[1], 30.0)
    take = pose.take()
    pose.interactive.keep(take, "Pose")
    pose.end()
    assert session.take_of(ball) is take and take.frame_count == 80 and session.pose is None
    scene.frame_set(41)
    np.testing.assert_allclose(stored(ball.data), far, atol=1e-5)
    scene.frame_set(80)
    np.testing.assert_allclose(stored(ball.data), drawn, atol=1e-5)
    assert bpy.ops.neurok.bake() == {"FINISHED"}


def test_a_simulation_starts_as_posed_and_springs_back(begun, ball, scene):
    drawn = stored(ball.data)
    pose = begun(ball)
    for frame, value in ((1, 0.6), (20, -0.6)):  # the first frame counts, wherever the playhead is
        scene.frame_set(frame)
        ball.neurok.coordinates[0].value = value
        settle(pose)
        bpy.ops.neurok.pose_key()
        if frame == 1:
            posed = stored(ball.data)
    pose.end()
    scene.neurok.frame_count = 100
    ball.neurok.settle_seconds = 0.5
    ball.neurok.starts_posed = True
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    scene.frame_set(1)
    assert np.abs(posed - drawn).max() > 0.02
    np.testing.assert_allclose(stored(ball.data), posed, atol=1e-4)
    scene.frame_set(100)
    assert np.abs(stored(ball.data) - drawn).max() < 0.05 * np.abs(posed - drawn).max()
    ball.neurok.starts_posed = False
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    scene.frame_set(1)
    np.testing.assert_allclose(stored(ball.data), drawn, atol=1e-5)


def test_a_pose_of_other_sliders_is_refused_with_a_remedy(begun, ball):
    from neurok_blender.session.state import session

    begun(ball).end()
    ball.neurok.coordinates.add()
    ball.neurok.starts_posed = True
    with pytest.raises(RuntimeError, match="Pose the object anew"):
        bpy.ops.neurok.simulate()
    assert "sliders now" in str(session.notice.message) and session.simulation is None


def test_a_scale_that_is_applied_while_posing_is_kept_and_ends_the_mode(begun, ball):
    drawn = stored(ball.data)
    pose = begun(ball)
    ball.neurok.coordinates[0].value = 0.5
    settle(pose)
    ball.scale = (2.0, 2.0, 2.0)
    bpy.ops.object.transform_apply(scale=True)
    ball.neurok.coordinates[0].value = 0.4
    assert wait_until(lambda: (pose.tick(), pose.interactive.phase.value == "ended")[1], 10.0)
    assert pose.interactive.message.startswith("The mesh was changed")
    pose.end()
    np.testing.assert_allclose(stored(ball.data), 2.0 * drawn, atol=1e-5)


def test_without_keys_there_is_nothing_to_film(begun, ball, scene):
    from neurok_blender.errors import Refusal
    from neurok_blender.scene.pose_keys import keyed_values

    pose = begun(ball)
    with pytest.raises(Refusal, match="No pose of Ball is keyed"):
        keyed_values(scene, ball)
    pose.end()


def test_undo_brings_the_pose_before_back(begun, ball):
    pose = begun(ball)
    bpy.ops.ed.undo_push(message="before")
    ball.neurok.coordinates[0].value = 0.6
    settle(pose)
    moved = stored(ball.data)
    bpy.ops.ed.undo_push(message="slid")
    bpy.ops.ed.undo()
    settle(pose)
    obj = bpy.data.objects["Ball"]
    assert obj.neurok.coordinates[0].value == 0.0
    assert np.abs(stored(obj.data) - moved).max() > 0.01
    bpy.ops.ed.redo()
    settle(pose)
    np.testing.assert_allclose(stored(bpy.data.objects["Ball"].data), moved, atol=1e-5)
    pose.end()


def test_undo_to_before_there_were_sliders_leaves_them_at_zero(begun, ball):
    drawn = stored(ball.data)
    bpy.ops.ed.undo_push(message="made")
    pose = begun(ball)
    names = [each.name for each in ball.neurok.coordinates]
    ball.neurok.coordinates[0].value = 0.6
    settle(pose)
    bpy.ops.ed.undo_push(message="slid")
    bpy.ops.ed.undo()
    settle(pose)
    obj = bpy.data.objects["Ball"]
    assert [(each.name, each.value) for each in obj.neurok.coordinates] == [(name, 0.0) for name in names]
    assert np.abs(stored(obj.data) - drawn).max() < 1e-5
    obj.neurok.coordinates[0].value = 0.6
    settle(pose)
    assert np.abs(stored(obj.data) - drawn).max() > 0.01
    pose.end()


def test_the_kept_pose_is_a_take_of_one_frame(begun, ball, scene):
    from neurok_blender.session.state import session

    pose = begun(ball)
    ball.neurok.coordinates[0].value = 0.5
    settle(pose)
    posed = stored(ball.data)
    take = pose.take()
    pose.interactive.keep(take, "Pose")
    pose.end()
    for frame in (1, 30):
        scene.frame_set(frame)
        np.testing.assert_array_equal(stored(ball.data), posed)
    assert session.take_of(ball).frame_count == 1
    # Posing goes on where it was left.
    again = begun(ball)
    np.testing.assert_allclose(stored(ball.data), posed, atol=1e-5)
    again.end()


def test_a_rigid_object_has_no_sliders(begun, scene):
    rigid = add_rigid_ball()
    pose = begun(rigid)
    assert len(rigid.neurok.coordinates) == 0
    pose.explore(1, count=1)
    pose.end()


def test_what_is_shown_after_a_drag_is_what_the_sliders_say(begun, ball):
    """Keys and undo keep sliders alone."""
    pose = begun(ball)
    top = int(np.argmax(stored(ball.data)[:, 2]))
    pose.drag.pulled, pose.drag.target = top, Vector(stored(ball.data)[top]) + Vector((0.3, 0.1, 0.0))
    pose.dragged()
    settle(pose)
    dragged = stored(ball.data)
    pose.released()
    settle(pose)
    shown, values = stored(ball.data), [each.value for each in ball.neurok.coordinates]
    assert np.abs(shown - dragged).max() < 0.15  # it stays near to where it was dragged
    ball.neurok.coordinates[0].value += 0.1
    settle(pose)
    ball.neurok.coordinates[0].value = values[0]
    settle(pose)
    np.testing.assert_allclose(stored(ball.data), shown, atol=1e-5)
    pose.end()
