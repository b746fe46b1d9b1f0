"""Every kind of bake, in every place, goes by every way back: undo, Clear and Esc leave what an artist had there."""

import bpy
import pytest

from tests.blender.digest import differences, digest
from tests.blender.helpers import add_rigid_ball, shown
from tests.blender.test_bake_kinds import KINDS, farthest, saved
from tests.blender.test_mesh_io import add_armature_bend

__all__ = ["saved"]

PLACES = ("NEW", "REPLACE", "APPEND")


def artists_ball():
    """With a rig that has an action, groups, an animated place, driven and locked values, UVs, a material: all used."""
    from neurok_blender.session.state import session

    ball = add_rigid_ball(location=(1.0, 2.0, 3.0))
    add_armature_bend(ball)
    rig = ball.modifiers["Rig"].object
    rig.pose.bones["Upper"].keyframe_insert("rotation_euler", frame=1)
    rig.pose.bones["Upper"].keyframe_insert("rotation_euler", frame=40)
    ball.vertex_groups.new(name="Mine").add([1, 2, 3], 0.5, "REPLACE")
    ball.modifiers.new("Cast", "CAST").factor = 0.0
    ball.modifiers.active = ball.modifiers["Rig"]
    ball.keyframe_insert("scale", frame=1)
    ball.keyframe_insert("scale", frame=9)
    spare = bpy.data.actions.new("NeuROK")  # a name that ours might want
    spare.use_fake_user = True
    track = ball.animation_data.nla_tracks.new()
    track.name = "Mine"
    driver = ball.driver_add("pass_index").driver
    driver.type, driver.expression = "SCRIPTED", "frame"
    ball.data.materials.append(bpy.data.materials.new("Paint"))
    ball.data.attributes.new("mine", "FLOAT", "POINT").data.foreach_set("value", [0.5] * len(ball.data.vertices))
    ball.data["note"] = 7
    ball.data.animation_data_create()
    ball.neurok.provider = "RIGID"
    bpy.ops.neurok.condition_add(kind="VELOCITY")
    ball.neurok.conditions[-1].angular = (1.0, 2.0, 0.5)
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    take = session.take_of(ball)
    return ball, [take.decoder(shape) for shape in take.motion.shapes]


def seen() -> dict[str, object]:
    """The digest, and where all vertices are in the middle of the take, without what is only previewed."""
    from neurok_blender.session.state import session

    bpy.context.scene.frame_set(7)
    session.show_originals()
    bpy.context.view_layer.update()
    meshes = [obj for obj in bpy.data.objects if obj.type == "MESH"]
    later = {f"{obj.name} at 7": (shown(obj).tobytes(), str(obj.matrix_world)) for obj in meshes}
    bpy.context.scene.frame_set(1)
    session.show_originals()
    return digest() | later


def step(message: str) -> None:
    bpy.ops.ed.undo_push(message=message)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", PLACES)
def test_undo_and_redo(saved, kind, place):
    """Twice: what is undone can be made again, and undone again."""
    artists_ball()
    if place != "NEW":
        bpy.ops.neurok.bake(kind=kind, tolerance=1e-3, take_name="First")
    step("before")
    before = seen()
    assert bpy.ops.neurok.bake(kind=kind, tolerance=1e-3, place=place) == {"FINISHED"}
    step("baked")
    after = seen()
    assert after != before
    for way, expected in ((bpy.ops.ed.undo, before), (bpy.ops.ed.redo, after), (bpy.ops.ed.undo, before)):
        assert way() == {"FINISHED"}
        assert differences(expected, seen()) == {}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", PLACES)
