"""Meshes out of Blender and back."""

import bpy
import numpy as np
import pytest

from tests.blender.helpers import add_ball, shown, stored


def take_snapshot(obj):
    from neurok_blender.scene.mesh_io import snapshot

    return snapshot(bpy.context, obj)


def test_world_space_is_where_the_object_stands(scene):
    parent = bpy.data.objects.new("Parent", None)
    scene.collection.objects.link(parent)
    parent.location, parent.scale = (0, 0, 5), (2, 1, 1)
    parent.rotation_euler = (0.3, 0.2, 0.1)
    ball = add_ball(location=(1, 2, 3), scale=(1, -0.5, 2), parent=parent)
    snap = take_snapshot(ball)
    expected = [ball.matrix_world @ vertex.co for vertex in ball.data.vertices]
    assert np.abs(snap.world - np.array(expected)).max() < 1e-5
    back = snap.world @ snap.to_object[:3, :3].T + snap.to_object[:3, 3]
    assert np.abs(back - stored(ball.data)).max() < 1e-5


def test_triangles_cover_the_faces(scene):
    bpy.ops.mesh.primitive_cube_add()
    snap = take_snapshot(bpy.context.active_object)
    assert snap.triangles.shape == (12, 3) and snap.triangles.dtype == np.int32
    corners = snap.world[snap.triangles].astype(np.float64)
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    assert areas.sum() == pytest.approx(24.0)


def test_the_key_follows_place_shape_and_provider(scene):
    ball = add_ball()
    first = take_snapshot(ball)
    assert first.key("auto") == take_snapshot(ball).key("auto") != first.key("rigid")
    ball.location.x += 1.0
    moved = take_snapshot(ball)
    assert moved.key("auto") != first.key("auto")
    assert moved.fingerprint == first.fingerprint  # a bake follows the object wherever it goes
    ball.data.vertices[3].co.x += 0.1
    ball.data.update()
    assert take_snapshot(ball).fingerprint != first.fingerprint


def add_armature_bend(ball) -> None:
    """Deforms the ball by two bones, the upper one turned."""
    bpy.ops.object.armature_add()
    rig = bpy.context.active_object
    bpy.ops.object.mode_set(mode="EDIT")
    upper = rig.data.edit_bones.new("Upper")
    upper.head, upper.tail = (0, 0, 0.3), (0, 0, 1)
    bpy.ops.object.mode_set(mode="POSE")
    rig.pose.bones["Upper"].rotation_mode = "XYZ"
    rig.pose.bones["Upper"].rotation_euler = (0.9, 0.2, 0.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    for name in ("Bone", "Upper"):
        group = ball.vertex_groups.new(name=name)
        for vertex in ball.data.vertices:
            part = float(np.clip((vertex.co.z + 0.5), 0.05, 0.95))
            group.add([vertex.index], part if name == "Upper" else 1.0 - part, "REPLACE")
    ball.modifiers.new("Rig", "ARMATURE").object = rig
    bpy.context.view_layer.objects.active = ball
    bpy.context.view_layer.update()


def test_under_an_armature_the_shown_shape_is_simulated_and_comes_back_exactly(scene):
    from neurok_blender.scene.coordinates import write_coordinates

    ball = add_ball()
    add_armature_bend(ball)
    original = stored(ball.data)
    snap = take_snapshot(ball)
    assert np.abs(snap.evaluated - original).max() > 0.3
    assert stored(ball.data).tobytes() == original.tobytes()
    target = snap.evaluated * np.float32(1.3) + np.float32([0.2, -0.4, 0.6])
    write_coordinates(ball.data, snap.storage(target))
    bpy.context.view_layer.update()
    assert np.abs(shown(ball) - target).max() < 2e-4


def test_a_modifier_that_does_not_move_anything_is_no_obstacle(scene):
    ball = add_ball()
    ball.modifiers.new("Bevel nothing", "CAST").factor = 0.0
    assert take_snapshot(ball).storage.inverse is None


def shrinkwrap(ball):
    other = add_ball("Other", scale=(3, 3, 3))
    ball.modifiers.new("Wrap", "SHRINKWRAP").target = other
    bpy.context.view_layer.objects.active = ball


def absolute_keys(ball):
    ball.shape_key_add(name="Basis")
    ball.data.shape_keys.use_relative = False


def flat(ball):
    ball.scale.z = 0.0


def no_faces(ball):
    ball.data.clear_geometry()
    ball.data.vertices.add(3)


def no_vertices(ball):
    ball.data.clear_geometry()


def not_a_number(ball):
    ball.data.vertices[4].co.x = float("nan")


def hidden(ball):
    ball.hide_set(True)


def no_mesh(_ball):
    bpy.ops.object.empty_add()


@pytest.mark.parametrize(
    ("spoil", "sentence", "remedy"),
    [
        (shrinkwrap, "The modifiers of Ball deform it in a way", "Apply them, or turn them off in the viewport"),
        (absolute_keys, "The shape keys of Ball are absolute, so no others", "Make them relative"),
        (flat, "Ball is scaled to nothing along some direction.", "Give it a scale other than zero"),
        (no_faces, "Ball has no faces.", "Fill it with faces first"),
        (no_vertices, "Ball has no vertices.", "Give it some geometry first."),
        (not_a_number, "Ball has vertices without a real position", "Delete or move those vertices first."),
        (hidden, "Ball is hidden.", "Show it first"),
        (no_mesh, "There is no active mesh object.", "Click a mesh object to make it active."),
    ],
)
def test_what_cannot_be_simulated_is_refused_with_a_remedy(scene, spoil, sentence, remedy):
    from neurok_blender.session.state import session

    ball = add_ball()
    spoil(ball)
    before = stored(ball.data).tobytes()
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.neurok.simulate()
    assert sentence in str(caught.value) and remedy in str(caught.value)
    assert session.notice.bad and sentence in str(session.notice.message)
    assert session.simulation is None
    assert stored(ball.data).tobytes() == before


def test_linked_data_is_refused(scene, tmp_path):
    add_ball("Linked")
    library = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library, copy=True)
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(library, link=True) as (_source, target):
        target.objects = ["Linked"]
    linked = target.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    bpy.context.view_layer.objects.active = linked
    with pytest.raises(RuntimeError, match=r"Linked is linked from another file\. Make it local first"):
        bpy.ops.neurok.simulate()
