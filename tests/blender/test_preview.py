"""Poses come and go; the artist's mesh stays what it is, bit for bit."""

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

from tests.blender.helpers import add_ball, add_rigid_ball, stored


@pytest.fixture
def fallen(scene):
    """A ball with a take of 12 frames, shown at its last frame; with its coordinates as drawn."""
    ball = add_rigid_ball()
    drawn = stored(ball.data)
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    scene.frame_set(12)
    assert stored(ball.data)[:, 2].mean() < drawn[:, 2].mean() - 0.5
    return ball, drawn


def attribute_names(mesh) -> set[str]:
    return set(mesh.attributes.keys())


def test_restoring_is_bitwise_and_leaves_nothing(scene):
    from neurok_blender.scene import preview

    ball = add_ball()
    mesh = ball.data
    mesh.vertices[2].co = (-0.0, 1e-42, 3.4e38)  # what arithmetic would not bring back
    drawn, names, active = stored(mesh).tobytes(), attribute_names(mesh), mesh.attributes.active_index
    for shift in (1.0, 2.0):
        preview.show(mesh, stored(mesh) + np.float32(shift), stored(mesh))
        assert preview.original_coordinates(mesh).tobytes() == drawn
    assert preview.is_posed(mesh)
    preview.restore(mesh)
    preview.restore(mesh)
    assert stored(mesh).tobytes() == drawn
    assert attribute_names(mesh) == names and mesh.attributes.active_index == active


def test_the_timeline_plays_the_take(scene, fallen):
    from neurok_blender.session.state import session

    ball, drawn = fallen
    take = session.take_of(ball)
    for frame in (5, 1, 9, -3, 40):
        scene.frame_set(frame)
        index = min(max(frame, 1), 12) - 1
        assert stored(ball.data).tobytes() == take.shape(index).tobytes()
    assert np.abs(take.shape(0) - drawn).max() < 1e-6


def test_discarding_gives_the_shape_back(scene, fallen):
    ball, drawn = fallen
    assert bpy.ops.neurok.discard_take() == {"FINISHED"}
    assert stored(ball.data).tobytes() == drawn.tobytes()
    scene.frame_set(3)
    assert stored(ball.data).tobytes() == drawn.tobytes()
    assert not bpy.ops.neurok.discard_take.poll()


def test_a_saved_file_holds_the_drawn_shape_and_the_pose_goes_on(scene, fallen, tmp_path):
    ball, drawn = fallen
    posed = stored(ball.data).tobytes()
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    assert stored(ball.data).tobytes() == posed
    bpy.ops.wm.open_mainfile(filepath=path)
    again = bpy.context.active_object
    assert stored(again.data).tobytes() == drawn.tobytes()
    assert not [name for name in attribute_names(again.data) if "neurok" in name]


def test_a_reopened_file_simulates_the_same_frames(scene, fallen, tmp_path):
    from neurok_blender.session.state import session

    ball, _drawn = fallen
    first = [shape.handles.tobytes() for shape in session.take_of(ball).motion.shapes]
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    again = session.take_of(bpy.context.active_object)
    assert [shape.handles.tobytes() for shape in again.motion.shapes] == first


def test_a_file_from_a_crash_heals_when_it_is_opened(scene, fallen, tmp_path):
    """Autosave writes without telling add-ons, so the file holds the pose; its original is in it too."""
    ball, drawn = fallen
    path = str(tmp_path / "crashed.blend")
    bpy.data.libraries.write(path, {ball}, fake_user=True)
    with bpy.data.libraries.load(path) as (_source, target):
        target.objects = [ball.name]
    posed = target.objects[0]
    assert stored(posed.data).tobytes() != drawn.tobytes()
    scene.collection.objects.link(posed)
    from neurok_blender.session import handlers

    handlers._after_load()
    assert stored(posed.data).tobytes() == drawn.tobytes()


