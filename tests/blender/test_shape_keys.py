"""Shape keys of the artist's own stay, and play on while takes and bakes do."""

import bpy
import numpy as np
import pytest

from tests.blender.digest import differences, digest
from tests.blender.helpers import add_rigid_ball, shown, stored
from tests.blender.test_bake_kinds import KINDS, saved

__all__ = ["saved"]

FRAMES = (3, 8, 12)


def smile_at(frame: int) -> float:
    """What the driver of the key gives."""
    return 0.08 * frame


def smiling_ball(rest: float = 0.0):
    """A falling, turning ball with a driven key and one that stays at `rest`; and what the driven one changes."""
    ball = add_rigid_ball(location=(1.0, 2.0, 3.0), rotation_euler=(0.3, 0.2, 0.1))
    ball.shape_key_add(name="Basis")
    smile, frown = (ball.shape_key_add(name=name, from_mix=False) for name in ("Smile", "Frown"))
    change = np.zeros((len(ball.data.vertices), 3), np.float32)
    change[:, 0] = 0.3 * np.maximum(stored(ball.data)[:, 2], 0.0)
    smile.points.foreach_set("co", (stored(ball.data) + change).reshape(-1))
    frown.points.foreach_set("co", (stored(ball.data) * np.float32([1.0, 0.8, 1.0])).reshape(-1))
    frown.value = rest
    driver = smile.driver_add("value").driver
    driver.type, driver.expression = "SCRIPTED", "0.08 * frame"
    ball.active_shape_key_index = 1
    bpy.context.scene.frame_set(0)
    bpy.context.view_layer.update()
    bpy.ops.neurok.condition_add(kind="VELOCITY")
    ball.neurok.conditions[-1].angular = (1.0, 2.0, 0.5)
    return ball, change


def simulated(ball):
    """The drawn shape, and the linear part and the place of the ball's motion at each of FRAMES (object space)."""
    from neurok_blender.session.state import session

    drawn = shown(ball)
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    take = session.take_of(ball)
    moves = {}
    whole = np.column_stack([drawn, np.ones(len(drawn))])
    for frame in FRAMES:
        moved = np.linalg.lstsq(whole, take.shape(frame - 1), rcond=None)[0]
        moves[frame] = (moved[:3], moved[3])
    return drawn, moves


def check_plays(ball, drawn, change, moves, turns: bool, error: float = 2e-5) -> None:
    """The take with what the driven key changes added: turned with the ball, or as it was drawn."""
    for frame, (linear, place) in moves.items():
        bpy.context.scene.frame_set(frame)
        changed = smile_at(frame) * change
        wanted = (drawn + changed) @ linear + place if turns else drawn @ linear + place + changed
        assert np.abs(shown(ball) - wanted).max() < error, frame


@pytest.mark.parametrize("rest", [0.0, 0.6])
def test_a_take_plays_beside_keys_and_leaves_no_trace(scene, rest):
    from neurok_blender.session.state import session

    ball, change = smiling_ball(rest)
    before = digest()
    drawn, moves = simulated(ball)
    assert len(bpy.data.shape_keys) == len(bpy.data.meshes) == 1
    check_plays(ball, drawn, change, moves, turns=False)
    assert session.notice.bad is False
    bpy.ops.neurok.discard_take()
    bpy.context.scene.frame_set(0)
    bpy.context.view_layer.update()
    assert np.abs(shown(ball) - drawn).max() == 0.0
    assert {name for name in differences(before, digest()) if "neurok" not in name.lower()} <= {ball.name}
    assert [block.name for block in ball.data.shape_keys.key_blocks] == ["Basis", "Smile", "Frown"]
    assert ball.active_shape_key_index == 1


