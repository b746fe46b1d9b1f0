"""What moves while a take goes on: followers, read from curves or frame by frame."""

import bpy
import numpy as np
import pytest

from tests.blender.helpers import add_ball
from tests.blender.moving import FRAMES, add_empty, animate, conditions, moved


@pytest.fixture
def scene(scene):
    scene.neurok.frame_start, scene.neurok.frame_count = FRAMES.start, len(FRAMES)
    return scene


def track_of(obj, scene, motion):
    """The matrices that are read of an object, in the way that is expected."""
    from neurok_blender.scene.motion_tracks import TransformTrack, fill_tracks
    from neurok_blender.scene.object_motion import transform_motion

    bpy.context.view_layer.update()
    assert transform_motion(obj, scene).value == motion
    track = TransformTrack(obj, scene, FRAMES)
    for _progress in fill_tracks(scene.session_uid, FRAMES.start, [track]):
        pass
    return track.matrices


def seen_by_blender(obj, scene) -> np.ndarray:
    """Matrices [T,4,4] of the frames as Blender itself shows them."""
    matrices = []
    for frame in FRAMES:
        scene.frame_set(frame)
        matrices.append(np.array(obj.matrix_world))
    scene.frame_set(1)
    return np.array(matrices)


@pytest.mark.parametrize("mode", ["XYZ", "ZYX", "YXZ", "QUATERNION", "AXIS_ANGLE"])
def test_curves_are_read_as_blender_reads_them(scene, mode):
    parent = add_empty("Parent", location=(1, 2, 3), rotation_euler=(0.3, 0.2, 0.1), scale=(1, 2, 1))
    target = add_empty(rotation_mode=mode, delta_location=(0.1, 0, 0), delta_scale=(1, 1, 1.5))
    bpy.context.view_layer.update()
    target.parent, target.matrix_parent_inverse = parent, parent.matrix_world.inverted()
    animate(target, "location", [(0, 0, 0), (2, 1, 0), (0, 5, 1)])
    animate(target, "scale", [(1, 1, 1), (1, 2, 3), (1, 1, 1)])
    target.delta_rotation_euler, target.delta_rotation_quaternion = (0.2, 0.1, 0), (0.8, 0.6, 0, 0)
    if mode == "QUATERNION":
        animate(target, "rotation_quaternion", [(1, 0, 0, 0), (0.3, 2, 0, 0), (0, 0, 1, 1)])
    elif mode == "AXIS_ANGLE":
        animate(target, "rotation_axis_angle", [(0, 0, 0, 1), (2, 0, 0, 1), (3, 0, 1, 1)])
    else:
        animate(target, "rotation_euler", [(0, 0, 0), (1, 2, 3), (0, 4, 0)])
    assert np.abs(track_of(target, scene, "curves") - seen_by_blender(target, scene)).max() < 1e-5


def led_by_parent(target):
    parent = add_empty("Parent")
    animate(parent, "rotation_euler", [(0, 0, 0), (0, 0, 2), (1, 0, 0)])
    target.parent, target.location = parent, (1, 0, 0)


def led_by_constraint(target):
    other = add_empty("Other")
    animate(other, "location", [(0, 0, 0), (3, 0, 0), (0, 0, 1)])
    target.constraints.new("COPY_LOCATION").target = other


def led_by_driver(target):
    target.driver_add("location", 0).driver.expression = "frame / 10"


def led_by_bone(target):
    bpy.ops.object.armature_add()
    rig = bpy.context.active_object
    bone = rig.pose.bones[0]
    bone.rotation_mode = "XYZ"
    for frame, turn in ((1, 0.0), (21, 1.5)):
        bone.rotation_euler.x = turn
        bone.keyframe_insert("rotation_euler", frame=frame)
    target.parent, target.parent_type, target.parent_bone = rig, "BONE", bone.name


def led_by_strips(target):
    animate(target, "location", [(0, 0, 0), (3, 0, 0), (0, 0, 1)])
    animation = target.animation_data
    action, animation.action = animation.action, None
    animation.nla_tracks.new().strips.new("Strip", 3, action)


@pytest.mark.parametrize("lead", [led_by_parent, led_by_constraint, led_by_driver, led_by_bone, led_by_strips])
def test_what_is_led_is_looked_at_frame_by_frame(scene, lead):
    target = add_empty()
    lead(target)
    scene.frame_set(13, subframe=0.25)
    read = track_of(target, scene, "frames")
    assert (scene.frame_current, scene.frame_subframe) == (13, 0.25)
    assert np.abs(read - seen_by_blender(target, scene)).max() < 1e-6
    assert np.ptp(read, axis=0).max() > 0.1


