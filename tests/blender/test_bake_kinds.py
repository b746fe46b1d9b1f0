"""Every kind of bake shows on the timeline what was simulated, and goes without a trace."""

import bpy
import numpy as np
import pytest

from tests.blender.digest import differences, digest
from tests.blender.helpers import add_rigid_ball, shown, stored
from tests.blender.test_bake import simulated

KINDS = ("SHAPE_KEYS", "COMPRESSED", "ARMATURE", "CACHE")
# Of the object's size (2 m): what a rigid motion may be off by, through float32 files and keyframes.
EXACT = 2e-6


@pytest.fixture
def saved(scene, tmp_path):
    """The file has a place, so that others may lie beside it."""
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "film.blend"))
    bpy.context.scene.neurok.frame_count = 12
    return tmp_path


def rigid(spin=(1.0, 2.0, 0.5)):
    """A spinning, falling ball and its shapes [T,V,3]."""
    from neurok_blender.session.state import session

    ball = add_rigid_ball(location=(1.0, 2.0, 3.0), rotation_euler=(0.3, 0.2, 0.1))
    bpy.ops.neurok.condition_add(kind="VELOCITY")
    ball.neurok.conditions[-1].angular = spin
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    take = session.take_of(ball)
    return ball, np.array([take.shape(index) for index in range(take.frame_count)])


def farthest(scene, ball, shapes, start=1, frames=None) -> float:
    """Largest distance of a shown vertex from where the take has it, over the frames of the take."""
    worst = 0.0
    for number in frames or range(len(shapes)):
        scene.frame_set(start + number)
        worst = max(worst, float(np.linalg.norm(shown(ball) - shapes[number], axis=1).max()))
    return worst


@pytest.mark.parametrize("kind", KINDS)
def test_a_rigid_motion_is_exact_in_every_kind(saved, kind):
    scene = bpy.context.scene
    ball, shapes = rigid()
    assert np.abs(shapes - stored(ball.data)).max() > 0.1
    assert bpy.ops.neurok.bake(kind=kind, tolerance=1e-4) == {"FINISHED"}
    assert farthest(scene, ball, shapes) < 2 * EXACT
    entry = ball.neurok.bakes[0]
    assert entry.kind == kind and (entry.frame_start, entry.frame_end) == (1, 12) and entry.used
    scene.frame_set(-3)
    assert np.abs(shown(ball) - shapes[0]).max() < 1e-5
    scene.frame_set(40)
    assert np.abs(shown(ball) - shapes[-1]).max() < 1e-5