def test_clear(saved, kind, place):
    """All takes that are in the list after it, the last one first; each leaves what was there before."""
    ball, shapes = artists_ball()
    states = [seen()]
    if place != "NEW":
        bpy.ops.neurok.bake(kind=kind, tolerance=1e-3)
        states.append(seen())
    bpy.ops.neurok.bake(kind=kind, tolerance=1e-3, place=place)
    if place == "REPLACE":
        assert len(ball.neurok.bakes) == 1
        states.pop()
    while states:
        assert bpy.ops.neurok.bake_clear() == {"FINISHED"}
        assert differences(states.pop(), seen()) == {}
    assert not list(saved.rglob("*.pc2*"))
    bpy.ops.neurok.bake(kind=kind, tolerance=1e-3)
    assert farthest(bpy.context.scene, ball, shapes) < 1e-4


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", PLACES)
def test_esc(saved, kind, place):
    """Anywhere, as Esc and quitting end it."""
    from neurok_blender.scene.bakes.kinds import BakeOptions, bake_of
    from neurok_blender.session.state import session

    ball, _shapes = artists_ball()
    if place != "NEW":
        bpy.ops.neurok.bake(kind=kind, tolerance=1e-3)
    before, files = seen(), sorted(saved.rglob("*.pc2*"))
    for calls in (0, 1, 2, 3, 5, 8, 13):
        bake = bake_of(bpy.context, ball, session.take_of(ball), BakeOptions(kind=kind, place=place))
        if any(bake.advance(0.0) for _ in range(calls)):
            break
        bake.cancel()
        assert differences(before, seen()) == {}, calls
        assert sorted(saved.rglob("*.pc2*")) == files
    assert calls > 3, "too quick to be stopped"


def test_the_file_of_a_replaced_cache_stays_until_the_scene_is_saved(saved):
    """So that undo can show it; Clear and saving take it away, and never what somebody else has put in its place."""
    ball, shapes = artists_ball()
    for expected in (1, 2, 3):
        bpy.ops.neurok.bake(kind="CACHE", place="REPLACE")
        assert len(ball.neurok.bakes) == 1 and len(list(saved.rglob("*.pc2"))) == expected
    (saved / "neurok" / "Ball_2.pc2").write_bytes(b"mine")
    bpy.ops.wm.save_mainfile()
    assert sorted(path.name for path in saved.rglob("*.pc2")) == ["Ball_2.pc2", "Ball_3.pc2"]
    assert farthest(bpy.context.scene, ball, shapes) < 1e-4
    bpy.ops.neurok.bake(kind="CACHE", place="REPLACE")
    bpy.ops.neurok.bake_clear()
    assert [path.name for path in saved.rglob("*.pc2")] == ["Ball_2.pc2"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("when", ["before", "after"])
def test_keys_of_the_artists_own_stay(saved, kind, when):
    """Keys that were there play on beside a baked take, and keys made upon one outlive it."""
    from neurok_blender.scene.preview import PREVIEW_KEY

    ball, _shapes = artists_ball()
    if when == "after":
        bpy.ops.neurok.bake(kind=kind)
    if ball.data.shape_keys is None:
        ball.shape_key_add(name="Basis")
    smile = ball.shape_key_add(name="Smile", from_mix=False)
    smile.data[0].co.x += 0.25
    smile.value = 0.5
    smile.keyframe_insert("value", frame=3)
    place = smile.data[0].co.x
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    before = seen()
    if kind == "CACHE":  # behind the rig
        with pytest.raises(RuntimeError, match="cannot carry the shape keys of Ball along"):
            bpy.ops.neurok.bake(kind=kind)
    else:
        assert bpy.ops.neurok.bake(kind=kind) == {"FINISHED"}
        assert differences(before, seen()) != {}
        assert bpy.ops.neurok.bake_clear() == {"FINISHED"}
    assert differences(before, seen()) == {}
    if when == "before":
        return
    step("before")
    assert bpy.ops.neurok.bake_clear() == {"FINISHED"}
    step("cleared")
    keys = ball.data.shape_keys
    assert [block.name for block in keys.key_blocks if block.name != PREVIEW_KEY] == ["Basis", "Smile"]
    assert (keys.key_blocks["Smile"].value, keys.key_blocks["Smile"].data[0].co.x) == (0.5, place)
    assert keys.animation_data.action is not None
    bpy.ops.ed.undo()
    if kind != "CACHE":  # its file is gone for good, as the button says
        assert differences(before, seen()) == {}
