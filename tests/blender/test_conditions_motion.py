"""What moves while a take goes on: followers and colliders, read from curves or frame by frame."""

import math
import time

import bpy
import numpy as np
import pytest

from tests.blender.helpers import add_ball

FRAMES = range(5, 25)


@pytest.fixture
def scene(scene):
    scene.neurok.frame_start, scene.neurok.frame_count = FRAMES.start, len(FRAMES)
    return scene


def add_empty(name="Target", **transform):
    empty = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(empty)
    for field, value in transform.items():
        setattr(empty, field, value)
    return empty


def animate(obj, path, values):
    """Keys at frames 1, 11, 21, ... with Blender's own smooth interpolation."""
    for number, value in enumerate(values):
        setattr(obj, path, value)
        obj.keyframe_insert(path, frame=1 + 10 * number)


def conditions(obj) -> dict:
    from neurok_blender.scene.conditions import conditions_of

    return conditions_of(bpy.context.scene, obj)


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


def moved(drawn, key):
    """Points that turn about their middle and go along, as the backend's conditions say it (Rodrigues)."""
    vector = np.array(key["rotation"])
    angle = np.linalg.norm(vector)
    x, y, z = vector / angle if angle > 0 else vector
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turn = np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
    middle = drawn.mean(axis=0)
    return (drawn - middle) @ turn.T + middle + np.array(key["location"])


def test_who_follows_what_stands_still_is_pinned(scene):
    ball, target = add_ball(), add_empty()
    bpy.ops.neurok.condition_add(kind="FOLLOW")
    ball.neurok.conditions[0].target = target
    made = conditions(ball)
    assert "motion" not in made["pins"][0] and made["settled"] is True


def test_reading_goes_on_a_little_at_a_time_and_stops_at_any_time(scene):
    from neurok_blender.scene.conditions import ConditionsReading

    ball, target = add_ball(), add_empty()
    led_by_driver(target)
    bpy.ops.neurok.condition_add(kind="FOLLOW")
    ball.neurok.conditions[0].target = target
    scene.frame_set(40)
    reading = ConditionsReading(scene, [ball])
    seen = []
    while not reading.advance(0.0):
        seen.append((reading.done, reading.total))
    assert seen == [(number, len(FRAMES)) for number in range(1, len(FRAMES) + 1)]
    assert reading.conditions == [conditions(ball)] and scene.frame_current == 40

    reading = ConditionsReading(scene, [ball])
    assert not reading.advance(0.0) and scene.frame_current != 40
    reading.close()
    assert scene.frame_current == 40
    reading.close()


def test_a_deleted_target_is_a_sentence_and_the_frame_is_as_before(scene):
    from neurok_blender.errors import Refusal
    from neurok_blender.scene.conditions import ConditionsReading

    ball, target = add_ball(), add_empty()
    led_by_driver(target)
    bpy.ops.neurok.condition_add(kind="FOLLOW")
    ball.neurok.conditions[0].target = target
    scene.frame_set(40)
    reading = ConditionsReading(scene, [ball])
    assert not reading.advance(0.0)
    bpy.data.objects.remove(target)
    with pytest.raises(Refusal, match="Target was deleted while its motion was read"):
        reading.advance(1.0)
    assert scene.frame_current == 40


def test_large_groups_are_read_in_short_steps(scene):
    from neurok_blender.scene.conditions import ConditionsReading

    bpy.ops.mesh.primitive_grid_add(x_subdivisions=300, y_subdivisions=300)
    sheet = bpy.context.active_object
    wanted = list(range(0, len(sheet.data.vertices), 3))
    sheet.vertex_groups.new(name="Third").add(wanted, 1.0, "REPLACE")
    bpy.ops.neurok.condition_add(kind="PIN")
    pin = sheet.neurok.conditions[0]
    pin.pin_source, pin.vertex_group = "GROUP", "Third"
    reading = ConditionsReading(scene, [sheet])
    seconds = []
    begun = time.thread_time()
    while not reading.advance(0.0):
        seconds.append(time.thread_time() - begun)
        begun = time.thread_time()
    assert np.array_equal(reading.conditions[0]["pins"][0]["vertices"], wanted)
    assert len(seconds) > 10 and max(seconds) < 0.05


