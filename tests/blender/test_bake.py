"""Baking to shape keys."""

import bpy
import numpy as np
import pytest

from tests.blender.helpers import add_elastic_ball, add_rigid_ball, shown, stored
from tests.blender.test_mesh_io import add_armature_bend


def simulated(scene, start: int = 1):
    """An elastic ball with its take; the shapes of all frames [T,V,3], object space."""
    from neurok_blender.session.state import session

    ball = add_elastic_ball()
    scene.neurok.frame_start = start
    ball.neurok.conditions[0].frame = start
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    take = session.take_of(ball)
    return ball, np.array([take.shape(index) for index in range(take.frame_count)])


def test_the_timeline_shows_the_decoded_frames(scene):
    ball, shapes = simulated(scene, start=5)
    drawn = stored(ball.data)
    scene.frame_set(9)
    assert bpy.ops.neurok.bake() == {"FINISHED"}
    assert np.abs(shapes - drawn).max() > 1e-3  # it moves at all
    for frame in range(5, 17):
        scene.frame_set(frame)
        assert np.abs(shown(ball) - shapes[frame - 5]).max() < 1e-5
    scene.frame_set(1)
    assert np.abs(shown(ball) - shapes[0]).max() < 1e-5
    scene.frame_set(60)
    assert np.abs(shown(ball) - shapes[-1]).max() < 1e-5
    scene.frame_set(8, subframe=0.25)
    assert np.abs(shown(ball) - (0.75 * shapes[3] + 0.25 * shapes[4])).max() < 1e-5


def test_keys_have_their_names_and_the_basis_is_the_drawn_mesh(scene):
    ball, shapes = simulated(scene)
    drawn = stored(ball.data).tobytes()
    scene.frame_set(8)
    bpy.ops.neurok.bake()
    keys = ball.data.shape_keys
    assert [key.name for key in keys.key_blocks] == ["Basis", *(f"NeuROK {n:04d}" for n in range(1, len(shapes) + 1))]
    assert keys.use_relative and all(key.relative_key == keys.key_blocks[0] for key in keys.key_blocks)
    assert stored(ball.data).tobytes() == drawn
    basis = np.empty((len(ball.data.vertices), 3), np.float32)
    keys.key_blocks[0].points.foreach_get("co", basis.reshape(-1))
    assert basis.tobytes() == drawn
    assert not [name for name, _attribute in ball.data.attributes.items() if "neurok" in name]


def test_what_was_there_before_is_untouched(scene):
    ball, _shapes = simulated(scene)
    ball.location = (1, 0, 0)
    ball.keyframe_insert("location", frame=1)
    ball.data["note"] = 7
    ball.data.animation_data_create()

    def others():
        return ball.animation_data.action, ball.data.animation_data, [group.name for group in ball.vertex_groups]

    before = others()
    bpy.ops.neurok.bake()
    assert others() == before
    assert ball.data["note"] == 7 and len(bpy.data.actions) == 2


def test_under_an_armature_the_bake_shows_the_simulated_shape(scene):
    from neurok_blender.session.state import session

    ball = add_rigid_ball()
    add_armature_bend(ball)
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    take = session.take_of(ball)
    expected = take.decoder(take.motion.shapes[11])
    scene.frame_set(12)
    assert np.abs(shown(ball) - expected).max() < 1e-4
    assert bpy.ops.neurok.bake() == {"FINISHED"}
    scene.frame_set(12)
    assert np.abs(shown(ball) - expected).max() < 1e-4


def test_undo_brings_the_take_back_and_redo_the_keys(scene):
    from neurok_blender.session.state import session

    ball, shapes = simulated(scene)
    drawn = stored(ball.data)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.neurok.bake()
    bpy.ops.ed.undo_push(message="baked")
    bpy.ops.ed.undo()
    ball = bpy.context.active_object
    assert ball.data.shape_keys is None and len(bpy.data.actions) == 0
    assert session.notice.message == ""
    scene = bpy.context.scene
    scene.frame_set(7)
    assert np.array_equal(stored(ball.data), shapes[6])
    bpy.ops.ed.redo()
    ball = bpy.context.active_object
    assert len(ball.data.shape_keys.key_blocks) == len(shapes) + 1
    assert np.array_equal(stored(ball.data), drawn)
    bpy.ops.ed.undo()
    assert bpy.ops.neurok.bake() == {"FINISHED"}
    assert session.take_of(bpy.context.active_object) is not None


def test_a_moved_object_bakes_all_the_same(scene):
    ball, shapes = simulated(scene)
    ball.location.x += 3.0
    assert bpy.ops.neurok.bake() == {"FINISHED"}
    scene.frame_set(6)
    assert np.abs(shown(ball) - shapes[5]).max() < 1e-5