def test_undo_and_redo_keep_pose_and_original_together(scene):
    from neurok_blender.scene import preview
    from neurok_blender.session.state import session

    ball = add_rigid_ball()
    drawn = stored(ball.data).tobytes()
    bpy.ops.ed.undo_push(message="made")
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    scene.frame_set(12)
    ball.data["note"] = 1
    bpy.ops.ed.undo_push(message="noted while a pose was shown")
    for step in (bpy.ops.ed.undo, bpy.ops.ed.redo, bpy.ops.ed.undo):
        assert step() == {"FINISHED"}
        mesh = bpy.context.active_object.data
        assert preview.original_coordinates(mesh).tobytes() == drawn
        take = session.take_of(bpy.context.active_object)
        index = take.index_at(bpy.context.scene.frame_current)
        assert stored(mesh).tobytes() == take.shape(index).tobytes()
    bpy.ops.neurok.discard_take()
    bpy.ops.ed.redo()
    assert stored(bpy.context.active_object.data).tobytes() == drawn


def test_redoing_an_edit_of_what_undo_has_taken_away_edits_the_drawn_shape(scene):
    """Undo takes the object away, and redo brings it back with its take; the edit was begun on a pose."""
    from neurok_blender.session.state import session

    bpy.ops.ed.undo_push(message="empty")
    ball = add_rigid_ball()
    drawn = stored(ball.data)
    bpy.ops.ed.undo_push(message="made")
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    scene.frame_set(12)
    bpy.ops.object.mode_set("EXEC_DEFAULT", True, mode="EDIT")
    for step in (bpy.ops.ed.undo, bpy.ops.ed.undo, bpy.ops.ed.redo, bpy.ops.ed.redo):
        assert step() == {"FINISHED"}
        bpy.context.view_layer.update()
    ball = bpy.context.active_object
    assert ball.mode == "EDIT" and session.take_of(ball) is not None
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    bpy.ops.neurok.discard_take()
    assert stored(ball.data).tobytes() == drawn.tobytes()
    assert not [name for name in attribute_names(ball.data) if "neurok" in name]


def test_undoing_an_edit_from_before_the_simulation_gives_the_older_mesh(scene):
    ball = add_rigid_ball()
    ball.data.vertices[0].co.z = 9.0
    older = stored(ball.data).tobytes()
    bpy.ops.ed.undo_push(message="older")
    ball.data.vertices[0].co.z = 2.0
    ball.data.update()
    bpy.ops.ed.undo_push(message="newer")
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    scene.frame_set(12)
    bpy.ops.ed.undo()
    assert stored(bpy.context.active_object.data).tobytes() == older


@pytest.mark.parametrize("mode", ["EDIT", "SCULPT", "WEIGHT_PAINT"])
def test_other_modes_work_on_the_drawn_shape(scene, fallen, mode):
    ball, drawn = fallen
    bpy.ops.object.mode_set(mode=mode)
    bpy.context.view_layer.update()
    scene.frame_set(5)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert stored(ball.data).tobytes() == drawn.tobytes()
    assert not [name for name in attribute_names(ball.data) if "neurok" in name]
    scene.frame_set(12)
    assert stored(ball.data).tobytes() != drawn.tobytes()  # the take is still there


def test_deleting_the_object_restores_a_mesh_that_lives_on(scene, fallen):
    from neurok_blender.session.state import session

    ball, drawn = fallen
    mesh = ball.data
    mesh.use_fake_user = True
    bpy.ops.object.delete()
    bpy.context.view_layer.update()
    assert stored(mesh).tobytes() == drawn.tobytes()
    assert not session.takes


def test_a_shape_key_added_to_a_pose_gets_the_drawn_shape(scene, fallen):
    ball, drawn = fallen
    ball.shape_key_add(name="Basis")
    bpy.context.view_layer.update()
    assert stored(ball.data).tobytes() == drawn.tobytes()
    basis = np.empty_like(drawn)
    ball.data.shape_keys.key_blocks[0].points.foreach_get("co", basis.reshape(-1))
    assert basis.tobytes() == drawn.tobytes()


def test_a_copy_of_a_posed_object_has_the_drawn_shape(scene, fallen):
    ball, drawn = fallen
    bpy.ops.object.duplicate()
    bpy.context.view_layer.update()
    copy = bpy.context.active_object
    assert copy != ball and stored(copy.data).tobytes() == drawn.tobytes()