# Colliders


def add_collider(name="Wall", **transform):
    bpy.ops.mesh.primitive_cube_add(size=1)
    wall = bpy.context.active_object
    wall.name = name
    for field, value in transform.items():
        setattr(wall, field, value)
    wall.modifiers.new("Collision", "COLLISION")
    bpy.context.view_layer.update()
    return wall


def colliders_of(ball) -> list[dict]:
    from backend.dynamics.conditions import read_conditions

    made = conditions(ball)
    read_conditions(made)
    return made["colliders"]


def corners(wall) -> np.ndarray:
    return np.array([wall.matrix_world @ vertex.co for vertex in wall.data.vertices])


def test_colliders_are_the_visible_ones_and_never_the_object_itself(scene):
    wall, hidden, off = add_collider(location=(3, 1, 0)), add_collider("Hidden"), add_collider("Off")
    add_collider("Bare").modifiers.clear()
    hidden.hide_set(True)
    off.collision.use = False
    ball = add_ball()
    ball.modifiers.new("Collision", "COLLISION")
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    ball.neurok.conditions[0].friction, ball.neurok.conditions[0].restitution = 0.75, 0.5
    (made,) = colliders_of(ball)
    assert np.allclose(made["vertices"], corners(wall)) and len(made["triangles"]) == 12
    assert (made["friction"], made["restitution"]) == (0.75, 0.5) and "motion" not in made


def test_a_collection_chooses_among_them(scene):
    first, second = add_collider("A", location=(1, 0, 0)), add_collider("B", location=(2, 0, 0))
    walls = bpy.data.collections.new("Walls")
    scene.collection.children.link(walls)
    walls.objects.link(second)
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    assert len(colliders_of(ball)) == 2
    ball.neurok.conditions[0].collection, ball.neurok.conditions[0].friction = walls, 0.0
    (made,) = colliders_of(ball)
    assert np.allclose(made["vertices"], corners(second))
    # Of two conditions that name one collider the first one counts.
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    assert [
        (each["friction"], np.allclose(each["vertices"], corners(wall)))
        for each, wall in zip(colliders_of(ball), (second, first), strict=True)
    ] == [(0.0, True), (0.5, True)]


def test_the_evaluated_mesh_is_what_stops(scene):
    wall = add_collider()
    wall.modifiers.new("Many", "ARRAY").count = 3
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    (made,) = colliders_of(ball)
    assert len(made["vertices"]) == 24 and np.ptp(np.array(made["vertices"])[:, 0]) == pytest.approx(3.0)


def test_an_animated_collider_moves_as_a_whole(scene):
    wall = add_collider(scale=(1, 2, 3))
    animate(wall, "location", [(0, 0, 0), (2, 0, 0), (2, 0, 5)])
    animate(wall, "rotation_euler", [(0, 0, 0), (0, 0, 2), (0, 3, 2)])
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    (made,) = colliders_of(ball)
    drawn = np.array(made["vertices"])
    for frame, key in zip(FRAMES, made["motion"], strict=True):
        scene.frame_set(frame)
        assert np.abs(moved(drawn, key) - corners(wall)).max() < 1e-5