def test_gltf_takes_the_keys_and_their_animation(scene, tmp_path):
    import json
    import struct

    simulated(scene)
    bpy.ops.neurok.bake()
    path = tmp_path / "ball.glb"
    bpy.ops.export_scene.gltf(filepath=str(path))
    data = path.read_bytes()
    document = json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]])
    assert len(document["meshes"][0]["primitives"][0]["targets"]) == 12
    assert document["animations"][0]["channels"][0]["target"]["path"] == "weights"


def test_many_keys(scene):
    ball, _shapes = simulated(scene)
    from neurok_blender.session.state import session

    take = session.take_of(ball).motion
    take.shapes.extend(take.shapes[-1:] * 240)
    bpy.ops.neurok.bake()
    assert len(ball.data.shape_keys.key_blocks) == 253


def test_a_bake_goes_on_a_little_at_a_time(scene):
    from neurok_blender.scene.bakes.kinds import BakeOptions, bake_of
    from neurok_blender.session.state import session

    ball, shapes = simulated(scene)
    bake = bake_of(bpy.context, ball, session.take_of(ball), BakeOptions())
    calls = 0
    while not bake.advance(0.0):
        calls += 1
        assert bake.done == calls == len(ball.data.shape_keys.key_blocks) - 1
    assert calls == len(shapes)  # and one more to put an end to it
    scene.frame_set(7)
    assert np.abs(shown(ball) - shapes[6]).max() < 1e-5


def test_a_bake_that_is_stopped_leaves_nothing(scene):
    from neurok_blender.scene.bakes.kinds import BakeOptions, bake_of
    from neurok_blender.session.state import session

    ball, _shapes = simulated(scene)
    scene.frame_set(7)
    posed, actions = stored(ball.data).tobytes(), list(bpy.data.actions)
    bake = session.bake = bake_of(bpy.context, ball, session.take_of(ball), BakeOptions())
    bake.advance(0.0)
    assert not bpy.ops.neurok.simulate.poll() and not bpy.ops.neurok.bake.poll()
    session.abort()
    assert session.bake is None and ball.data.shape_keys is None and list(bpy.data.actions) == actions
    session.show_takes(7)
    assert stored(ball.data).tobytes() == posed
    assert bpy.ops.neurok.bake() == {"FINISHED"}


@pytest.mark.parametrize("change", ["delete", "key", "action"])
def test_what_is_changed_meanwhile_is_left_alone(scene, change):
    from neurok_blender.errors import Refusal
    from neurok_blender.scene.bakes.kinds import BakeOptions, bake_of
    from neurok_blender.session.state import session

    ball, _shapes = simulated(scene)
    bake = bake_of(bpy.context, ball, session.take_of(ball), BakeOptions())
    bake.advance(0.0)
    if change == "delete":
        bpy.data.objects.remove(ball)
    elif change == "key":
        ball.shape_key_add(name="Smile")
    else:
        ball.data.shape_keys.animation_data.action = None
    with pytest.raises(Refusal, match="is no longer there" if change == "delete" else "was changed while"):
        bake.advance(0.0)
    bake.cancel()
    if change == "key":
        assert "Smile" in ball.data.shape_keys.key_blocks


def share_mesh(ball):
    bpy.context.collection.objects.link(bpy.data.objects.new("Twin", ball.data))


def absolute_keys(ball):
    ball.shape_key_add(name="Smile")
    ball.data.shape_keys.use_relative = False


def forget(_ball):
    bpy.ops.neurok.discard_take()


def edit(ball):
    from neurok_blender.scene import preview

    preview.restore(ball.data)
    ball.data.vertices[0].co.x += 0.5
    ball.data.update()


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (
            share_mesh,
            "Other objects share the mesh of Ball. Make it single-user first "
            "(Object > Relations > Make Single User > Object & Data), then simulate again.",
        ),
        (absolute_keys, "The shape keys of Ball are absolute, so no others can be added to them. Make them relative"),
        (forget, "There is no simulated motion for Ball. Press Simulate first."),
        (edit, "Ball has changed since it was simulated. Press Simulate again."),
    ],
)
def test_refusals_say_what_to_do_and_change_nothing(scene, spoil, sentence):
    ball, _shapes = simulated(scene)
    scene.frame_set(6)
    spoil(ball)
    bpy.context.view_layer.update()
    before = stored(ball.data).tobytes()
    keys = 0 if ball.data.shape_keys is None else len(ball.data.shape_keys.key_blocks)
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.neurok.bake()
    assert sentence in str(caught.value)
    assert stored(ball.data).tobytes() == before
    assert (0 if ball.data.shape_keys is None else len(ball.data.shape_keys.key_blocks)) == keys