def test_joining_into_a_posed_object_keeps_both_shapes(scene, fallen):
    ball, drawn = fallen
    bpy.ops.mesh.primitive_cube_add(location=(0, 0, 5))
    ball.select_set(True)
    bpy.context.view_layer.objects.active = ball
    bpy.ops.object.join()
    bpy.context.view_layer.update()
    scene.frame_set(5)
    joined = {tuple(row) for row in stored(ball.data).round(4).tolist()}
    assert {tuple(row) for row in drawn.round(4).tolist()} <= joined
    assert {(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (4.0, 6.0)} <= joined
    assert not [name for name in attribute_names(ball.data) if "neurok" in name]


def test_a_changed_mesh_is_left_alone(scene, fallen):
    from neurok_blender.session.state import session

    ball, _drawn = fallen
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(0, 0, 1))
    bpy.ops.object.mode_set(mode="OBJECT")
    changed = stored(ball.data).tobytes()
    scene.frame_set(4)
    assert stored(ball.data).tobytes() == changed
    with pytest.raises(RuntimeError, match=r"Ball has changed since it was simulated\. Press Simulate again\."):
        bpy.ops.neurok.bake()
    assert session.take_of(ball) is not None and ball.data.shape_keys is None


def applied(ball, **transform):
    """Gives the posed object a transform and applies it; where the vertices are in the world, before and after."""
    for name, value in transform.items():
        setattr(ball, name, value)
    bpy.context.view_layer.update()
    before = np.array([ball.matrix_world @ vertex.co for vertex in ball.data.vertices])
    assert bpy.ops.object.transform_apply(location=True, rotation=True, scale=True) == {"FINISHED"}
    return before, np.array([ball.matrix_world @ vertex.co for vertex in ball.data.vertices])


def test_a_transform_that_is_applied_to_a_pose_is_applied_to_the_drawn_shape(scene, fallen):
    ball, drawn = fallen
    before, after = applied(ball, scale=(2.0, 0.5, 1.5), rotation_euler=(0.3, 0.2, 1.0), location=(1.0, 2.0, 3.0))
    np.testing.assert_allclose(after, before, atol=1e-5)
    matrix = np.array(Matrix.LocRotScale(Vector((1.0, 2.0, 3.0)), Euler((0.3, 0.2, 1.0)), Vector((2.0, 0.5, 1.5))))
    scene.frame_set(5)  # the take is of another shape now
    np.testing.assert_allclose(stored(ball.data), drawn @ matrix[:3, :3].T + matrix[:3, 3], atol=1e-5)
    assert not [name for name in attribute_names(ball.data) if "neurok" in name]


def test_a_moved_origin_leaves_the_drawn_shape_where_it_is(scene, fallen):
    ball, drawn = fallen
    scene.cursor.location = (0.5, -0.5, 0.25)
    assert bpy.ops.object.origin_set(type="ORIGIN_CURSOR") == {"FINISHED"}
    bpy.ops.neurok.discard_take()
    world = np.array([ball.matrix_world @ vertex.co for vertex in ball.data.vertices])
    np.testing.assert_allclose(world, drawn, atol=1e-5)


def test_a_flat_pose_tells_as_much(scene):
    from neurok_blender.scene import preview

    bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=4)
    grid = bpy.context.active_object
    drawn = stored(grid.data)
    turned = drawn @ np.array(Euler((0.7, 0.4, 0.0)).to_matrix(), np.float32).T
    preview.show(grid.data, turned.astype(np.float32), stored(grid.data))
    before, after = applied(grid, scale=(3.0, 3.0, 3.0))
    np.testing.assert_allclose(after, before, atol=1e-5)
    preview.restore(grid.data)
    np.testing.assert_allclose(stored(grid.data), 3.0 * drawn, atol=1e-5)


def test_a_vertex_that_a_script_moves_is_moved_in_the_drawn_shape(scene, fallen):
    ball, drawn = fallen
    ball.data.vertices[3].co.x += 0.5
    ball.data.update()
    bpy.ops.neurok.discard_take()
    expected = drawn.copy()
    expected[3, 0] += 0.5
    np.testing.assert_allclose(stored(ball.data), expected, atol=1e-6)
