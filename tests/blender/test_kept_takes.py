"""Takes live as long as their .blend: written when it is saved, back when it is opened again."""

import bpy
import numpy as np
import pytest

from tests.blender.helpers import add_elastic_ball, add_rigid_ball, stored
from tests.blender.layouts import drawn_panel


def come_back() -> int:
    """Ticks as the timer does; how many takes came."""
    from neurok_blender.session.kept_takes import kept_takes

    count = 0
    while kept_takes._waiting:
        count += kept_takes.tick()
    return count


def shapes(obj) -> list[bytes]:
    """What is stored in the mesh at some frames."""
    found = []
    for frame in (1, 5, 12, 30):
        bpy.context.scene.frame_set(frame)
        found.append(stored(obj.data).tobytes())
    return found


def save(path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(path))


def reopen(path) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(path))


def test_a_take_plays_on_after_saving_and_opening(scene, tmp_path):
    ball = add_elastic_ball()
    bpy.ops.neurok.simulate()
    drawn, seen = stored(ball.data), shapes(ball)
    save(tmp_path / "room.blend")
    (file,) = (tmp_path / "room.neurok").iterdir()
    assert file.name == ball.neurok.takes[0].file and len(set(seen)) > 2
    reopen(tmp_path / "room.blend")
    ball = bpy.data.objects["Ball"]
    assert ("label", "Reading the take...") in [each[:2] for each in drawn_panel("bake").everything()]
    assert come_back() == 1 and shapes(ball) == seen
    assert ("label", "Reading the take...") not in [each[:2] for each in drawn_panel("bake").everything()]
    # Saved again it is the same file, and what is written to the .blend is the drawn shape.
    written = file.stat().st_mtime_ns
    save(tmp_path / "room.blend")
    assert file.stat().st_mtime_ns == written
    bpy.ops.neurok.discard_take()
    assert np.array_equal(stored(ball.data), drawn)
    save(tmp_path / "room.blend")
    assert list((tmp_path / "room.neurok").iterdir()) == []


def test_a_baked_object_keeps_its_take_and_a_copy_of_the_file_has_its_own(scene, tmp_path):
    ball = add_rigid_ball()
    bpy.ops.neurok.simulate()
    seen = shapes(ball)
    save(tmp_path / "first.blend")
    save(tmp_path / "second.blend")
    names = {
        folder: [each.name for each in (tmp_path / folder).iterdir()] for folder in ("first.neurok", "second.neurok")
    }
    assert names["first.neurok"] == names["second.neurok"] == [ball.neurok.takes[0].file]
    reopen(tmp_path / "second.blend")
    assert come_back() == 1 and shapes(bpy.data.objects["Ball"]) == seen


@pytest.mark.parametrize("kind", ["SHAPE_KEYS", "ARMATURE"])
def test_the_take_of_a_baked_object_comes_back_while_what_was_baked_plays(scene, tmp_path, kind):
    from neurok_blender.session.state import session

    ball = add_elastic_ball()
    bpy.ops.neurok.simulate()
    seen = shapes(ball)
    scene.frame_set(9)
    assert bpy.ops.neurok.bake(kind=kind) == {"FINISHED"}
    save(tmp_path / "room.blend")
    reopen(tmp_path / "room.blend")
    ball = bpy.data.objects["Ball"]
    assert come_back() == 1 and ball.neurok.bakes[0].used and not session.notice.message
    bpy.ops.neurok.bake_clear()
    assert shapes(ball) == seen


@pytest.mark.parametrize("damage", ["edited", "cut", "gone"])
def test_what_does_not_fit_does_not_play_and_breaks_nothing(scene, tmp_path, damage):
    ball = add_rigid_ball()
    bpy.ops.neurok.simulate()
    save(tmp_path / "room.blend")
    (file,) = (tmp_path / "room.neurok").iterdir()
    if damage == "edited":
        from neurok_blender.session.state import session

        session.stop_playing(ball.data)
        ball.data.vertices[0].co.x += 0.1
        save(tmp_path / "room.blend")
    elif damage == "cut":
        file.write_bytes(file.read_bytes()[:1000])
    else:
        file.unlink()
    reopen(tmp_path / "room.blend")
    assert come_back() == 0
    ball = bpy.data.objects["Ball"]
    assert len(set(shapes(ball))) == 1
    bpy.ops.neurok.simulate()
    assert len(set(shapes(ball))) > 2


def test_a_script_has_it_at_once(scene, tmp_path):
    from neurok_blender import api

    ball = add_rigid_ball()
    (motion,) = api.simulate(ball)
    last = motion.positions(12)
    save(tmp_path / "room.blend")
    reopen(tmp_path / "room.blend")
    again = api.motion_of(bpy.data.objects["Ball"])
    assert again.frames == range(1, 13) and np.allclose(again.positions(12), last, atol=1e-6)


def test_a_folder_that_cannot_be_written_to_is_told(scene, tmp_path):
    from neurok_blender.session.state import session

    add_rigid_ball()
    bpy.ops.neurok.simulate()
    (tmp_path / "room.neurok").write_text("in the way")
    save(tmp_path / "room.blend")
    assert session.notice.bad and "could not be written" in session.notice.message
    assert (tmp_path / "room.blend").exists()