@pytest.mark.parametrize("kind", ["SHAPE_KEYS", "COMPRESSED", "CACHE"])
def test_an_elastic_motion_stays_within_the_tolerance(saved, kind):
    scene = bpy.context.scene
    ball, shapes = simulated(scene)
    assert bpy.ops.neurok.bake(kind=kind) == {"FINISHED"}
    allowed = 0.0005 * 2.0 if kind == "COMPRESSED" else 1e-5
    assert farthest(scene, ball, shapes) < allowed * 1.001
    entry = ball.neurok.bakes[0]
    assert entry.count == {"SHAPE_KEYS": 12, "CACHE": 12}.get(kind, entry.count) and entry.count <= 12
    assert entry.megabytes == pytest.approx(entry.count * len(ball.data.vertices) * 12e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("back", ["clear", "undo", "api"])
def test_nothing_is_left_that_can_be_seen(saved, kind, back):
    """And the same bake can be made again after."""
    from neurok_blender import api
    from neurok_blender.session.state import session

    scene = bpy.context.scene
    ball, shapes = rigid()
    ball.vertex_groups.new(name="Mine").add([1, 2, 3], 0.5, "REPLACE")
    ball.modifiers.new("Mine", "CAST").factor = 0.0
    ball.keyframe_insert("scale", frame=1)
    empty = bpy.data.objects.new("Above", None)
    scene.collection.objects.link(empty)
    empty.location = (0.5, 0.0, 0.25)
    bpy.context.view_layer.update()
    ball.parent, ball.matrix_parent_inverse = empty, empty.matrix_world.inverted()
    session.show_originals()
    bpy.ops.ed.undo_push(message="before")
    before = digest()
    assert bpy.ops.neurok.bake(kind=kind) == {"FINISHED"}
    bpy.ops.ed.undo_push(message="baked")
    assert digest() != before
    ball = bpy.context.active_object
    if back == "clear":
        assert bpy.ops.neurok.bake_clear() == {"FINISHED"}
    elif back == "api":
        api.clear_bake(ball, "NeuROK")
    else:
        bpy.ops.ed.undo()
    session.show_originals()
    assert differences(before, digest()) == {}
    assert back == "undo" or not list(saved.rglob("*.pc2*"))
    assert bpy.ops.neurok.bake(kind=kind, tolerance=1e-4) == {"FINISHED"}
    assert farthest(bpy.context.scene, bpy.context.active_object, shapes) < 1e-5


@pytest.mark.parametrize("kind", KINDS)
def test_a_bake_that_is_stopped_anywhere_leaves_nothing(saved, kind):
    from neurok_blender.scene.bakes.kinds import BakeOptions, bake_of
    from neurok_blender.session.state import session

    ball, _shapes = rigid()
    session.show_originals()
    before = digest()
    for calls in (0, 1, 2, 3, 5, 8, 12):
        bake = bake_of(bpy.context, ball, session.take_of(ball), BakeOptions(kind=kind))
        for _ in range(calls):
            if bake.advance(0.0):
                break
        bake.cancel()
        assert differences(before, digest()) == {}, calls
    assert not [path for path in saved.rglob("*") if path.suffix in (".pc2", ".part")]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", ["NEW", "REPLACE", "APPEND"])
def test_esc_leaves_the_take_that_was_there(saved, kind, place):
    from neurok_blender.scene.bakes.kinds import BakeOptions, bake_of
    from neurok_blender.session.state import session

    ball, shapes = rigid()
    bpy.ops.neurok.bake(kind=kind, tolerance=1e-3)
    before = digest()
    bake = bake_of(bpy.context, ball, session.take_of(ball), BakeOptions(kind=kind, place=place))
    for _ in range(5):
        if bake.advance(0.0):
            pytest.fail("too quick to be stopped")
    bake.cancel()
    assert differences(before, digest()) == {}
    assert farthest(bpy.context.scene, ball, shapes) < 1e-4


@pytest.mark.parametrize("kind", KINDS)
def test_another_start_and_a_step(saved, kind):
    scene = bpy.context.scene
    ball, shapes = rigid((0.0, 0.0, 0.0))
    assert bpy.ops.neurok.bake(kind=kind, start=-20, step=3) == {"FINISHED"}
    assert farthest(scene, ball, shapes, -20, range(0, 10, 3)) < 1e-3 * 1.001 if kind == "COMPRESSED" else 1e-5
    scene.frame_set(-19)
    between = shapes[0] + (shapes[3] - shapes[0]) / 3.0
    assert np.abs(shown(ball) - between).max() < 2e-3
    scene.frame_set(10)
    assert np.abs(shown(ball) - shapes[-1]).max() < 2e-3


@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("second", KINDS)
def test_one_take_behind_another(saved, first, second):
    """Each shows its own frames, whatever both are kept as; without the second all is as it was before."""
    from neurok_blender.session.state import session

    scene = bpy.context.scene
    ball, shapes = rigid()
    bpy.ops.neurok.bake(kind=first, tolerance=1e-3)
    alone = digest()
    assert bpy.ops.neurok.bake(kind=second, place="APPEND", tolerance=1e-3) == {"FINISHED"}
    assert [(each.frame_start, each.frame_end) for each in ball.neurok.bakes] == [(1, 12), (13, 24)]
    assert farthest(scene, ball, shapes, 1) < 1e-4 and farthest(scene, ball, shapes, 13) < 1e-4
    scene.frame_set(99)
    assert np.abs(shown(ball) - shapes[-1]).max() < 1e-4
    assert all(each.used for each in ball.neurok.bakes)
    ball.neurok.active_bake = 1
    bpy.ops.neurok.bake_clear()
    scene.frame_set(12)
    scene.frame_set(1)
    assert differences(alone, digest()) == {}
    assert session.take_of(ball) is not None


def test_the_first_of_two_can_go_and_the_other_plays_on(saved):
    scene = bpy.context.scene
    for kind in KINDS:
        bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
        scene = bpy.context.scene
        scene.neurok.frame_count = 12
        ball, shapes = rigid()
        bpy.ops.neurok.bake(kind=kind, tolerance=1e-3)
        bpy.ops.neurok.bake(kind=kind, tolerance=1e-3, place="APPEND")
        bpy.ops.neurok.bake_clear(index=0)
        assert len(ball.neurok.bakes) == 1
        assert farthest(scene, ball, shapes, 13) < 1e-4, kind
        scene.frame_set(1)
        assert np.abs(shown(ball) - shapes[0]).max() < 1e-4, kind
        bpy.ops.neurok.bake_clear()
        assert ball.parent is None and ball.data.shape_keys is None and not ball.modifiers and not ball.vertex_groups
        assert not bpy.data.actions and not bpy.data.armatures


@pytest.mark.parametrize("kind", KINDS)
def test_a_take_is_replaced_by_a_new_simulation(saved, kind):
    """Baked, simulated again, baked in its place: there is one take, of the same name, with the new motion."""
    scene = bpy.context.scene
    from neurok_blender.session.state import session

    ball, shapes = rigid()
    bpy.ops.neurok.bake(kind=kind, take_name="Fall")
    drawn = stored(ball.data)
    scene.frame_set(1)
    ball.neurok.conditions[-1].linear = (0.0, 9.0, 2.0)
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    assert not ball.neurok.bakes[0].used  # so that the new motion can be seen
    take = session.take_of(ball)
    again = np.array([take.shape(index) for index in range(take.frame_count)])
    assert np.abs(again - shapes).max() > 0.1
    assert farthest(scene, ball, again) < 1e-5  # shown, not baked
    assert bpy.ops.neurok.bake(kind=kind, place="REPLACE", tolerance=1e-3) == {"FINISHED"}
    assert [(each.name, each.used) for each in ball.neurok.bakes] == [("Fall", True)]
    assert farthest(scene, ball, again) < 1e-4
    assert stored(ball.data).tobytes() == drawn.tobytes()
    bpy.ops.neurok.bake_clear()
    assert farthest(scene, ball, again) < 1e-5  # shown again
    assert len(list(saved.rglob("*.pc2"))) == 0


def test_takes_at_the_same_frames_take_turns(saved):
    scene = bpy.context.scene
    ball, shapes = rigid()
    bpy.ops.neurok.bake(kind="SHAPE_KEYS")
    bpy.ops.neurok.bake(kind="ARMATURE")
    bpy.ops.neurok.bake(kind="CACHE")
    assert [each.used for each in ball.neurok.bakes] == [False, False, True]
    for index in (0, 1, 2):
        if not ball.neurok.bakes[index].used:
            assert bpy.ops.neurok.bake_play(index=index) == {"FINISHED"}
        assert [each.used for each in ball.neurok.bakes] == [number == index for number in range(3)]
        assert farthest(scene, ball, shapes) < 1e-5
    bpy.ops.neurok.bake_play(index=2)
    assert farthest(scene, ball, shapes) < 1e-5  # none plays, so the simulated motion is shown
    bpy.ops.neurok.discard_take()
    assert np.array_equal(shown(ball), stored(ball.data))
