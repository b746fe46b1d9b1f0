"""What is animated of gravity and wind, and pins that let go, reach the backend frame by frame."""

import bpy
import numpy as np
import pytest

from tests.blender.helpers import add_ball, add_rigid_ball


def read(ball) -> dict:
    from neurok_blender.scene.conditions import conditions_of

    return conditions_of(bpy.context.scene, ball)


def keyed(owner, path: str, values: dict[int, object], index: int = -1) -> None:
    for frame, value in values.items():
        if index < 0:
            setattr(owner, path, value)
        else:
            getattr(owner, path)[index] = value
        owner.keyframe_insert(path, index=index, frame=frame)
    curves = owner.id_data.animation_data.action
    for curve in getattr(curves, "fcurves", ()) or curves.layers[0].strips[0].channelbags[0].fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"


def test_keyed_gravity_of_the_scene_is_read_at_each_frame(scene):
    ball = add_rigid_ball()
    assert "gravity_keys" not in read(ball)
    keyed(scene, "gravity", {1: -9.0, 13: 3.0}, index=2)
    scene.frame_set(7)
    found = read(ball)
    assert scene.frame_current == 7
    assert [key["frame"] for key in found["gravity_keys"]] == list(range(1, 13))
    assert np.allclose([key["value"][2] for key in found["gravity_keys"]], np.linspace(-9.0, 2.0, 12), atol=1e-5)
    assert found["gravity"] == found["gravity_keys"][0]["value"]


def test_a_keyed_share_of_gravity_lets_the_ball_go_down(scene):
    """Weightless until frame 7, it falls by g s^2 / 2 in the five frames to frame 12."""
    ball = add_rigid_ball()
    ball.neurok.anchor = "NONE"
    bpy.ops.neurok.condition_add(kind="GRAVITY")
    keyed(ball.neurok.conditions[0], "gravity_factor", {6: 0.0, 7: 1.0})
    assert read(ball)["gravity"] == [0.0, 0.0, 0.0]
    from neurok_blender.api import simulate

    take = simulate(ball)[0]
    heights = [take.positions(frame)[:, 2].mean() for frame in (1, 6, 12)]
    assert heights[1] == pytest.approx(heights[0], abs=1e-4)
    assert heights[2] - heights[0] == pytest.approx(-0.5 * 9.81 * (5.0 / 24.0) ** 2, rel=0.25)


def test_keyed_wind_and_turning_force_fields_add_up(scene, capfd):
    ball = add_rigid_ball()
    bpy.ops.neurok.condition_add(kind="WIND")
    wind = ball.neurok.conditions[0]
    wind.velocity = (3.0, 0.0, 0.0)
    assert "keys" not in read(ball)["wind"]
    keyed(wind, "velocity", {1: 0.0, 12: 11.0}, index=0)
    found = read(ball)["wind"]
    assert np.allclose([key["value"][0] for key in found["keys"]], np.arange(12.0), atol=1e-4)
    bpy.ops.object.effector_add(type="WIND")
    field = bpy.context.object
    field.field.strength = 2.0
    keyed(field, "rotation_euler", {1: 0.0, 12: 0.5 * np.pi}, index=1)  # from up to along X
    wind.use_force_fields = True
    found = read(ball)["wind"]
    assert np.allclose(found["keys"][0]["value"], [0.0, 0.0, 2.0], atol=1e-5)
    assert np.allclose(found["keys"][11]["value"], [13.0, 0.0, 0.0], atol=1e-4)
    capfd.readouterr()  # Blender complains of an animated field without a world of rigid bodies


@pytest.mark.parametrize("kind", ["PIN", "FOLLOW"])
def test_a_pin_lets_go_at_its_frame_of_the_timeline(scene, kind):
    ball = add_rigid_ball()
    ball.vertex_groups.new(name="Held").add(list(range(10)), 1.0, "REPLACE")
    target = bpy.data.objects.new("Hand", None)
    scene.collection.objects.link(target)
    scene.neurok.frame_start, ball.neurok.anchor = 5, "NONE"
    bpy.ops.neurok.condition_add(kind=kind)
    pin = ball.neurok.conditions[0]
    pin.pin_source, pin.vertex_group, pin.target = "GROUP", "Held", target
    assert "until" not in read(ball)["pins"][0]
    pin.lets_go, pin.lets_go_frame = True, 9
    assert read(ball)["pins"][0]["until"] == 5
    from neurok_blender.api import simulate

    take = simulate(ball)[0]
    heights = [take.positions(frame)[:, 2].mean() for frame in (5, 9, 16)]
    assert heights[1] == pytest.approx(heights[0], abs=5e-3) and heights[2] < heights[0] - 0.2


def test_objects_with_different_keyed_gravity_are_refused(scene):
    first, second = add_rigid_ball(), add_ball("Second", location=(4, 0, 0))
    bpy.context.view_layer.objects.active = first
    bpy.ops.neurok.condition_add(kind="GRAVITY")
    keyed(first.neurok.conditions[0], "gravity_factor", {1: 1.0, 12: 0.0})
    for each in (first, second):
        each.select_set(True)
    with pytest.raises(RuntimeError, match="have different gravity"):
        bpy.ops.neurok.simulate()
