"""Velocity, stretch and piece as attributes of a mesh that plays a take, on request; and exports of what plays."""

import bpy
import numpy as np
import pytest

from tests.blender.helpers import add_ball, add_rigid_ball, shown

NAMES = {"velocity", "stretch", "piece"}


def values(obj, name: str) -> np.ndarray:
    attribute = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.attributes[name]
    field, width = ("vector", 3) if attribute.data_type == "FLOAT_VECTOR" else ("value", 1)
    found = np.empty(len(attribute.data) * width, np.int32 if attribute.data_type == "INT" else np.float32)
    attribute.data.foreach_get(field, found)
    return found.reshape(-1, width)


def ours(obj) -> set[str]:
    return NAMES & set(obj.data.attributes.keys())


def test_a_falling_ball_has_its_velocity_and_no_stretch(scene):
    ball = add_rigid_ball(rotation_euler=(0.5, 0.2, 0.1), scale=(0.5, 0.5, 0.5))
    assert bpy.ops.neurok.simulate() == {"FINISHED"} and not ours(ball)
    ball.neurok.writes_attributes = True
    scene.frame_set(7)
    velocity = values(ball, "velocity") @ np.array(ball.matrix_world.to_3x3()).T
    assert np.allclose(velocity, [0.0, 0.0, -9.81 * 6.0 / 24.0], atol=0.1)
    assert np.abs(values(ball, "stretch")).max() < 1e-4 and (values(ball, "piece") == 0).all()
    ball.neurok.writes_attributes = False
    assert not ours(ball)


def test_what_is_wrung_is_stretched_and_nothing_stays_behind(scene):
    ball = add_ball()
    ball.neurok.provider, ball.neurok.writes_attributes = "ELASTIC", True
    bpy.ops.neurok.condition_add(kind="POKE")
    bpy.ops.neurok.simulate()
    scene.frame_set(5)
    assert np.abs(values(ball, "stretch")).max() > 1e-3
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.neurok.discard_take()
    assert not ours(ball) and "neurok_attributes" not in ball.data


def test_an_attribute_of_the_artist_is_left_alone(scene):
    ball = add_rigid_ball()
    ball.data.attributes.new("stretch", "FLOAT", "POINT").data.foreach_set("value", np.full(62, 7.0, np.float32))
    ball.neurok.writes_attributes = True
    bpy.ops.neurok.simulate()
    scene.frame_set(7)
    assert (values(ball, "stretch") == 7.0).all() and "velocity" in ours(ball)
    bpy.ops.neurok.discard_take()
    assert ours(ball) == {"stretch"} and (values(ball, "stretch") == 7.0).all()


@pytest.mark.parametrize("baked", [False, True])
@pytest.mark.parametrize("ending", ["abc", "usda"])
def test_alembic_and_usd_play_what_plays_here(scene, tmp_path, ending, baked):
    ball = add_rigid_ball(location=(1.0, 2.0, 3.0))
    ball.modifiers.new("Thick", "SOLIDIFY").thickness = 0.2
    scene.frame_end = 12
    bpy.ops.neurok.simulate()
    if baked:
        bpy.ops.neurok.bake()
    expected = {}
    for frame in (1, 6, 12):
        scene.frame_set(frame)
        expected[frame] = shown(ball) @ np.array(ball.matrix_world.to_3x3()).T + np.array(ball.matrix_world.translation)
    path = str(tmp_path / f"ball.{ending}")
    if ending == "abc":
        bpy.ops.wm.alembic_export(filepath=path, start=1, end=12, check_existing=False)
    else:
        bpy.ops.wm.usd_export(filepath=path, export_animation=True, export_shapekeys=False, check_existing=False)
    bpy.ops.wm.read_homefile(use_empty=True)
    if ending == "abc":
        bpy.ops.wm.alembic_import(filepath=path)
    else:
        bpy.ops.wm.usd_import(filepath=path)
    (played,) = [each for each in bpy.data.objects if each.type == "MESH"]
    for frame, places in expected.items():
        bpy.context.scene.frame_set(frame)
        matrix = np.array(played.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)
        found = shown(played) @ matrix[:3, :3].T + matrix[:3, 3]
        assert found.shape == places.shape and np.abs(found - places).max() < 1e-3