def test_what_keeps_still_is_looked_at_once(scene):
    parent = add_empty("Parent", location=(1, 0, 0))
    target = add_empty(location=(0, 2, 0), parent=parent)
    assert track_of(target, scene, "still")[:, :3, 3].tolist() == [[1, 2, 0]]


def test_a_follower_is_led_from_where_its_target_is_at_the_first_frame(scene):
    ball = add_ball(location=(0, 0, 4))
    target = add_empty(location=(2, 0, 0), scale=(2, 1, 1))
    animate(target, "location", [(2, 0, 0), (2, 3, 0), (2, 3, 9)])
    animate(target, "rotation_euler", [(0, 0, 0), (0, 0, 1.0), (0.5, 0, 1.0)])
    bpy.ops.neurok.condition_add(kind="FOLLOW")
    ball.neurok.conditions[0].target = target
    pin = conditions(ball)["pins"][0]
    drawn = np.array([ball.matrix_world @ ball.data.vertices[index].co for index in pin["vertices"]], dtype=np.float64)
    matrices = seen_by_blender(target, scene)
    assert [key["frame"] for key in pin["motion"]] == list(range(1, len(FRAMES) + 1))
    for key, matrix in zip(pin["motion"], matrices, strict=True):
        expected = (matrix @ np.linalg.inv(matrices[0]) @ np.c_[drawn, np.ones(len(drawn))].T).T[:, :3]
        assert np.abs(moved(drawn, key) - expected).max() < 1e-5
    assert conditions(ball)["settled"] == "auto"


def test_who_follows_what_stands_still_is_pinned(scene):
    ball, target = add_ball(), add_empty()
    bpy.ops.neurok.condition_add(kind="FOLLOW")
    ball.neurok.conditions[0].target = target
    made = conditions(ball)
    assert "motion" not in made["pins"][0] and made["settled"] is True


def test_reading_goes_on_a_little_at_a_time_and_stops_at_any_time(scene):
    from neurok_blender.scene.conditions import ConditionsReading
    from neurok_blender.scene.object_conditions import ObjectConditions

    ball, target = add_ball(), add_empty()
    led_by_driver(target)
    bpy.ops.neurok.condition_add(kind="FOLLOW")
    ball.neurok.conditions[0].target = target
    scene.frame_set(40)
    reading = ConditionsReading(scene, [ObjectConditions(scene, ball)])
    seen = []
    while not reading.advance(0.0):
        seen.append((reading.done, reading.total))
    assert seen == [(number, len(FRAMES)) for number in range(1, len(FRAMES) + 1)]
    assert reading.conditions == [conditions(ball)] and scene.frame_current == 40

    reading = ConditionsReading(scene, [ObjectConditions(scene, ball)])
    assert not reading.advance(0.0) and scene.frame_current != 40
    reading.close()
    assert scene.frame_current == 40
    reading.close()


def test_a_deleted_target_is_a_sentence_and_the_frame_is_as_before(scene):
    from neurok_blender.errors import Refusal
    from neurok_blender.scene.conditions import ConditionsReading
    from neurok_blender.scene.object_conditions import ObjectConditions

    ball, target = add_ball(), add_empty()
    led_by_driver(target)
    bpy.ops.neurok.condition_add(kind="FOLLOW")
    ball.neurok.conditions[0].target = target
    scene.frame_set(40)
    reading = ConditionsReading(scene, [ObjectConditions(scene, ball)])
    assert not reading.advance(0.0)
    bpy.data.objects.remove(target)
    with pytest.raises(Refusal, match="Target was deleted while its motion was read"):
        reading.advance(1.0)
    assert scene.frame_current == 40


def test_large_groups_are_read_in_short_steps(scene):
    from neurok_blender.scene.conditions import ConditionsReading
    from neurok_blender.scene.object_conditions import ObjectConditions
    from neurok_blender.scene.pinned_vertices import CHUNK

    bpy.ops.mesh.primitive_grid_add(x_subdivisions=300, y_subdivisions=300)
    sheet = bpy.context.active_object
    wanted = list(range(0, len(sheet.data.vertices), 3))
    sheet.vertex_groups.new(name="Third").add(wanted, 1.0, "REPLACE")
    bpy.ops.neurok.condition_add(kind="PIN")
    pin = sheet.neurok.conditions[0]
    pin.pin_source, pin.vertex_group = "GROUP", "Third"
    reading = ConditionsReading(scene, [ObjectConditions(scene, sheet)])
    steps = 0
    while not reading.advance(0.0):
        steps += 1
    assert np.array_equal(reading.conditions[0]["pins"][0]["vertices"], wanted)
    assert steps >= len(sheet.data.vertices) // CHUNK > 10
