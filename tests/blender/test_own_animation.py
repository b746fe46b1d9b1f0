"""Objects that are keyframed or parented go along with their animation, and the rest of them answers it."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.blender.helpers import add_rigid_ball, shown
from tests.blender.moving import add_empty

FRAMES = 72


def add_antenna(**transform) -> bpy.types.Object:
    """A rod of 2 m that stands on its origin."""
    bpy.ops.mesh.primitive_cylinder_add(vertices=8, radius=0.05, depth=2.0)
    rod = bpy.context.active_object
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.subdivide(number_cuts=6)
    bpy.ops.object.mode_set(mode="OBJECT")
    rod.data.transform(Matrix.Translation((0, 0, 1)))
    rod.name, rod.neurok.provider = "Antenna", "ELASTIC"
    for field, value in transform.items():
        setattr(rod, field, value)
    bpy.context.view_layer.update()
    return rod


def dash(obj) -> None:
    """Half a metre in eight frames, and stop."""
    for frame, x in ((1, 0.0), (10, 0.0), (18, 0.5)):
        obj.location.x = x
        obj.keyframe_insert("location", frame=frame)


def bent(obj, scene) -> tuple[np.ndarray, float]:
    """How far the tip is from where it was drawn, along x at every frame, and how far the foot ever is, m."""
    drawn = None
    tip, foot = [], 0.0
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
        now = shown(obj)
        drawn = now if drawn is None else drawn
        top, low = drawn[:, 2] > drawn[:, 2].max() - 1e-4, drawn[:, 2] < 1e-4
        tip.append((now - drawn)[top, 0].mean())
        foot = max(foot, float(np.abs((now - drawn)[low]).max()))
    return np.array(tip), foot


@pytest.fixture
def scene(scene):
    scene.neurok.frame_count, scene.frame_end = FRAMES, FRAMES
    return scene


@pytest.mark.parametrize("how", ["keyed", "parented", "constrained", "turned"])
def test_it_whips_settles_and_its_foot_stays(scene, how):
    from neurok_blender.session.state import session

    turn = 1.0 if how != "turned" else -1.0
    antenna = add_antenna(rotation_euler=(0.0, 0.0, 0.0 if turn > 0 else np.pi))
    if how in ("keyed", "turned"):
        dash(antenna)
    else:
        car = add_empty()
        dash(car)
        if how == "parented":
            antenna.parent = car
        else:
            antenna.constraints.new("COPY_LOCATION").target = car
    scene.frame_set(30)
    assert bpy.ops.neurok.simulate() == {"FINISHED"} and scene.frame_current == 30
    assert session.notice.kept == "Follows its own animation."
    tip, foot = bent(antenna, scene)
    assert foot < 0.001 and np.abs(tip[:9]).max() < 0.001
    tip *= turn
    assert tip[10:16].min() < -0.02  # it lags behind while it is pulled along
    assert tip[16:30].max() > 0.02  # and overshoots when that stops
    assert np.abs(tip[-10:]).max() < 0.1 * np.abs(tip).max()  # it settles in two seconds
    crossings = np.count_nonzero(np.diff(np.sign(tip[18:43])))
    assert 5 <= crossings <= 7  # in a second: it sways three times, as it would if it were held there


def test_what_is_baked_and_saved_plays_as_it_was_simulated(scene, tmp_path):
    from tests.blender.test_kept_takes import come_back

    antenna = add_antenna()
    dash(antenna)
    bpy.ops.neurok.simulate()
    tip, _foot = bent(antenna, scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "film.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "film.blend"))
    scene, antenna = bpy.context.scene, bpy.data.objects["Antenna"]
    assert come_back() == 1
    again, _foot = bent(antenna, scene)
    assert np.allclose(again, tip, atol=1e-6)
    assert bpy.ops.neurok.bake(kind="ARMATURE") == {"FINISHED"}
    baked, _foot = bent(antenna, scene)
    assert np.allclose(baked, tip, atol=2e-3)


def test_what_is_free_falls_whatever_its_keys_say_and_what_is_rigid_goes_along(scene):
    from neurok_blender.scene.conditions import conditions_of

    ball = add_rigid_ball()
    dash(ball)
    assert "follows" not in conditions_of(scene, ball)
    ball.neurok.anchor = "AUTO"
    scene.neurok.frame_count = 24
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    scene.frame_set(1)
    drawn = shown(ball)
    scene.frame_set(16)
    assert np.abs(shown(ball) - drawn).max() < 0.01


@pytest.mark.parametrize("how", ["keyed", "parented"])
def test_an_animation_that_has_begun_before_the_first_frame_does_not_jerk(scene, how):
    from neurok_blender.scene.object_motion import action_curves

    antenna = add_antenna()
    led = antenna
    if how == "parented":
        led = add_empty()
        antenna.parent = led
    for frame, x in ((-20, -2.1), (80, 7.9)):
        led.location.x = x
        led.keyframe_insert("location", frame=frame)
    for curve in action_curves(led.animation_data):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    scene.frame_set(1)
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    tip, _foot = bent(antenna, scene)
    assert np.abs(tip).max() < 5e-3