def test_a_collider_that_stretches_or_deforms_is_told_frame_by_frame(scene):
    stretching = add_collider("A")
    animate(stretching, "scale", [(1, 1, 1), (1, 3, 1), (1, 1, 1)])
    waving = add_collider("B", location=(5, 0, 0))
    wave = waving.modifiers.new("Wave", "WAVE")
    wave.height, wave.width, wave.narrowness = 1.0, 0.5, 3.0
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    scene.frame_set(33)
    first, second = colliders_of(ball)
    assert scene.frame_current == 33
    assert np.shape(first["vertices"]) == np.shape(second["vertices"]) == (len(FRAMES), 8, 3)
    for index, frame in enumerate(FRAMES):
        scene.frame_set(frame)
        assert np.abs(np.array(first["vertices"])[index] - corners(stretching)).max() < 1e-5
        shape = waving.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        shown = np.array([waving.matrix_world @ vertex.co for vertex in shape.vertices])
        assert np.abs(np.array(second["vertices"])[index] - shown).max() < 1e-5
    assert np.ptp(np.array(second["vertices"]), axis=0).max() > 0.1


def test_still_scenes_are_not_gone_through(scene, monkeypatch):
    """Stepping through frames costs as much as playing them."""
    wall = add_collider()
    bpy.ops.object.shade_smooth()
    wall.modifiers.new("Round", "BEVEL")
    target = add_empty()
    animate(target, "location", [(0, 0, 0), (1, 0, 0)])
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    bpy.ops.neurok.condition_add(kind="FOLLOW")
    ball.neurok.conditions[1].target = target
    shown = []
    bpy.app.handlers.frame_change_post.append(lambda *_: shown.append(1))
    try:
        made = conditions(ball)
    finally:
        bpy.app.handlers.frame_change_post.pop()
    assert made["colliders"] and made["pins"][0]["motion"] and not shown


def test_a_collider_without_faces_is_no_collider(scene):
    add_collider("Wall")
    bare = add_collider("Bare")
    bare.data.clear_geometry()
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    assert len(colliders_of(ball)) == 1


def test_objects_that_are_simulated_together_are_no_colliders_to_each_other(scene):
    from neurok_blender.scene.conditions import ConditionsReading

    add_collider("Wall")
    balls = [add_ball(), add_ball("Other", location=(3, 0, 0))]
    for ball in balls:
        ball.modifiers.new("Collision", "COLLISION")
        bpy.context.view_layer.objects.active = ball
        bpy.ops.neurok.condition_add(kind="COLLIDERS")
    reading = ConditionsReading(scene, balls)
    assert reading.advance(10.0)
    first, second = reading.conditions
    assert len(first["colliders"]) == 1 and first["colliders"] == second["colliders"]


def large(wall):
    wall.modifiers.new("Fine", "SUBSURF").levels = 4
    wall.modifiers.new("Wave", "WAVE")
    bpy.context.scene.neurok.frame_count = 100_000


def growing(wall):
    wall.modifiers.new("Build", "BUILD").frame_duration = 15


def flat(wall):
    wall.scale = (1, 0, 1)
    animate(wall, "location", [(0, 0, 0), (1, 0, 0)])


def not_a_number(wall):
    wall.data.vertices[3].co.x = float("nan")


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        (large, r"Wall deforms and has 1,538 vertices, too many for 100000 frames\. Use a simpler mesh"),
        (growing, r"Wall changes its number of vertices while the take goes on.*Turn off the modifier"),
        (flat, r"Wall is scaled to nothing along some direction\. Give it a scale"),
        (not_a_number, r"Wall has vertices without a real position.*Delete or move"),
    ],
)
def test_mistakes_of_colliders_get_a_sentence(scene, mistake, sentence):
    mistake(add_collider())
    add_ball()
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    with pytest.raises(RuntimeError, match=sentence):
        bpy.ops.neurok.simulate()
    assert scene.frame_current == 1


def test_too_many_colliders_get_a_sentence(scene):
    mesh = add_collider().data
    for number in range(200):
        wall = bpy.data.objects.new(f"Wall {number}", mesh)
        scene.collection.objects.link(wall)
        wall.modifiers.new("Collision", "COLLISION")
    add_ball()
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    with pytest.raises(RuntimeError, match=r"There are 201 colliders, more than one simulation can take\. Join some"):
        bpy.ops.neurok.simulate()
