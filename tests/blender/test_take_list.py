"""The list of takes of an object: what is simulated, recorded and posed is appended, and the chosen one plays."""

import bpy
import pytest

from tests.blender.helpers import add_elastic_ball, add_rigid_ball, settle, shown, stored
from tests.blender.layouts import drawn_panel
from tests.blender.test_kept_takes import come_back, reopen, save


@pytest.fixture
def ball(scene):
    """Three takes: one falls for 12 frames, one for 6 from frame 4, one flies sideways."""
    ball = add_rigid_ball()
    bpy.ops.neurok.simulate()
    scene.neurok.frame_count, scene.neurok.frame_start = 6, 4
    bpy.ops.neurok.simulate()
    bpy.ops.neurok.condition_add(kind="VELOCITY")
    ball.neurok.conditions[0].linear = (3.0, 0.0, 0.0)
    bpy.ops.neurok.simulate()
    return ball


def played(ball) -> list[bytes]:
    found = []
    for frame in (1, 6, 9):
        bpy.context.scene.frame_set(frame)
        found.append(stored(ball.data).tobytes())
    return found


def choose(ball, number: int) -> list[bytes]:
    ball.neurok.active_take = number
    return played(ball)


def test_every_take_is_listed_and_the_chosen_one_plays(ball):
    takes = ball.neurok.takes
    assert [each.name for each in takes] == ["Simulation", "Simulation 2", "Simulation 3"]
    assert [(each.frame_start, each.frame_count) for each in takes] == [(1, 12), (4, 6), (4, 6)]
    assert all(len(each.date) == 16 and each.megabytes > 0.0 for each in takes)
    assert ball.neurok.active_take == 2
    last, first = played(ball), choose(ball, 0)
    assert first != last and len(set(first)) == 3
    assert choose(ball, 2) == last and choose(ball, 0) == first


def test_the_list_has_names_lengths_dates_and_sizes(ball):
    found = drawn_panel("takes_popover").everything()
    texts = [each[1] for each in found if each[0] == "label"]
    assert ("list", "NEUROK_UL_takes") in [each[:2] for each in found] and len(texts) == 3
    assert texts[0].startswith("12  ") and texts[0].endswith(" MB")
    assert ("popover", "NEUROK_PT_takes") in [each[:2] for each in drawn_panel("bake").everything()]


def test_baking_and_the_scene_range_are_of_the_chosen_take(ball, scene):
    from neurok_blender.session.take_list import is_baked

    choose(ball, 0)
    assert bpy.ops.neurok.take_range() == {"FINISHED"} and (scene.frame_start, scene.frame_end) == (1, 12)
    assert bpy.ops.neurok.bake() == {"FINISHED"}
    assert [is_baked(ball, each) for each in ball.neurok.takes] == [True, False, False]
    (bake,) = ball.neurok.bakes
    assert (bake.frame_start, bake.frame_end) == (1, 12) and bake.used
    choose(ball, 1)  # what is chosen plays, in place of what was baked
    assert not bake.used
    scene.frame_set(9)
    moved = shown(ball).tobytes()
    scene.frame_set(4)
    assert shown(ball).tobytes() != moved


def test_a_deleted_take_is_gone_and_the_one_above_plays(ball, scene):
    second = choose(ball, 1)
    choose(ball, 2)
    bpy.ops.neurok.discard_take()
    assert len(ball.neurok.takes) == 2 and played(ball) == second
    for _ in range(2):
        bpy.ops.neurok.discard_take()
    drawn = played(ball)
    assert len(set(drawn)) == 1 and not ball.neurok.takes and not bpy.ops.neurok.discard_take.poll()


def test_undo_takes_no_take_away(scene):
    bpy.ops.ed.undo_push(message="empty")
    ball = add_rigid_ball()
    bpy.ops.ed.undo_push(message="made")
    bpy.ops.neurok.simulate()
    before = played(ball)
    ball["note"] = 1
    bpy.ops.ed.undo_push(message="noted")
    for step in (bpy.ops.ed.undo, bpy.ops.ed.undo, bpy.ops.ed.redo):
        assert step() == {"FINISHED"}
    ball = bpy.data.objects["Ball"]
    assert [each.name for each in ball.neurok.takes] == ["Simulation"] and played(ball) == before
    bpy.ops.neurok.discard_take()
    bpy.ops.ed.redo()
    assert not bpy.data.objects["Ball"].neurok.takes


def test_all_takes_come_back_and_one_is_read_when_it_is_chosen(ball, tmp_path):
    seen = [choose(ball, number) for number in range(3)]
    ball.neurok.takes[1].name = "Short"
    save(tmp_path / "room.blend")
    assert len(list((tmp_path / "room.neurok").iterdir())) == 3
    reopen(tmp_path / "room.blend")
    from neurok_blender.session.state import session

    ball = bpy.data.objects["Ball"]
    assert ball.neurok.takes[1].name == "Short" and come_back() == 1 and len(session.shelf) == 1
    assert played(ball) == seen[2]
    ball.neurok.active_take = 1
    assert come_back() == 1 and played(ball) == seen[1]
    # Saved to another place, what was not read goes along.
    save(tmp_path / "other.blend")
    assert len(list((tmp_path / "other.neurok").iterdir())) == 3
    reopen(tmp_path / "other.blend")
    ball = bpy.data.objects["Ball"]
    ball.neurok.active_take = 0
    assert come_back() == 1 and played(ball) == seen[0]
    bpy.ops.neurok.discard_take()
    save(tmp_path / "other.blend")
    assert len(list((tmp_path / "other.neurok").iterdir())) == 2


def test_a_pose_is_one_more_take(scene):
    from neurok_blender.session.pose_session import Pose

    ball = add_elastic_ball()
    bpy.ops.neurok.simulate()
    pose = Pose(bpy.context, ball)
    settle(pose)
    pose.interactive.keep(pose.take(), "Pose")
    pose.end()
    assert [(each.name, each.frame_count) for each in ball.neurok.takes] == [("Simulation", 12), ("Pose", 1)]
    assert len(set(played(ball))) == 1 and len(set(choose(ball, 0))) == 3


def test_a_copy_of_the_object_may_play_the_take_too(ball):
    bpy.ops.object.duplicate()
    copy = bpy.context.active_object
    assert copy is not ball and len(set(played(copy))) == 1
    copy.neurok.active_take = 0
    moved = played(copy)
    assert len(set(moved)) == 3 and moved == choose(ball, 0)