@pytest.mark.parametrize(("kind", "rest"), [*((kind, 0.6) for kind in KINDS), ("CACHE", 0.0)])
def test_every_bake_plays_beside_keys_and_goes_without_a_trace(saved, kind, rest):
    from neurok_blender.session.state import session

    bpy.context.scene.neurok.frame_count = 12
    ball, change = smiling_ball(rest)
    drawn, moves = simulated(ball)
    bpy.context.scene.frame_set(0)
    session.show_originals()
    before = digest()
    assert bpy.ops.neurok.bake(kind=kind, tolerance=1e-4) == {"FINISHED"}
    # A modifier turns what the keys change with the ball; another key adds it.
    error = 1e-4 if kind == "COMPRESSED" else 2e-5
    check_plays(ball, drawn, change, moves, turns=kind in ("ARMATURE", "CACHE"), error=error)
    assert [block.name for block in ball.data.shape_keys.key_blocks][:3] == ["Basis", "Smile", "Frown"]
    bpy.ops.neurok.bake_clear()
    bpy.context.scene.frame_set(0)
    session.show_originals()
    assert differences(before, digest()) == {}


def test_an_animated_key_keeps_its_action(scene):
    ball, change = smiling_ball()
    smile = ball.data.shape_keys.key_blocks["Smile"]
    smile.driver_remove("value")
    for frame in (0, 20):
        smile.value = smile_at(frame) / 2.0
        smile.keyframe_insert("value", frame=frame)
    action = ball.data.shape_keys.animation_data.action
    for curve in bpy_curves(ball):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    bpy.context.scene.frame_set(0)
    drawn, moves = simulated(ball)
    assert bpy.ops.neurok.bake() == {"FINISHED"}
    assert ball.data.shape_keys.animation_data.action == action and len(bpy_curves(ball)) == 13
    check_plays(ball, drawn, change / 2.0, moves, turns=False)
    bpy.ops.neurok.bake_clear()
    assert ball.data.shape_keys.animation_data.action == action
    assert [curve.data_path for curve in bpy_curves(ball)] == ['key_blocks["Smile"].value']


def bpy_curves(ball) -> list:
    from neurok_blender.scene.curves import curves_of

    return list(curves_of(ball.data.shape_keys))


def test_a_lone_basis_stays(scene):
    from neurok_blender.session.state import session

    ball = add_rigid_ball()
    ball.shape_key_add(name="Basis")
    before = digest()
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    for _ in range(2):
        bpy.ops.neurok.bake()
    for _ in range(2):
        bpy.ops.neurok.bake_clear()
    session.show_originals()
    left = {path for path in differences(before, digest()) if path.startswith(("shape_keys", "meshes", "actions"))}
    assert left == set() and [block.name for block in ball.data.shape_keys.key_blocks] == ["Basis"]


def test_keys_under_a_subdivision_play_on(scene):
    """All at once: keys, a take beside them, and a modifier that builds."""
    ball, _change = smiling_ball(0.6)
    simulated(ball)
    plain = {}
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        plain[frame] = shown(ball)
    ball.modifiers.new("Subdivision", "SUBSURF").levels = 1
    bpy.context.scene.frame_set(0)
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    ball.modifiers[0].show_viewport = False
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        assert np.abs(shown(ball) - plain[frame]).max() < 1e-6


def test_a_take_is_baked_at_a_frame_where_keys_cut_faces_into_other_triangles(scene):
    """A quad that a key makes concave is cut along its other diagonal."""
    from neurok_blender.scene.mesh_io import look_at

    bpy.ops.mesh.primitive_plane_add()
    quad = bpy.context.active_object
    quad.neurok.provider, quad.neurok.anchor = "RIGID", "NONE"
    quad.shape_key_add(name="Basis")
    dent = quad.shape_key_add(name="Dent", from_mix=False)
    corners = quad.data.polygons[0].vertices
    dent.points[corners[1]].co = quad.data.vertices[corners[1]].co.lerp(quad.data.vertices[corners[3]].co, 0.7)
    driver = dent.driver_add("value").driver
    driver.type, driver.expression = "SCRIPTED", "float(frame > 3)"
    scene.frame_set(1)
    before = look_at(bpy.context, quad).triangles.tolist()
    scene.frame_set(8)
    assert look_at(bpy.context, quad).triangles.tolist() != before
    scene.frame_set(1)
    bpy.ops.neurok.simulate()
    scene.frame_set(8)
    assert bpy.ops.neurok.bake() == {"FINISHED"}
