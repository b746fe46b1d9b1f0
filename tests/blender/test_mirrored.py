"""A half that a Mirror modifier joins to its image is simulated as the whole, and comes back as it was drawn."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.blender.helpers import add_ball, add_rigid_ball, shown, stored


def cut_in_half(ball, about: str = "itself") -> bpy.types.Modifier:
    """Leaves what has x > 0, or, of a ball at x = 2, of the plane of another object; under a Mirror that merges."""
    import bmesh

    half = bmesh.new()
    half.from_mesh(ball.data)
    everything = half.verts[:] + half.edges[:] + half.faces[:]
    bmesh.ops.bisect_plane(half, geom=everything, plane_co=(0, 0, 0), plane_no=(1, 0, 0), clear_inner=True)
    half.to_mesh(ball.data)
    mirror = ball.modifiers.new("Other Half", "MIRROR")
    if about == "another":
        mirror.mirror_object = bpy.data.objects.new("Plane", None)
        mirror.mirror_object.location = ball.location
        bpy.context.scene.collection.objects.link(mirror.mirror_object)
    bpy.context.view_layer.update()
    return mirror


def as_drawn(ball) -> tuple:
    mirror = ball.modifiers["Other Half"]
    return stored(ball.data).tobytes(), shown(ball).tobytes(), mirror.show_viewport, mirror.show_render, ball.data.name


@pytest.mark.parametrize("about", ["itself", "another"])
def test_the_whole_is_simulated_and_baked_and_the_half_comes_back(scene, about):
    ball = add_rigid_ball(location=(2.0, 0.0, 0.0))
    mirror = cut_in_half(ball, about)
    ball.vertex_groups.new(name="Ear.L").add([0, 1], 0.5, "REPLACE")
    ball.modifiers.new("Smooth Surface", "SUBSURF")
    bpy.context.view_layer.update()
    before, whole = as_drawn(ball), shown(ball)
    mirror.show_render = False
    bpy.ops.neurok.condition_add(kind="VELOCITY")
    ball.neurok.conditions[-1].angular = (0.0, 3.0, 0.0)  # out of the plane of the mirror
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    from neurok_blender.session.state import session

    assert session.notice.kept == "Mirrored whole simulated."
    scene.frame_set(12)
    moved = shown(ball)
    assert moved.shape == whole.shape and not mirror.show_viewport
    # A rigid motion: no edge between the halves is stretched.
    lengths = [np.linalg.norm(each - np.roll(each, 1, axis=0), axis=1) for each in (moved, whole)]
    turned = np.linalg.norm(moved - whole, axis=1)
    assert np.abs(lengths[0] - lengths[1]).max() < 1e-3 and turned.max() > 0.1
    assert bpy.ops.neurok.bake() == {"FINISHED"}
    assert np.abs(shown(ball) - moved).max() < 1e-5
    assert bpy.ops.neurok.bake_clear() == {"FINISHED"} and bpy.ops.neurok.discard_take() == {"FINISHED"}
    mirror.show_render = before[3]
    assert as_drawn(ball) == before and ball.neurok.half is None and len(bpy.data.meshes) == 1


def test_what_is_analysed_is_the_whole_and_nothing_changes(scene):
    from neurok_blender.scene.mesh_io import look_at

    ball = add_ball()
    whole = look_at(bpy.context, ball)
    cut_in_half(ball)
    before = as_drawn(ball)
    seen = look_at(bpy.context, ball)
    volumes = [np.linalg.det(each.world[each.triangles].astype(float)).sum() / 6.0 for each in (seen, whole)]
    assert as_drawn(ball) == before and volumes[0] == pytest.approx(volumes[1], rel=1e-3)


def test_halves_that_are_apart_stay_halves(scene):
    ball = add_rigid_ball()
    cut_in_half(ball)
    ball.data.transform(Matrix.Translation((5.0, 0.0, 0.0)))
    bpy.context.view_layer.update()
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    assert ball.neurok.half is None and ball.modifiers["Other Half"].show_viewport


def test_the_half_comes_back_by_undo_and_when_a_simulation_is_refused(scene):
    ball = add_rigid_ball()
    cut_in_half(ball)
    before = as_drawn(ball)
    bpy.ops.ed.undo_push(message="half")
    ball.vertex_groups.new(name="Empty")
    ball.neurok.anchor, ball.neurok.anchor_group = "GROUP", "Empty"
    with pytest.raises(RuntimeError):
        bpy.ops.neurok.simulate()
    ball.neurok.anchor = "AUTO"
    ball.vertex_groups.clear()
    assert as_drawn(ball) == before
    assert bpy.ops.neurok.simulate() == {"FINISHED"} and ball.neurok.half is not None
    bpy.ops.ed.undo_push(message="simulated")
    bpy.ops.ed.undo()
    ball = bpy.data.objects["Ball"]
    bpy.context.view_layer.update()
    assert as_drawn(ball) == before and ball.neurok.half is None


def test_a_whole_that_was_worked_on_stays(scene):
    ball = add_rigid_ball()
    mirror = cut_in_half(ball)
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    ball.vertex_groups.new(name="Painted").add([0], 1.0, "REPLACE")
    assert bpy.ops.neurok.discard_take() == {"FINISHED"}
    assert "Painted" in ball.vertex_groups and not mirror.show_viewport and len(shown(ball)) > 40


def test_a_half_with_shape_keys_is_refused_with_a_remedy(scene):
    ball = add_ball()
    cut_in_half(ball)
    ball.shape_key_add(name="Basis")
    with pytest.raises(RuntimeError, match=r"Ball has shape keys, and is one half.*Symmetrize"):
        bpy.ops.neurok.simulate()
